"""Neighbours of many samples by the index of faiss, without comparing all pairs.

The samples are dealt to about sqrt(n) cells around k-means centres, and each is compared with those
of some nearby cells. How many cells are looked at is decided by the data: as many as a sample of
them needs to find its exact neighbours. Where these are most cells, as for data without any
clusters, all pairs are compared by products in single precision, which then takes less time; so
they are without faiss, which ``pip install 'blufs[index]'`` brings.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp

from blufs._numerics.ranges import without_offset
from blufs._numerics.rows import rows_at_a_time, squared_differences
from blufs._numerics.smallest import smallest_per_row

#: Samples up to which all pairs are compared in full precision, which takes seconds.
EXACT_UP_TO = 20_000
#: Share of the exact neighbours that must be found, and samples by which this is told.
_RECALL, _TRIED = 0.995, 500
#: Share of the cells from which on products with all samples are faster than the index.
_MOST_CELLS = 0.25
#: Candidates beyond the k wanted: the index knows single precision only, differences decide.
_SPARE = 8
#: Samples of a cell from which its centre is learned.
_TRAIN_PER_CELL = 50
#: Pairs of samples from which the mean distance is estimated.
_PAIRS = 1_000_000


def is_large(X) -> bool:
    """Whether X has too many rows to compare all pairs in full precision; sparse X never has."""
    return X.shape[0] > EXACT_UP_TO and not sp.issparse(X)


def uses_index(X) -> bool:
    """Whether the neighbours of the rows of X come from the index, where it saves time."""
    return is_large(X) and find_spec("faiss") is not None


def neighbors_of_many(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Nearest neighbours of every sample, at least 99 % of the exact ones; always the same.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    k : int
        Below n.

    Returns
    -------
    indices, squared_distances : ndarray of shape (n, k)
        Nearest first, ties by smaller index, the sample itself excluded.
    mean_distance : float
        Mean of ||x_i - x_j|| over random pairs.
    """
    X = without_offset(X)
    n = len(X)
    found = _candidates(X, min(k + 1 + _SPARE, n))
    own = np.arange(n)
    # By index, so that ties stay in this order; n stands for the sample itself.
    found = np.sort(np.where(found == own[:, None], n, found), axis=1)
    distances = squared_differences(X, own, np.minimum(found, n - 1))
    distances[found == n] = np.inf
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    indices, distances = (np.take_along_axis(a, order, axis=1) for a in (found, distances))
    return indices, distances.astype(X.dtype), mean_distance(X)


def _candidates(X: np.ndarray, count: int) -> np.ndarray:
    """The nearest samples of every sample, itself mostly among them, shape (n, count)."""
    n, d = X.shape
    if find_spec("faiss") is None:
        return _own_and_nearest(X, count)
    import faiss

    # Single precision holds numbers of order one best.
    scale = np.abs(X).max() or 1.0
    single = np.ascontiguousarray(X / scale, dtype=np.float32)
    n_cells = max(1, int(np.sqrt(n)))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_cells)
    index.cp.seed = 0
    index.train(single[:: max(1, n // (n_cells * _TRAIN_PER_CELL))])
    index.add(single)
    tried = single[np.random.default_rng(0).permutation(n)[:_TRIED]]
    index.nprobe = n_cells
    exact = index.search(tried, count)[0]
    index.nprobe = min(8, n_cells)
    while index.nprobe < n_cells and _recall(index.search(tried, count)[0], exact) < _RECALL:
        index.nprobe = min(2 * index.nprobe, n_cells)
    if index.nprobe > _MOST_CELLS * n_cells:
        return _own_and_nearest(X, count)
    found = index.search(single, count)[1]
    if found.min() < 0:  # some cells hold too few
        index.nprobe = n_cells
        found = index.search(single, count)[1]
    return found.astype(np.intp)


def _own_and_nearest(X: np.ndarray, count: int) -> np.ndarray:
    return np.hstack([np.arange(len(X))[:, None], nearest_by_products(X, count - 1)])


def nearest_by_products(X: np.ndarray, k: int) -> np.ndarray:
    """The k nearest other rows of every row of X (n x d), nearest first, shape (n, k).

    By ``||x_j||^2 / 2 - x_i' x_j`` in single precision, a block of rows i at a time: where two
    distances differ by less, either may be taken.
    """
    n = len(X)
    X = X - X.mean(axis=0)
    # Of order one, which single precision holds best.
    X = (X / (np.abs(X).max() or 1)).astype(np.float32)
    left = np.hstack([-X, np.ones((n, 1), np.float32)])
    right = np.vstack([X.T, np.einsum("ij,ij->i", X, X) / 2])
    nearest = np.empty((n, k), dtype=np.intp)
    rows = rows_at_a_time(n)
    for start in range(0, n, rows):
        D = left[start : start + rows] @ right
        local = np.arange(len(D))
        D[local, start + local] = np.inf
        nearest[start : start + len(D)] = smallest_per_row(D, k)[0]
    return nearest


def nearest_by_index(X: np.ndarray, k: int) -> np.ndarray:
    """The k nearest other rows of every row of X (n x d), but for a few; in no order, (n, k)."""
    return without_own(_candidates(X, k + 1))


def without_own(found: np.ndarray) -> np.ndarray:
    """Rows found for every row (n x k + 1) without the row itself, shape (n, k)."""
    n, count = found.shape
    own = found == np.arange(n)[:, None]
    # Among many duplicates a row may not find itself: then its last is one too many.
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(n, count - 1)


def _recall(distances: np.ndarray, exact: np.ndarray) -> float:
    """Share of the found distances that are no larger than the farthest exact one."""
    return float(np.mean(distances <= exact[:, -1:] * (1 + 1e-6)))


def mean_distance(X: np.ndarray) -> float:
    """Mean distance of random pairs of rows of X (n x d), a row with itself among them."""
    rng = np.random.default_rng(0)
    total, block = 0.0, max(1, min(_PAIRS, 2**20 // X.shape[1]))
    for start in range(0, _PAIRS, block):
        count = min(block, _PAIRS - start)
        first, second = rng.integers(len(X), size=(2, count))
        total += float(np.linalg.norm(X[first] - X[second], axis=1).sum(dtype=np.float64))
    return total / _PAIRS
