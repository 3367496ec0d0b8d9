"""The graph block: each column of P is a projection onto the sparse simplex, exact.

Every column of P lies on the simplex and has at most k non-zeros. P is kept as an array ``p`` of
shape (n, k): ``p[j, l]`` is the weight ``P_ij`` of sample j's l-th neighbour
``i = neighbors[j, l]``. Row j of ``p`` is the non-zero part of column j of P, so "columns of P on
the simplex" reads "rows of ``p`` on the simplex".

:func:`p_step` minimises over the weights of given neighbours, :func:`graph_step` over the
neighbours too, which it finds in the projected space.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix.rows import BLOCK_ENTRIES
from blufs._numerics.neighbors import nearest_by_index, nearest_by_products, uses_index, without_own
from blufs._numerics.projections import project_rows_to_simplex
from blufs._numerics.rounding import significant

#: Up to so many columns a tree finds neighbours faster than all distances do; of few samples it
#: does up to more columns.
_TREE_COLUMNS, _TREE_COLUMNS_OF_FEW, _FEW_SAMPLES = 8, 20, 2000


def index_type(most: int) -> type:
    """The integers that numbers up to ``most`` are kept in: half as long where they fit."""
    return np.int32 if most < 2**31 else np.int64


def candidate_neighbors(graph: SampleGraph, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
    """The most similar samples of every sample, ties by smaller index.

    Returns
    -------
    neighbors : ndarray of int, shape (n, k)
        As :func:`index_type`. Rows with fewer than k neighbours are filled with the sample itself.
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
    neighbors = np.repeat(np.arange(n, dtype=index_type(n))[:, None], k, axis=1)
    neighbors[S.row[strongest], rank] = S.col[strongest]
    return neighbors, np.arange(k) < np.maximum(counts, 1)[:, None]


def uniform_weights(is_candidate: np.ndarray) -> np.ndarray:
    """Equal weights on the candidates, (n, k): the minimiser of ``||P||^2``."""
    return is_candidate / is_candidate.sum(axis=1, keepdims=True)


