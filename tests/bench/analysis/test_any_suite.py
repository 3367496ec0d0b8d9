"""Whatever a suite holds: every table and figure exists or says why not, and the page is whole."""

from itertools import cycle, product
from pathlib import Path

import pytest

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.paper import load_paper
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.figures.draw import draw
from blufs_bench.show.figures.style import Style, use_style
from blufs_bench.show.page.page import render
from blufs_bench.show.page.provenance import provenance
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.render import FORMS, write_table
from tests.bench.analysis.test_report import Elements
from tests.helpers import ROOT
from tests.helpers.results_fixture import make_results, suite_info

PAPER = load_paper(ROOT / "data" / "paper_results.yaml")
STYLE = Style(dpi=40)
VARIANTS = ("BLUFS-I", "BLUFS-final")

DATASETS = {
    "one dataset": {"datasets": ("digits",)},
    "synthetic only": {"datasets": ("rings",)},
    "no labels": {"datasets": ("mine", "digits"), "unlabelled": ("mine", "digits")},
    "labels on one": {"datasets": ("mine", "COIL20", "rings"), "unlabelled": ("mine",)},
    "not available": {"datasets": ("digits", "lung"), "unavailable": ("lung",)},
    "nothing available": {"datasets": ("lung",), "unavailable": ("lung",)},
}
METHODS = {
    "one method": {"methods": ("LapScore",), "ablation": ()},
    "all features only": {"methods": ("AllFeatures",), "ablation": ()},
    "random features": {
        "methods": ("AllFeatures", "RandomFeatures", "LapScore", "BLUFS"),
        "ablation": (),
    },
    "no BLUFS": {"methods": ("AllFeatures", "LapScore", "BLSFS"), "ablation": ()},
    "no all features": {"methods": ("LapScore", "BLUFS"), "ablation": VARIANTS},
    "variants without BLUFS": {"methods": ("AllFeatures", "LapScore"), "ablation": VARIANTS},
}
EXTRAS = {
    "all stages": {},
    "no timing, no stability, one s": {"timed": False, "resampled": False, "s_values": (5,)},
    "no timing": {"timed": False},
    "no stability": {"resampled": False},
    "one s": {"s_values": (5,)},
}
#: Every kind of data with every kind of methods; the stages that a suite may leave out alternate,
#: and because their number is prime to that of the methods, each method meets each of them. The
#: fast tests have each kind of data and each kind of methods twice.
PRODUCT = [
    pytest.param(
        DATASETS[data] | METHODS[methods] | EXTRAS[extras],
        id=f"{data}; {methods}; {extras}",
        marks=[] if (row + column) % len(METHODS) < 2 else [pytest.mark.slow],
    )
    for ((row, data), (column, methods)), extras in zip(
        product(enumerate(DATASETS), enumerate(METHODS)), cycle(EXTRAS), strict=False
    )
]


def all_failed(name: str, *, data: str, methods: str, extras: str = "all stages"):
    """A suite of which nothing ran."""
    options = DATASETS[data] | METHODS[methods] | EXTRAS[extras]
    names = (*options["methods"], *options["ablation"])
    failed = [(dataset, method) for dataset in options["datasets"] for method in names]
    return pytest.param(options | {"failed": failed}, id=f"all failed; {name}")


ALL_FAILED = [
    all_failed("one dataset, one method", data="one dataset", methods="one method"),
    all_failed("variants", data="labels on one", methods="no all features"),
    all_failed("no labels", data="no labels", methods="random features", extras="no timing"),
    all_failed("nothing but all features", data="one dataset", methods="all features only"),
]


def made(folder: Path, options: dict) -> tuple:
    known = ("datasets", "methods", "ablation", "s_values")
    suite = Suite(**suite_info(**{key: options[key] for key in known if key in options}))
    return load(make_results(folder, n_clusterings=3, n_splits=2, **options)), suite


def check_table(table) -> None:
    assert table.blocks or table.notes, "an empty table must say why it is empty"
    assert len(set(table.tidy.columns)) == len(table.tidy.columns)
    for block in table.blocks:
        assert block.rows
        for column, title in enumerate(block.columns):
            texts = [row.cells[column].text for row in block.rows]
            assert all(texts), f"an empty cell under {title}"
            assert "nan" not in texts
        for row in block.rows:
            assert any(cell.text != "–" for cell in row.cells[1:])


@pytest.mark.parametrize("options", [*PRODUCT, *ALL_FAILED])
def test_tables_and_page_of_any_suite(options, tmp_path):
    results, suite = made(tmp_path, options)
    paths, empty = {}, {}
    for name in table_specs(suite.datasets):
        table = build_table(name, results, suite, PAPER)
        check_table(table)
        files = {form: tmp_path / "tables" / f"{name}.{form}" for form in FORMS}
        write_table(table, **files)
        paths[name] = files["html"]
        if not table.blocks:
            empty[name] = table.notes[0]
    record = provenance({})
    made_of = {"provenance": record, "comparison": compare_methods(results, suite), "tables": paths}
    page = render(results, suite, **made_of, empty_tables=empty)
    assert not Elements(page).open
    for name in table_specs(suite.datasets):
        listed = name in empty and not table_specs(suite.datasets)[name].dataset
        assert (f'id="table-{name}"' in page) != listed
        if listed:
            _, _, below = page.partition('id="left-out"')
            assert table_specs(suite.datasets)[name].title in below.partition("</details>")[0]


@pytest.mark.parametrize("options", [*PRODUCT[::2], *ALL_FAILED])
def test_figures_of_any_suite(options, tmp_path):
    results, suite = made(tmp_path, options)
    for name in figure_specs([d for d in suite.datasets if d == "rings"]):
        figure, _ = draw(name, results, suite, STYLE)
        with use_style(STYLE):
            figure.canvas.draw()
        shown = [text.get_text() for axes in figure.axes for text in axes.texts]
        drawn = any(axes.has_data() or axes.images for axes in figure.axes)
        assert drawn or figure_specs(["rings"])[name].title in shown


@pytest.mark.parametrize(("data", "named"), [("labels on one", True), ("no labels", False)])
def test_page_says_which_data_a_table_by_labels_leaves_out(data, named, tmp_path):
    results, suite = made(tmp_path, DATASETS[data])
    page = render(
        results, suite, provenance=provenance({}), comparison=compare_methods(results, suite)
    )
    title = results.dataset_title("mine")
    notice = f'so not in this table: <a href="#dataset-mine">{title}</a>.'
    assert (notice in page) == named
