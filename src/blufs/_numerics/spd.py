"""Systems with symmetric positive definite matrices, which may be singular to rounding."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq, pinvh
from scipy.linalg.lapack import dpotri
from sklearn.utils import gen_batches

#: Rows of a symmetric matrix that are copied to its other half at a time.
_MIRRORED_ROWS = 256
#: A Schur complement below this fraction of H_jj means that the feature is redundant.
REDUNDANT = 1e-10


def solve_spd(H: np.ndarray, B: np.ndarray) -> np.ndarray:
    """``H^-1 B`` for symmetric positive definite H; least squares where H is singular."""
    try:  # H' is H, in the order of LAPACK: turning a copy takes as long as to factor it
        return cho_solve(cho_factor(H.T, check_finite=False), B, check_finite=False)
    except LinAlgError:
        return lstsq(H, B)[0]


def inverse_spd(H: np.ndarray) -> np.ndarray:
    """``H^-1`` for symmetric positive definite H; the pseudo-inverse where H is singular."""
    try:
        factor, lower = cho_factor(H.T, lower=False, check_finite=False)
    except LinAlgError:
        return pinvh(H, check_finite=False)
    inverse = dpotri(factor, lower, overwrite_c=True)[0]
    for rows in gen_batches(len(inverse), _MIRRORED_ROWS):  # what is below the diagonal
        corner = inverse[rows, rows]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        inverse[rows.stop :, rows] = inverse[rows, rows.stop :].T
    return inverse
