"""What a job asks of a cluster: memory and minutes.

The first attempts ask for what such a job should need; the last one for all that the limits of a
fit allow, so that these, not the cluster, end a fit that goes wrong.
"""

from __future__ import annotations

from blufs_bench.plan.memory_law import BASE_MB, shape_of
from blufs_bench.plan.sizes import DataSize

LAST_ATTEMPT = 3


def memory_mb(likely: float, attempt: int, *, limit_mb: float) -> int:
    """Memory to ask for: what is likely, more at every attempt, up to the limit of a fit."""
    most = max(likely, BASE_MB + limit_mb)
    return int(most if attempt >= LAST_ATTEMPT else min(likely * attempt, most))


def minutes(size: DataSize, attempt: int, *, fits: int = 0, fit_seconds: float = 0) -> int:
    """Minutes of a job with so many fits (0: none that a limit would end)."""
    n, d = shape_of(size)
    likely = (60 + n * d / 50_000) * attempt
    if not fits:
        return int(likely)
    most = 60 + fits * fit_seconds / 60
    return int(most if attempt >= LAST_ATTEMPT else min(likely, most))
