"""The protocol of an evaluation: how often, with which restarts, on which seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blufs_bench.run.seeding import derive_seed


@dataclass(frozen=True)
class Protocol:
    """Repetitions of k-means and of the train-test splits.

    Attributes
    ----------
    seed : base of all seeds
    n_clusterings, n_restarts : k-means runs, and random starts of each
    n_splits, n_neighbors : random splits for the k-nearest-neighbour classifier
    train_fraction : share of the samples that a classifier is trained on
    n_forest_splits, n_trees : random splits for the random forest, none by default
    """

    seed: int
    n_clusterings: int
    n_restarts: int
    n_splits: int
    n_neighbors: int
    train_fraction: float
    n_forest_splits: int = 0
    n_trees: int = 100

    def repetitions(self, task: str) -> int:
        """Number of repetitions of a metric's task."""
        counts = {
            "clustering": self.n_clusterings,
            "neighbours": self.n_splits,
            "forest": self.n_forest_splits,
        }
        return counts[task]

    def cluster(
        self, X: np.ndarray, n_clusters: int, dataset: str, repetitions: Sequence[int]
    ) -> list[np.ndarray]:
        """Partitions of X (n x s), one per repetition."""
        from blufs.metrics import cluster

        seeds = [derive_seed(self.seed, dataset, "kmeans", r) for r in repetitions]
        return cluster(X, n_clusters, seeds, restarts=self.n_restarts)

    def classify(
        self, task: str, X: np.ndarray, y: np.ndarray, dataset: str, repetitions: Sequence[int]
    ) -> dict[str, list[float]]:
        """Accuracy of the classifier of a task on X (n x s), one value per repetition."""
        from blufs_bench.stages.classification import classification_accuracy, forest_accuracy

        seeds = [derive_seed(self.seed, dataset, "split", r) for r in repetitions]
        share = {"train_fraction": self.train_fraction}
        if task == "forest":
            accuracy = forest_accuracy(X, y, seeds, n_trees=self.n_trees, **share)
            return {"forest_accuracy": accuracy}
        accuracy = classification_accuracy(X, y, seeds, n_neighbors=self.n_neighbors, **share)
        return {"knn_accuracy": accuracy}
