"""What a job asks of a cluster: memory and minutes.

The first attempts ask for what such a job should need; the last one for all that the limits of a
fit allow, so that these, not the cluster, end a fit that goes wrong.
"""

from __future__ import annotations

from blufs_bench.plan.fit_memory import Held
from blufs_bench.plan.sizes import DataSize

#: (n, d) of data whose size is not known before they are read.
UNKNOWN_SHAPE = (5000, 1000)
LAST_ATTEMPT = 3
#: An interpreter with its packages, twice in part: Snakemake waits for the script, which forks.
BASE_MB = 500
#: What jobs that fit nothing hold: preparation and scoring.
PREPARING, SCORING = Held(data=4), Held(data=4)


def needed_mb(size: DataSize, held: Held, *, takes_sparse: bool = True) -> float:
    """Memory of a job: an interpreter, the data and the blocks that are held.

    A value of sparse data takes twice its place, for its index. Work that does not take sparse data
    is given a dense copy.
    """
    n, d = _shape(size)
    dense = n * d
    stored = dense if size.density is None else min(dense, 2 * size.density * dense)
    worked_on = stored if takes_sparse else dense
    squares = held.features if d <= held.features_up_to else 0
    blocks = held.samples * n**2 + squares * d**2 + held.smaller * min(n, d) ** 2
    return BASE_MB + 8 * (stored + held.data * worked_on + blocks) / 2**20


def memory_mb(likely: float, attempt: int, *, limit_mb: float) -> int:
    """Memory to ask for: what is likely, more at every attempt, up to the limit of a fit."""
    most = max(likely, BASE_MB + limit_mb)
    return int(most if attempt >= LAST_ATTEMPT else min(likely * attempt, most))


def minutes(size: DataSize, attempt: int, *, fits: int = 0, fit_seconds: float = 0) -> int:
    """Minutes of a job with so many fits (0: none that a limit would end)."""
    n, d = _shape(size)
    likely = (60 + n * d / 50_000) * attempt
    if not fits:
        return int(likely)
    most = 60 + fits * fit_seconds / 60
    return int(most if attempt >= LAST_ATTEMPT else min(likely, most))


def _shape(size: DataSize) -> tuple[int, int]:
    return size.n_samples or UNKNOWN_SHAPE[0], size.n_features or UNKNOWN_SHAPE[1]
