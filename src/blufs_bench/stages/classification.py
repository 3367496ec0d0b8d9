"""Classify the samples on the selected features, by four classifiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from blufs._numerics.matrix.conditioning import conditioned
from blufs.metrics import label_codes


def random_splits(
    n: int, seeds: Sequence[int], train_fraction: float
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of one random split per seed; both have at least one row."""
    if n < 2:
        raise ValueError(f"a split into two parts needs two samples, got {n}")
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction}")
    n_train = min(max(1, round(train_fraction * n)), n - 1)
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(n)
        yield order[:n_train], order[n_train:]


def classification_accuracy(
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    seeds: Sequence[int],
    *,
    n_neighbors: int = 5,
    train_fraction: float = 0.5,
) -> list[float]:
    """Accuracy of the k-nearest-neighbour classifier on one random split per seed.

    Every row of X (n x s) gets the class that most of its nearest training rows have, the first
    of them on ties. The order of the neighbours among all rows is found once for all splits.
    """
    n = X.shape[0]
    y = label_codes(y, n)
    splits = list(random_splits(n, seeds, train_fraction))
    if not sp.issparse(X):
        X = conditioned(X, ignores_offsets=True, ignores_scale=False)
    n_train = len(splits[0][0]) if splits else 1
    n_neighbors = min(n_neighbors, n_train)
    # About four times as many as hold enough training rows on average.
    n_candidates = min(n - 1, math.ceil(4 * n_neighbors * n / n_train))
    candidates = NearestNeighbors(n_neighbors=n_candidates).fit(X).kneighbors(return_distance=False)
    accuracies = []
    for train, test in splits:
        nearest = _nearest_training_rows(X, candidates, train, test, n_neighbors)
        votes = (y[nearest][:, :, None] == np.arange(y.max() + 1)).sum(axis=1)
        accuracies.append(float(np.mean(votes.argmax(axis=1) == y[test])))
    return accuracies


def forest_accuracy(
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    seeds: Sequence[int],
    *,
    n_trees: int = 100,
    train_fraction: float = 0.5,
) -> list[float]:
    """Accuracy of a random forest on X (n x s), on one random split per seed.

    The splits are those of :func:`classification_accuracy` for the same seeds.
    """
    # Imported here: few suites have forests, and this takes a tenth of a second in every job.
    from sklearn.ensemble import RandomForestClassifier

    def forest(seed: int) -> Any:
        return RandomForestClassifier(n_trees, random_state=seed)

    return _accuracies(forest, X, y, seeds, train_fraction)


def svm_accuracy(
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    seeds: Sequence[int],
    *,
    train_fraction: float = 0.5,
) -> list[float]:
    """Accuracy of a support vector machine with a Gaussian kernel, on the same splits.

    The features of X (n x s) are standardised by the training rows; C is 100, and the width of the
    kernel is scikit-learn's ("scale").
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    def machine(_: int) -> Any:
        return make_pipeline(StandardScaler(with_mean=not sp.issparse(X)), SVC(C=100))

    return _accuracies(machine, X, y, seeds, train_fraction)


def centroid_accuracy(
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    seeds: Sequence[int],
    *,
    train_fraction: float = 0.5,
) -> list[float]:
    """Accuracy of the nearest centroid: every row gets the class whose mean is nearest to it."""
    from sklearn.neighbors import NearestCentroid

    return _accuracies(lambda _: NearestCentroid(), X, y, seeds, train_fraction)


def _accuracies(
    classifier: Callable[[int], Any],
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    seeds: Sequence[int],
    train_fraction: float,
) -> list[float]:
    """Accuracy of a new classifier on one random split per seed."""
    y = label_codes(y, X.shape[0])
    accuracies = []
    splits = random_splits(X.shape[0], seeds, train_fraction)
    for seed, (train, test) in zip(seeds, splits, strict=True):
        if (y[train] == y[train[0]]).all():  # two of the classifiers refuse a single class
            predicted = np.full(len(test), y[train[0]])
        else:
            predicted = classifier(seed).fit(X[train], y[train]).predict(X[test])
        accuracies.append(float(np.mean(predicted == y[test])))
    return accuracies


def _nearest_training_rows(
    X: np.ndarray, candidates: np.ndarray, train: np.ndarray, test: np.ndarray, n_neighbors: int
) -> np.ndarray:
    """The nearest rows of ``train`` to every row of ``test``, shape (len(test), n_neighbors).

    ``candidates`` (n x m) has the nearest of all rows to each row, in order. Where too few of them
    are training rows, the search is repeated.
    """
    is_train = np.zeros(X.shape[0], dtype=bool)
    is_train[train] = True
    usable = is_train[candidates[test]]
    first = np.argsort(~usable, axis=1, kind="stable")[:, :n_neighbors]
    nearest = np.take_along_axis(candidates[test], first, axis=1)
    short = usable.sum(axis=1) < n_neighbors
    if short.any():
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(X[train])
        nearest[short] = train[search.kneighbors(X[test[short]], return_distance=False)]
    return nearest
