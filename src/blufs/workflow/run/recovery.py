"""Go on after a run that was killed, without flags to remember.

Snakemake locks a folder while it runs. A run that is killed leaves its lock, on which the next one
would stop, and its jobs, which go on and write what the next one writes too.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

import psutil

_STATE = ".snakemake"


def remove_stale_locks(folder: Path) -> int:
    """Remove the locks of dead runs in ``folder``; return how many were removed.

    They stay while a run is alive there, and where the last run was started on another machine,
    of which nothing can be known here.
    """
    locks = list((folder / _STATE / "locks").glob("*.lock"))
    if not locks or _last_host(folder) != socket.gethostname() or live_runs(folder):
        return 0
    for lock in locks:
        lock.unlink(missing_ok=True)
    return len(locks)


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


def begin_run(folder: Path) -> int:
    """Note where this run is and stop the jobs of dead ones; return how many were stopped."""
    (folder / _STATE / "host").write_text(socket.gethostname())
    orphans = _orphans(folder)
    for process in orphans:
        process.kill()
    psutil.wait_procs(orphans, timeout=10)
    return len(orphans)


def _last_host(folder: Path) -> str:
    note = folder / _STATE / "host"
    return note.read_text() if note.exists() else socket.gethostname()


def _is_snakemake(words: list[str]) -> bool:
    return any(Path(word).name == "snakemake" for word in words)


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
