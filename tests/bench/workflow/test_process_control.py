"""Runs know each other by a lock that they hold, and jobs end with their run."""

import json
import os
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from blufs_bench.run.process_control import (
    FolderInUseError,
    Purpose,
    hold_folder,
    lift_default_rate_limit,
    purpose_of,
    release_folder,
)


class Run(SimpleNamespace):
    """What is read of Snakemake's workflow; other than its base, it can be referred to weakly."""


def workflow(*, main=True, dryrun=False, limit=(100, 1)):
    limiter = SimpleNamespace(max_jobs=limit[0], timespan=limit[1])
    return Run(
        is_main_process=main,
        output_settings=SimpleNamespace(dryrun=dryrun),
        scheduler=SimpleNamespace(job_rate_limiter=limiter),
    )


HOLD = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from blufs_bench.run.process_control import hold_folder
class Run(SimpleNamespace): pass
run = Run(is_main_process=True, output_settings=SimpleNamespace(dryrun=False))
print(hold_folder(run, Path(sys.argv[1])), flush=True)
{then}
"""


def another_run(folder, then="time.sleep(60)"):
    """A run in a process of any name, which has locked the folder."""
    code = HOLD.format(then=then)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "0\n"
    return process


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("blufs_bench.run.process_control._WATCH_SECONDS", 0.05)
    monkeypatch.delenv("BLUFS_RUN", raising=False)
    yield tmp_path
    release_folder(tmp_path)


def leave_locks(folder):
    """What Snakemake leaves in a folder when it is killed."""
    locks = folder / ".snakemake" / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    (locks / "0.input.lock").write_text("config.yaml\n")
    (locks / "0.output.lock").write_text("results/demo/complete.txt\n")


def locks(folder):
    return sorted(path.name for path in (folder / ".snakemake/locks").iterdir())


def test_a_run_is_refused_while_another_one_lives_and_then_takes_over(folder, capsys):
    other = another_run(folder)
    leave_locks(folder)
    with pytest.raises(FolderInUseError, match=f"process {other.pid} on {socket.gethostname()}"):
        hold_folder(workflow(), folder)
    assert len(locks(folder)) == 2
    assert other.poll() is None
    other.kill()
    other.wait()
    assert hold_folder(workflow(), folder) == 2
    assert locks(folder) == []
    assert "removed 2 locks" in capsys.readouterr().err


def test_a_file_system_without_locks_goes_by_the_process(folder, monkeypatch):
    other = another_run(folder)

    def not_supported(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", not_supported)
    with pytest.raises(FolderInUseError, match=f"process {other.pid}"):
        hold_folder(workflow(), folder)
    other.kill()
    other.wait()
    assert hold_folder(workflow(), folder) == 0


@pytest.mark.parametrize("kind", [{"main": False}, {"dryrun": True}])
def test_a_job_and_a_dry_run_change_nothing(folder, kind):
    leave_locks(folder)
    assert hold_folder(workflow(**kind), folder) == 0
    assert len(locks(folder)) == 2
    assert not (folder / ".snakemake/blufs.lock").exists()


@pytest.mark.parametrize("option", ["--lint", "--list-rules", "--summary"])
def test_options_that_only_look_change_nothing(folder, option, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake", option])
    assert purpose_of(workflow()) is Purpose.LOOK
    leave_locks(folder)
    assert hold_folder(workflow(), folder) == 0
    assert len(locks(folder)) == 2


@pytest.mark.parametrize(
    "note",
    [
        json.dumps({"host": "some-other-machine", "pid": 1, "created": 1.0}),
        "",
        "[]",
        '{"pid": "x"}',
        "\udc80",
    ],
)
def test_the_locks_of_nobody_known_stay(folder, note):
    leave_locks(folder)
    (folder / ".snakemake/blufs.lock").write_bytes(note.encode("utf-8", "surrogateescape"))
    assert hold_folder(workflow(), folder) == 0
    assert len(locks(folder)) == 2


def test_the_locks_of_another_workflow_stay(folder):
    another_run(folder, then="").wait()
    leave_locks(folder)
    (folder / ".snakemake/locks/1.output.lock").write_text("elsewhere/table.csv\n")
    (folder / ".snakemake/locks/1.input.lock").write_text("elsewhere/raw.csv\n")
    assert hold_folder(workflow(), folder) == 2
    assert locks(folder) == ["1.input.lock", "1.output.lock"]


def test_a_run_that_has_ended_lets_go_though_its_process_lives_on(folder):
    """As in a notebook, which calls Snakemake again and again."""
    run = workflow()
    hold_folder(run, folder)
    assert hold_folder(run, folder) == 0  # the workflow may be imported twice
    del run
    another_run(folder, then="").wait()


JOB = """
import sys, time
from blufs_bench.run.job import job
with job(sys.argv[1]):
    print("started", flush=True)
    time.sleep(60)
"""


def test_a_job_ends_with_the_run_that_was_killed(folder):
    then = (
        f"import subprocess\nsubprocess.run([sys.executable, '-c', {JOB!r}, sys.argv[1] + '/log'])"
    )
    run = another_run(folder, then)
    assert run.stdout.readline() == "started\n"
    run.kill()
    start = time.monotonic()
    assert run.stdout.read() == ""  # until the job, which writes there too, has ended
    assert time.monotonic() - start < 30
    run.wait()


def test_a_job_of_a_run_that_nobody_knows_goes_on(folder):
    gone = json.dumps({"host": socket.gethostname(), "pid": 2**22 + 1, "created": 1.0})
    code = JOB.replace("60", "2")
    environment = {**os.environ, "BLUFS_RUN": gone}
    command = [sys.executable, "-c", code, str(folder / "log")]
    assert subprocess.run(command, env=environment, stdout=subprocess.DEVNULL).returncode == 0


def test_only_the_limit_that_snakemake_sets_by_itself_is_lifted():
    by_default, by_user = workflow(), workflow(limit=(7, 1))
    lift_default_rate_limit(by_default)
    lift_default_rate_limit(by_user)
    assert by_default.scheduler.job_rate_limiter is None
    assert by_user.scheduler.job_rate_limiter.max_jobs == 7
    lift_default_rate_limit(SimpleNamespace())  # another Snakemake inside is left as it is
