"""A feature selector of one's own: features whose middle half of the samples is widest spread."""

import numpy as np

from blufs.base import BaseSelector, Solution


class QuantileSpread(BaseSelector):
    """Score a feature by the distance between two of its quantiles, relative to its range."""

    tuned_parameters = ("tail",)

    def __init__(self, n_features_to_select=None, *, tail=0.25):
        self.n_features_to_select = n_features_to_select
        self.tail = tail

    def _precompute(self, X):
        return np.sort(X, axis=0)  # the same for every tail, so a grid sorts once

    def _rank(self, X, precomputed):
        ordered = self._precompute(X) if precomputed is None else precomputed
        low, high = np.quantile(ordered, [self.tail, 1 - self.tail], axis=0)
        return Solution(scores=(high - low) / (ordered[-1] - ordered[0]))
