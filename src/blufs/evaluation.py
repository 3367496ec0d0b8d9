"""How good a selection is: k-means clustering (ACC, NMI) and k-nearest-neighbour classification."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

from blufs.metrics import clustering_accuracy, normalized_mutual_info


def cluster(
    X: np.ndarray, n_clusters: int, seeds: Sequence[int], *, restarts: int = 10, max_iter: int = 100
) -> list[np.ndarray]:
    """Partition the rows of X (n x s) by k-means, once per seed.

    Every run keeps the best of ``restarts`` starts from randomly drawn samples.

    Returns
    -------
    list of ndarray of shape (n,), one per seed
    """
    partitions = []
    with warnings.catch_warnings():
        # Fewer distinct points than clusters: the partition is still defined and scored.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in seeds:
            kmeans = KMeans(
                n_clusters, init="random", n_init=restarts, max_iter=max_iter, random_state=seed
            )
            partitions.append(kmeans.fit_predict(X))
    return partitions


def score_partitions(y: np.ndarray, partitions: Sequence[np.ndarray]) -> dict[str, list[float]]:
    """ACC and NMI of each partition against the classes y."""
    return {
        "acc": [clustering_accuracy(y, labels) for labels in partitions],
        "nmi": [normalized_mutual_info(y, labels) for labels in partitions],
    }


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
    of them on ties. The order of the neighbours among all rows is found once for all splits.
    """
    n_train = max(1, round(train_fraction * len(X)))
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
