"""LapScore: Laplacian score (He, Cai, Niyogi, NIPS 2005)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from blufs.base import GraphSelector, Solution
from blufs.numerics.graph import SampleGraph


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

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import LapScore
    >>> selector = LapScore(n_features_to_select=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True

    def __init__(self, n_features_to_select=None, *, n_neighbors=10):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        return Solution(scores=laplacian_scores(X, self._graph(X, precomputed)))


def laplacian_scores(X: np.ndarray, graph: SampleGraph) -> np.ndarray:
    """One minus the Laplacian score of every column of X (n x d), shape (d,)."""
    # f' S f and f' D f are differences of large numbers unless f is centred first.
    centered = X - np.average(X, axis=0, weights=graph.degree)
    # The score does not depend on the scale of f, but squares of tiny numbers vanish.
    centered /= np.maximum(np.abs(centered).max(axis=0), np.finfo(X.dtype).tiny)
    similar = np.einsum("ij,ij->j", centered, graph.similarity @ centered)
    total = np.einsum("ij,ij->j", centered, graph.degree[:, None] * centered)
    return similar / np.where(total > 0, total, 1)
