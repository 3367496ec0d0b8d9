"""Remove the lock that a killed run has left behind; never that of a live one.

Snakemake locks a folder while it runs. A run that is killed cannot remove its lock, and the next
one would stop. ``python -m blufs.benchmark.unlock`` removes it if no Snakemake works in this
folder on this machine any more.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil


def live_runs(folder: Path) -> list[int]:
    """Process numbers of the Snakemake runs whose working folder this is."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            is_snakemake = any(Path(word).name == "snakemake" for word in words[:3])
            if is_snakemake and Path(process.cwd()) == folder and process.pid != os.getpid():
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def remove_stale_locks(folder: Path) -> int:
    """Remove locks under ``folder`` unless a run is alive there; return how many were removed."""
    locks = list((folder / ".snakemake" / "locks").glob("*"))
    if not locks or live_runs(folder):
        return 0
    for lock in locks:
        lock.unlink(missing_ok=True)
    return len(locks)


if __name__ == "__main__":
    if removed := remove_stale_locks(Path.cwd()):
        print(f"removed {removed} locks that a killed run had left behind", file=sys.stderr)
