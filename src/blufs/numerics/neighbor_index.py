"""Neighbours of many samples by the index of faiss, without comparing all pairs.

The samples are dealt to about sqrt(n) cells around k-means centres, and each is compared with those
of some nearby cells. How many cells are looked at is decided by the data: as many as a sample of
them needs to find its exact neighbours. ``pip install 'blufs[index]'`` brings faiss; without it the
exact search of :mod:`blufs.numerics.graph` is used for every n.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp

from blufs.numerics.ranges import without_offset
from blufs.numerics.rows import squared_differences

#: Samples up to which all pairs are compared, which takes seconds.
EXACT_UP_TO = 20_000
#: Share of the exact neighbours that must be found, and samples by which this is told.
_RECALL, _TRIED = 0.995, 500
#: Candidates beyond the k wanted: the index knows single precision only, differences decide.
_SPARE = 8
#: Samples of a cell from which its centre is learned.
_TRAIN_PER_CELL = 50
#: Pairs of samples from which the mean distance is estimated.
_PAIRS = 1_000_000


def uses_index(X) -> bool:
    """Whether the neighbours of the rows of X come from the index; those of sparse X never do."""
    return X.shape[0] > EXACT_UP_TO and not sp.issparse(X) and find_spec("faiss") is not None


def indexed_neighbors(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
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
    import faiss

    n, d = X.shape
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
    found = index.search(single, count)[1]
    if found.min() < 0:  # some cells hold too few
        index.nprobe = n_cells
        found = index.search(single, count)[1]
    return found.astype(np.intp)


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
