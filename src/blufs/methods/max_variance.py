"""MaxVariance: the baseline that takes the features of largest variance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from blufs._numerics.matrix import column_variances
from blufs._numerics.rounding import significant
from blufs.base import BaseSelector, Solution


class MaxVariance(BaseSelector):
    """Features of largest variance.

    The variance is that of the features as they are given. It says nothing about features that
    were standardised or scaled to unit norm, nor about features in different units.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import MaxVariance
    >>> MaxVariance(n_features_to_select=2).fit(load_wine().data).get_support(indices=True)
    array([ 4, 12])
    """

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True

    def __init__(self, n_features_to_select=None, *, include=None, exclude=None):
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        scores = column_variances(X)
        # The same counts in another order have the same variance, but for rounding.
        return Solution(scores, order=np.argsort(-significant(scores), kind="stable"))
