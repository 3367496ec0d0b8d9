"""How good a selection is: k-means clustering (ACC, NMI) and k-nearest-neighbour classification."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier

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

    The distances between all rows of X (n x s) are computed once and shared by the splits.
    """
    distances = pairwise_distances(X)
    accuracies = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(X))
        n_train = max(1, round(train_fraction * len(X)))
        train, test = order[:n_train], order[n_train:]
        classifier = KNeighborsClassifier(min(n_neighbors, n_train), metric="precomputed")
        classifier.fit(distances[np.ix_(train, train)], y[train])
        predicted = classifier.predict(distances[np.ix_(test, train)])
        accuracies.append(float(np.mean(predicted == y[test])))
    return accuracies