def candidate_distances(Z: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """``||z_j - z_i||^2`` for every candidate i of every sample j, shape (n, k); Z is (n, c)."""
    distances = np.empty(neighbors.shape)
    for rows in _row_blocks(len(Z), neighbors.shape[1] * Z.shape[1]):
        distances[rows] = _distances_from(Z, Z[rows], neighbors[rows])
    return distances


def _distances_from(Z: np.ndarray, own: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """``||z - z_i||^2`` of the rows z of ``own`` (m x c) and each one's candidates i (m x k)."""
    difference = Z.take(candidates, axis=0)
    difference -= own[:, None]
    return np.einsum("ijk,ijk->ij", difference, difference)


def _row_blocks(n: int, width: int) -> Iterator[slice]:
    """Some of n rows at a time, of which ``width`` numbers each are held."""
    step = max(1, BLOCK_ENTRIES // max(1, width))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def p_step(
    V: np.ndarray, p_old: np.ndarray, is_candidate: np.ndarray, beta: float, mu: float, tau: float
) -> np.ndarray:
    """Exact minimiser of ``sum beta V p + mu p^2 + tau (p - p_old)^2`` with rows on the simplex.

    Completing the square gives ``Proj((2 tau p_old - beta V) / (2 (mu + tau)))``.

    Parameters
    ----------
    V, p_old : ndarray of shape (n, k)
    is_candidate : ndarray of bool, shape (n, k)
        Where False the weight is zero.

    Returns
    -------
    ndarray of shape (n, k)
    """
    p = np.empty(p_old.shape)
    for rows in _row_blocks(len(p), p_old.shape[1]):
        target = (2 * tau * p_old[rows] - beta * V[rows]) / (2 * (mu + tau))
        p[rows] = project_rows_to_simplex(np.where(is_candidate[rows], target, -np.inf))
    return p


def graph_step(
    Z: np.ndarray,
    neighbors: np.ndarray,
    is_candidate: np.ndarray,
    p_old: np.ndarray,
    beta: float,
    mu: float,
    tau: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exact minimiser of the block over all columns with at most k non-zeros on the simplex.

    The projection of a vector onto the simplex with at most k non-zeros keeps its k largest entries
    and projects these (Kyrillidis, Becker, Cevher, Koch, ICML 2013). The vector here is
    ``(2 tau p_old - beta V) / (2 (mu + tau))``, and its k largest entries are among the old
    neighbours and the k samples nearest in the projected space: a sample that is neither has k
    others that are nearer.

    Parameters
    ----------
    Z : ndarray of shape (n, c)
        The projected data.
    neighbors, is_candidate, p_old : ndarray of shape (n, k)

    Returns
    -------
    neighbors, is_candidate, p : ndarray of shape (n, k)
    """
    n, k = neighbors.shape
    # Samples that are alike in all selected features lie equally far: which of them are taken must
    # not hang on the last digits, which differ between sparse and dense data.
    Z = _ten_digits(Z)
    nearest = nearest_samples(Z, min(k, n - 1)).astype(neighbors.dtype, copy=False)
    found = np.empty_like(neighbors), np.empty_like(is_candidate), np.empty(p_old.shape)
    # Every column of P by itself: what is made on the way is several times as large as P.
    for rows in _row_blocks(n, 2 * k * max(k, Z.shape[1])):
        old = neighbors[rows], is_candidate[rows], p_old[rows]
        own = _columns_of_graph(Z, Z[rows], nearest[rows], *old, beta, mu, tau)
        for whole, part in zip(found, own, strict=True):
            whole[rows] = part
    return found


def _ten_digits(Z: np.ndarray) -> np.ndarray:
    """Z rounded to ten digits, relative to the power of two above its largest entry."""
    power = np.ldexp(1.0, np.frexp(np.abs(Z).max())[1])
    rounded = Z / power
    np.round(rounded, 10, out=rounded)
    rounded *= power
    return rounded


def _columns_of_graph(Z, own, nearest, neighbors, is_candidate, p_old, beta, mu, tau):
    """What :func:`graph_step` returns for the samples that have the rows ``own`` of Z."""
    k = neighbors.shape[1]
    known = (nearest[:, :, None] == np.where(is_candidate, neighbors, -1)[:, None]).any(axis=2)
    candidates = np.hstack([neighbors, nearest])
    usable = np.hstack([is_candidate, ~known])
    target = -beta * _distances_from(Z, own, candidates)
    target[:, :k] += 2 * tau * p_old
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


class Smoothing:
    """The matrix ``M = I + 2 beta L``, sparse.

    L is the Laplacian of the symmetrised P, so that
    ``||Z||^2 + beta sum_ij ||z_i - z_j||^2 P_ij = Tr(Z' M Z)`` for every Z with n rows. M is
    symmetric positive definite.

    Parameters
    ----------
    neighbors, p : ndarray of shape (n, k)
    beta : float
    """

    def __init__(self, neighbors: np.ndarray, p: np.ndarray, beta: float):
        self._beta = beta
        n, k = neighbors.shape
        if beta == 0:
            self._matrix = sp.eye_array(n, format="csr")
            return
        received = np.bincount(neighbors.ravel(), weights=beta * p.ravel(), minlength=n)
        diagonal = 1 + beta * p.sum(axis=1) + received
        # Half of M, with the diagonal in a column of its own before the neighbours.
        columns, values = np.empty((n, k + 1), neighbors.dtype), np.empty((n, k + 1))
        columns[:, 0], columns[:, 1:] = np.arange(n), neighbors
        values[:, 0] = diagonal / 2
        np.multiply(p, -beta, out=values[:, 1:])
        rows = np.arange(0, n * (k + 1) + 1, k + 1)
        half = sp.csr_array((values.ravel(), columns.ravel(), rows), shape=(n, n))
        half.sum_duplicates()
        self._matrix = half + half.T

    @property
    def matrix(self) -> sp.csr_array:
        """M of shape (n, n)."""
        return self._matrix

    def __matmul__(self, A: np.ndarray) -> np.ndarray:
        """``M A`` for A of shape (n, m)."""
        return self._matrix @ A if self._beta else A

    def products(self, C: np.ndarray, *lefts: np.ndarray) -> list[np.ndarray]:
        """``B' M C`` for C of shape (n, m) and each B (n x any) of the others.

        Some rows at a time, because ``M C`` would be as large as C.
        """
        if not self._beta:
            return [left.T @ C for left in lefts]
        n, m = C.shape
        if n * m <= BLOCK_ENTRIES:
            product = self._matrix @ C
            return [left.T @ product for left in lefts]
        totals = [np.zeros((left.shape[1], m)) for left in lefts]
        for rows in _row_blocks(n, m):
            product = self._matrix[rows] @ C
            for total, left in zip(totals, lefts, strict=True):
                total += left[rows].T @ product
        return totals
