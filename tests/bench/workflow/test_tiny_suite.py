"""The workflow as a user meets it: a run, a second run, single cells, mistakes, failures."""

import json
import re

import pandas as pd
import pytest

from tests.helpers.project_copy import scores_of

pytestmark = pytest.mark.workflow


def test_the_suite_ends_with_every_cell_and_a_report(finished):
    results = scores_of(finished)
    assert set(results["status"]) == {"ok"}
    pairs = {("wine", m) for m in ("AllFeatures", "LapScore", "BLUFS", "BLUFS-III")}
    pairs |= {("rings", m) for m in ("AllFeatures", "LapScore", "BLUFS")}
    assert set(zip(results["dataset"], results["method"], strict=True)) == pairs
    # Choices x repetitions of (ACC, NMI, k-NN accuracy), and two criteria of two choices.
    per_s = 4 * (3 + 3 + 4) + 2 * 2
    counts = results.groupby(["dataset", "method"]).size()
    assert counts["wine", "BLUFS"] == 2 * per_s
    assert counts["rings", "BLUFS"] == per_s
    assert results["value"].between(0, 1).all()
    page = (finished.folder / "results/tiny/report.html").read_text()
    assert "BLUFS" in page
    assert not re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css|png)"', page)


def test_one_cell_by_name(project):
    name = "results/tiny/cells/wine/BLUFS/s4/repetition1.json"
    done = project.run(name)
    assert "Report:" not in done.stdout, "the report is not of this run"
    cell = json.loads((project.folder / name).read_text())
    results = scores_of(project).set_index(
        ["dataset", "method", "choice", "metric", "s", "repetition"]
    )
    for choice, metrics in cell["choices"].items():
        for metric, found in metrics.items():
            assert found["value"] == results.loc[("wine", "BLUFS", choice, metric, 4, 1), "value"]
            assert len(found["features"]) == 4


@pytest.mark.slow
def test_only_a_limit_of_starts_that_was_asked_for_is_kept(project):
    snakefile = project.folder / "workflow" / "rules" / "benchmark.smk"
    hook = "    lift_default_rate_limit(workflow)\n"
    show = "    print('limit', getattr(workflow.scheduler.job_rate_limiter, 'max_jobs', None))\n"
    snakefile.write_text(snakefile.read_text().replace(hook, hook + show))
    cells = "results/tiny/cells/wine/LapScore/s4"
    assert "limit None" in project.run(f"{cells}/repetition0.json").stdout
    limited = project.run(f"{cells}/repetition1.json", "--max-jobs-per-timespan", "7/1s")
    assert "limit 7" in limited.stdout


@pytest.mark.slow
def test_split_jobs_give_the_same_values(project):
    (project.folder / "split.yaml").write_text(
        "jobs: {split_by: [s, repetition]}\n"
        "suites: {tiny: {datasets: [rings], methods: [LapScore, BLUFS],"
        " ablation: {methods: [], datasets: []},"
        " timing: {datasets: [], methods: [], n_repeats: 1},"
        " stability: {datasets: [], methods: [], n_resamples: 2, fraction: 0.8}}}\n"
    )
    before = scores_of(project)
    expected = before[(before["dataset"] == "rings") & (before["method"] != "AllFeatures")]
    project.run(
        "results/tiny/scores.parquet",
        "--configfile",
        "tests/config/tiny.yaml",
        "split.yaml",
        configfile="",
    )
    found = scores_of(project)
    evaluations = project.folder / "results/tiny/evaluations/rings/BLUFS"
    assert len(list(evaluations.glob("s2-repetition?.json"))) == 4
    pd.testing.assert_frame_equal(found.reset_index(drop=True), expected.reset_index(drop=True))


def test_mistakes_stop_before_the_first_job(finished):
    done = finished.run("--config", "suite=nonsense", "sede=1", check=False)
    text = done.stdout + done.stderr
    assert done.returncode != 0
    assert "unknown suite 'nonsense'" in text
    assert "unknown key 'sede'" in text
    assert "Traceback" not in text
    assert "rule " not in text


@pytest.mark.slow
def test_a_method_that_raises_is_a_row_and_the_rest_completes(project):
    (project.folder / "src/broken_method.py").write_text(
        "from blufs.base import BaseSelector\n\n\n"
        "class Broken(BaseSelector):\n"
        "    def __init__(self, n_features_to_select=None):\n"
        "        self.n_features_to_select = n_features_to_select\n\n"
        "    def _rank(self, X, precomputed):\n"
        '        raise RuntimeError("a bug of mine")\n'
    )
    (project.folder / "broken.yaml").write_text(
        'methods: {Broken: {class: "broken_method:Broken"}}\n'
        "suites: {tiny: {methods: [AllFeatures, LapScore, BLUFS, Broken]}}\n"
    )
    done = project.run(
        "--configfile", "tests/config/tiny.yaml", "broken.yaml", configfile="", check=False
    )
    text = done.stdout + done.stderr
    assert done.returncode != 0
    assert "RuntimeError: a bug of mine" in text
    results = scores_of(project)
    by_method = results.groupby("method")["status"].unique()
    assert list(by_method["Broken"]) == ["failed"]
    assert list(by_method["BLUFS"]) == ["ok"]
    assert "a bug of mine" in (project.folder / "results/tiny/report.html").read_text()
