"""What this workflow does to processes and to Snakemake itself, all in one place.

Snakemake locks a folder while it runs. A run that is killed leaves its lock, on which the next one
would stop, and its jobs, which go on and write what the next one writes too. A real run removes
both, so that nobody has to remember a flag, and says what it removed. A dry run, ``--lint`` and the
jobs of a cluster change nothing.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import psutil

from blufs_bench.run.purpose import Purpose, is_asked_to_look

_STATE = ".snakemake"


def purpose_of(workflow: Any) -> Purpose:
    """Why Snakemake reads the workflow: to run it, to look at it, or as one job of a cluster."""
    if not workflow.is_main_process:
        return Purpose.JOB
    is_dry = bool(getattr(workflow.output_settings, "dryrun", False))
    return Purpose.LOOK if is_dry or is_asked_to_look() else Purpose.RUN


def unlock_after_kill(workflow: Any, folder: Path) -> int:
    """Remove the locks of dead runs in ``folder``; return how many were removed.

    To be called while the workflow is read: Snakemake refuses a locked folder before ``onstart``.
    The locks stay while a run is alive there, and where the last run was started on another
    machine, of which nothing can be known here.
    """
    if purpose_of(workflow) is not Purpose.RUN:
        return 0
    locks = list((folder / _STATE / "locks").glob("*.lock"))
    if not locks or _last_host(folder) != socket.gethostname() or live_runs(folder):
        return 0
    for lock in locks:
        lock.unlink(missing_ok=True)
    _say(f"removed {len(locks)} locks of a run that was killed")
    return len(locks)


def begin_run(workflow: Any, folder: Path) -> int:
    """Note where this run is and stop the jobs of dead ones; return how many were stopped.

    To be called by ``onstart``: this run holds the lock of the folder.
    """
    if purpose_of(workflow) is not Purpose.RUN:
        return 0
    (folder / _STATE / "host").write_text(socket.gethostname())
    lift_default_rate_limit(workflow)
    orphans = _orphans(folder)
    for process in orphans:
        _say(f"stopping process {process.pid}, a job of a run that was killed")
        process.kill()
    psutil.wait_procs(orphans, timeout=10)
    return len(orphans)


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


def live_runs(folder: Path) -> list[int]:
    """Process numbers of the other Snakemake runs whose working folder this is."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            # A job of a cluster is a Snakemake too, with a mode of its own, and holds no lock.
            if _is_snakemake(words) and "--mode" not in words and Path(process.cwd()) == folder:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return [pid for pid in found if pid != os.getpid()]


def _last_host(folder: Path) -> str:
    note = folder / _STATE / "host"
    return note.read_text() if note.exists() else socket.gethostname()


def _is_snakemake(words: list[str]) -> bool:
    """Whether a command line is Snakemake itself, not ``time snakemake`` or ``timeout 1h ...``."""
    program, *rest = words or [""]
    is_python = Path(program).name.startswith("python")
    return is_python and any(Path(word).name == "snakemake" for word in rest)


def _orphans(folder: Path) -> list[psutil.Process]:
    """Processes of scripts of this folder's workflow that no Snakemake waits for any more."""
    scripts = folder / _STATE / "scripts"
    found = []
    for process in psutil.process_iter():
        try:
            is_job = any(Path(word).parent == scripts for word in process.cmdline()[1:])
            if is_job and not any(_is_snakemake(p.cmdline()) for p in process.parents()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _say(text: str) -> None:
    print(f"blufs: {text}", file=sys.stderr)
