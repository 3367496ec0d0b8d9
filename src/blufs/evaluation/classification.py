"""Classify the samples on the selected features by their nearest neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from sklearn.neighbors import NearestNeighbors

from blufs.evaluation.metrics import label_codes
from blufs.numerics.ranges import conditioned


def classification_accuracy(
    X: np.ndarray,
    y: np.ndarray,
    seeds: Sequence[int],
    *,
    n_neighbors: int = 5,
    train_fraction: float = 0.5,
) -> list[float]:
    """Accuracy of the k-nearest-neighbour classifier on one random split per seed.

    Every row of X (n x s) gets the class that most of its nearest training rows have, the first
    of them on ties. Both parts of a split have at least one row. The order of the neighbours among
    all rows is found once for all splits.
    """
    y = label_codes(y, len(X))
    if len(X) < 2:
        raise ValueError(f"a split into two parts needs two samples, got {len(X)}")
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction}")
    X = conditioned(X, ignores_offsets=True, ignores_scale=False)
    n_train = min(max(1, round(train_fraction * len(X))), len(X) - 1)
    n_neighbors = min(n_neighbors, n_train)
    # About four times as many as hold enough training rows on average.
    n_candidates = min(len(X) - 1, math.ceil(4 * n_neighbors * len(X) / n_train))
    candidates = NearestNeighbors(n_neighbors=n_candidates).fit(X).kneighbors(return_distance=False)
    accuracies = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[:n_train], order[n_train:]
        nearest = _nearest_training_rows(X, candidates, train, test, n_neighbors)
        votes = (y[nearest][:, :, None] == np.arange(y.max() + 1)).sum(axis=1)
        accuracies.append(float(np.mean(votes.argmax(axis=1) == y[test])))
    return accuracies


def _nearest_training_rows(
    X: np.ndarray, candidates: np.ndarray, train: np.ndarray, test: np.ndarray, n_neighbors: int
) -> np.ndarray:
    """The nearest rows of ``train`` to every row of ``test``, shape (len(test), n_neighbors).

    ``candidates`` (n x m) has the nearest of all rows to each row, in order. Where too few of them
    are training rows, the search is made anew.
    """
    is_train = np.zeros(len(X), dtype=bool)
    is_train[train] = True
    usable = is_train[candidates[test]]
    first = np.argsort(~usable, axis=1, kind="stable")[:, :n_neighbors]
    nearest = np.take_along_axis(candidates[test], first, axis=1)
    short = usable.sum(axis=1) < n_neighbors
    if short.any():
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(X[train])
        nearest[short] = train[search.kneighbors(X[test[short]], return_distance=False)]
    return nearest
