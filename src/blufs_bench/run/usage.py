"""What a job has used: its peak of memory and its processor time."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def own_usage() -> tuple[float, float]:
    """Peak of memory in MB and processor seconds, of this process and of its ended children.

    A forked child counts with the pages that it shares with its parent, so the largest process is
    what the job needs, but for what the parent has taken since.
    """
    own, children = _own_and_children()
    return max(_own_peak_mb(own), _megabytes(children.ru_maxrss)), processor_seconds()


def processor_seconds() -> float:
    """Seconds of the processor that this process and its ended children have taken."""
    return sum(usage.ru_utime + usage.ru_stime for usage in _own_and_children())


def _own_and_children() -> tuple[resource.struct_rusage, resource.struct_rusage]:
    return resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)


def _own_peak_mb(own: resource.struct_rusage) -> float:
    # On Linux ``ru_maxrss`` still holds the peak of the process that started this one.
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else _megabytes(own.ru_maxrss)


def _megabytes(maxrss: int) -> float:
    """``ru_maxrss`` is in bytes on macOS and in kilobytes elsewhere."""
    return maxrss / (2**20 if sys.platform == "darwin" else 2**10)
