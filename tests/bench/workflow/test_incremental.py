"""A change re-runs what it touches and nothing else: asked of Snakemake's own plan."""

import json
import os
import shutil

import pytest

pytestmark = pytest.mark.workflow

TINY = "tests/config/tiny.yaml"
#: Jobs that every change of a result entails: they read all of them.
AGGREGATES = {"collect", "compare_methods", "build_tables", "plot_figures", "provenance", "report"}
AGGREGATES |= {"check_complete", "all"}


def planned_with(project, text):
    """Jobs after a further configuration file with ``text``."""
    name = f"change-{os.getpid()}.yaml"  # other processes plan in the same folder
    (project.folder / name).write_text(text)
    return project.planned("--configfile", TINY, name, configfile="")


def cells(jobs):
    """The planned jobs on single datasets and methods."""
    return {job for job in jobs if isinstance(job, tuple)}


def rules(jobs):
    return {job if isinstance(job, str) else job[0] for job in jobs}


def test_key_order_and_number_format_plan_nothing(finished):
    jobs = planned_with(
        finished,
        "suites: {tiny: {grid_overrides:"
        " {BLUFS-III: [], BLUFS: [{beta: [0.1, 1.0], alpha: [0.1, 1.0]}]},"
        " equal_budget: {settings: 2}, s_values: [2, 4]}}\n"
        "limits: {memory_mb: 12000.0, fit_seconds: 3600.0}\n",
    )
    assert not jobs


def test_a_weight_of_one_method_and_a_new_dataset_touch_what_is_theirs_only(finished):
    jobs = planned_with(
        finished,
        "methods: {BLUFS: {parameters: {alpha: 2}}}\n"
        "suites: {tiny: {datasets: [wine, rings, bananas], s_values_by_dataset: {bananas: [2]}}}\n",
    )
    known = {job for job in cells(jobs) if job[1] != "bananas"}
    assert {job[2] for job in known} == {"BLUFS"}
    # One job fits all settings, so that they are screened where they are evaluated.
    assert {job[0] for job in known} == {"select", "evaluate"}
    assert {job[2] for job in cells(jobs) - known if job[0] == "select"} >= {"LapScore", "BLUFS"}
    assert rules(jobs) - {job[0] for job in cells(jobs)} <= AGGREGATES
    assert jobs["collect"] == 1


@pytest.mark.slow
def test_a_value_of_the_grid_touches_only_its_chunk(finished, tmp_path):
    project = finished.clone(tmp_path / "copy")
    chunked = "jobs: {settings_per_job: 2}\n"
    (project.folder / "chunks.yaml").write_text(chunked)
    configs = ("--configfile", TINY, "chunks.yaml")
    project.run("results/tiny/choices/wine/BLUFS.json", *configs, configfile="")
    (project.folder / "change.yaml").write_text(
        chunked + "suites: {tiny: {grid_overrides: {BLUFS: [{alpha: [0.1, 3], beta: [0.1, 1]}]}}}\n"
    )
    jobs = project.planned(
        "results/tiny/choices/wine/BLUFS.json", "--configfile", TINY, "change.yaml", configfile=""
    )
    # Settings: default, (0.1, 0.1) | (0.1, 1), (3, 0.1) | (3, 1): the first chunk stays.
    assert jobs["select", "wine", "BLUFS"] == 2


def test_a_new_number_of_features_is_all_that_is_fitted(project):
    target = "results/tiny/evaluations/wine/BLUFS/all.json"
    change = "suites: {tiny: {s_values: [2, 3, 4]}}\n"
    jobs = planned_with(project, change)
    assert {job[1] for job in cells(jobs)} == {"wine"}
    assert {job[2] for job in cells(jobs)} == {"LapScore", "BLUFS", "BLUFS-III"}
    # The evaluation looks at all numbers of features; the fits do not.
    assert jobs["select", "wine", "BLUFS"] == 1
    folder = project.folder / "results/tiny/selections/wine/BLUFS"
    before = (folder / "grid000-s2-4-fitall.json").stat().st_mtime_ns
    (project.folder / "change.yaml").write_text(change)
    project.run(target, "--configfile", TINY, "change.yaml", configfile="")
    assert (folder / "grid000-s2-4-fitall.json").stat().st_mtime_ns == before
    apart = [
        *fitted(folder / "grid000-s2-4-fitall.json"),
        *fitted(folder / "grid000-s3-fitall.json"),
    ]
    shutil.rmtree(folder)
    together = "results/tiny/selections/wine/BLUFS/grid000-s2-3-4-fitall.json"
    project.run(together, "--configfile", TINY, "change.yaml", configfile="")
    assert sorted(apart, key=str) == sorted(fitted(project.folder / together), key=str)


def fitted(path):
    """Records of a file of selections, without the time they took."""
    return [{**record, "fit_seconds": None} for record in json.loads(path.read_text())]


def test_a_number_of_features_that_is_not_wanted_any_more_stays_out(project):
    jobs = planned_with(project, "suites: {tiny: {s_values: [4]}}\n")
    assert jobs["select", "wine", "BLUFS"] == 1
    assert {job[1] for job in cells(jobs)} == {"wine"}


def test_the_protocol_of_the_evaluation_selects_nothing_again(finished):
    jobs = planned_with(finished, "suites: {tiny: {evaluation: {n_clusterings: 4}}}\n")
    assert {job[0] for job in cells(jobs)} == {"evaluate"}


def test_a_plot_style_plans_figures_and_the_report(finished):
    jobs = planned_with(finished, "figures: {dpi: 100}\n")
    assert rules(jobs) <= {"plot_figures", "report", "check_complete", "all"}
    assert jobs["plot_figures"] == 1


def test_editing_a_method_or_a_stage_plans_only_their_jobs(project):
    for edited in ("src/blufs/solver/pursuit.py", "src/blufs_bench/stages/time_fit.py"):
        project.edit(edited, "\n\ndef ", "\n\nADDED = 1\n\n\ndef ")
    jobs = cells(project.planned())
    of_blufs = {job for job in jobs if job[2].startswith("BLUFS")}
    assert {job[0] for job in of_blufs} == {"select", "evaluate"}
    assert {job[0] for job in jobs - of_blufs} == {"time_fit"}


def test_editing_the_seeds_plans_what_draws(project):
    project.edit("src/blufs_bench/run/seeding.py", "\n\ndef ", "\n\nADDED = 1\n\n\ndef ")
    expected = {"select", "evaluate", "time_fit", "resample"}
    assert {job[0] for job in cells(project.planned())} == expected


def test_editing_a_docstring_a_comment_or_a_plot_solves_nothing(project):
    project.edit("src/blufs/methods/lapscore.py", '"""LapScore:', '"""The score:')
    project.edit("src/blufs/_numerics/graph.py", "# All k", "# All k indeed")
    project.edit("src/blufs_bench/show/figures/style.py", "import io\n", "import io\nUNUSED = 1\n")
    jobs = project.planned()
    assert not cells(jobs)
    assert rules(jobs) <= {"plot_figures", "report", "check_complete", "all"}
