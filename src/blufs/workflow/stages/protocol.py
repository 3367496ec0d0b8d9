"""The protocol of an evaluation: how often, with which restarts, on which seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blufs.workflow.run.seeding import derive_seed


@dataclass(frozen=True)
class Protocol:
    """Repetitions of k-means and of the k-NN splits.

    Attributes
    ----------
    seed : base of all seeds
    clusterings, restarts : k-means runs, and random starts of each
    splits, neighbors, train_fraction : the k-nearest-neighbour classifier
    """

    seed: int
    clusterings: int
    restarts: int
    splits: int
    neighbors: int
    train_fraction: float

    def kmeans_seed(self, dataset: str, repetition: int) -> int:
        return derive_seed(self.seed, dataset, "kmeans", repetition)

    def split_seed(self, dataset: str, repetition: int) -> int:
        return derive_seed(self.seed, dataset, "split", repetition)

    def cluster(
        self, X: np.ndarray, y: np.ndarray, dataset: str, repetitions: list[int]
    ) -> tuple[list[np.ndarray], dict[str, list[float]]]:
        """Partitions of X (n x s) and their ACC and NMI, one per repetition."""
        from blufs.workflow.stages.scoring import cluster, score_partitions

        seeds = [self.kmeans_seed(dataset, repetition) for repetition in repetitions]
        n_clusters = int(y.max()) + 1
        partitions = cluster(X, n_clusters, seeds, restarts=self.restarts)
        return partitions, score_partitions(y, partitions)

    def classify(
        self, X: np.ndarray, y: np.ndarray, dataset: str, repetitions: list[int]
    ) -> list[float]:
        """k-NN accuracy on X (n x s), one per repetition."""
        from blufs.workflow.stages.scoring import classification_accuracy

        return classification_accuracy(
            X,
            y,
            [self.split_seed(dataset, repetition) for repetition in repetitions],
            n_neighbors=self.neighbors,
            train_fraction=self.train_fraction,
        )


def make_protocol(seed: int, settings: dict[str, Any]) -> Protocol:
    """Protocol from the ``evaluation`` or ``screening`` section of the configuration."""
    return Protocol(seed=seed, **settings)
