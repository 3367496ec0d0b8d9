"""Stage "evaluate": cluster and classify with the chosen settings under the full protocol."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blufs.results.records import CLUSTERING_METRICS, METRICS, Record
from blufs.workflow.stages.protocol import Protocol

if TYPE_CHECKING:
    from blufs.numerics.graph import SampleGraph

logger = logging.getLogger("blufs.evaluate")

CHOICES = ("default", "blind", "oracle", "oracle_budget")


@dataclass(frozen=True)
class Cells:
    """The cells that one job evaluates: all s, or one; all repetitions, or one."""

    s: int | None = None
    seed: int | None = None

    def repetitions(self, count: int) -> list[int]:
        """Repetitions of a kind that has ``count`` of them."""
        if self.seed is None:
            return list(range(count))
        return [self.seed] if self.seed < count else []


def evaluate(
    X: np.ndarray,
    y: np.ndarray,
    graph: SampleGraph,
    dataset: str,
    selections: Sequence[Record],
    choices: dict[str, Any],
    protocol: Protocol,
    cells: Cells,
) -> dict[str, list[Record]]:
    """The evaluated cells of one method on one dataset.

    Returns
    -------
    {"cells": one record per (choice, metric, s) with the values of all repetitions,
    "fits": the records of stage "select" that they stand on}; where repetition 0 of the clustering
    is among the cells, ``criteria`` has the label-free criteria of its partition.

    A selection that serves several choices is evaluated once. Repetition r of a random method uses
    the fit with seed ``r mod (number of fit seeds)``.
    """
    by_key = {(r["settings"], r["s"], r["fit_seed"]): r for r in selections}
    fit_seeds = sorted({r["fit_seed"] for r in selections})
    s_values = sorted({r["s"] for r in selections if cells.s in (None, r["s"])})
    evaluator = _Evaluator(X, y, graph, dataset, protocol)
    records = []
    used: dict[Any, Record] = {}
    for s in s_values:
        for choice in CHOICES:
            for metric in METRICS:
                settings = chosen_settings(choices, choice, metric, s)
                fits = [by_key[settings, s, seed] for seed in fit_seeds]
                used |= {(fit["settings"], s, fit["fit_seed"]): fit for fit in fits}
                records.append(
                    {
                        "choice": choice,
                        "metric": metric,
                        "s": s,
                        "settings": settings,
                        "n_settings": choices[
                            "n_budget" if choice == "oracle_budget" else "n_settings"
                        ],
                        **evaluator.record(metric, fits, cells),
                    }
                )
        logger.info("evaluated s = %d (%d of %d)", s, s_values.index(s) + 1, len(s_values))
    return {"cells": records, "fits": list(used.values())}


def chosen_settings(choices: dict[str, Any], choice: str, metric: str, s: int) -> str:
    """The setting of a choice; the default where an s was not screened (a single setting)."""
    chosen = choices[choice]
    return chosen if isinstance(chosen, str) else chosen[metric].get(str(s), choices["default"])


class _Evaluator:
    """Evaluate selections, each one once for clustering and once for classification."""

    def __init__(self, X, y, graph: SampleGraph, dataset: str, protocol: Protocol):
        self.X, self.y, self.graph = X, y, graph
        self.dataset, self.protocol = dataset, protocol
        self._known: dict[Any, Record] = {}

    def record(self, metric: str, fits: list[Record], cells: Cells) -> Record:
        clustering = metric in CLUSTERING_METRICS
        count = self.protocol.clusterings if clustering else self.protocol.splits
        repetitions = cells.repetitions(count)
        failed = next((fit for fit in fits if fit["status"] != "ok"), None)
        result: Record = {
            "seeds": repetitions,
            "values": [None] * len(repetitions),
            "criteria": {},
            "evaluation_seconds": 0.0,
            "status": "ok",
            "reason": "",
        }
        if failed:
            return result | {"status": failed["status"], "reason": failed["reason"]}
        for number, fit in enumerate(fits):
            mine = [r for r in repetitions if r % len(fits) == number]
            if not mine:
                continue
            scores, new = self._evaluate(clustering, fit["features"], mine)
            for repetition, value in zip(mine, scores[metric], strict=True):
                result["values"][repetitions.index(repetition)] = value
            result["criteria"] |= scores["criteria"]
            result["evaluation_seconds"] += scores["seconds"] if new else 0.0
        return result

    def _evaluate(
        self, clustering: bool, features: list[int], repetitions: list[int]
    ) -> tuple[Record, bool]:
        key = (clustering, tuple(features), tuple(repetitions))
        if key in self._known:
            return self._known[key], False
        from blufs.workflow.stages.scoring import label_free_criteria

        start = time.perf_counter()
        chosen = self.X[:, features]
        criteria: dict[str, float] = {}
        if clustering:
            partitions, scores = self.protocol.cluster(chosen, self.y, self.dataset, repetitions)
            if repetitions[0] == 0:
                criteria = label_free_criteria(
                    self.X, self.graph, np.array(features), partitions[:1]
                )
        else:
            accuracy = self.protocol.classify(chosen, self.y, self.dataset, repetitions)
            scores = {"accuracy": accuracy}
        seconds = time.perf_counter() - start
        self._known[key] = {**scores, "criteria": criteria, "seconds": seconds}
        return self._known[key], True
