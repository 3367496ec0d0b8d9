"""Score one set of features: what stages "screen" and "evaluate" share."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from blufs_bench.files.damaged import in_words
from blufs_bench.results.records import Record
from blufs_bench.run.isolation import Outcome
from blufs_bench.run.usage import processor_seconds
from blufs_bench.stages.protocol import Protocol

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from blufs._numerics.graph import SampleGraph

logger = logging.getLogger("blufs.scoring")


@dataclass(frozen=True)
class Scores:
    """Metric -> one value per repetition; criterion -> its value; seconds of it all."""

    values: dict[str, list[float]]
    criteria: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


class Scorer:
    """Cluster and classify the samples on chosen features.

    Parameters
    ----------
    X : ndarray, csr_array or dask array of shape (n, d)
    y : ndarray of shape (n,), or None for data without labels: then only criteria are computed
    graph : similarity of the samples on all features
    n_clusters : clusters that k-means looks for
    """

    def __init__(
        self,
        X: np.ndarray | csr_array,
        y: np.ndarray | None,
        graph: SampleGraph,
        n_clusters: int,
        dataset: str,
        protocol: Protocol,
    ):
        # Imported here, before a process forks: a job without anything to score needs none.
        from blufs._numerics.matrix.chunked import as_row_chunks

        self.chunks = as_row_chunks(X)
        self.X = X if self.chunks is None else self.chunks
        self.y, self.graph = y, graph
        self.n_clusters, self.dataset, self.protocol = n_clusters, dataset, protocol
        # What panels are compared with: found once, before the processes of the tasks fork.
        self.reference: tuple[np.ndarray, np.ndarray] | None = None
        if protocol.n_panel_splits and y is not None and self.chunks is None:
            from blufs_bench.stages.panel import nearest_samples

            partition = protocol.reference_partition(X, n_clusters, dataset)
            self.reference = nearest_samples(X, protocol.n_neighbors), partition

    def score(self, task: str, features: Sequence[int], repetitions: Sequence[int]) -> Scores:
        """Scores of any task of the metrics."""
        if task == "clustering":
            return self.cluster(features, repetitions)
        assert self.y is not None, "only labelled data can be classified"
        start = processor_seconds()
        chosen = self._chosen(features)
        values = self.protocol.classify(task, chosen, self.y, self.dataset, repetitions)
        if task == "panel":
            values |= self._kept(features, chosen, repetitions)
        return _finite(Scores(values, seconds=processor_seconds() - start))

    def cluster(
        self, features: Sequence[int], repetitions: Sequence[int], *, all_criteria: bool = False
    ) -> Scores:
        """Scores of the partitions, and label-free criteria of the first one (or of all)."""
        from blufs.metrics import label_free_criteria, score_partitions

        start = processor_seconds()
        chosen = self._chosen(features)
        partitions = self.protocol.cluster(chosen, self.n_clusters, self.dataset, repetitions)
        values = {} if self.y is None else score_partitions(self.y, partitions)
        criteria: dict[str, float] = {}
        if all_criteria or repetitions[0] == 0:
            judged = partitions if all_criteria else partitions[:1]
            criteria = label_free_criteria(self.X, self.graph, judged)
        return _finite(Scores(values, criteria, processor_seconds() - start))

    def _kept(
        self, features: Sequence[int], chosen: np.ndarray | csr_array, repetitions: Sequence[int]
    ) -> dict[str, list[float]]:
        """What a panel keeps of the neighbours, the variance and the clusters of all features."""
        from blufs.metrics import normalized_mutual_info
        from blufs_bench.stages.panel import nearest_samples, neighbor_overlap, variance_explained

        if self.reference is None:
            raise ValueError(
                "a panel is compared with all features, which are more than memory may hold here: "
                "raise limits.memory_mb, or leave n_panel_splits out of the protocol"
            )
        neighbors, partition = self.reference
        overlap = neighbor_overlap(neighbors, nearest_samples(chosen, neighbors.shape[1]))
        found = self.protocol.cluster(chosen, self.n_clusters, self.dataset, repetitions)
        seeds = self.protocol.split_seeds(self.dataset, repetitions)
        share = self.protocol.train_fraction
        return {
            "neighbor_overlap": [overlap] * len(repetitions),
            "variance_explained": variance_explained(self.X, features, seeds, train_fraction=share),
            "clustering_agreement": [normalized_mutual_info(partition, one) for one in found],
        }

    def _chosen(self, features: Sequence[int]) -> np.ndarray | csr_array:
        """The chosen columns; sparse data stay sparse only if all columns are chosen."""
        if self.chunks is None:
            chosen = self.X[:, list(features)]
        else:
            chosen = self.chunks.columns(np.asarray(features))
        if isinstance(chosen, np.ndarray) or len(features) == self.X.shape[1]:
            return chosen
        return chosen.toarray()


def _finite(scores: Scores) -> Scores:
    """The scores, if all of them are finite numbers."""
    known = {**scores.values, **{key: [value] for key, value in scores.criteria.items()}}
    wrong = [key for key, values in known.items() if not np.isfinite(values).all()]
    if wrong:
        raise FloatingPointError(f"{', '.join(wrong)}: the score is not a finite number")
    return scores


def failed_score(failure: Exception | Outcome) -> Record:
    """Status and reason of a scoring that raised or was stopped."""
    if isinstance(failure, Outcome):
        return {"status": failure.status, "reason": f"scoring: {failure.reason}"}
    logger.exception("scoring failed")
    status = "diverged" if isinstance(failure, FloatingPointError) else "failed"
    return {"status": status, "reason": f"scoring: {in_words(failure)}"}
