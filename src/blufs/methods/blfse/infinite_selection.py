"""Infinite feature selection, unsupervised (Roffo et al., TPAMI 2021): the base ranker of BLFSE."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata


def infinite_selection_weights(X: np.ndarray, mixing: float = 0.7) -> np.ndarray:
    """Weight of every column of X (n x d), shape (d,), larger is better, summing to 1.

    The graph between features is ``A = mixing * M + (1 - mixing) * C``, where M_rt is the larger of
    the two standard deviations, mapped onto [0, 1], and C one minus the absolute Spearman
    correlation (0 where it is undefined). A feature weighs the sum over all paths from it,
    ``(I - r A / (rho + e))^-1 1``, with rho the largest row sum of A, ``e = 5e-6 d`` and
    ``r = (1 - e) / rho``; the constant 1 of the empty path is left out.
    """
    d = X.shape[1]
    spread = X.std(axis=0)
    spread -= spread.min()
    spread *= mixing / (spread.max() or 1.0)
    A = _spearman_distances(X)
    A *= 1 - mixing
    for row, value in zip(A, spread, strict=True):
        row += np.maximum(spread, value)
    rho = A.sum(axis=1).max()
    if rho == 0:
        return np.full(d, 1 / d)
    e = 5e-6 * d
    weights = _paths(A, (1 - e) / rho / (rho + e))
    return weights / weights.sum()


def _spearman_distances(X: np.ndarray) -> np.ndarray:
    """One minus the absolute rank correlation of the columns of X; 0 for constant ones."""
    ranks = rankdata(X, axis=0)
    ranks -= ranks.mean(axis=0)
    norms = np.linalg.norm(ranks, axis=0)
    ranks /= np.where(norms > 0, norms, 1)
    distances = ranks.T @ ranks
    np.abs(distances, out=distances)
    np.subtract(1, distances, out=distances)
    distances[norms == 0] = 0
    distances[:, norms == 0] = 0
    return np.maximum(distances, 0, out=distances)


def _paths(A: np.ndarray, scale: float) -> np.ndarray:
    """``(I - scale A)^-1 1 - 1`` for A >= 0."""
    one_step = scale * A.sum(axis=1)
    if np.abs(one_step).max() > 0.5:
        return np.linalg.solve(np.eye(len(A)) - scale * A, one_step)
    # The series of powers: each term is less than half of the one before.
    total, term = one_step.copy(), one_step
    while np.abs(term).max() > 1e-17 * np.abs(total).max():
        term = scale * (A @ term)
        total += term
    return total
