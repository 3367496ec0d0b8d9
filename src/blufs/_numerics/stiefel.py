"""Matrices with orthonormal columns: the nearest one, and quadratic functions of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


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
