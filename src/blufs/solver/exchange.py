"""Exchange search: swap a chosen feature for another while the objective of W falls."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq


def solve_spd(H: np.ndarray, B: np.ndarray) -> np.ndarray:
    """``H^-1 B`` for symmetric positive definite H; least squares where H is singular."""
    try:
        return cho_solve(cho_factor(H, check_finite=False), B, check_finite=False)
    except LinAlgError:
        return lstsq(H, B)[0]


def exchange(
    H: np.ndarray, B: np.ndarray, support: np.ndarray, max_swaps: int, tol: float = 1e-7
) -> tuple[np.ndarray, np.ndarray]:
    """Best swaps of one feature in the support for one outside, until none helps.

    With ``K = H_TT^-1``, ``W = K B_T``, ``U = K H_T:``, sigma the Schur complements and R the
    residuals outside T, replacing i by j changes ``F(T) = Tr(B_T' H_TT^-1 B_T)`` by exactly

        ||R_j + U_ij W_i / K_ii||^2 / (sigma_j + U_ij^2 / K_ii) - ||W_i||^2 / K_ii,

    so all pairs are compared at once.

    Parameters
    ----------
    H : ndarray of shape (q, q), symmetric positive definite
    B : ndarray of shape (q, c)
    support : ndarray of int, shape (s,)
        Positions in 0..q-1.
    max_swaps : int
    tol : float
        Smallest change, relative to F(T), that is worth a swap.

    Returns
    -------
    support : ndarray of int, shape (s,)
        The new feature takes the place of the one it replaced.
    W : ndarray of shape (s, c)
        The solution on it.
    """
    support = support.copy()
    outside = np.setdiff1d(np.arange(len(H)), support)
    for _ in range(max_swaps if len(outside) else 0):
        gains, value = _swap_gains(H, B, support, outside)
        i, j = np.unravel_index(np.argmax(gains), gains.shape)
        if not gains[i, j] > tol * value:
            break
        support[i], outside[j] = outside[j], support[i]
    return support, solve_spd(H[np.ix_(support, support)], B[support])


def _swap_gains(H, B, support, outside) -> tuple[np.ndarray, float]:
    """Change of F for every pair (inside, outside), shape (s, q - s), and F itself."""
    inside = H[np.ix_(support, support)]
    across = H[np.ix_(support, outside)]
    K = solve_spd(inside, np.eye(len(support)))
    W = K @ B[support]
    U = K @ across
    diagonal = np.diagonal(H)[outside]
    schur = np.maximum(diagonal - np.einsum("ij,ij->j", across, U), 1e-10 * diagonal)
    R = B[outside] - across.T @ W
    k = np.diagonal(K)[:, None]
    w = np.einsum("ij,ij->i", W, W)[:, None]
    ratio = U / k
    gained = np.einsum("ij,ij->i", R, R) + 2 * ratio * (W @ R.T) + ratio**2 * w
    return gained / (schur + U * ratio) - w / k, float(np.sum(W * B[support]))
