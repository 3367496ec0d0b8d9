"""AllFeatures: no selection, the line that every method is compared with."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from blufs.base import BaseSelector, Solution


class AllFeatures(BaseSelector):
    """Keep every feature: what clustering gives without selection.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import AllFeatures
    >>> int(AllFeatures().fit(load_wine().data).support_.sum())
    13
    """

    def __init__(self):
        pass

    n_features_to_select = None
    keeps_all_features: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict] = {}

    def _resolve_n_features(self, d: int) -> int:
        return d

    def select_path(self, X, s_values, *, precomputed=None) -> dict[int, Solution]:
        d = np.shape(X)[1]
        return super().select_path(X, [d])

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        return Solution(scores=np.ones(X.shape[1], dtype=X.dtype))
