"""What this workflow does to processes and to Snakemake itself, all in one place.

A run holds a lock on a file in its folder as long as it lives, however it was started: the system
lets go of it when the process ends, even if it is killed. So a second run knows whether another one
works there, and whose are the locks that Snakemake has left. The jobs of a run end with it. A dry
run, ``--lint`` and the jobs of a cluster lock and change nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
import threading
import time
import weakref
from enum import Enum
from pathlib import Path
from typing import Any

_STATE = Path(".snakemake")
_LOCK = "blufs.lock"
#: Tells a job which run has started it.
_RUN_VARIABLE = "BLUFS_RUN"
#: Locked files of this process, by folder.
_held: dict[Path, int] = {}

#: Options with which Snakemake only looks, beside ``--dry-run``, of which it tells us.
_LOOKS = {"--lint", "-l", "--list-rules", "--list", "--list-target-rules", "--lt", "--summary"}
_LOOKS |= {"-S", "--detailed-summary", "-D", "--dag", "--rulegraph", "--filegraph", "--d3dag"}
_LOOKS |= {"--print-compilation", "--report", "--archive", "--list-changes", "--lc"}


class Purpose(Enum):
    """Why the workflow is read: it decides what may be imported, checked and changed."""

    #: To run it: everything is checked.
    RUN = "run"
    #: A dry run, ``--lint`` and the like: nothing is changed, no code of the user's is run.
    LOOK = "look"
    #: As one job of a cluster, which trusts the run that started it.
    JOB = "job"


class FolderInUseError(RuntimeError):
    """Another run works in the folder."""


def is_asked_to_look() -> bool:
    """Whether the command line of this process asks for a list, a graph or a check, not a run."""
    return bool(_LOOKS & set(sys.argv[1:]))


def purpose_of(workflow: Any) -> Purpose:
    """Why Snakemake reads the workflow: to run it, to look at it, or as one job of a cluster."""
    if not workflow.is_main_process:
        return Purpose.JOB
    is_dry = bool(getattr(workflow.output_settings, "dryrun", False))
    return Purpose.LOOK if is_dry or is_asked_to_look() else Purpose.RUN


def hold_folder(workflow: Any, folder: Path) -> int:
    """Lock ``folder`` for this run and remove what a killed one has left; the number of its locks.

    To be called while the workflow is read: Snakemake refuses a locked folder before ``onstart``.

    Raises
    ------
    FolderInUseError
        If another run works there.
    """
    if purpose_of(workflow) is not Purpose.RUN or folder in _held:
        return 0
    state = folder / _STATE
    state.mkdir(exist_ok=True)
    handle = os.open(state / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    former = _read(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        who = f"process {former['pid']} on {former['host']}" if former else "another process"
        raise FolderInUseError(
            f"a run is at work in this folder, which it has locked ({who}): wait for its end, or "
            "run in another folder (--directory)"
        ) from None
    except OSError:  # a file system without such locks: only a run on this machine is noticed
        if former and former["pid"] != os.getpid() and _is_alive(former):
            os.close(handle)
            raise FolderInUseError(
                f"a run is at work in this folder (process {former['pid']}): wait for its end"
            ) from None
    _held[folder] = handle
    weakref.finalize(workflow, release_folder, folder)
    run = {"host": socket.gethostname(), "pid": os.getpid(), "created": _created(os.getpid())}
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(run).encode(), 0)
    os.environ[_RUN_VARIABLE] = json.dumps(run)
    if former is None or former["host"] != run["host"]:
        return 0  # of a machine that this one knows nothing of
    return _remove_locks(state / "locks")


def release_folder(folder: Path) -> None:
    """Let go of a folder: its run has ended, though this process may live on."""
    if (handle := _held.pop(folder, None)) is not None:
        os.close(handle)


def _remove_locks(folder: Path) -> int:
    """Remove Snakemake's locks of files of ours: whoever held them is dead."""
    outputs = [
        path for path in folder.glob("*.output.lock") if "results/" in path.read_text("utf-8")
    ]
    stale = [*outputs, *(path.with_name(path.name.replace("output", "input")) for path in outputs)]
    for path in stale:
        path.unlink(missing_ok=True)
    if stale:
        print(f"blufs: removed {len(stale)} locks of a run that was killed", file=sys.stderr)
        time.sleep(2 * _WATCH_SECONDS)  # its jobs end by themselves
    return len(stale)


def lift_default_rate_limit(workflow: Any) -> None:
    """Let Snakemake (9.27) look for jobs to start only when one has ended.

    On behalf of its limit of starts per second it looks again a second after every look, and every
    job that ends begins another such series: after some hundred jobs they take a good part of a
    core. The limit that it sets by itself is of no use here; one that a user has set stays. This
    is the only place that changes Snakemake's internals; where they look different, it does not.
    """
    scheduler = getattr(workflow, "scheduler", None)
    limiter = getattr(scheduler, "job_rate_limiter", None)
    limit = (getattr(limiter, "max_jobs", None), getattr(limiter, "timespan", None))
    if limit == (100, 1):
        scheduler.job_rate_limiter = None  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------- in a job

_WATCH_SECONDS = 0.5
_SAME_START_SECONDS = 10


def end_with_run() -> None:
    """End this process when the run whose child it is has ended, even if it was killed.

    A job of a cluster is no child of the run, and finishes what it has begun.
    """
    import psutil

    try:
        run = json.loads(os.environ[_RUN_VARIABLE])
    except (KeyError, ValueError):
        return
    parents = [parent.pid for parent in psutil.Process().parents()]
    if run["host"] == socket.gethostname() and run["pid"] in parents and _is_alive(run):
        threading.Thread(target=_watch, args=(run,), daemon=True).start()


def _watch(run: dict[str, Any]) -> None:
    while _is_alive(run):
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def _is_alive(run: dict[str, Any]) -> bool:
    """Whether a process lives and is not another one that has got its number.

    The time of its start is known to a second or so: it is counted from that of the machine.
    """
    created = _created(run["pid"])
    return created is not None and abs(created - run["created"]) < _SAME_START_SECONDS


def _created(pid: int) -> float | None:
    """When a process has started; None if there is none."""
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None


def _read(handle: int) -> dict[str, Any] | None:
    """The run that has locked a file, or has had it locked."""
    try:
        run = json.loads(os.pread(handle, 1000, 0))
        return {"host": str(run["host"]), "pid": int(run["pid"]), "created": run["created"]}
    except (ValueError, KeyError, TypeError):
        return None
