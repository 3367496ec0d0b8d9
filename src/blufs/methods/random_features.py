"""RandomFeatures: the baseline that draws features by lot."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from blufs.base import BaseSelector, Solution, constraints


class RandomFeatures(BaseSelector):
    """Features in random order: the line that a method has to beat.

    One permutation serves all s, so the selections of one seed are nested. A single draw can be
    lucky: compare with the mean over several seeds. Constant features are never drawn before the
    others.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    random_state : int, RandomState instance or None, default=None
        Seeds the permutation.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import RandomFeatures
    >>> selector = RandomFeatures(n_features_to_select=3, random_state=0).fit(load_wine().data)
    >>> int(selector.support_.sum())
    3
    """

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict] = constraints("random_state")

    def __init__(self, n_features_to_select=None, *, random_state=None, include=None, exclude=None):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        d = X.shape[1]
        scores = check_random_state(self.random_state).permutation(d) + 1.0
        return Solution(scores=scores / d)
