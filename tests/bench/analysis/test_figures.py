"""The figures show the numbers of the results, and nothing is cut or covers anything else."""

import numpy as np
import pytest
from matplotlib.text import Text

from blufs_bench.compare import tests as statistics
from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.means import chosen_scores, score_matrix
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.figures import comparisons, features, frames, runs, scores, sensitivity
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.figures.draw import draw
from blufs_bench.show.figures.style import NoDataError, Style, save, use_style
from tests.helpers.imports import loaded_by
from tests.helpers.results_fixture import make_results, selections_of, suite_info

DATASETS = ("rings", "digits", "first", "second")
NAMES = figure_specs(["rings"])
STYLE = Style(dpi=60)


@pytest.fixture(scope="module")
def suite():
    info = suite_info(datasets=DATASETS)
    info["titles"]["BLSFS"] = "BLSFS (reconstructed)"
    return Suite(**info)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return load(make_results(tmp_path_factory.mktemp("results"), datasets=DATASETS))


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """Results of a suite none of whose datasets could be had."""
    folder = tmp_path_factory.mktemp("nothing")
    return load(make_results(folder, datasets=DATASETS, unavailable=DATASETS))


@pytest.fixture(scope="module")
def drawn(results, suite):
    """Every figure of the catalogue, rendered once."""
    figures = {name: draw(name, results, suite, STYLE)[0] for name in NAMES}
    with use_style(STYLE):
        for figure in figures.values():
            figure.canvas.draw()
    return figures


def texts(figure):
    """All texts that are seen, with their boxes in pixels."""
    renderer = figure.canvas.get_renderer()
    hidden = {label for axes in figure.axes for label in _hidden_labels(axes)}
    found = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]
    # Not the method of the text itself: that of an annotation includes its arrow.
    return [(text.get_text(), Text.get_window_extent(text, renderer)) for text in found]


def _hidden_labels(axes):
    """Labels of ticks that are beyond the limits of their axis or not drawn at all."""
    for axis in (getattr(axes, f"{name}axis", None) for name in "xyz"):
        if axis is None:
            continue
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        drawn = axis._update_ticks() if axes.axison and axis.get_visible() else []
        for tick in set(ticks) - set(drawn):
            yield from (tick.label1, tick.label2)


def overlaps(first, second, slack=1.0):
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    return width > slack and height > slack


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_cut(drawn, name):
    canvas, seen = drawn[name].bbox, texts(drawn[name])
    assert seen
    outside = [
        text
        for text, box in seen
        if box.x0 < -1 or box.y0 < -1 or box.x1 > canvas.x1 + 1 or box.y1 > canvas.y1 + 1
    ]
    assert not outside


@pytest.mark.parametrize("name", NAMES)
def test_no_two_texts_overlap(drawn, name):
    seen = texts(drawn[name])
    clashes = [
        (one, other)
        for i, (one, first) in enumerate(seen)
        for other, second in seen[i + 1 :]
        if overlaps(first, second)
    ]
    assert not clashes


@pytest.mark.parametrize("name", ["acc_curves", "pixels"])
def test_same_figure_gives_same_bytes(results, suite, tmp_path, name):
    for copy in ("a", "b"):
        figure, _ = draw(name, results, suite, STYLE)
        save(figure, tmp_path / f"{copy}.png", tmp_path / f"{copy}.pdf", STYLE)
    for suffix in ("png", "pdf"):
        first, second = (tmp_path / f"{copy}.{suffix}" for copy in "ab")
        assert first.read_bytes() == second.read_bytes()
    assert b"CreationDate" not in (tmp_path / "a.pdf").read_bytes()


def test_curves_show_the_means_of_the_repetitions(results, suite):
    _, panels = scores.score_curves(results, suite, metric="nmi", choice="blind")
    rows = results.scores.query("metric == 'nmi' and choice == 'blind' and dataset == 'digits'")
    panel = panels[DATASETS.index("digits")]
    assert len(panel.lines) == len(suite.methods)
    for method, line in zip(suite.methods, panel.lines, strict=True):
        expected = rows[rows["method"] == method].groupby("s")["value"].mean()
        if method == "AllFeatures":
            np.testing.assert_allclose(line.get_ydata(), expected.iloc[0])
        else:
            np.testing.assert_array_equal(line.get_xdata(), expected.index)
            np.testing.assert_allclose(line.get_ydata(), expected)


