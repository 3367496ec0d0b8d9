"""The page of results is made from the kept tables and statistics, and from nothing else."""

import json

import pandas as pd
import pytest

from benchmarks.publish import results_page
from benchmarks.publish.keep_results import keep
from benchmarks.publish.kept import Kept
from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.paper import load_paper
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.page.provenance import provenance
from blufs_bench.show.page.site import build_site
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.render import to_csv, to_markdown
from tests.helpers import ROOT
from tests.helpers.results_fixture import WITH_GAPS, make_results_with_gaps, suite_info


def finished_run(folder):
    """A run with gaps as the workflow leaves it, as far as it is kept."""
    source = make_results_with_gaps(folder)
    comparison = compare_methods(load(source), Suite(**suite_info(datasets=WITH_GAPS)))
    (source / "statistics.json").write_text(json.dumps(comparison.content))
    (source / "provenance.json").write_text(json.dumps(provenance({"seed": 1})))
    (source / "report.html").write_text("x")
    for name in ("tables", "figures"):
        (source / name).mkdir()
        (source / name / "problems.json").write_text("[]")
    return source


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return finished_run(tmp_path_factory.mktemp("results") / "fixture")


@pytest.fixture(scope="module")
def kept(source, tmp_path_factory):
    """A folder with one kept suite."""
    target = tmp_path_factory.mktemp("docs")
    keep(source, target / "fixture")
    return target


@pytest.fixture(scope="module")
def statistics(source):
    return json.loads((source / "statistics.json").read_text())


def test_what_is_kept_gives_every_table_to_the_last_digit(source, kept):
    """Without the data: what needs them was measured before."""
    suite = Suite(**suite_info(datasets=WITH_GAPS))
    paper = load_paper(ROOT / "data" / "paper_results.yaml")
    before, after = load(source), Kept(kept / "fixture").results
    assert not after.array_paths
    for name in table_specs(WITH_GAPS):
        one, other = (build_table(name, results, suite, paper) for results in (before, after))
        assert to_csv(one) == to_csv(other)
        assert to_markdown(one) == to_markdown(other)


def test_a_kept_run_is_small_and_its_report_is_built_from_it(kept, tmp_path):
    names = sorted(path.name for path in (kept / "fixture").iterdir())
    tables = ["scores", "screened", "selections", "stability", "timing"]
    expected = [*(f"{name}.parquet" for name in tables), "cards.json", "suite.json"]
    assert names == sorted([*expected, "provenance.json"])
    build_site([kept / "fixture"], tmp_path / "site")
    page = (tmp_path / "site/fixture/report.html").read_text()
    assert Kept(kept / "fixture").view("clustering_acc", "default").content["answer"] in page
    assert "The data of digits are not beside these results" in page
    assert "could not be" not in page


def row_of(text, part, first):
    """Cells of the row that begins with ``first`` in a part of the page, by heading."""
    table = text.partition(f"### {part}\n")[2].partition("\n### ")[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    found = next(cells for cells in lines if cells[: len(first)] == first)
    return dict(zip(lines[0], found, strict=True))


def test_the_page_compares_blufs_with_every_rival(kept, statistics):
    row = row_of(results_page.page(kept), "BLUFS and its rivals", ["LapScore"])
    view = statistics["views"]["nmi"]["default"]["reported"]["all"]
    methods = view["methods"]
    gap = 100 * (methods["BLUFS"]["mean"] - methods["LapScore"]["mean"])
    assert row["NMI"].startswith(f"{gap:+.1f}, ")


def test_every_dataset_has_the_best_other_method_and_what_random_features_leave(tmp_path):
    """The methods of :class:`Scored`: BLUFS leads on the faces and loses on the cubes."""
    said = results_page.by_dataset(Scored(tmp_path))
    assert "best ACC of all methods on 1 of 2 datasets" in said
    rows = [line.strip("| ").split(" | ") for line in said.splitlines() if line.startswith("|")]
    assert rows[2] == ["cubes", "40.0", "MCFS", "-5.0", "-2.0", "+24.5", "100 %", "4.9"]
    assert rows[3] == ["faces", "60.0", "MCFS", "+10.0", "+40.0", "+20.0", "100 %", "60.0"]


def test_an_unfinished_run_is_not_kept(tmp_path):
    with pytest.raises(SystemExit, match="no finished run: snakemake --config suite=half"):
        keep(tmp_path / "half", tmp_path / "docs")


def test_a_run_with_a_broken_table_is_not_kept(tmp_path):
    for folder in ("tables", "figures"):
        (tmp_path / "half" / folder).mkdir(parents=True)
        (tmp_path / "half" / folder / "problems.json").write_text(json.dumps([f"{folder}: x"]))
    (tmp_path / "half" / "statistics.json").write_text('{"problems": []}')
    (tmp_path / "half" / "report.html").write_text("x")
    with pytest.raises(SystemExit, match=r"is not complete: tables: x; figures: x"):
        keep(tmp_path / "half", tmp_path / "docs")


class Scored(Kept):
    """Scores of three methods on a dataset with clusters and on one without."""

    def __init__(self, folder):
        self.folder = folder

    def title(self, name):
        return name

    def scores(self, metric, choice):
        methods = ["AllFeatures", "BLUFS", "MCFS", "RandomFeatures"]
        rows = {
            "clustering_acc": [[0.9, 0.6, 0.5, 0.2], [0.9, 0.4, 0.45, 0.42]],
            "nmi": [[0.9, 0.6, 0.5, 0.2], [0.9, 0.049, 0.02, 0.01]],
            "knn_accuracy": [[0.9, 0.9, 0.8, 0.7], [0.9, 0.81, 0.715, 0.565]],
        }
        return pd.DataFrame(rows[metric], index=["faces", "cubes"], columns=methods)
