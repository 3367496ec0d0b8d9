"""MCFS: multi-cluster feature selection (Cai, Zhang, He, KDD 2010)."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram
from sklearn.utils._param_validation import Interval

from blufs.base import GraphSelector, MethodLimitError, Solution, check_n_clusters
from blufs.graph import SampleGraph

#: The Gram matrix and its working copy take 16 d^2 bytes (6 GiB at this limit).
MAX_FEATURES = 20_000


class MCFS(GraphSelector):
    """Features that a sparse regression needs to explain the spectral embedding.

    The rows of the embedding are ``D^-1/2 v_k`` with v_1, ..., v_K the leading non-trivial
    eigenvectors of the normalised heat-kernel graph. Every dimension is regressed on the features
    with an l1 penalty along the LARS path until s features are active; with a_k the coefficients
    there, scaled to unit norm, the score of feature r is ``max_k |a_kr|``.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    n_clusters : int, default=8
        K, the dimensions of the embedding; customarily the number of classes (5 in the original
        code).
    n_neighbors : int, default=10
        Neighbours of the graph (5 in the original code, 10 in the BLUFS paper).
    ridge : float, default=1e-3
        Added to the diagonal of the Gram matrix, as in the original code.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_features, K)
        The a_k.

    Notes
    -----
    If the graph has C > 1 components, the eigenvalue 1 is C-fold and its eigenvectors are arbitrary.
    They are fixed here as the component indicators, components in the order of their first sample,
    orthonormalised after the trivial vector ``D^1/2 1`` by Gram-Schmidt.

    One path per dimension serves all s. The time is dominated by the Gram matrix, O(n d^2), and the
    K paths, O(K (s d + s^3)). More than 20,000 features raise
    :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    D. Cai, C. Zhang, X. He. Unsupervised feature selection for multi-cluster data. KDD 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import MCFS
    >>> selector = MCFS(n_features_to_select=3, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    tuned_parameters: ClassVar[tuple[str, ...]] = ("n_clusters", "ridge")

    _parameter_constraints: ClassVar[dict] = {
        **GraphSelector._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_features_to_select=None, *, n_clusters=8, n_neighbors=10, ridge=1e-3):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.ridge = ridge

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        n, d = X.shape
        check_n_clusters(self.n_clusters, n)
        if d > MAX_FEATURES:
            raise MethodLimitError(f"MCFS takes at most {MAX_FEATURES} features, X has {d}")
        graph = self._graph(X, precomputed)
        graph.warn_if_disconnected()
        embedding = spectral_embedding(graph, self.n_clusters)
        X = X.astype(np.float64)
        gram = X.T @ X
        gram.flat[:: d + 1] += self.ridge
        paths = [lasso_path(gram, target @ X, n, s_values) for target in embedding.T]
        solutions = {}
        for s in s_values:
            coefficients = np.column_stack([path[s] for path in paths])
            coefficients /= np.maximum(np.linalg.norm(coefficients, axis=0), np.finfo(float).tiny)
            solutions[s] = Solution(
                scores=np.abs(coefficients).max(axis=1),
                per_feature={"coefficients_": coefficients},
            )
        return solutions


def spectral_embedding(graph: SampleGraph, count: int) -> np.ndarray:
    """``D^-1/2 v`` for the leading ``count`` non-trivial eigenvectors v, shape (n, <= count)."""
    n_components = graph.n_components
    values, vectors = graph.leading_eigenvectors(max(count + 1, n_components))
    trivial = np.sqrt(graph.degree)
    # Gram-Schmidt of the eigenvalue-1 space with the trivial vector in front; the indicators sum
    # to it, so the last of them adds nothing.
    ones = int(np.sum(values >= 1 - 1e-12))
    span = np.column_stack([trivial, vectors[:, : ones - 1]])
    vectors = np.column_stack([np.linalg.qr(span)[0], vectors[:, ones:]])
    wanted = np.abs(values) >= 1e-6
    wanted[0] = False
    embedding = vectors[:, wanted][:, :count]
    positive = np.maximum(graph.degree, np.finfo(float).tiny)
    return np.where(graph.degree[:, None] > 0, embedding / np.sqrt(positive)[:, None], 0)


def lasso_path(
    gram: np.ndarray, correlations: np.ndarray, n_samples: int, s_values: list[int]
) -> dict[int, np.ndarray]:
    """Coefficients (d,) where the lasso path first has s non-zero ones, for every s.

    Where the path ends before, its end.
    """
    largest = max(s_values)
    max_iter = largest + 10
    while True:
        with warnings.catch_warnings():
            # Dropping a nearly collinear feature is part of the algorithm.
            warnings.simplefilter("ignore", ConvergenceWarning)
            alphas, _, path = lars_path_gram(
                correlations, gram, n_samples=n_samples, method="lasso", max_iter=max_iter
            )
        sizes = np.count_nonzero(path, axis=0)
        if sizes.max() >= largest or len(alphas) <= max_iter:
            break
        max_iter *= 2
    reached = {s: np.flatnonzero(sizes >= s) for s in s_values}
    return {s: path[:, at[0] if len(at) else -1] for s, at in reached.items()}
