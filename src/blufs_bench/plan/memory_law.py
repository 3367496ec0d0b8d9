"""The memory of a job, by the size of its data and by what its work holds.

The plan asks for it, and a job decides by it whether it reads its data in chunks. Nothing here
knows the methods: every fit depends on this module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from blufs_bench.plan.sizes import DataSize

#: (n, d) of data whose size is not known before they are read.
UNKNOWN_SHAPE = (5000, 1000)
#: An interpreter with its packages, twice in part: Snakemake waits for the script, which forks.
BASE_MB = 600


@dataclass(frozen=True)
class Held:
    """Numbers of blocks of float64, with n samples, d features and m = min(n, d).

    Attributes
    ----------
    data : copies of X, sparse if X is and the method takes it so
    samples, features, smaller : blocks of n x n, of d x d and of m x m
    features_up_to : d above which no d x d block is held
    """

    data: float = 2
    samples: float = 0
    features: float = 0
    smaller: float = 0
    features_up_to: float = math.inf


#: What jobs that fit nothing hold: preparation and scoring.
PREPARING, SCORING = Held(data=4), Held(data=4)
#: What a job holds that reads its data in chunks: for each core, and numbers for each sample and
#: for each feature (benchmarks/speed/job_memory.py).
CORE_MB = 400
PER_SAMPLE, PER_FEATURE = 500, 500
#: Largest d x d matrix that is kept there.
MOST_FEATURES = 12_000


def needed_mb(size: DataSize, held: Held, *, takes_sparse: bool = True) -> float:
    """Memory of a job: an interpreter, the data and the blocks that are held.

    A value of sparse data takes twice its place, for its index. Work that does not take sparse data
    is given a dense copy.
    """
    n, d = shape_of(size)
    dense = n * d
    stored = dense if size.density is None else min(dense, 2 * size.density * dense)
    worked_on = stored if takes_sparse else dense
    squares = held.features if d <= held.features_up_to else 0
    blocks = held.samples * n**2 + squares * d**2 + held.smaller * min(n, d) ** 2
    return BASE_MB + 8 * (stored + held.data * worked_on + blocks) / 2**20


def exceeds_memory(
    size: DataSize, held: Held, *, limit_mb: float, takes_sparse: bool = True
) -> bool:
    """Whether work in memory would need more than a fit may take.

    Then the data are read in chunks, by methods that can, and by scoring.
    """
    return needed_mb(size, held, takes_sparse=takes_sparse) > BASE_MB + limit_mb


def scores_chunks(size: DataSize, limit_mb: float) -> bool:
    """Whether selections are scored on data that are read in chunks."""
    return exceeds_memory(size, SCORING, limit_mb=limit_mb)


def chunked_mb(size: DataSize, held: Held, cores: int = 1) -> float:
    """Memory of a job that reads its data in chunks: no copy of the data, but blocks of them."""
    n, d = shape_of(size)
    squares = held.features if d <= held.features_up_to else 0
    kept = squares * d**2 + held.smaller * min(n, d, MOST_FEATURES) ** 2
    return BASE_MB + CORE_MB * cores + 8 * (PER_SAMPLE * n + PER_FEATURE * d + kept) / 2**20


def shape_of(size: DataSize) -> tuple[int, int]:
    """Samples and features; a guess where they are not known."""
    return size.n_samples or UNKNOWN_SHAPE[0], size.n_features or UNKNOWN_SHAPE[1]
