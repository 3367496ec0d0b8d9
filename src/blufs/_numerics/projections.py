"""Nearest points of the simplex and of the matrices with orthonormal columns."""

from __future__ import annotations

from collections.abc import Callable

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


def polar_factor(A: np.ndarray) -> np.ndarray:
    """Orthonormal factor U V' of the thin SVD of A (n x c): the closest Y with Y'Y = I."""
    # The c x c eigenproblem is several times faster; it is exact only for well-conditioned A.
    values, vectors = np.linalg.eigh(A.T @ A)
    if values[0] > 1e-6 * values[-1]:
        return A @ ((vectors / np.sqrt(values)) @ vectors.T)
    U, _, Vt = np.linalg.svd(A, full_matrices=False)
    return U @ Vt


def maximize_on_stiefel(
    times: Callable[[np.ndarray], np.ndarray],
    B: np.ndarray,
    W: np.ndarray,
    *,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> np.ndarray:
    """Maximise ``Tr(W' A W) + 2 <W, B>`` over W (d x m) with ``W'W = I``, from W.

    ``times`` applies the positive semidefinite A. Each step ``W <- polar(A W + B)`` maximises the
    tangent of a convex function, so the value never falls; no step size is needed. Stops when W
    moves by at most ``tol sqrt(m)``.
    """
    for _ in range(max_iter):
        moved = W
        W = polar_factor(times(W) + B)
        moved = W - moved
        if np.linalg.norm(moved) <= tol * np.sqrt(W.shape[1]):
            break
    return W
