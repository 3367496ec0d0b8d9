"""The protocol of an evaluation: how often, with which restarts, on which seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blufs_bench.run.seeding import derive_seed

#: Task -> the metric that its classifier gives.
_ACCURACY = {
    "neighbours": "knn_accuracy",
    "forest": "forest_accuracy",
    "svm": "svm_accuracy",
    "panel": "centroid_accuracy",
}


@dataclass(frozen=True)
class Protocol:
    """Repetitions of k-means and of the train-test splits; what is not asked for is left out.

    Attributes
    ----------
    seed : base of all seeds
    n_clusterings, n_restarts : k-means runs, and random starts of each
    n_splits, n_neighbors : random splits for the k-nearest-neighbour classifier
    train_fraction : share of the samples that a classifier is trained on
    n_forest_splits, n_trees : random splits for the random forest, none by default
    n_svm_splits : random splits for the support vector machine, none by default
    n_panel_splits : repetitions of what a panel keeps of all features, none by default
    """

    seed: int
    n_clusterings: int
    n_restarts: int
    n_splits: int
    n_neighbors: int
    train_fraction: float
    n_forest_splits: int = 0
    n_trees: int = 100
    n_svm_splits: int = 0
    n_panel_splits: int = 0

    def repetitions(self, task: str) -> int:
        """Number of repetitions of a metric's task."""
        counts = {
            "clustering": self.n_clusterings,
            "neighbours": self.n_splits,
            "forest": self.n_forest_splits,
            "svm": self.n_svm_splits,
            "panel": self.n_panel_splits,
        }
        return counts[task]

    def cluster(
        self, X: np.ndarray, n_clusters: int, dataset: str, repetitions: Sequence[int]
    ) -> list[np.ndarray]:
        """Partitions of X (n x s), one per repetition."""
        from blufs.metrics import cluster

        seeds = [derive_seed(self.seed, dataset, "kmeans", r) for r in repetitions]
        return cluster(X, n_clusters, seeds, restarts=self.n_restarts)

    def reference_partition(self, X: np.ndarray, n_clusters: int, dataset: str) -> np.ndarray:
        """The partition on all features, with a seed of its own."""
        from blufs.metrics import cluster

        seed = derive_seed(self.seed, dataset, "reference", 0)
        return cluster(X, n_clusters, [seed], restarts=self.n_restarts)[0]

    def classify(
        self, task: str, X: np.ndarray, y: np.ndarray, dataset: str, repetitions: Sequence[int]
    ) -> dict[str, list[float]]:
        """Accuracy of the classifier of a task on X (n x s), one value per repetition."""
        from blufs_bench.stages import classification

        seeds = self.split_seeds(dataset, repetitions)
        share = {"train_fraction": self.train_fraction}
        if task == "forest":
            accuracy = classification.forest_accuracy(X, y, seeds, n_trees=self.n_trees, **share)
        elif task == "neighbours":
            accuracy = classification.classification_accuracy(
                X, y, seeds, n_neighbors=self.n_neighbors, **share
            )
        else:
            of_task = {
                "svm": classification.svm_accuracy,
                "panel": classification.centroid_accuracy,
            }
            accuracy = of_task[task](X, y, seeds, **share)
        return {_ACCURACY[task]: accuracy}

    def split_seeds(self, dataset: str, repetitions: Sequence[int]) -> list[int]:
        """Seeds of the train-test splits."""
        return [derive_seed(self.seed, dataset, "split", r) for r in repetitions]
