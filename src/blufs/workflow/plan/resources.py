"""What a job asks of a cluster: memory and minutes.

The first attempts ask for what such a job should need; the last one for all that the limits of a
fit allow, so that these, not the cluster, end a fit that goes wrong.
"""

from __future__ import annotations

#: (n, d) of data whose size is not known before it is read.
UNKNOWN_SHAPE = (5000, 1000)
LAST_ATTEMPT = 3

Shape = tuple[int | None, int | None]


def memory_mb(shape: Shape, attempt: int, *, limit_mb: float) -> int:
    """Memory of a fit: 1000 MB, 6 copies of the data, 8 blocks of n x n and of d x d."""
    n, d = _filled(shape)
    likely = 1000 + 8 * (6 * n * d + 8 * (n**2 + d**2)) / 2**20
    most = max(likely, 1000 + limit_mb)
    return int(most if attempt >= LAST_ATTEMPT else min(likely * attempt, most))


def minutes(shape: Shape, attempt: int, *, fits: int = 0, fit_seconds: float = 0) -> int:
    """Minutes of a job with so many fits (0: none that a limit would end)."""
    n, d = _filled(shape)
    likely = (60 + n * d / 50_000) * attempt
    most = 60 + fits * fit_seconds / 60
    return int(most if fits and attempt >= LAST_ATTEMPT else likely)


def _filled(shape: Shape) -> tuple[int, int]:
    return shape[0] or UNKNOWN_SHAPE[0], shape[1] or UNKNOWN_SHAPE[1]
