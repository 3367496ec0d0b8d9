"""Evenly spaced bands: what the methods have to beat on spectra.

Neighbouring bands of a spectrum are alike, so that bands far apart from each other are hard to
beat. In a configuration it is a method by its class path:
``class: blufs_bench.bands:EvenlySpaced``.
"""

from __future__ import annotations

import numpy as np

from blufs.base import BaseSelector, Solution


class EvenlySpaced(BaseSelector):
    """The middles of s equal parts of the row of features; the values do not matter.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number s or fraction of features; None takes half. The sets for different s are not nested.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    """

    takes_sparse = True

    def __init__(self, n_features_to_select=None, *, include=None, exclude=None):
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude

    def _solve(self, X, s_values: list[int], precomputed) -> dict[int, Solution]:
        d = X.shape[1]
        return {s: Solution(scores=_spacing(d, s)) for s in s_values}


def _spacing(d: int, s: int) -> np.ndarray:
    """1 for the middles of s equal parts of d features, else 0."""
    scores = np.zeros(d)
    scores[(2 * np.arange(s) + 1) * d // (2 * s)] = 1
    return scores
