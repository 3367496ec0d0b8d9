"""The page of results is made from the kept tables and statistics, and from nothing else."""

import json

import pandas as pd
import pytest

from benchmarks.publish import results_page
from benchmarks.publish.keep_results import keep
from benchmarks.publish.kept import Kept
from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.paper import load_paper
from blufs_bench.results import Suite, load
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import TABLES
from blufs_bench.show.tables.render import write_table
from tests.helpers import ROOT
from tests.helpers.results_fixture import WITH_GAPS, make_results_with_gaps, suite_info


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with one kept suite."""
    source = make_results_with_gaps(tmp_path_factory.mktemp("results") / "fixture")
    results, suite = load(source), Suite(**suite_info(datasets=WITH_GAPS))
    paper = load_paper(ROOT / "data" / "paper_results.yaml")
    for name in TABLES:
        table = build_table(name, results, suite, paper)
        write_table(table, **{form: source / f"tables/{name}.{form}" for form in ("csv", "md")})
    found = compare_methods(results, suite).content
    (source / "statistics.json").write_text(json.dumps(found))
    (source / "report.html").write_text("x")
    (source / "figures").mkdir()
    for name in ("tables", "figures"):
        (source / name / "problems.json").write_text("[]")
    target = tmp_path_factory.mktemp("docs")
    keep(source, target / "fixture")
    return target


@pytest.fixture(scope="module")
def statistics(kept):
    return json.loads((kept / "fixture" / "statistics.json").read_text())


def row_of(text, part, first):
    """Cells of the row that begins with ``first`` in a part of the page, by heading."""
    table = text.partition(f"### {part}\n")[2].partition("\n### ")[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    found = next(cells for cells in lines if cells[: len(first)] == first)
    return dict(zip(lines[0], found, strict=True))


def test_the_page_holds_the_verdict_and_every_choice(kept, statistics):
    text = results_page.page(kept)
    assert statistics["verdict"].partition("\n\n")[0] in text
    view = statistics["views"]["nmi"]["blind"]["reported"]["all"]
    shown = row_of(text, "Choices", ["BLUFS"])["NMI blind"]
    assert shown == f"{100 * view['methods']['BLUFS']['mean']:.1f}"


def test_the_page_holds_ranks_and_tests(kept, statistics):
    row = row_of(results_page.page(kept), "Tests", ["NMI", "Blind"])
    found = statistics["comparisons"]["nmi"]["blind"]
    assert row["best average ranks"].startswith(f"BLUFS {found['average_ranks']['BLUFS']:.2f}")
    assert row["Friedman p"] == f"{found['friedman']['p_value']:.2g}"
    assert row["critical difference"] == f"{found['critical_difference']:.2f}"
    p_values = results_page.against(statistics["views"]["nmi"]["blind"]["reported"]["all"])
    assert min(p_values.values()) > 0.05
    assert row["not told apart from BLUFS"] == "all"


def test_losses_are_named_with_the_winner_and_its_lead(kept):
    scores = Kept(kept / "fixture").scores("clustering_acc", "default").dropna(subset="BLUFS")
    worse = scores.assign(LapScore=scores["BLUFS"] + 0.123)

    class Beaten(Kept):
        def scores(self, metric, choice):
            return worse

    said = results_page.losses(Beaten(kept / "fixture"))
    assert f"best ACC of all methods on 0 of {len(worse)} datasets" in said
    assert all(f"{name} (by LapScore, 12.3)" in said for name in worse.index)


def test_every_link_of_the_page_leads_to_a_kept_file(kept):
    text = results_page.page(kept)
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    own = [link for link in links if link.startswith("fixture/")]
    assert len(own) == len(TABLES) + 1
    assert all((kept / link).exists() for link in own)


def test_without_a_kept_suite_the_page_says_so(tmp_path):
    assert results_page.page(tmp_path) == results_page.EMPTY


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


def test_a_note_of_the_run_is_shown_and_goes_with_it(tmp_path):
    assert Kept(tmp_path).note == ""
    (tmp_path / "note.md").write_text("Made on a Sunday.\n")
    assert Kept(tmp_path).note == "Made on a Sunday."


def test_the_paper_is_shown_only_where_all_data_are_its_own(kept):
    class OtherData(Kept):
        def view(self, metric, choice, domain="all"):
            return {"datasets": ["COIL20", "mine"]}

    assert results_page.paper(OtherData(kept / "fixture")) == ""


class Scored(Kept):
    """Scores of three methods on a dataset with clusters and on one without."""

    def __init__(self, folder):
        self.folder = folder

    def scores(self, metric, choice):
        methods = ["AllFeatures", "BLUFS", "MCFS", "RandomFeatures"]
        rows = {
            "nmi": [[0.9, 0.6, 0.5, 0.2], [0.9, 0.049, 0.02, 0.01]],
            "knn_accuracy": [[0.9, 0.9, 0.8, 0.7], [0.9, 0.81, 0.715, 0.565]],
        }
        return pd.DataFrame(rows[metric], index=["faces", "cubes"], columns=methods)


def test_the_page_names_the_datasets_whose_classes_are_no_clusters(tmp_path):
    (told,) = results_page.no_clusters(Scored(tmp_path))
    assert told.endswith("features on them: cubes (81.0 and 56.5; best BLUFS, 81.0).")


def test_methods_have_the_titles_of_their_run_and_datasets_their_own(tmp_path):
    config = {"methods": {"Seurat": {"title": "scanpy (seurat)"}, "MCFS": {}, "UDFS": None}}
    (tmp_path / "provenance.json").write_text(json.dumps({"config": config}))
    names = ("Seurat", "CNAE9", "MCFS", "UDFS", "BLUFS", "mine")
    titles = ["scanpy (seurat)", "CNAE-9", *names[2:]]
    assert [Kept(tmp_path).title(name) for name in names] == titles
