"""LapScore: Laplacian score (He, Cai, Niyogi, NIPS 2005)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix.chunked import (
    ChunkedScaledData,
    RowChunks,
    as_they_are,
    weighted_squares_of_chunks,
)
from blufs._numerics.matrix.conditioning import column_ranges
from blufs._numerics.matrix.sparse import SparseScaledData, column_means, times_columns
from blufs.base import GraphSelector, Solution

#: Decimals of the score, which lies in [-1, 1], to which features can be told apart.
_DECIMALS = 10


class LapScore(GraphSelector):
    """Laplacian score: features that vary little along the edges of the neighbour graph.

    With S the heat-kernel similarity, D its degrees and f a feature minus its D-weighted mean, the
    Laplacian score is ``f' (D - S) f / f' D f``, small for a good feature. ``scores_`` holds one
    minus it, so that larger is better as for every method here.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    n_neighbors : int, default=10
        Neighbours of the graph (5 in the original code, 10 in the BLUFS paper).
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    References
    ----------
    X. He, D. Cai, P. Niyogi. Laplacian score for feature selection. NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import LapScore
    >>> selector = LapScore(n_features_to_select=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True

    def __init__(self, n_features_to_select=None, *, n_neighbors=10, include=None, exclude=None):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.include = include
        self.exclude = exclude

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        scores = laplacian_scores(X, self._graph(X, precomputed))
        # Multiples of one feature score the same, but for rounding, which must not order them.
        return Solution(scores, order=np.argsort(-np.round(scores, _DECIMALS), kind="stable"))


def laplacian_scores(X, graph: SampleGraph) -> np.ndarray:
    """One minus the Laplacian score of every column of X (n x d, of any kind), shape (d,)."""
    if isinstance(X, RowChunks):
        return _chunked_scores(X, graph)
    if sp.issparse(X):
        return _sparse_scores(X, graph)
    # f' S f and f' D f are differences of large numbers unless f is centred first.
    centered = X - np.average(X, axis=0, weights=graph.degree)
    # The score does not depend on the scale of f, but squares of tiny numbers vanish.
    centered /= np.maximum(np.abs(centered).max(axis=0), np.finfo(X.dtype).tiny)
    similar = np.einsum("ij,ij->j", centered, graph.similarity @ centered)
    total = np.einsum("ij,ij->j", centered, graph.degree[:, None] * centered)
    return similar / np.where(total > 0, total, 1)


def _sparse_scores(X: sp.csr_array, graph: SampleGraph) -> np.ndarray:
    """As above, by products with S and D; X is centred without being formed."""
    mean = column_means(X, graph.degree)
    low, high = column_ranges(X)
    modulus = np.maximum(high - mean, mean - low)
    modulus = np.where(modulus > 0, modulus, 1)
    scaled = times_columns(X.astype(np.float64), 1 / modulus)
    data = SparseScaledData(scaled, mean / modulus, np.ones(X.shape[1]))
    similar = data.quadratic_forms(graph.similarity)[1]
    total = data.quadratic_forms(sp.diags_array(graph.degree))[1]
    return similar / np.where(total > 0, total, 1)


def _chunked_scores(X: RowChunks, graph: SampleGraph) -> np.ndarray:
    """As above, of X that is read in chunks."""
    X = X.astype(np.float64)
    sums = as_they_are(X).correlate(graph.degree[:, None])[:, 0]
    mean = sums / graph.degree.sum()
    low, high = column_ranges(X)
    modulus = np.maximum(high - mean, mean - low)
    data = ChunkedScaledData(X, mean, np.where(modulus > 0, modulus, 1))
    similar = data.quadratic_forms(graph.similarity)[1]
    total = weighted_squares_of_chunks(data, graph.degree)
    return similar / np.where(total > 0, total, 1)
