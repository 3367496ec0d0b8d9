"""AllFeatures: no selection, the line that every method is compared with."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from blufs.base import BaseSelector, Solution


class AllFeatures(BaseSelector):
    """Keep every feature that is not excluded: what clustering gives without selection.

    Parameters
    ----------
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import AllFeatures
    >>> int(AllFeatures().fit(load_wine().data).support_.sum())
    13
    """

    def __init__(self, *, include=None, exclude=None):
        self.include = include
        self.exclude = exclude

    n_features_to_select = None
    keeps_all_features: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict] = {
        name: BaseSelector._parameter_constraints[name] for name in ("include", "exclude")
    }

    def _resolve_n_features(self, d: int) -> int:
        return d - len(self._preselected(d)[1])

    def _check_size(self, s, d: int) -> int:
        return self._resolve_n_features(d)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        return Solution(scores=np.ones(X.shape[1], dtype=X.dtype))
