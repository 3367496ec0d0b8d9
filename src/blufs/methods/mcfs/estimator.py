"""MCFS: multi-cluster feature selection (Cai, Zhang, He, KDD 2010)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix.chunked import RowChunks, as_they_are
from blufs._numerics.warn import warn_user
from blufs.base import NON_NEGATIVE, GraphSelector, Solution, check_n_clusters, constraints
from blufs.methods.mcfs.lasso_path import lasso_path_at_sizes, ridge_gram_rows


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
        K, the dimensions of the embedding; usually the number of classes (5 in the original
        code).
    n_neighbors : int, default=10
        Neighbours of the graph (5 in the original code, 10 in the BLUFS paper).
    ridge : float, default=1e-3
        Added to the diagonal of the Gram matrix, as in the original code.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, K)
        The a_k.

    Notes
    -----
    If the graph has C > 1 components, the eigenvalue 1 is C-fold and its eigenvectors are not
    unique. Here the regressions explain the component indicators then, at most K of them, those of
    largest degree, and further eigenvectors if K is larger. So no order of the samples matters.

    The regression takes the features as they are, without centring, as the original code does: a
    shift of a feature changes the result, and so does the unit of X, by way of ``ridge``.

    One path per dimension serves all s. The time is dominated by the Gram matrix, O(n d^2), and the
    K paths, O(K s^2 (d + s)). Above 5,000 features only the rows of the Gram matrix that the paths
    visit are computed, of data in chunks by a pass each. 7000 samples with 5000 features take tens
    of seconds on one core.

    References
    ----------
    D. Cai, C. Zhang, X. He. Unsupervised feature selection for multi-cluster data. KDD 2010.
    10.1145/1835804.1835848.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import MCFS
    >>> selector = MCFS(n_features_to_select=3, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("n_clusters", "ridge")

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_neighbors n_clusters", ridge=[NON_NEGATIVE]
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        n_neighbors=10,
        ridge=1e-3,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.include = include
        self.exclude = exclude

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        check_n_clusters(self.n_clusters, X.shape[0])
        graph = self._graph(X, precomputed)
        embedding = spectral_embedding(graph, self.n_clusters)
        if embedding.shape[1] == 0:
            warn_user(
                "the neighbour graph has no structure that MCFS could explain (all samples look "
                "alike in it): all features score 0",
            )
            embedding = np.zeros((X.shape[0], 1))
        X = X.astype(np.float64)
        gram_row = ridge_gram_rows(X, self.ridge)
        if isinstance(X, RowChunks):
            correlations = as_they_are(X).correlate(embedding).T
        else:
            correlations = (X.T @ target for target in embedding.T)
        paths = [lasso_path_at_sizes(gram_row, own, s_values) for own in correlations]
        solutions = {}
        for s in s_values:
            coefficients = np.column_stack([path[s] for path in paths])
            coefficients /= np.maximum(np.linalg.norm(coefficients, axis=0), np.finfo(float).tiny)
            solutions[s] = Solution(
                scores=np.abs(coefficients).max(axis=1),
                per_feature={"coef_": coefficients},
            )
        return solutions


def spectral_embedding(graph: SampleGraph, count: int) -> np.ndarray:
    """``D^-1/2 v`` for the leading ``count`` non-trivial eigenvectors v, shape (n, <= count).

    Of a graph that falls apart the indicators of its parts, largest first, stand for the
    eigenvectors of the eigenvalue 1: any other basis would prefer some parts by their place.
    """
    apart = len(np.unique(graph.components[graph.degree > 0])) > 1
    values, vectors = graph.leading_eigenvectors(count if apart else count + 1)
    wanted = np.abs(values) >= 1e-6
    if not apart:
        wanted[0] = False
    positive = np.maximum(graph.degree, np.finfo(float).tiny)
    embedding = vectors[:, wanted] / np.sqrt(positive)[:, None]
    return np.where(graph.degree[:, None] > 0, embedding, 0)
