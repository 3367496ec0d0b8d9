"""A method of your own.

A complete selector in a few lines: it scores a feature by how far its middle samples spread,
relative to its range. It works like any scikit-learn transformer, and in the benchmark by its class
path: see the guide "Your own method".

What to see: the circles lie side by side where the ink varies most. This selector judges every
pixel on its own, so it takes neighbours that say nearly the same. The tail hardly matters.
"""

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


if __name__ == "__main__":
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_digits

    X = load_digits().data
    selectors = [QuantileSpread(20, tail=tail) for tail in (0.05, 0.25, 0.4)]
    fig, axes = plt.subplots(1, 3, figsize=(8, 2.9))
    for ax, selector in zip(axes, selectors, strict=True):
        ax.imshow(X.mean(axis=0).reshape(8, 8), cmap="gray_r")
        rows, columns = np.nonzero(selector.fit(X).get_support().reshape(8, 8))
        ax.scatter(columns, rows, s=60, facecolors="none", edgecolors="tab:red", linewidths=1.8)
        ax.set(title=f"tail = {selector.tail}", xticks=[], yticks=[])
    plt.show()