def test_curves_leave_out_datasets_with_one_number_of_features(tmp_path):
    folder = make_results(tmp_path / "results", s_values=(5,))
    with pytest.raises(NoDataError, match="more than one number of features"):
        scores.score_curves(load(folder), Suite(**suite_info(s_values=(5,))))


def test_boxes_stand_at_the_quartiles(results, suite):
    _, panels = scores.boxplots(results, suite)
    rows = results.scores.query(
        "metric == 'clustering_acc' and choice == 'oracle' and is_reported_s"
    )
    values = rows[(rows["dataset"] == "rings") & (rows["method"] == "BLUFS")]["value"]
    box = panels[0].patches[list(suite.methods).index("BLUFS")].get_path().vertices
    np.testing.assert_allclose(
        [box[:, 0].min(), box[:, 0].max()], np.quantile(values, [0.25, 0.75])
    )


def test_critical_difference_shows_ranks_and_the_difference(results, suite):
    _, panels = comparisons.critical_difference(results, suite, compare_methods(results, suite))
    assert len(panels) == 2
    matrix = score_matrix(
        chosen_scores(results, suite), "clustering_acc", "oracle", suite.ranked_methods
    )
    mean = statistics.average_ranks(matrix)
    shown = " ".join(text.get_text() for text in panels[0].texts)
    for method, rank in mean.items():
        label = suite.title(method)
        assert f"{label}  ({rank:.2f})" in shown or f"({rank:.2f})  {label}" in shown
    difference = statistics.critical_difference(
        matrix.shape[1], len(matrix), suite.significance_level
    )
    assert f"CD = {difference:.2f}" in shown
    assert "α = 0.05" in panels[0].get_title()
    bars = [line for line in panels[0].lines if line.get_color() == "#444444"]
    assert bars
    for bar in bars:  # drawn the same way in every run
        assert list(bar.get_xdata()) == sorted(bar.get_xdata())


def test_sensitivity_averages_over_s_with_the_other_weights_fixed(results):
    rows = results.screened.query("method == 'BLUFS' and dataset == 'digits'")
    table = sensitivity.weight_table(rows, ("alpha", "beta"), "clustering_acc")
    assert list(table.index) == list(table.columns) == [0.1, 1.0, 10.0]
    setting = '{"alpha": 0.1, "beta": 10, "lam": 1, "mu": 1}'
    expected = rows.loc[rows["setting"] == setting, "clustering_acc"].mean()
    assert table.loc[0.1, 10.0] == pytest.approx(expected, abs=1e-15)
    assert sensitivity.weight_table(rows, ("alpha", "nothing"), "clustering_acc") is None


def test_scatter_counts_the_real_features(results, suite):
    _, panels = features.selected_plane(results, suite, dataset="rings")
    chosen = selections_of(results, "oracle", dataset="rings", s=2)
    for method, panel in zip(suite.ranked_methods, panels, strict=True):
        selected = chosen[chosen["method"] == method]["features"].iloc[0]
        found = len({0, 1} & set(selected))
        assert panel.get_title().endswith(f"\n{found} of 2 real features")
        assert method in panel.get_title()


def test_pixels_mark_exactly_the_selected_ones(results, suite):
    _, panels = features.pixels(results, suite)
    chosen = selections_of(results, "oracle", dataset="digits", s=10).set_index("method")[
        "features"
    ]
    for column, method in enumerate([*suite.ablation, "BLUFS"], start=1):
        overlay = np.asarray(panels[0, column].images[1].get_array())
        assert set(np.flatnonzero(overlay[..., 3])) == set(chosen[method])


def test_pixels_follow_the_order_of_the_image(results, suite):
    shape = (2, 3)
    panel = features.new_figure(1, 1).subplots()
    features._mark_pixels(panel, np.array([1]), list(shape), "F")
    marked = np.argwhere(np.asarray(panel.images[0].get_array())[..., 3])
    assert marked.tolist() == [[1, 0]]


