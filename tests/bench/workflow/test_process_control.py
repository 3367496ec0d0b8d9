"""Locks and processes of killed runs: removed by a real run, left alone by everything else."""

import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from blufs_bench.run import process_control
from blufs_bench.run.process_control import (
    begin_run,
    lift_default_rate_limit,
    purpose_of,
    unlock_after_kill,
)
from blufs_bench.run.purpose import Purpose


def workflow(*, main=True, dryrun=False, limit=(100, 1)):
    """What is read of Snakemake's workflow."""
    limiter = SimpleNamespace(max_jobs=limit[0], timespan=limit[1])
    return SimpleNamespace(
        is_main_process=main,
        output_settings=SimpleNamespace(dryrun=dryrun),
        scheduler=SimpleNamespace(job_rate_limiter=limiter),
    )


@pytest.fixture
def folder(tmp_path):
    """A folder that a killed run has left locked."""
    locks = tmp_path / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("")
    (locks / "0.output.lock").write_text("")
    return tmp_path


@pytest.fixture
def orphan(folder):
    """A job of the killed run that still works."""
    script = folder / ".snakemake" / "scripts" / "tmp1.select.py"
    script.parent.mkdir()
    script.write_text("import time\ntime.sleep(60)\n")
    process = subprocess.Popen([sys.executable, str(script)])
    yield process
    process.kill()
    process.wait()


def locks(folder):
    return len(list((folder / ".snakemake/locks").iterdir()))


def test_a_real_run_removes_stale_locks_and_says_so(folder, capsys):
    assert unlock_after_kill(workflow(), folder) == 2
    assert locks(folder) == 0
    assert "removed 2 locks" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [{"main": False}, {"dryrun": True}])
def test_a_job_and_a_dry_run_change_nothing(folder, orphan, kind, capsys):
    looking = workflow(**kind)
    assert unlock_after_kill(looking, folder) == 0
    assert begin_run(looking, folder) == 0
    assert locks(folder) == 2
    assert orphan.poll() is None
    assert not (folder / ".snakemake/host").exists()
    assert looking.scheduler.job_rate_limiter is not None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("option", ["--lint", "--list-rules", "--summary"])
def test_options_that_only_look_change_nothing(folder, option, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", option])
    assert purpose_of(workflow()) is Purpose.LOOK
    assert unlock_after_kill(workflow(), folder) == 0
    assert locks(folder) == 2


def test_the_locks_of_another_machine_stay(folder):
    (folder / ".snakemake/host").write_text("some-other-machine")
    assert unlock_after_kill(workflow(), folder) == 0
    assert locks(folder) == 2


def test_the_locks_stay_while_a_run_is_alive(folder, monkeypatch):
    monkeypatch.setattr(process_control, "live_runs", lambda folder: [1234])
    assert unlock_after_kill(workflow(), folder) == 0
    assert locks(folder) == 2


@pytest.mark.parametrize(
    ("words", "is_run"),
    [
        ("/env/bin/python3.11 /env/bin/snakemake --cores 2", True),
        ("python -m snakemake --cores 2", True),
        # These wait for the run that they have started, which is the one that asks.
        ("/usr/bin/time -v snakemake --cores 2", False),
        ("timeout 1h /env/bin/python /env/bin/snakemake --cores 2", False),
        ("python train.py", False),
        ("", False),
    ],
)
def test_what_starts_a_run_is_no_run(words, is_run):
    assert process_control._is_snakemake(words.split()) is is_run


def test_a_real_run_stops_the_jobs_of_a_killed_one_and_names_them(
    folder, orphan, capsys, monkeypatch
):
    # The orphan's parent is this test, which may itself have been started by Snakemake.
    monkeypatch.setattr(process_control, "_is_snakemake", lambda words: False)
    assert begin_run(workflow(), folder) == 1
    assert not psutil.pid_exists(orphan.pid)
    assert f"stopping process {orphan.pid}" in capsys.readouterr().err


def test_only_the_limit_that_snakemake_sets_by_itself_is_lifted():
    by_default, by_user = workflow(), workflow(limit=(7, 1))
    lift_default_rate_limit(by_default)
    lift_default_rate_limit(by_user)
    assert by_default.scheduler.job_rate_limiter is None
    assert by_user.scheduler.job_rate_limiter.max_jobs == 7


def test_another_snakemake_inside_is_left_as_it_is():
    lift_default_rate_limit(SimpleNamespace())
    lift_default_rate_limit(SimpleNamespace(scheduler=SimpleNamespace()))
