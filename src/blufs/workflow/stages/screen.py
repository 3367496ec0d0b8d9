"""Stage "screen": score every setting of a grid by a light protocol.

The labels enter the columns acc, nmi and accuracy, which only the oracle reads; the columns
``criterion_*`` never see them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from blufs.results.records import Record
from blufs.workflow.stages.protocol import Protocol

if TYPE_CHECKING:
    from blufs.numerics.graph import SampleGraph

logger = logging.getLogger("blufs.screen")


def screen(
    X: np.ndarray,
    y: np.ndarray,
    graph: SampleGraph,
    dataset: str,
    selections: Sequence[Record],
    protocol: Protocol,
) -> list[Record]:
    """One record per selection: mean scores and label-free criteria under the light protocol.

    Selections of the same features, as neighbouring settings often give, are scored once.
    """
    records = []
    known: dict[tuple[int, ...], Record] = {}
    for number, selection in enumerate(selections, start=1):
        record = {
            key: selection[key]
            for key in (
                "settings",
                "fit_seed",
                "s",
                "status",
                "reason",
                "n_iter",
                "converged",
                "fit_seconds",
            )
        }
        record["score_seconds"] = 0.0
        if selection["status"] == "ok":
            features = tuple(sorted(selection["features"]))
            if features not in known:
                scores, seconds = _score(X, y, graph, dataset, list(features), protocol)
                known[features] = scores
                record["score_seconds"] = seconds
            record |= known[features]
        records.append(record)
        if number % 10 == 0 or number == len(selections):
            logger.info("screened %d of %d selections", number, len(selections))
    return records


def _score(X, y, graph, dataset, features, protocol: Protocol) -> tuple[Record, float]:
    """Scores of one selection, and the seconds that they took."""
    from blufs.workflow.stages.scoring import label_free_criteria

    start = time.perf_counter()
    chosen = X[:, features]
    partitions, clustered = protocol.cluster(chosen, y, dataset, list(range(protocol.clusterings)))
    accuracies = protocol.classify(chosen, y, dataset, list(range(protocol.splits)))
    criteria = label_free_criteria(X, graph, np.array(features), partitions)
    scores = {
        "acc": float(np.mean(clustered["acc"])),
        "nmi": float(np.mean(clustered["nmi"])),
        "accuracy": float(np.mean(accuracies)),
        **{f"criterion_{name}": float(value) for name, value in criteria.items()},
    }
    return scores, time.perf_counter() - start
