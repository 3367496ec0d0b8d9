"""Cluster the samples on the selected features by k-means, and score the clusters (ACC, NMI)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from blufs.evaluation.metrics import clustering_accuracy, normalized_mutual_info
from blufs.numerics.ranges import conditioned


def cluster(
    X: np.ndarray, n_clusters: int, seeds: Sequence[int], *, restarts: int = 10, max_iter: int = 100
) -> list[np.ndarray]:
    """Partition the rows of X (n x s) by k-means, once per seed.

    Every run keeps the best of ``restarts`` starts from randomly drawn samples.

    Returns
    -------
    list of ndarray of shape (n,), one per seed
    """
    X = conditioned(X, ignores_offsets=True, ignores_scale=False)
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
        "clustering_acc": [clustering_accuracy(y, labels) for labels in partitions],
        "nmi": [normalized_mutual_info(y, labels) for labels in partitions],
    }
