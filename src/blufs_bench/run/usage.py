"""What a job has used: its peak of memory and its processor time."""

from __future__ import annotations

import re
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"used at most (\d+) MB of memory and ([\d.]+) s of processor time")


@dataclass(frozen=True)
class Usage:
    """Peak of the resident memory of a job's largest process, and the seconds of all of them."""

    memory_mb: float
    cpu_seconds: float

    def __str__(self) -> str:
        return (
            f"used at most {self.memory_mb:.0f} MB of memory and {self.cpu_seconds:.1f} s of "
            "processor time"
        )


def own_usage() -> Usage:
    """Usage of this process and of the children that have ended.

    A forked child counts with the pages that it shares with its parent, so the largest process is
    what the job needs, but for what the parent has taken since.
    """
    own, children = _own_and_children()
    return Usage(max(_own_peak_mb(own), _megabytes(children.ru_maxrss)), processor_seconds())


def processor_seconds() -> float:
    """Seconds of the processor that this process and its ended children have taken."""
    return sum(usage.ru_utime + usage.ru_stime for usage in _own_and_children())


def _own_and_children() -> tuple[resource.struct_rusage, resource.struct_rusage]:
    return resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)


def usage_of_log(path: Path) -> Usage | None:
    """What the log of a finished job says; None where it says nothing."""
    found = _LINE.search(path.read_text(encoding="utf-8")) if path.exists() else None
    return Usage(float(found[1]), float(found[2])) if found else None


def _own_peak_mb(own: resource.struct_rusage) -> float:
    # On Linux ``ru_maxrss`` still holds the peak of the process that started this one.
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else _megabytes(own.ru_maxrss)


def _megabytes(maxrss: int) -> float:
    """``ru_maxrss`` is in bytes on macOS and in kilobytes elsewhere."""
    return maxrss / (2**20 if sys.platform == "darwin" else 2**10)
