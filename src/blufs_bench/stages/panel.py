"""What a panel of features keeps of all features: neighbours, variance, clusters.

In single cells few genes are measured in place of all of them, and these are the measures of that
field. None of them needs labels. All are between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from blufs_bench.stages.classification import random_splits

#: Penalties of the regression, relative to its standardised features; cross-validation picks one.
_PENALTIES = np.logspace(-2, 4, 7)


def nearest_samples(X: np.ndarray | sp.csr_array, n_neighbors: int) -> np.ndarray:
    """The nearest other rows to every row of X, by Euclidean distance, shape (n, n_neighbors)."""
    search = NearestNeighbors(n_neighbors=min(n_neighbors, X.shape[0] - 1)).fit(X)
    return search.kneighbors(return_distance=False)


def neighbor_overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Share of the neighbours in ``first`` (n x k) that are in ``second``, too, row by row."""
    shared = (first[:, :, None] == second[:, None, :]).any(axis=2)
    return float(shared.mean())


def variance_explained(
    X: np.ndarray | sp.csr_array,
    features: Sequence[int],
    seeds: Sequence[int],
    *,
    train_fraction: float = 0.5,
) -> list[float]:
    """Share of the variance of all features of held-out rows that the chosen ones explain.

    One value per seed. A ridge regression on the training rows predicts every other column of X
    from the chosen ones, which are known themselves. The value is 1 - (sum of all squared errors on
    the test rows) / (sum of all squared deviations from the mean of the training rows), and 0 if
    that is negative.
    """
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    dense: Any = X.toarray() if sp.issparse(X) else X  # type: ignore[union-attr]
    chosen = np.zeros(dense.shape[1], dtype=bool)
    chosen[list(features)] = True
    known, rest = dense[:, chosen], dense[:, ~chosen]
    found = []
    for train, test in random_splits(len(dense), seeds, train_fraction):
        total = float(((dense[test] - dense[train].mean(axis=0)) ** 2).sum())
        error = 0.0
        if rest.shape[1] and total:
            model = make_pipeline(StandardScaler(), RidgeCV(_PENALTIES))
            predicted = model.fit(known[train], rest[train]).predict(known[test])
            error = float(((rest[test] - predicted.reshape(rest[test].shape)) ** 2).sum())
        found.append(max(0.0, 1 - error / total) if total else 1.0)
    return found
