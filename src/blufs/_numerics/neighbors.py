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
from sklearn.utils import gen_batches

from blufs._numerics.matrix.conditioning import without_offset
from blufs._numerics.matrix.rows import (
    inner_product_blocks,
    rows_at_a_time,
    squared_differences,
    squared_norms,
)
from blufs._numerics.matrix.sparse import canonical_csr
from blufs._numerics.warn import warn_user

#: Most entries of which only the smallest is looked at first.
_GROUP = 64
#: Samples up to which all pairs are compared in full precision, which takes seconds.
EXACT_UP_TO = 20_000
#: Share of the exact neighbours that must be found, and samples by which this is told.
_RECALL, _TRIED = 0.995, 500
#: Share of the cells from which on products with all samples are faster than the index.
_MOST_CELLS = 0.25
#: Candidates beyond the k wanted, by products or in single precision: differences decide.
SPARE = 8
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
    found = _candidates(X, min(k + 1 + SPARE, n))
    own = np.arange(n)
    # By index, so that ties stay in this order; n stands for the sample itself.
    found = np.sort(np.where(found == own[:, None], n, found), axis=1)
    distances = squared_differences(X, own, X, np.minimum(found, n - 1))
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
    for rows in gen_batches(n, rows_at_a_time(n)):
        D = left[rows] @ right
        local = np.arange(len(D))
        D[local, rows.start + local] = np.inf
        nearest[rows] = smallest_per_row(D, k)[0]
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


def squared_distance_blocks(X, others=None):
    """Yield ``(start, D)``: D[i, j] = ||x_{start+i} - y_j||^2, clipped at 0, in blocks of rows.

    The others, with rows y_j, are X itself unless given. By products of samples, fast but wrong by
    rounding errors of ``||x_i||^2 + ||y_j||^2``: both should lie around zero, see
    :func:`~blufs._numerics.matrix.conditioning.without_offset`.
    """
    norms = squared_norms(X)
    theirs = norms if others is None else squared_norms(others)
    for start, D in inner_product_blocks(X, X if others is None else others):
        D *= -2
        D += norms[start : start + len(D), None]
        D += theirs
        np.maximum(D, 0, out=D)
        if others is None:
            local = np.arange(len(D))
            D[local, start + local] = 0
        yield start, D


def clip_n_neighbors(n_neighbors: int, n_samples: int) -> int:
    """``n_neighbors``, or ``n_samples - 1`` with a warning when there are too few samples."""
    if n_neighbors < n_samples:
        return n_neighbors
    warn_user(
        f"n_neighbors={n_neighbors} is not below n_samples={n_samples}; using {n_samples - 1}",
    )
    return n_samples - 1


def nearest_neighbors(X, n_neighbors: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Exact nearest neighbours of every sample, itself excluded.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
    n_neighbors : int
        Clipped to n - 1 with a warning.

    Returns
    -------
    indices : ndarray of shape (n, k)
        In order of increasing distance; equal distances in order of increasing index, so that
        duplicates give the same graph every time.
    squared_distances : ndarray of shape (n, k)
    mean_distance : float
        Mean of ||x_i - x_j|| over all n^2 pairs, the customary width of the heat kernel.
    """
    n = X.shape[0]
    k = clip_n_neighbors(n_neighbors, n)
    X = without_offset(canonical_csr(X) if sp.issparse(X) else X)
    # Rounding of products, relative to the squared norms, with room to spare.
    error = 8 * np.sqrt(X.shape[1]) * np.finfo(X.dtype).eps * squared_norms(X)
    indices = np.empty((n, k), dtype=np.intp)
    distances = np.empty((n, k), dtype=X.dtype)
    total = 0.0
    for start, D in squared_distance_blocks(X):
        total += float(np.sqrt(D).sum(dtype=np.float64))
        local = np.arange(len(D))
        D[local, start + local] = np.inf
        block = slice(start, start + len(D))
        candidates, approximate = smallest_per_row(D, min(k + SPARE, n - 1))
        indices[block], distances[block] = candidates[:, :k], approximate[:, :k]
        unsure, lost = _open_questions(approximate, k, error[block] + error.max())
        indices[unsure + start], distances[unsure + start] = _nearest_of(
            X, unsure + start, candidates[unsure], k
        )
        for i in start + lost if candidates.shape[1] < n - 1 else ():
            others = np.delete(np.arange(n), i)[None, :]
            indices[[i]], distances[[i]] = _nearest_of(X, np.array([i]), others, k)
    return indices, distances, total / n**2


def _open_questions(distances, k: int, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of distances from products (m x candidates, ascending) that rounding leaves open.

    Parameters
    ----------
    error : ndarray of shape (m,)
        Bound of the rounding error of each row.

    Returns
    -------
    unsure : ndarray of int
        Rows where the order of the k nearest, or a digit of their distances that matters, is open.
    lost : ndarray of int
        Rows where a sample that is no candidate may be nearer, by more than a tie in the last
        digits.
    """
    digits = np.sqrt(np.finfo(distances.dtype).eps)
    close = np.diff(distances[:, : k + 1], axis=1) <= 2 * error[:, None]
    unsure = close.any(axis=1) | (error > digits * distances[:, 0])
    open_end = distances[:, -1] - distances[:, k - 1] <= 2 * error
    lost = open_end & (error > digits * distances[:, k - 1])
    return np.flatnonzero(unsure), np.flatnonzero(lost)


def _nearest_of(X, samples, candidates, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of the candidates (m x any) of each of m samples, from their differences.

    Returns indices and squared distances (float64), both (m, k); ties by smaller index.
    """
    candidates = np.sort(candidates, axis=1)
    distances = squared_differences(X, samples, X, candidates)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, 1), np.take_along_axis(distances, order, 1)


def neighbor_distances(X: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """``||x_i - x_j||^2`` of every sample i and the samples j at ``indices``, shape (n, k)."""
    distances = np.empty(indices.shape, dtype=X.dtype)
    for position, neighbor in enumerate(indices.T):
        difference = X - X[neighbor]
        distances[:, position] = np.einsum("ij,ij->i", difference, difference)
    return distances
