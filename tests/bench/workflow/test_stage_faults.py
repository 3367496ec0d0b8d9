"""Whatever raises in a stage becomes a status or a note, and everything else has its numbers."""

import errno
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

from blufs._numerics.graph import SampleGraph
from blufs_bench.compare import comparison
from blufs_bench.compare.attempt import attempt
from blufs_bench.compare.comparison import compare_methods, no_comparison
from blufs_bench.compare.paper import load_paper
from blufs_bench.datasets import download, preparation
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.files.damaged import DamagedFileError
from blufs_bench.method_names import BUILT_IN
from blufs_bench.results.suite import Suite, load
from blufs_bench.results.vocabulary import CRITERIA, METRICS
from blufs_bench.run.isolation import Limits, run_isolated
from blufs_bench.show.figures import draw
from blufs_bench.show.page.page import render
from blufs_bench.show.page.provenance import provenance
from blufs_bench.show.tables import build
from blufs_bench.show.tables.build import make_table
from blufs_bench.show.tables.render import write_table
from blufs_bench.stages.choose import choose_or_explain
from blufs_bench.stages.collect import score_rows
from blufs_bench.stages.evaluate import Cells, evaluate
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.screen import screen
from blufs_bench.stages.select import Target, select
from tests.bench.workflow.test_dataset_faults import FAULTS
from tests.helpers import ROOT
from tests.helpers.results_fixture import make_results, suite_info

LIMITS = Limits(60, 1e6)
PROTOCOL = Protocol(
    seed=1, n_clusterings=2, n_restarts=1, n_splits=2, n_neighbors=5, train_fraction=0.5
)
SETTINGS = [{"n_neighbors": 5}, {"n_neighbors": 10}]
LABELS = ("oracle", "oracle_equal_budget")


def told_to_fail(*arguments, **options):
    raise RuntimeError("told to fail")


def full_disk(*arguments, **options):
    raise OSError(errno.ENOSPC, "No space left on device")


def definition(folder, name="mine"):
    lines = [f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(30)]
    (folder / "my.csv").write_text("\n".join(["p,q,class", *lines]) + "\n")
    own = {name: {"path": str(folder / "my.csv"), "label": "class"}}
    return dataset_definitions(ROOT / "data/datasets.yaml", own)[name]


# ------------------------------------------------------------------------ download and preprocess


def test_a_full_disk_is_no_fault_of_the_dataset(tmp_path, monkeypatch):
    spec = definition(tmp_path)
    paths = [tmp_path / name for name in ("dataset.npz", "card.json", "graph.npz")]
    source = {"status": "ok", "file": spec["path"]}
    with monkeypatch.context() as patch:
        patch.setattr(preparation, "write_dataset", full_disk)
        with pytest.raises(OSError, match="No space left on device") as caught:
            preparation.prepare_files(spec, source, *paths)
    assert caught.value.errno == errno.ENOSPC
    assert not any(path.exists() for path in paths)
    assert preparation.prepare_files(spec, source, *paths)["status"] == "ok"

    other = {"name": "theirs", "file": "theirs.csv"}
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/theirs.csv").write_text("p,q\n1,2\n")
    monkeypatch.setattr(download.shutil, "copyfile", full_disk)
    with pytest.raises(OSError, match="No space left on device"):
        download.fetch_or_explain(
            other, mirrors=[str(tmp_path / "mirror")], cache_dir=tmp_path / "raw"
        )


# ------------------------------------------------------------- select, screen, choose and evaluate


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y, SampleGraph.from_data(X, 10)


@pytest.fixture(scope="module")
def selections(wine):
    target = Target("wine", "LapScore", {"name": "LapScore", "class": BUILT_IN["LapScore"]}, 3)
    return select(wine[0], target, SETTINGS, [2, 4], {0: 7}, LIMITS, default=SETTINGS[0])


def scored(wine, selections, screened, y="labels"):
    X, labels, graph = wine
    choices = choose_or_explain("wine", SETTINGS, screened, [2, 4], budget=2, seed=1)
    known = labels if y == "labels" else None
    return evaluate(X, known, graph, 3, selections, choices, PROTOCOL, Cells(), LIMITS)


def statuses(scores):
    """Choice -> the statuses and reasons of its metrics."""
    found = {}
    for score in scores:
        if score["metric"] in METRICS:
            found.setdefault(score["choice"], set()).add((score["status"], score["reason"]))
    return found


def test_screening_that_raises_leaves_the_default_its_numbers(wine, selections, monkeypatch):
    X, y, graph = wine
    with monkeypatch.context() as patch:
        patch.setattr(Protocol, "cluster", told_to_fail)
        screened = screen(X, y, graph, 3, selections, PROTOCOL, LIMITS)
    assert {record["status"] for record in screened} == {"failed"}
    scores = scored(wine, selections, screened)
    reason = "no setting could be screened: scoring: RuntimeError: told to fail"
    chosen = {choice: {("failed", reason)} for choice in (*LABELS, "blind")}
    assert statuses(scores) == {"default": {("ok", "")}, **chosen}
    assert len(score_rows(scores)) == 2 * (4 * (2 + 2 + 2) + 2 * len(CRITERIA))


def test_choosing_that_raises_leaves_the_default_its_numbers(wine, selections, monkeypatch):
    X, y, graph = wine
    screened = screen(X, y, graph, 3, selections, PROTOCOL, LIMITS)
    monkeypatch.setattr("blufs.search.choose_blind", told_to_fail)
    scores = scored(wine, selections, screened)
    chosen = {
        choice: {("failed", "choosing: RuntimeError: told to fail")}
        for choice in (*LABELS, "blind")
    }
    assert statuses(scores) == {"default": {("ok", "")}, **chosen}


