"""SOGFS: structured optimal graph feature selection (Nie, Zhu, Li, AAAI 2016)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, splu

from blufs._numerics.eigen import block_lanczos_eigenvectors, largest_eigenpairs, takes_lanczos
from blufs._numerics.graph import adaptive_neighbors, laplacian, neighbor_matrix
from blufs._numerics.matrix.scaling import scale_features
from blufs._numerics.neighbors import clip_n_neighbors, nearest_neighbors, neighbor_distances
from blufs._numerics.progress import report
from blufs._numerics.projections import project_rows_to_simplex
from blufs.base import Solution, check_dense_order, check_n_clusters, constraints
from blufs.methods._row_sparse import (
    DenseForm,
    QuadraticForm,
    RowSparseSelector,
    SparseSubspace,
    laplacian_form,
    row_sparse_subspace,
    smallest_eigenvectors,
)

#: Iterations that keep the neighbours of the original space, as in the authors' code.
_ITERATIONS_WITH_FIRST_NEIGHBORS = 5
#: Most steps of one W update, as in the authors' code.
_MAX_W_STEPS = 100
#: Weights up to this do not connect two samples.
_NO_EDGE = 1e-10
#: Up to this number of samples a dense eigensolver is faster than a sparse factorisation.
_DENSE_UP_TO = 300
#: Lanczos vectors and restarts after which the Laplacian is factorised instead.
_LANCZOS_VECTORS = 60
_LANCZOS_RESTARTS = 12
#: Added to the Laplacian, times the bound of its spectrum, to make it invertible.
_SHIFT = 1e-8
#: Most applications of the inverse Laplacian to a block of vectors.
_MAX_BLOCKS = 200


class SOGFS(RowSparseSelector):
    """Features of a subspace whose neighbour graph falls into c parts.

    Minimises ``sum_ij ||W' x_i - W' x_j||^2 s_ij + r s_ij^2 + gamma sum_r ||w_r||`` over W (d x m)
    with ``W' W = I`` and a graph S with rows on the simplex whose Laplacian has rank n - c. The
    rank is reached by the term ``2 lam Tr(F' L F)`` over F (n x c), ``F' F = I``, with lam doubled
    while the graph has too few components and halved while it has too many. S, W and F are updated
    in turn until the graph has c components. Features are ranked by ``||w_r||^2``, those that agree
    in ten digits by index.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    gamma : float, default=0.01
        Weight of the row penalty. The BLUFS paper tunes it in {1e-4, ..., 1e3}; the wrapper around
        the authors' code has 100, which leaves no more than m features.
    n_clusters : int, default=8
        c, the number of components of the graph (3 in the wrapper).
    n_components : int or None, default=None
        m, the columns of W; None takes ``n_clusters`` (4 in the wrapper). At most d are used.
    n_neighbors : int, default=10
        Neighbours of every sample in S (5 in the wrapper, 10 in the BLUFS paper). At most n - 2 are
        used.
    scaling : str, default="center+unit"
        How features are scaled first, see :mod:`blufs._numerics.matrix.scaling`; the default
        is what the authors' code does.
    max_iter : int, default=50
        Updates of the graph.
    tol : float, default=1e-6
        The W update stops when its objective f changes by at most ``tol * max(1, |f|)``.
    verbose : int, default=0
        Whether to print the objective after every iteration.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, m)
        W.
    graph_ : sparse array of shape (n_samples, n_samples)
        The symmetrised S.
    objective_history_ : ndarray
        ``Tr(W' X' L X W) + gamma sum_r ||w_r||`` after every W update. It need not fall, because
        the graph, and with it L, changes in between to reach c components.

    Notes
    -----
    Where several solutions are equally good the mean over them is taken, so that the result does
    not hang on the eigensolver: for more features than samples see :class:`~blufs.UDFS`; if the
    graph has more than c components, the distances between the rows of F are the mean over all F.

    A W update solves tens of eigenproblems of order d (of order n for d > 2 n), and there may be
    tens of updates: 7000 samples with 5000 features took 20 minutes on one core, and take hours
    where all updates are needed. More than 12,000 samples, or 12,000 features with half as many
    samples or more, raise :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    F. Nie, W. Zhu, X. Li. Unsupervised feature selection with structured graph optimization.
    AAAI 2016. 10.1609/aaai.v30i1.10168.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import SOGFS
    >>> selector = SOGFS(n_features_to_select=3, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("gamma", "n_components", "max_iter", "tol")

    _parameter_constraints: ClassVar[dict] = RowSparseSelector._parameter_constraints | constraints(
        "n_neighbors verbose"
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        gamma=0.01,
        n_clusters=8,
        n_components=None,
        n_neighbors=10,
        scaling="center+unit",
        max_iter=50,
        tol=1e-6,
        verbose=0,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.gamma = gamma
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> GraphStart:
        check_n_clusters(self.n_clusters, len(X))
        X = scale_features(X.astype(np.float64), self.scaling)
        return GraphStart.from_data(X, self.n_neighbors, self.n_clusters)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        start = self._precompute(X) if precomputed is None else precomputed
        m = self._n_components(X.shape[1])

        def best_subspace(form: QuadraticForm) -> SparseSubspace:
            return row_sparse_subspace(form, self.gamma, m, max_iter=_MAX_W_STEPS, tol=self.tol)

        result, graph = structured_graph(start, self.n_clusters, best_subspace, self.max_iter)
        return self._solution(result, graph_=graph)


@dataclass(frozen=True)
class GraphStart:
    """The scaled data and the first graph: adaptive neighbours in the original space."""

    X: np.ndarray
    indices: np.ndarray
    graph: Graph
    regularization: float

    @classmethod
    def from_data(cls, X: np.ndarray, n_neighbors: int, n_clusters: int) -> GraphStart:
        if len(X) < 3:
            raise ValueError(f"SOGFS needs at least 3 samples, got {len(X)}")
        check_dense_order(len(X))
        k = min(clip_n_neighbors(n_neighbors, len(X)), len(X) - 2)
        indices, distances, _ = nearest_neighbors(X, k + 1)
        S, regularization = adaptive_neighbors(indices, distances)
        floor = float(np.finfo(float).eps * max(distances.max(), np.finfo(float).tiny))
        graph = Graph.from_weights(X, S, n_clusters)
        return cls(X, indices[:, :-1], graph, max(regularization, floor))


@dataclass(frozen=True)
class Graph:
    """Symmetrised weights S, the form ``X' L X``, number of components and embedding F (n x .)."""

    S: sp.csr_array
    form: QuadraticForm
    n_parts: int
    F: np.ndarray

    @classmethod
    def from_weights(cls, X, weights: sp.csr_array, n_clusters: int) -> Graph:
        L = laplacian(weights)
        S = ((weights + weights.T) / 2).tocsr()
        n_parts, parts = connected_components(S > _NO_EDGE, directed=False)
        F = graph_embedding(L, parts, n_clusters)
        return cls(S, laplacian_form(X, L), n_parts, F)


def structured_graph(
    start: GraphStart,
    n_clusters: int,
    best_subspace: Callable[[QuadraticForm], SparseSubspace],
    max_iter: int,
) -> tuple[SparseSubspace, sp.csr_array]:
    """Update graph and subspace in turn until the graph has ``n_clusters`` components.

    Returns the subspace, whose history has one entry per update, and the symmetrised graph.
    """
    X, indices, graph = start.X, start.indices, start.graph
    F, lam = graph.F, start.regularization
    result = best_subspace(graph.form)
    history = [*result.history[-1:]]
    before = None
    for n_iter in range(1, max_iter + 1):
        projected = np.zeros((len(X), 1)) if result.W is None else X @ result.W
        if n_iter > _ITERATIONS_WITH_FIRST_NEIGHBORS:
            indices = nearest_neighbors(projected, indices.shape[1])[0]
        costs = neighbor_distances(projected, indices) + lam * neighbor_distances(F, indices)
        weights = project_rows_to_simplex(-costs / (2 * start.regularization))
        directed = neighbor_matrix(indices, weights)
        if before is None or (directed != before).nnz:
            graph = Graph.from_weights(X, directed, n_clusters)
            result = best_subspace(graph.form)
        before = directed
        history.extend(result.history[-1:])
        report(n_iter, history[-1] if history else 0.0)
        settled = graph.n_parts == n_clusters and n_iter > 1
        if settled:
            break
        if graph.n_parts > n_clusters:
            lam /= 2
        else:
            F = graph.F
            lam *= 2 if graph.n_parts < n_clusters else 1
    return replace(result, history=np.array(history), n_iter=n_iter, converged=settled), graph.S


def graph_embedding(L: sp.csr_array, parts: np.ndarray, count: int) -> np.ndarray:
    """Orthonormal F (n x count) that minimises ``Tr(F' L F)``.

    Parameters
    ----------
    L : sparse array of shape (n, n)
        Laplacian.
    parts : ndarray of shape (n,)
        Connected component of every sample. The indicators of the components span the null space
        of L; if there are more than ``count``, all of them are returned, scaled such that
        ``||F_i - F_j||^2`` is the mean over all ways to choose F from the null space.
    """
    n, n_parts = len(parts), int(parts.max()) + 1
    indicators = np.zeros((n, n_parts))
    indicators[np.arange(n), parts] = 1 / np.sqrt(np.bincount(parts))[parts]
    if n_parts >= count:
        return indicators * np.sqrt(count / n_parts)
    others = _other_eigenvectors(L, indicators, count - n_parts)
    return np.hstack([indicators, others])


def _other_eigenvectors(L: sp.csr_array, null: np.ndarray, count: int) -> np.ndarray:
    """Smallest ``count`` eigenvectors of the Laplacian L beyond its null space (n x .).

    A graph without clusters has well separated eigenvalues, which Lanczos iterations with L find
    fast; one with clusters has not, but factorises with little fill.
    """
    n = len(null)
    # The spectrum ends at twice the largest degree.
    bound = 2 * L.diagonal().max()
    if takes_lanczos(n, count, _DENSE_UP_TO):
        vectors = _by_lanczos(L, null, bound, count)
        if vectors is None:
            vectors = _by_factorization(L, null, bound, count)
        if vectors is not None:
            return vectors
    dense = L.toarray() + 1.5 * bound * (null @ null.T)
    return smallest_eigenvectors(DenseForm(dense), np.zeros(n), count)


def _by_lanczos(L: sp.csr_array, null, bound: float, count: int) -> np.ndarray | None:
    """Dominant eigenvectors of ``bound I - L`` outside the null space of L, None if too slow."""

    def times(v: np.ndarray) -> np.ndarray:
        return bound * v - L @ v - bound * (null @ (null.T @ v))

    size = max(2 * count + 1, _LANCZOS_VECTORS)
    try:
        return largest_eigenpairs(
            times, len(null), count, basis_size=size, max_restarts=_LANCZOS_RESTARTS, tol=1e-12
        )[1]
    except ArpackNoConvergence:
        return None


def _by_factorization(L: sp.csr_array, null, bound: float, count: int) -> np.ndarray | None:
    """Dominant eigenvectors of the inverse of L outside its null space, None if too slow."""
    shifted = (L + _SHIFT * bound * sp.eye_array(len(null))).tocsc()
    factors = splu(
        shifted,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )

    def solve(B: np.ndarray) -> np.ndarray:
        image = factors.solve(B - null @ (null.T @ B))
        return image - null @ (null.T @ image)

    return block_lanczos_eigenvectors(solve, len(null), count, _MAX_BLOCKS)
