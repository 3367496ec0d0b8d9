"""NDFS: nonnegative discriminative feature selection (Li, Yang, Liu, Zhou, Lu, AAAI 2012)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from blufs._numerics.graph import SampleGraph, spectral_labels
from blufs._numerics.matrix.conditioning import conditioned
from blufs._numerics.matrix.scaling import scale_features
from blufs.base import (
    NON_NEGATIVE,
    POSITIVE,
    GraphSelector,
    Solution,
    check_dense_order,
    check_n_clusters,
    constraints,
    settled,
)
from blufs.methods._row_sparse import EPS


class NDFS(GraphSelector):
    """Features that a row-sparse regression needs to explain non-negative cluster indicators.

    With L the normalised Laplacian of the samples' graph, minimises

    ``Tr(F'LF) + alpha (||XW - F||^2 + beta ||W||_{2,1}) + gamma/4 ||F'F - I||^2``

    over F (n x c), F >= 0, and W (d x c), starting with F from spectral clustering. Features are
    ranked by the norm of their row of W. F is updated by multiplication, so its zeros stay: the
    clusters of the start are kept, and the result is as good as they are.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    alpha, beta : float, default=0.1 and 0.1
        Weights of the regression and of its penalty, usually tuned in {1e-6, ..., 1e6}.
    gamma : float, default=1e3
        Weight of the orthogonality of F. Another value hardly changes the result.
    n_clusters : int, default=8
        c, the number of clusters one expects.
    n_neighbors : int, default=10
        Neighbours of the graph.
    scaling : str, default="unit"
        How features are scaled first, see :mod:`blufs._numerics.matrix.scaling`. ``"none"`` is
        what the public code does; then large features get small coefficients and rank low.
    labels : array-like of shape (n_samples,), optional
        Clusters to start from, instead of spectral clustering.
    max_iter : int, default=30
    tol : float, default=1e-3
        Stops when the objective changes by at most ``tol`` times its value.
    random_state : int, RandomState instance or None, default=None
        Seeds the k-means of the spectral clustering.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, c)
        W.
    labels_ : ndarray of shape (n_samples,)
        The clusters of the start.
    objective_history_ : ndarray of shape (n_iter_,)

    Notes
    -----
    An iteration costs one Cholesky factorisation of order min(n, d), and O(n^2 d) where there are
    more features than samples. min(n, d) above 12,000 raises
    :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    Z. Li, Y. Yang, J. Liu, X. Zhou, H. Lu. Unsupervised feature selection using nonnegative
    spectral analysis. AAAI 2012. 10.1609/aaai.v26i1.8289.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import NDFS
    >>> selector = NDFS(n_features_to_select=3, n_clusters=3, random_state=0)
    >>> selector.fit_transform(load_wine().data).shape
    (178, 3)
    """

    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "alpha",
        "beta",
        "gamma",
        "n_clusters",
        "scaling",
        "labels",
        "max_iter",
        "tol",
        "random_state",
    )

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_neighbors n_clusters scaling max_iter tol random_state",
        alpha=[NON_NEGATIVE],
        beta=[POSITIVE],
        gamma=[POSITIVE],
        labels=["array-like", None],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        alpha=0.1,
        beta=0.1,
        gamma=1e3,
        n_clusters=8,
        n_neighbors=10,
        scaling="unit",
        labels=None,
        max_iter=30,
        tol=1e-3,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.labels = labels
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    @property
    def _is_random(self) -> bool:
        """Whether another seed can give another result (asked by ``selectors.is_random``)."""
        return self.labels is None

    @staticmethod
    def _condition(X: np.ndarray, **_) -> np.ndarray:
        """The graph compares samples as they are: all features get one factor, if any."""
        return conditioned(X, ignores_offsets=False, ignores_scale=False)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        check_n_clusters(self.n_clusters, len(X))
        check_dense_order(min(X.shape))
        graph = self._graph(X, precomputed)
        labels = self._start(graph)
        W, history, converged = solve(
            scale_features(X.astype(np.float64), self.scaling),
            graph,
            indicators(labels),
            np.ones(X.shape[1]),
            weights=(self.alpha, self.beta, self.gamma),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Solution(
            scores=np.linalg.norm(W, axis=1),
            n_iter=len(history),
            converged=converged,
            objective_history=np.array(history),
            per_feature={"coef_": W},
            fitted={"labels_": labels},
        )

    def _start(self, graph: SampleGraph) -> np.ndarray:
        if self.labels is None:
            return spectral_labels(graph, self.n_clusters, self.random_state)
        labels = np.asarray(self.labels)
        if labels.shape != (graph.n_samples,):
            raise ValueError(f"labels must have shape {(graph.n_samples,)}, got {labels.shape}")
        if any(label is None or label != label for label in labels.tolist()):
            raise ValueError("labels has missing values (NaN or None): give every sample a cluster")
        return np.unique(labels, return_inverse=True)[1]


def indicators(labels: np.ndarray) -> np.ndarray:
    """One column for every label that occurs, 1 where a sample has it, shape (n, labels)."""
    present = np.unique(labels)
    return (labels[:, None] == present).astype(np.float64)


def solve(
    X: np.ndarray,
    graph: SampleGraph,
    F: np.ndarray,
    row_weights: np.ndarray,
    *,
    weights: tuple[float, float, float],
    max_iter: int,
    tol: float,
) -> tuple[np.ndarray, list[float], bool]:
    """Reweighted regression (W) and multiplicative updates (F) in turn, from F (n x c).

    Parameters
    ----------
    row_weights : ndarray of shape (d,)
        D, the weights of the first regression.
    weights : alpha, beta, gamma

    Returns
    -------
    W : ndarray of shape (d, c)
    history : list of float
        The objective of :class:`NDFS` after every iteration.
    converged : bool
        Always true for ``tol=0``, which asks for ``max_iter`` iterations.
    """
    alpha, beta, gamma = weights
    regression = ReweightedRidge(X)
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        W = regression.solve(F, beta * row_weights)
        norms = np.linalg.norm(W, axis=1)
        row_weights = 1 / (2 * np.sqrt(norms**2 + EPS))
        # With W the minimiser for this F, alpha (F - XW) is the gradient of the regression in F.
        gradient = F - graph.normalized @ F + alpha * (F - X @ W)
        below = np.maximum(gradient + gamma * F @ (F.T @ F) + EPS, EPS)
        F = F * (gamma * F + EPS) / below
        F /= np.maximum(np.linalg.norm(F, axis=0), np.finfo(float).tiny)
        history.append(_objective(X, graph, F, W, weights))
        converged = settled(history, tol)
    return W, history, converged or tol == 0


class ReweightedRidge:
    """``argmin ||XW - F||^2 + sum_r q_r ||w_r||^2`` for changing weights q > 0 of the rows."""

    def __init__(self, X: np.ndarray):
        self.X = X
        n, d = X.shape
        self.gram = X.T @ X if d <= n else None

    def solve(self, F: np.ndarray, q: np.ndarray) -> np.ndarray:
        """``(X'X + diag(q))^-1 X'F`` of shape (d, c), by a Cholesky factor of order min(n, d)."""
        if self.gram is not None:
            matrix = self.gram.copy()
            matrix.flat[:: len(matrix) + 1] += q
            factor = cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)
            return cho_solve(factor, self.X.T @ F, check_finite=False)
        Z = self.X / q
        matrix = Z @ self.X.T
        matrix.flat[:: len(matrix) + 1] += 1
        factor = cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)
        return Z.T @ cho_solve(factor, F, check_finite=False)


def _objective(X, graph: SampleGraph, F, W, weights) -> float:
    alpha, beta, gamma = weights
    smooth = np.sum(F * (F - graph.normalized @ F))
    regression = np.sum((X @ W - F) ** 2) + beta * np.linalg.norm(W, axis=1).sum()
    defect = np.sum((F.T @ F - np.eye(F.shape[1])) ** 2)
    return float(smooth + alpha * regression + gamma / 4 * defect)