def test_correlation_is_that_of_the_selected_features(results, suite):
    _, panels = features.correlation(results, suite)
    X, _ = results.data("first")
    chosen = selections_of(results, "oracle", dataset="first", method="BLUFS")
    selected = chosen[chosen["s"] == 10]["features"].iloc[0]
    column = next(i for i, panel in enumerate(panels[1]) if "first" in panel.get_title())
    shown = np.asarray(panels[1, column].images[0].get_array())
    np.testing.assert_allclose(shown, np.abs(np.corrcoef(X[:, selected].T)), atol=1e-12)


def test_scaling_shows_the_median_time(results, suite):
    _, panels = runs.scaling(results, suite)
    rows = results.timing.query("method == 'BLUFS'")
    expected = rows.groupby("dataset")["seconds"].median()
    line = panels[0].lines[suite.ranked_methods.index("BLUFS")]
    assert sorted(line.get_ydata()) == pytest.approx(sorted(expected))
    assert (np.diff(line.get_xdata()) >= 0).all()


@pytest.mark.parametrize(
    "places", [[0.1, 0.11, 0.12], [0.9, 0.99, 1.0], [0.0, 0.5, 1.0], [0.5] * 5]
)
def test_spread_places_keep_their_order_and_distance(places):
    moved = runs.spread(places, gap=0.05)
    assert (np.diff(moved) >= 0.05 - 1e-12).all()
    assert moved.max() <= 1 + 1e-12


def test_sparsity_shows_the_stored_row_norms_of_the_default_setting(results, suite):
    _, panels = features.sparsity(results, suite)
    rows = selections_of(results, "default", dataset="digits", method="BLUFS", s=10)
    stored = np.asarray(rows["row_norms"].iloc[0], dtype=float)
    assert np.count_nonzero(stored) == 10
    segments = panels[1].collections[0].get_segments()
    shown = {round(end[0]): end[1] for _, end in segments}
    assert set(shown) == set(np.flatnonzero(stored))
    for feature, height in shown.items():
        assert height == pytest.approx(stored[feature] / stored.max())
    label = panels[2].get_legend_handles_labels()[1]
    assert label[1] == "BLUFS: 10 of 64 rows not zero"
    np.testing.assert_allclose(panels[2].lines[1].get_ydata(), 0.9 ** np.arange(10), rtol=1e-6)


def test_agreement_shows_the_common_features(results, suite):
    _, panels = comparisons.agreement(results, suite)
    title = [panel.get_title() for panel in panels]
    assert title == ["Mean of 4 datasets", "Rings", "Digits", "first", "second"]
    rows = selections_of(results, "default", dataset="digits", s=10).set_index("method")
    one, other = (set(rows.loc[method, "features"]) for method in ("LapScore", "BLUFS"))
    shown = np.asarray(panels[2].images[0].get_array())
    place = [suite.ranked_methods.index(method) for method in ("LapScore", "BLUFS")]
    assert shown[place[0], place[1]] == pytest.approx(len(one & other) / len(one | other))


@pytest.mark.parametrize("name", NAMES)
def test_without_data_a_figure_says_why(nothing, suite, name):
    figure, _ = draw(name, nothing, suite, STYLE)
    words = " ".join(text for text, _ in texts(figure)).replace("\n", " ")
    assert figure_specs(["rings"])[name].title in words
    assert "unavailable" in words or "not" in words.lower()


def test_planning_loads_no_plotting():
    loaded = loaded_by("blufs_bench.show.figures.catalog", "blufs_bench.show.page.assets")
    assert not {"matplotlib", "seaborn", "pandas"} & loaded


def test_data_without_labels_show_the_selections_of_the_default_setting(tmp_path):
    folder = make_results(tmp_path, unlabelled=("digits",))
    results = load(folder)
    rows = frames.shown_selections(results, ["BLUFS"])
    expected = {"digits": "default", "rings": "oracle"}
    for dataset, choice in expected.items():
        wanted = frames.selections(results, ["BLUFS"], choice)
        wanted = wanted[wanted["dataset"] == dataset]
        assert list(rows[rows["dataset"] == dataset]["setting"]) == list(wanted["setting"])
        assert len(wanted) == 3
