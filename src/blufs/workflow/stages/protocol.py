"""The protocol of an evaluation: how often, with which restarts, on which seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blufs.workflow.run.seeding import derive_seed


@dataclass(frozen=True)
class Protocol:
    """Repetitions of k-means and of the train-test splits.

    Attributes
    ----------
    seed : base of all seeds
    n_clusterings, n_restarts : k-means runs, and random starts of each
    n_splits, n_neighbors, train_fraction : the k-nearest-neighbour classifier
    """

    seed: int
    n_clusterings: int
    n_restarts: int
    n_splits: int
    n_neighbors: int
    train_fraction: float

    def repetitions(self, task: str) -> int:
        """Number of repetitions of "clustering" or "classification"."""
        return self.n_clusterings if task == "clustering" else self.n_splits

    def cluster(
        self, X: np.ndarray, n_clusters: int, dataset: str, repetitions: Sequence[int]
    ) -> list[np.ndarray]:
        """Partitions of X (n x s), one per repetition."""
        from blufs.evaluation.clustering import cluster

        seeds = [derive_seed(self.seed, dataset, "kmeans", r) for r in repetitions]
        return cluster(X, n_clusters, seeds, restarts=self.n_restarts)

    def classify(
        self, X: np.ndarray, y: np.ndarray, dataset: str, repetitions: Sequence[int]
    ) -> dict[str, list[float]]:
        """Classification metrics on X (n x s) against y (n,), one value per repetition."""
        from blufs.evaluation.classification import classification_accuracy

        accuracy = classification_accuracy(
            X,
            y,
            [derive_seed(self.seed, dataset, "split", r) for r in repetitions],
            n_neighbors=self.n_neighbors,
            train_fraction=self.train_fraction,
        )
        return {"knn_accuracy": accuracy}
