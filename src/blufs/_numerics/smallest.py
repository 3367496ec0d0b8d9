"""The smallest entries of every row of a matrix, without ordering the others."""

from __future__ import annotations

import numpy as np

#: Most entries of which only the smallest is looked at first.
_GROUP = 64


def smallest_per_row(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and values of the k smallest entries of each row, ties by smaller position.

    Entries are dealt to groups. The k-th smallest of the groups' minima is at least the k-th
    smallest entry, so that only entries up to it, hardly more than k, have to be ordered.

    Parameters
    ----------
    D : ndarray of shape (m, n), without NaN
    k : int, at most n

    Returns
    -------
    positions, values : ndarray of shape (m, k), ascending by value
    """
    candidates = np.flatnonzero(_upper_bound(D, k)[:, None] >= D)
    rows, columns = np.divmod(candidates, D.shape[1])
    values = D[rows, columns]
    order = np.lexsort((values, rows))  # stable: ties stay by position
    counts = np.bincount(rows, minlength=len(D))
    first = np.cumsum(counts) - counts
    chosen = order[first[:, None] + np.arange(k)]
    return columns[chosen], values[chosen]


def _upper_bound(D: np.ndarray, k: int) -> np.ndarray:
    """A bound (m,) that at least k entries of every row of D (m x n) do not exceed."""
    n = D.shape[1]
    size = min(_GROUP, n // (2 * k))
    if size < 2:
        return np.partition(D, k - 1, axis=1)[:, k - 1]
    # Groups of entries that lie apart, so that their minima are those of whole vectors.
    width = n // size
    minima = D[:, :width].copy()
    for start in range(width, width * size, width):
        np.minimum(minima, D[:, start : start + width], out=minima)
    return np.partition(minima, k - 1, axis=1)[:, k - 1]
