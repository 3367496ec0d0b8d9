"""Positive semidefinite matrices: the part of a symmetric matrix with positive eigenvalues."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence

from blufs._numerics.lanczos import Operator, largest_eigenpairs

#: Eigenvalues below this times the largest count as zero.
_ZERO = 1e-10
#: Eigenvectors beyond the ones expected that are asked for.
_GUARD = 10


def positive_part(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive eigenvalues (r,) and their eigenvectors (d x r) of a symmetric M (d x d)."""
    values, vectors = eigh(M, check_finite=False, driver="evd")
    keep = values > _ZERO * max(values[-1], 0)
    return values[keep], vectors[:, keep]


def positive_part_of_operator(
    apply: Operator, d: int, limit: int, expected: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """As :func:`positive_part`, of an operator with at most ``limit`` positive eigenvalues.

    Lanczos iterations find ``expected`` of them first and more until one is not positive. None if
    they do not converge.
    """
    count = min(expected + _GUARD, limit)
    while True:
        try:
            values, vectors = largest_eigenpairs(apply, d, count, tol=1e-8, max_restarts=50)
        except ArpackNoConvergence:
            return None
        keep = values > _ZERO * max(values.max(), 0)
        if count == limit or not keep.all():
            return values[keep], vectors[:, keep]
        count = min(2 * count, limit)
