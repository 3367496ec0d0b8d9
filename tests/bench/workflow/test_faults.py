"""Whatever happens to a run, the next one ends with the same tables."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import psutil
import pytest

from tests.helpers.project_copy import TABLE, TINY, results_table, scores_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.faults,
    pytest.mark.workflow,
]

KILLS = 20
#: Kills after which a run is left to end; then everything is removed and the next round begins.
KILLS_PER_ROUND = 5


@pytest.fixture
def unfinished(evaluated, tmp_path):
    """A copy in which the fits and evaluations on one dataset are still to be made."""
    project = evaluated.clone(tmp_path / "copy")
    remove_work(project)
    return project


def remove_work(project, stages=("selections", "screens", "choices", "evaluations")):
    for stage in stages:
        shutil.rmtree(project.folder / "results/tiny" / stage / "rings", ignore_errors=True)
    (project.folder / TABLE).unlink(missing_ok=True)


def assert_same_tables(project, evaluated):
    """The same tables to the last bit but for the seconds measured, beside whole files only."""
    for name in ("scores", "selections", "screened"):
        assert results_table(project, name).equals(results_table(evaluated, name)), name
    assert_only_whole_files(project)


def assert_only_whole_files(project):
    """Every file that exists is complete: a writer that is killed leaves a temporary one."""
    for path in (project.folder / "results").rglob("[!.]*"):
        if path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".npz":
            with np.load(path) as arrays:
                assert [arrays[name].size for name in arrays.files]
        elif path.suffix == ".parquet":
            pd.read_parquet(path)


@contextmanager
def started(project, *arguments):
    """A run in the background."""
    process = subprocess.Popen(
        project.command(TABLE, "--cores", "2", *arguments),
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def jobs_of(project, rule):
    """Running processes of a rule."""
    folder = str(project.folder / ".snakemake/scripts")
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if any(word.startswith(folder) and word.endswith(f".{rule}.py") for word in words):
            found.append(process)
    return found


def wait_for(condition, process, seconds=300):
    """The first true value of a condition while the process runs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        assert process.poll() is None, f"ended before: {process.stdout.read()[-3000:]}"
        time.sleep(0.1)
    raise AssertionError("did not happen")


def test_the_scheduler_is_killed_at_any_moment(unfinished, evaluated):
    start = time.monotonic()
    unfinished.run(TABLE)
    duration = time.monotonic() - start
    assert_same_tables(unfinished, evaluated)
    remove_work(unfinished)
    moments = np.random.default_rng(7)
    kills = 0
    while kills < KILLS:
        moment = moments.uniform(0, duration)
        with started(unfinished) as process:
            try:
                process.wait(timeout=moment)
                remove_work(unfinished)  # it had ended before
                continue
            except subprocess.TimeoutExpired:
                process.kill()
        kills += 1
        print(f"kill {kills} of {KILLS} after {moment:.1f} s; undisturbed: {duration:.1f} s")
        if kills % KILLS_PER_ROUND == 0:
            unfinished.run(TABLE)
            assert_same_tables(unfinished, evaluated)
            assert "Nothing to be done" in unfinished.run(TABLE).stderr
            remove_work(unfinished)


def test_a_killed_scheduler_leaves_a_lock_and_jobs_that_the_next_run_removes(unfinished, evaluated):
    with started(unfinished) as process:
        wait_for(lambda: jobs_of(unfinished, "select"), process)
        process.kill()
    assert list((unfinished.folder / ".snakemake/locks").glob("*.lock"))
    unfinished.run(TABLE)
    assert_same_tables(unfinished, evaluated)


def test_a_killed_job_is_made_by_the_next_run(unfinished, evaluated):
    with started(unfinished) as process:
        wait_for(lambda: jobs_of(unfinished, "select"), process)[0].kill()
        output, _ = process.communicate(timeout=600)
    assert process.returncode != 0
    assert "select" in output
    unfinished.run(TABLE)
    assert_same_tables(unfinished, evaluated)


def test_a_run_that_is_asked_to_end_is_completed_by_the_next(unfinished, evaluated):
    with started(unfinished) as process:
        wait_for(lambda: jobs_of(unfinished, "select"), process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)
    assert not list((unfinished.folder / ".snakemake/locks").glob("*.lock"))
    unfinished.run(TABLE)
    assert_same_tables(unfinished, evaluated)


WRAPPER = "import sys\nfrom snakemake.cli import main\nmain(sys.argv[1:])\n"
API = """
from pathlib import Path
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings
with SnakemakeApi(OutputSettings()) as api:
    dag = api.workflow(
        resource_settings=ResourceSettings(cores=1),
        config_settings=ConfigSettings(configfiles=[Path("tests/config/tiny.yaml")]),
        snakefile=Path("Snakefile"),
    ).dag()
    dag.execute_workflow()
"""
MODULE = """
configfile: "tests/config/tiny.yaml"
module blufs:
    snakefile: "workflow/Snakefile"
    config: config
use rule * from blufs as blufs_*
rule mine:
    default_target: True
    input: "results/tiny/scores.parquet"
"""
WAYS = {
    "command": ["-m", "snakemake", "--cores", "1", "--configfile", TINY],
    "wrapper": ["drive.py", "--cores", "1", "--configfile", TINY],
    "api": ["by_api.py"],
    "module": ["-m", "snakemake", "--cores", "1", "-s", "module.smk"],
}


