"""Projection onto the probability simplex."""

from __future__ import annotations

import numpy as np


def project_rows_to_simplex(V: np.ndarray) -> np.ndarray:
    """Project every row of ``V`` onto ``{p : p >= 0, sum(p) = 1}``.

    Parameters
    ----------
    V : ndarray of shape (m, k)

    Returns
    -------
    ndarray of shape (m, k)
        Row i is ``argmin_p ||p - V[i]||^2`` over the simplex, by the sort-based closed form:
        with u the row sorted in descending order, ``rho = max{j : u_j > (sum_{l<=j} u_l - 1)/j}``
        and ``p = max(v - theta, 0)`` where ``theta = (sum_{l<=rho} u_l - 1)/rho``.
    """
    V = np.asarray(V)
    # Shifting a row by a constant does not move its projection, but keeps the sums below small.
    V = V - V.max(axis=1, keepdims=True)
    u = -np.sort(-V, axis=1)
    excess = np.cumsum(u, axis=1) - 1
    positions = np.arange(1, V.shape[1] + 1)
    rho = np.count_nonzero(u * positions > excess, axis=1)
    theta = excess[np.arange(len(V)), rho - 1] / rho
    return np.maximum(V - theta[:, None], 0)
