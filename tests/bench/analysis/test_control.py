"""The positive control sees the labels, shows what there is to reach, and competes with nobody."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.headroom import headroom, shares, without_room
from blufs_bench.compare.paper import Paper
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.page.data import page_data
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import TABLES
from tests.helpers.results_fixture import QUALITY, Made, make_results, suite_info

DATASETS = ("digits", "COIL20", "Jaffe", "pie", "lung")
METHODS = ("AllFeatures", "RandomFeatures", "LapScore", "BLSFS", "BLUFS")
DOMAIN = {"digits": "image", "COIL20": "image", "Jaffe": "image", "pie": "gene_expression"}
CONTROL = "Supervised"
ALONE = Suite(**suite_info(datasets=DATASETS, methods=METHODS, ablation=()))
SUITE = replace(ALONE, controls=(CONTROL,))
#: Tables that show the control beside the methods, marked as such.
BESIDE = {"gains"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = make_results(
        tmp_path_factory.mktemp("control"),
        datasets=DATASETS,
        methods=(*METHODS, CONTROL),
        ablation=(),
        failed=[("COIL20", "BLSFS"), ("Jaffe", CONTROL)],
        made=Made(domains=DOMAIN, quality={**QUALITY, CONTROL: 0.9}),
    )
    return load(folder)


@pytest.fixture(scope="module")
def comparison(results):
    return compare_methods(results, SUITE)


def without_control(content):
    """The content of a comparison without what only a control brings into it."""
    gone = {"headroom", "controls", "no_room", "share", "caveats", "seconds"}
    if isinstance(content, dict):
        return {key: without_control(value) for key, value in content.items() if key not in gone}
    return content


def test_with_a_control_nothing_else_of_the_comparison_changes(results, comparison):
    """Means, places, ranks, gains, Nemenyi, Wilcoxon, Bayes, pairs, answers and the verdict."""
    alone = compare_methods(results, ALONE)
    with_control, expected = without_control(comparison.content), without_control(alone.content)
    assert with_control == expected
    assert CONTROL not in json.dumps(with_control)
    assert not any(view.content["controls"] for view in alone.views())


@pytest.mark.parametrize("name", [name for name in TABLES if name not in BESIDE])
def test_no_table_ranks_or_pairs_it(results, comparison, name):
    paper = Paper({"methods": {}, "tables": {}, "cases": {}})
    if name in ("cases", "paper_vs_ours"):
        pytest.skip("a table of the paper")
    table = build_table(name, results, SUITE, paper, comparison)
    headers = [column for block in table.blocks for column in block.columns]
    cells = [cell.text for block in table.blocks for row in block.rows for cell in row.cells]
    assert CONTROL not in {*headers, *cells}
    assert "method" not in table.tidy or CONTROL not in set(table.tidy["method"])


def test_the_leaderboard_shows_it_last_and_without_a_place(results, comparison):
    view = comparison.view("nmi", "default")
    assert list(view.rows)[-1] == CONTROL
    assert list(view.rows)[:-1] == list(view.content["methods"])
    row = view.content["controls"][CONTROL]
    assert [row[key] for key in ("place", "rank", "common_rank", "behind")] == [None] * 4
    assert row["share"] == pytest.approx(1.0)
    table = build_table("gains", results, SUITE, Paper({}), comparison)
    board = next(block for block in table.blocks if "To supervised" in block.columns)
    assert board.rows[-1].cells[0].text == CONTROL
    assert not any(cell.mark for cell in board.rows[-1].cells)
    csv = table.tidy.set_index("method")
    assert csv.loc[CONTROL, "share"].notna().all()
    assert set(csv.loc["LapScore", "verified"]) == {"equal to reference code"}
    assert set(csv.loc["BLSFS", "verified"]) == {"reconstructed"}


def test_the_page_compares_the_methods_alone(results, comparison):
    data = page_data(results, SUITE, comparison)
    for choices in data["views"].values():
        for scores in choices.values():
            for domains in scores.values():
                for view in domains.values():
                    assert CONTROL not in view["methods"]
                    assert CONTROL not in view["answer"]
    assert CONTROL not in json.dumps(data["cells"])


def test_the_share_is_that_of_the_way_from_random_to_supervised(comparison):
    view = comparison.view("nmi", "default")
    scores = comparison.matrix("nmi", "default").drop(index="Jaffe")
    scores = scores.mask(scores.isna(), scores["RandomFeatures"], axis=0)
    rooms = comparison.headroom("nmi", "default")
    assert list(rooms.index) == ["digits", "COIL20", "pie", "lung"]  # it has no score on Jaffe
    gains = scores.sub(scores["RandomFeatures"], axis=0).mean()
    for name, row in view.content["methods"].items():
        assert row["share"] == pytest.approx(100 * gains[name] / rooms["room"].mean())
    assert view.content["methods"]["RandomFeatures"]["share"] == 0


def test_datasets_without_headroom_count_for_no_share_and_are_named():
    names = ["wide", "narrow", "noisy", "unknown"]
    random = pd.Series([0.5, 0.5, 0.5, 0.5], names)
    spread = pd.Series([0.01, 0.001, 0.09, 0.01], names)
    control = pd.Series([0.9, 0.519, 0.58, np.nan], names)
    rooms = headroom(random, spread, control)
    assert rooms["room"].tolist() == pytest.approx([40.0, 1.9, 8.0])
    assert rooms["has_room"].tolist() == [True, False, False]
    assert without_room(rooms, names) == ["narrow", "noisy"]
    scores = pd.DataFrame({"RandomFeatures": random, "X": [0.7, 0.9, 0.9, 0.9]}, index=names)
    assert shares(scores, rooms).to_dict() == pytest.approx({"RandomFeatures": 0.0, "X": 0.5})
    assert shares(scores, rooms.iloc[1:]).isna().all()


def test_datasets_without_headroom_are_marked(tmp_path):
    quality = {**QUALITY, CONTROL: QUALITY["RandomFeatures"]}
    folder = make_results(
        tmp_path, methods=(*METHODS, CONTROL), ablation=(), made=Made(quality=quality)
    )
    suite = replace(SUITE, datasets=("rings", "digits"))
    results = load(folder)
    comparison = compare_methods(results, suite)
    view = comparison.view("nmi", "default")
    assert view.content["no_room"] == ["digits"]
    assert any("even features chosen by the labels" in text for text in view.content["caveats"])
    table = build_table("datasets", results, suite, Paper({}), comparison)
    assert not table.tidy.set_index("dataset").loc["digits", "has_headroom_nmi"]
    texts = [cell.text for row in table.blocks[0].rows for cell in row.cells]
    assert any(text.endswith("(none)") for text in texts)


def test_distances_are_to_the_best_method_of_each_dataset(results, comparison):
    scores = comparison.matrix("nmi", "default")
    ranked = scores.drop(columns="AllFeatures")
    ranked = ranked.mask(ranked.isna(), ranked["RandomFeatures"], axis=0)
    tidy = build_table("improvability", results, SUITE, Paper({}), comparison).tidy
    rows = tidy[(tidy["metric"] == "nmi") & (tidy["choice"] == "default")]
    rows = rows[rows["score"] == "reported"].set_index(["dataset", "method"])
    assert len(rows) == ranked.size
    for (dataset, method), row in rows.iterrows():
        behind = ranked.loc[dataset].max() - ranked.loc[dataset, method]
        assert row["behind"] == pytest.approx(100 * behind)
    assert (rows["behind"].groupby("dataset").min() == 0).all()
    mean = rows["behind"].groupby("method").mean()
    methods = comparison.view("nmi", "default").content["methods"]
    assert methods["LapScore"]["behind"] == pytest.approx(mean["LapScore"])
