"""Seeds that depend on what is repeated, never on the method that is measured.

All methods are compared on the same k-means starts and the same splits, and the result does not
depend on the order or the process in which the cells are computed.
"""

from __future__ import annotations

import zlib

import numpy as np


def derive_seed(base: int, dataset: str, purpose: str, repetition: int) -> int:
    """Seed of one repetition of ``purpose`` (such as "kmeans") on ``dataset``, in [0, 2^32)."""
    keys = [base, zlib.crc32(dataset.encode()), zlib.crc32(purpose.encode()), repetition]
    return int(np.random.SeedSequence(keys).generate_state(1)[0])