def test_a_fit_that_failed_keeps_its_own_status(wine, selections):
    X, y, graph = wine
    late = [{**record, "status": "timeout", "reason": "too slow"} for record in selections]
    screened = screen(X, y, graph, 3, late, PROTOCOL, LIMITS)
    assert set().union(*statuses(scored(wine, late, screened)).values()) == {
        ("timeout", "too slow")
    }


def test_unlabelled_data_whose_scoring_raises_have_rows_that_say_so(wine, selections, monkeypatch):
    X, _, graph = wine
    screened = screen(X, None, graph, 3, selections, PROTOCOL, LIMITS)
    monkeypatch.setattr(Protocol, "cluster", told_to_fail)
    scores = scored(wine, selections, screened, y=None)
    rows = [(score["choice"], score["metric"], score["s"]) for score in scores]
    assert sorted(rows) == sorted(
        (choice, criterion, s)
        for choice in ("default", "blind")
        for criterion in CRITERIA
        for s in (2, 4)
    )
    assert {score["reason"] for score in scores} == {"scoring: RuntimeError: told to fail"}
    assert len(score_rows(scores)) == len(rows)


def test_a_score_that_is_not_finite_is_a_status(wine, selections, monkeypatch):
    X, y, graph = wine
    screened = screen(X, y, graph, 3, selections, PROTOCOL, LIMITS)
    monkeypatch.setattr(Protocol, "classify", lambda *a, **b: {"knn_accuracy": [0.5, np.nan]})
    found = set().union(*statuses(scored(wine, selections, screened)).values())
    reason = "scoring: FloatingPointError: knn_accuracy: the score is not a finite number"
    assert found == {("diverged", reason)}


def test_a_process_that_ends_by_itself_has_failed_and_memory_is_not_blamed():
    def leave(task):
        raise SystemExit(3)

    (outcome,) = run_isolated(leave, ["task"], LIMITS)
    assert (outcome.status, outcome.reason) == ("failed", "SystemExit: 3")


# ------------------------------------------------------------------- statistics, tables, figures


@pytest.fixture
def results(tmp_path):
    return load(make_results(tmp_path, datasets=("digits", "COIL20"), n_clusterings=3, n_splits=2))


@pytest.fixture
def suite():
    return Suite(**suite_info(datasets=("digits", "COIL20")))


@pytest.fixture(scope="module")
def paper():
    return load_paper(ROOT / "data/paper_results.yaml")


def test_a_table_that_raises_says_so_in_its_place(results, suite, paper, monkeypatch, tmp_path):
    monkeypatch.setattr(build, "profile", told_to_fail)
    bad, problems = make_table("profile_digits", results, suite, paper, None)
    assert problems == ["table profile_digits: RuntimeError: told to fail"]
    assert bad.notes == ["This table could not be made: RuntimeError: told to fail"]
    good, none = make_table("clustering_acc", results, suite, paper, None)
    assert none == []
    assert good.blocks
    files = {}
    for table in (bad, good):
        paths = {form: tmp_path / f"{table.name}.{form}" for form in ("csv", "md", "tex", "html")}
        write_table(table, **paths)
        files[table.name] = paths
    page = render(
        results,
        suite,
        provenance=provenance({}),
        comparison=compare_methods(results, suite),
        tables={name: paths["html"] for name, paths in files.items()},
        downloads={name: (paths["csv"], paths["tex"]) for name, paths in files.items()},
    )
    assert "This table could not be made: RuntimeError: told to fail" in page


def test_statistics_that_raise_leave_a_page_without_a_verdict(results, suite, monkeypatch):
    assert compare_methods(results, suite).problems == []
    monkeypatch.setattr(comparison, "rank_tests", told_to_fail)
    made, problems = attempt("statistics", lambda: compare_methods(results, suite), no_comparison)
    assert made.problems == problems == ["statistics: RuntimeError: told to fail"]
    page = render(results, suite, provenance=provenance({}), comparison=made)
    assert "the comparison of the methods failed: RuntimeError: told to fail" in page


def test_a_figure_that_raises_says_so_in_its_place(results, suite, monkeypatch, tmp_path):
    paths = tmp_path / "figure.png", tmp_path / "figure.pdf"
    style = draw.Style(dpi=40)
    assert draw.write_figure("acc_curves", results, suite, style, None, *paths) == ("", [])
    monkeypatch.setattr(draw, "draw", told_to_fail)
    _, problems = draw.write_figure("acc_curves", results, suite, style, None, *paths)
    assert problems == ["figure acc_curves: RuntimeError: told to fail"]
    assert paths[0].read_bytes().startswith(b"\x89PNG")


def test_a_figure_with_nothing_to_show_says_why(results, suite, tmp_path):
    paths, style = (tmp_path / "figure.png", tmp_path / "figure.pdf"), draw.Style(dpi=40)
    nowhere = replace(suite, datasets=[])
    why, problems = draw.write_figure("acc_curves", results, nowhere, style, None, *paths)
    assert problems == []
    assert why == "No ACC was measured under: oracle (best by the labels)."


def test_a_damaged_file_is_not_taken_for_a_fault_of_the_table(results, suite, paper):
    path = results.tables["scores"]
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(DamagedFileError, match=r"scores\.parquet is damaged"):
        make_table("clustering_acc", results, suite, paper, None)
    with pytest.raises(DamagedFileError, match=r"scores\.parquet is damaged"):
        attempt("statistics", lambda: compare_methods(results, suite), no_comparison)


@pytest.mark.parametrize("stage", FAULTS)
def test_the_lines_before_which_the_slow_tests_let_a_stage_fail_are_there(stage):
    name, line, _ = FAULTS[stage]
    assert (ROOT / "src/blufs_bench" / name).read_text().count(line) == 1