@pytest.mark.parametrize("first", WAYS)
def test_a_second_run_in_the_same_folder_stops_and_the_first_goes_on(unfinished, evaluated, first):
    for name, text in {"drive.py": WRAPPER, "by_api.py": API, "module.smk": MODULE}.items():
        (unfinished.folder / name).write_text(text)

    def run(way, action, **options):
        command = [sys.executable, *WAYS[way]]
        return action(command, cwd=unfinished.folder, env=unfinished.environment, **options)

    with (unfinished.folder / "first.log").open("w") as log:
        process = run(first, subprocess.Popen, stdout=log, stderr=log)
        try:
            end = time.monotonic() + 300
            while not jobs_of(unfinished, "select"):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.1)
            for second in WAYS:
                refused = run(second, subprocess.run, capture_output=True, text=True)
                assert refused.returncode != 0
                assert "a run is at work in this folder" in refused.stdout + refused.stderr
                assert process.poll() is None
            process.wait(timeout=600)
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 0, (unfinished.folder / "first.log").read_text()[-3000:]
    assert_same_tables(unfinished, evaluated)


@contextmanager
def results_on_small_disk(project, size):
    """The results of the project on a file system of their own."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    results = project.folder / "results"
    content = results.rename(project.folder / "content")
    results.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(results)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        shutil.copytree(content, results, dirs_exist_ok=True)
        yield results
    finally:
        subprocess.run(["umount", "-l", str(results)], check=True)


def remount(folder, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


@pytest.mark.parametrize(
    ("stages", "free_pages"),
    [
        pytest.param(["selections", "evaluations"], 8, id="while selecting"),
        pytest.param(["evaluations"], 0, id="while evaluating"),
        pytest.param(["data", "selections", "evaluations"], 0, id="while preparing data"),
    ],
)
def test_a_full_disk_leaves_nothing_half_written(evaluated, tmp_path, stages, free_pages):
    project = evaluated.clone(tmp_path / "copy")
    remove_work(project, stages)
    with results_on_small_disk(project, "500m") as results:
        filler = results / "filler"
        room = shutil.disk_usage(results).free
        filler.write_bytes(bytes(room - free_pages * 4096))
        full = project.run(TABLE, check=False)
        assert full.returncode != 0
        assert "No space left on device" in full.stdout + full.stderr
        assert_only_whole_files(project)
        assert not list(results.rglob(".*"))
        filler.unlink()
        project.run(TABLE)
        assert_same_tables(project, evaluated)


def test_results_that_cannot_be_written_stop_the_run(unfinished, evaluated):
    with results_on_small_disk(unfinished, "500m") as results:
        remount(results, "ro")
        refused = unfinished.run(TABLE, check=False)
        assert refused.returncode != 0
        assert "Write-protected output files" in refused.stdout + refused.stderr
        remount(results, "rw")
        unfinished.run(TABLE)
        assert_same_tables(unfinished, evaluated)


METHODS = """
import time
import numpy as np
from blufs.base import BaseSelector, Solution

class Hungry(BaseSelector):
    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, precomputed):
        eaten = np.ones((1500, 2**17))  # 1.5 GB
        time.sleep(600)
        return Solution(scores=eaten[0, : X.shape[1]])

class Hanging(Hungry):
    def _rank(self, X, precomputed):
        while True:
            pass
"""


def test_a_fit_over_its_limits_is_a_row(unfinished, evaluated):
    (unfinished.folder / "src/bad_methods.py").write_text(METHODS)
    (unfinished.folder / "limits.yaml").write_text(
        "methods:\n"
        "  Hungry: {class: 'bad_methods:Hungry'}\n"
        "  Hanging: {class: 'bad_methods:Hanging'}\n"
        "limits: {fit_seconds: 40, memory_mb: 500}\n"
        "suites: {tiny: {datasets: [rings], methods: [LapScore, Hungry, Hanging],"
        " ablation: {methods: [], datasets: []}, timing: {datasets: [], methods: [], n_repeats: 1},"
        " stability: {datasets: [], methods: [], n_resamples: 2, fraction: 0.8}}}\n"
    )
    unfinished.run(TABLE, "--configfile", TINY, "limits.yaml", configfile="")
    found, expected = scores_of(unfinished), scores_of(evaluated).query("dataset == 'rings'")
    rows = found.groupby("method")[["status", "reason"]].first()
    assert rows["status"].to_dict() == {"Hanging": "timeout", "Hungry": "memory", "LapScore": "ok"}
    assert "40 s" in rows.loc["Hanging", "reason"]
    assert "500 MB" in rows.loc["Hungry", "reason"]
    kept = found.query("method == 'LapScore'").reset_index(drop=True)
    before = expected.query("method == 'LapScore'").reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, before, check_exact=True)


def test_the_tables_do_not_depend_on_the_number_of_cores(evaluated, unfinished):
    unfinished.run(TABLE, cores=1)
    assert_same_tables(unfinished, evaluated)
