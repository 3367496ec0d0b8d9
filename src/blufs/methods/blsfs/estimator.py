"""BLSFS: bi-level spectral feature selection (Hu, Wang, Zhang, Pedrycz, Pal, IEEE TNNLS 2024).

No code of the authors is public: everything beyond the model itself is reconstructed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from blufs._numerics.eigen import add_upper_product
from blufs._numerics.graph import (
    SampleGraph,
    adaptive_neighbors,
    laplacian,
    neighbor_matrix,
    spectral_labels,
)
from blufs._numerics.matrix.scaling import scale_features
from blufs._numerics.neighbors import nearest_neighbors, neighbor_distances
from blufs._numerics.projections import project_rows_to_simplex
from blufs.base import (
    NON_NEGATIVE,
    POSITIVE,
    GraphSelector,
    Solution,
    check_n_clusters,
    constraints,
)
from blufs.methods.blsfs.single_moves import label_objective, label_step

#: Smoothing of the row norms, ``sqrt(||w||^2 + eps)``, that keeps the weights below finite.
_EPS = np.finfo(float).eps
#: Entries of one block of distances: stays in the cache of a processor.
_BLOCK_ENTRIES = 2**17
#: Candidates per sample above which the plain search for neighbours is the better one.
_MAX_CANDIDATES = 200


class BLSFS(GraphSelector):
    """Bi-level spectral feature selection: discrete pseudo-labels and an adaptive graph.

    Minimises, over discrete pseudo-labels Y (n x c, one-hot rows), regression weights W (d x c)
    with intercept b, and a similarity P whose columns lie on the simplex with at most k non-zeros,

    ``||X W + 1 b' - Y||^2 + alpha Tr(F' (I - S) F)
    + beta (sum_ij ||W'x_i - W'x_j||^2 P_ij + r ||P||^2) + gamma ||W||_{2,1}``

    where S is the normalised heat-kernel graph and ``F = sqrt(n/c) Y (Y'Y)^-1/2`` the scaled
    indicator. Features are ranked by the norm of their row of W.

    **This is a reconstruction.** The authors published no code; the terms are those that the BLUFS
    paper reports, their combination and the solver are ours. The trace term of that report uses Y
    itself, which is best with all samples in one cluster. F equals Y where all clusters have the
    same size, so alpha keeps its scale, and has no such trivial solution: minimising over F is the
    normalised cut that spectral clustering relaxes. r is set once, from k.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    n_clusters : int, default=8
        c, the number of clusters one expects.
    n_neighbors : int, default=10
        Neighbours k of both graphs (10 in the BLUFS paper).
    alpha, beta, gamma : float, default=1.0
        Weights of clustering, adaptive graph and row sparsity; the BLUFS paper tunes each in
        1e-4..1e3.
    scaling : str, default="unit"
        Scaling of the features, see :mod:`blufs._numerics.matrix.scaling`; the BLUFS code
        divides by the norm, which a shift of a feature changes; with any other scaling it does
        not matter.
    max_iter : int, default=50
        Sweeps over W, P and Y.
    tol : float, default=1e-4
        Stop when the objective changes by less than ``tol * max(1, |objective|)``.
    random_state : int, RandomState instance or None, default=None
        Seeds the k-means of the initial spectral clustering.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_clusters)
        W, for the scaled features.
    labels_ : ndarray of shape (n_samples,)
        The pseudo-labels.

    References
    ----------
    Z. Hu, J. Wang, K. Zhang, W. Pedrycz, N. R. Pal: Bi-level spectral feature selection. IEEE
    Transactions on Neural Networks and Learning Systems, 2024. 10.1109/TNNLS.2024.3408208.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLSFS
    >>> selector = BLSFS(n_features_to_select=3, n_clusters=3, random_state=0)
    >>> selector.fit_transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("alpha", "beta", "gamma", "max_iter", "tol")

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_neighbors n_clusters scaling max_iter tol random_state",
        alpha=[NON_NEGATIVE],
        beta=[NON_NEGATIVE],
        gamma=[POSITIVE],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        n_neighbors=10,
        alpha=1.0,
        beta=1.0,
        gamma=1.0,
        scaling="unit",
        max_iter=50,
        tol=1e-4,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> Any:
        return self._start(X, None)

    def _start(self, X: np.ndarray, graph) -> Start:
        check_n_clusters(self.n_clusters, len(X))
        scaled = scale_features(X.astype(float, copy=False), self.scaling)
        sample_graph = self._graph(scaled, graph)
        labels = spectral_labels(sample_graph, self.n_clusters, self.random_state)
        k = min(self.n_neighbors, len(X) - 1)
        # One more than k: the next distance sets the weights of the k (none left for tiny n).
        indices, distances, _ = nearest_neighbors(scaled, min(k + 1, len(X) - 1))
        similarity, _ = adaptive_neighbors(indices, distances)
        centered = scaled - scaled.mean(axis=0)
        gram = centered.T @ centered if X.shape[1] <= len(X) else None
        return Start(sample_graph, centered, gram, similarity.T.tocsr(), indices, labels)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        start = precomputed if isinstance(precomputed, Start) else self._start(X, precomputed)
        if start.X.shape != X.shape:
            raise ValueError(f"precomputed for X of shape {start.X.shape}, but X has {X.shape}")
        W, labels, history, converged = solve(
            start,
            n_clusters=self.n_clusters,
            n_neighbors=min(self.n_neighbors, len(X) - 1),
            weights=(self.alpha, self.beta, self.gamma),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Solution(
            scores=np.linalg.norm(W, axis=1),
            n_iter=len(history) - 1,
            converged=converged,
            objective_history=np.array(history),
            per_feature={"coef_": W},
            fitted={"labels_": labels},
        )


@dataclass(frozen=True)
class Start:
    """What does not depend on the tuned weights.

    ``X`` is scaled and centred (n x d), ``gram`` is ``X'X`` or None when d > n, ``similarity`` the
    initial P (columns sum to 1), ``neighbors`` the k + 1 nearest samples of each (n x (k + 1)),
    ``labels`` the initial pseudo-labels.
    """

    graph: SampleGraph
    X: np.ndarray
    gram: np.ndarray | None
    similarity: sp.csr_array
    neighbors: np.ndarray
    labels: np.ndarray


def solve(start: Start, *, n_clusters, n_neighbors, weights, max_iter, tol):
    """Minimise the objective by exact steps in W (majorised), b, P and Y, in turn.

    Returns
    -------
    W : ndarray of shape (d, c)
    labels : ndarray of shape (n,)
    history : list of float
        The objective after the first W step and after every sweep; it never rises.
    converged : bool
    """
    alpha, beta, gamma = weights
    X, S = start.X, start.graph.normalized
    alpha = alpha * len(X) / n_clusters  # the factor of F
    labels, P, neighbors = start.labels.copy(), start.similarity, start.neighbors
    Y = np.eye(n_clusters)[labels]
    W = regression_step(X, start.gram, Y, laplacian(P), np.ones(X.shape[1]), beta, gamma)
    regularization: float | None = None
    history: list[float] = []
    for _ in range(max_iter):
        if history:
            q = 0.5 / np.sqrt(np.einsum("ij,ij->i", W, W) + _EPS)
            W = regression_step(X, start.gram, Y, laplacian(P), q, beta, gamma)
        projected = X @ W
        neighbors, V = nearest_projected(projected, neighbors)
        P, regularization, spread = graph_step(neighbors, V, n_neighbors, regularization)
        prediction = projected + Y.mean(axis=0)  # X is centred, so b is the mean of Y
        rest = beta * spread + gamma * np.sum(np.sqrt(np.einsum("ij,ij->i", W, W) + _EPS))
        if not history:
            history.append(rest + label_objective(prediction, S, labels, alpha))
        labels = label_step(prediction, S, labels, alpha)
        Y = np.eye(n_clusters)[labels]
        prediction = projected + Y.mean(axis=0)
        history.append(rest + label_objective(prediction, S, labels, alpha))
        if abs(history[-2] - history[-1]) < tol * max(1.0, abs(history[-1])) and len(history) > 2:
            return W, labels, history, True
    return W, labels, history, False


def regression_step(X, gram, Y, L, q, beta: float, gamma: float) -> np.ndarray:
    """``W = (X'X + 2 beta X'LX + gamma diag(q))^-1 X'Y`` for centred X (n x d), shape (d, c).

    For d > n (``gram`` is None) by the identity ``(G + X'MX)^-1 X' = G^-1 X' (I + M X G^-1 X')^-1``
    with ``G = gamma diag(q)`` and ``M = I + 2 beta L``, which needs an n x n system only.
    """
    if gram is not None:
        A = gram.copy()
        if beta > 0:
            LX = L @ X
            LX *= 2 * beta
            add_upper_product(A, X, LX)  # only this triangle is read below
        A[np.diag_indices_from(A)] += gamma * q
        factor = scipy.linalg.cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
        return scipy.linalg.cho_solve(factor, X.T @ Y, check_finite=False)
    scaled = X / (gamma * q)
    K = scaled @ X.T
    core = K + 2 * beta * (L @ K)
    core[np.diag_indices_from(core)] += 1
    return scaled.T @ scipy.linalg.solve(core, Y - Y.mean(axis=0), overwrite_a=True)


def nearest_projected(Z: np.ndarray, guess: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exact nearest neighbours of the rows of Z (n x c), nearest first, ties by smaller index.

    ``guess`` (n x k) holds k other samples for every sample, such as the neighbours before Z moved.
    The farthest of them bounds the distance of the k-th neighbour, so that only samples within the
    bound need be sorted.

    Returns
    -------
    indices, squared_distances : ndarray of shape (n, k)
    """
    n, k = guess.shape
    norms = np.einsum("ij,ij->i", Z, Z)
    bound = neighbor_distances(Z, guess).max(axis=1)
    # Distances from products are wrong by rounding, so candidates a little too far are kept.
    bound += 1e-13 * norms.max()
    # As one product: z_i'z_j - ||z_j||^2 / 2 + (bound_i - ||z_i||^2) / 2 >= 0.
    left = np.column_stack([Z, np.ones(n), (bound - norms) / 2])
    right = np.column_stack([Z, -norms / 2, np.ones(n)]).T
    rows = max(1, _BLOCK_ENTRIES // n)
    found = []
    for start in range(0, n, rows):
        margin = left[start : start + rows] @ right
        local = np.arange(len(margin))
        margin[local, start + local] = -1
        found.append(np.flatnonzero(margin >= 0) + start * n)
        if len(found[-1]) > _MAX_CANDIDATES * len(margin):
            return nearest_neighbors(Z, k)[:2]
    row, column = np.divmod(np.concatenate(found), n)
    difference = Z[row] - Z[column]
    distances = np.einsum("ij,ij->i", difference, difference)
    order = np.lexsort((distances, row))
    first = np.searchsorted(row, np.arange(n))
    nearest = order[first[:, None] + np.arange(k)]
    return column[nearest], distances[nearest]


def graph_step(indices, V, n_neighbors: int, regularization: float | None):
    """Column j of P minimises ``sum_i V_ij P_ij + r P_ij^2`` over the simplex with k non-zeros.

    Parameters
    ----------
    indices, V : ndarray of shape (n, k + 1)
        Nearest projected samples of each and their squared distances.
    regularization : float or None
        r; None sets it to the mean of the values that leave exactly k neighbours.

    Returns
    -------
    P : csr_array of shape (n, n)
    regularization : float
    spread : float
        ``sum_ij V_ij P_ij + r ||P||^2``.
    """
    if regularization is None:
        _, regularization = adaptive_neighbors(indices, V)
    indices, V = indices[:, :n_neighbors], V[:, :n_neighbors]
    # r = 0 only if all samples project onto one point; then every P costs the same.
    values = project_rows_to_simplex(-V / (2 * regularization) if regularization > 0 else 0 * V)
    spread = float(np.sum(V * values) + regularization * np.sum(values**2))
    return neighbor_matrix(indices, values).T.tocsr(), regularization, spread
