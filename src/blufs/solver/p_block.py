"""The graph block, eq. (20): each column of P is a projection onto the sparse simplex, exact.

Every column of P lies on the simplex and has at most k non-zeros. P is kept by its columns as the
rows of an array (see :class:`blufs.solver.model.LearnedGraph`), so "columns of P on the simplex"
reads "rows of ``p`` on the simplex". :func:`best_weights` minimises over the weights of given
neighbours; :func:`best_neighbors` over the neighbours too, which it finds in the projected space.

Eqs. (24)-(27) of the paper do not minimise eq. (20), see docs/deviations.md.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix.rows import row_blocks
from blufs._numerics.neighbors import (
    nearest_by_index,
    nearest_by_products,
    uses_index,
    without_own,
)
from blufs._numerics.projections import project_rows_to_simplex
from blufs._numerics.rounding import significant, ten_decimals
from blufs.solver.model import LearnedGraph

#: Use a k-d tree up to 8 columns, or up to 20 if there are at most 2,000 samples; beyond, computing
#: all distances is faster.
_TREE_COLUMNS, _TREE_COLUMNS_OF_FEW, _FEW_SAMPLES = 8, 20, 2000


def candidate_neighbors(graph: SampleGraph, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
    """The most similar samples of every sample, ties by smaller index.

    Returns
    -------
    neighbors : ndarray of int, shape (n, k)
        Rows with fewer than k neighbours are filled with the sample itself.
    is_candidate : ndarray of bool, shape (n, k)
        False where filled; an isolated sample is its own candidate, which costs nothing.
    """
    S = graph.similarity.tocoo()
    n = S.shape[0]
    counts = np.bincount(S.row, minlength=n)
    k = max(1, min(n_neighbors, int(counts.max(initial=0))))
    order = np.lexsort((S.col, -S.data, S.row))
    rank = np.arange(S.nnz) - np.repeat(np.cumsum(counts) - counts, counts)
    strongest, rank = order[rank < k], rank[rank < k]
    index_type = np.int32 if n < 2**31 else np.int64
    neighbors = np.repeat(np.arange(n, dtype=index_type)[:, None], k, axis=1)
    neighbors[S.row[strongest], rank] = S.col[strongest]
    return neighbors, np.arange(k) < np.maximum(counts, 1)[:, None]


def neighbor_distances(Z: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """V of eq. (21): ``||z_j - z_i||^2`` for every neighbour i of every j, (n, k); Z is (n, c)."""
    distances = np.empty(neighbors.shape)
    for rows in row_blocks(len(Z), neighbors.shape[1] * Z.shape[1]):
        distances[rows] = _distances_from(Z, Z[rows], neighbors[rows])
    return distances


def _distances_from(Z: np.ndarray, own: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """``||z - z_i||^2`` of the rows z of ``own`` (m x c) and each one's candidates i (m x k)."""
    difference = Z.take(candidates, axis=0)
    difference -= own[:, None]
    return np.einsum("ijk,ijk->ij", difference, difference)


def best_weights(
    V: np.ndarray, P_old: LearnedGraph, beta: float, mu: float, tau: float
) -> LearnedGraph:
    """Exact minimiser of eq. (20) over P with the neighbours of P_old; V is (n, k).

    Completing the square in ``beta V p + mu p^2 + tau (p - p_old)^2`` leaves, for every column, the
    projection of ``(2 tau p_old - beta V) / (2 (mu + tau))`` onto the simplex.
    """
    p = np.empty_like(P_old.p)
    for rows in row_blocks(len(p), P_old.p.shape[1]):
        target = (2 * tau * P_old.p[rows] - beta * V[rows]) / (2 * (mu + tau))
        p[rows] = project_rows_to_simplex(np.where(P_old.is_candidate[rows], target, -np.inf))
    return LearnedGraph(P_old.neighbors, P_old.is_candidate, p)


def best_neighbors(
    Z: np.ndarray, P_old: LearnedGraph, beta: float, mu: float, tau: float
) -> LearnedGraph:
    """Exact minimiser of eq. (20) over all P with at most k non-zeros in a column; Z is (n, c).

    The projection of a vector onto the simplex with at most k non-zeros keeps its k largest entries
    and projects these (Kyrillidis, Becker, Cevher, Koch, ICML 2013). The vector here is
    ``(2 tau p_old - beta V) / (2 (mu + tau))``, and its k largest entries are among the old
    neighbours and the k samples nearest in the projected space: a sample that is neither has k
    others that are nearer.
    """
    n, k = P_old.p.shape
    # Samples that are alike in all selected features lie equally far: which of them are taken must
    # not hang on the last digits, which differ between sparse and dense data.
    Z = ten_decimals(Z)
    old = P_old.neighbors, P_old.is_candidate, P_old.p
    nearest = nearest_samples(Z, min(k, n - 1)).astype(P_old.neighbors.dtype, copy=False)
    new = tuple(map(np.empty_like, old))
    # Every column of P by itself: what is made on the way is several times as large as P.
    for rows in row_blocks(n, 2 * k * max(k, Z.shape[1])):
        before = LearnedGraph(*(array[rows] for array in old))
        columns = _columns_of_graph(Z, Z[rows], nearest[rows], before, beta, mu, tau)
        for whole, part in zip(new, columns, strict=True):
            whole[rows] = part
    return LearnedGraph(*new)


def _columns_of_graph(Z, own, nearest, P_old: LearnedGraph, beta, mu, tau):
    """New ``neighbors, is_candidate, p`` of the samples that have the rows ``own`` of Z."""
    neighbors, is_candidate = P_old.neighbors, P_old.is_candidate
    k = neighbors.shape[1]
    known = (nearest[:, :, None] == np.where(is_candidate, neighbors, -1)[:, None]).any(axis=2)
    candidates = np.hstack([neighbors, nearest])
    usable = np.hstack([is_candidate, ~known])
    target = -beta * _distances_from(Z, own, candidates)
    target[:, :k] += 2 * tau * P_old.p
    target /= 2 * (mu + tau)
    target[~usable] = -np.inf
    largest = np.argsort(-significant(target), axis=1, kind="stable")[:, :k]
    p = project_rows_to_simplex(np.take_along_axis(target, largest, axis=1))
    return (
        np.take_along_axis(candidates, largest, axis=1),
        np.take_along_axis(usable, largest, axis=1),
        p,
    )


def nearest_samples(Z: np.ndarray, k: int) -> np.ndarray:
    """The k nearest other rows of every row of Z (n x c), in no order, shape (n, k).

    Where two are equally far, either may be taken: few columns are searched by a tree, many by
    products in single precision. Of very many samples an index may miss a few; the step stays
    monotone, because the old neighbours remain candidates.
    """
    n, c = Z.shape
    if c <= (_TREE_COLUMNS if n > _FEW_SAMPLES else _TREE_COLUMNS_OF_FEW):
        return without_own(cKDTree(Z).query(Z, k + 1)[1])
    return nearest_by_index(Z, k) if uses_index(Z) else nearest_by_products(Z, k)
