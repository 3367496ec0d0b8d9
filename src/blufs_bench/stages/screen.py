"""Stage "screen": score every setting of a grid by a light protocol.

The labels enter the columns of the metrics, which only the oracle reads; the columns
``criterion_*`` never see them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from blufs_bench.results.records import Record
from blufs_bench.results.vocabulary import CRITERION_PREFIX, METRICS
from blufs_bench.run.isolation import Limits, run_isolated
from blufs_bench.run.usage import processor_seconds
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.scoring import Scorer, failed_score

if TYPE_CHECKING:
    from blufs._numerics.graph import SampleGraph

logger = logging.getLogger("blufs.screen")

#: What a screened record keeps of its selection.
_KEPT = ("dataset", "method", "setting", "s", "fit_seed", "n_iter", "converged", "fit_seconds")


def screen(
    X: np.ndarray,
    y: np.ndarray | None,
    graph: SampleGraph,
    n_clusters: int,
    selections: Sequence[Record],
    protocol: Protocol,
    limits: Limits,
) -> list[Record]:
    """One record per selection: mean scores and label-free criteria under the light protocol.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), or None for data without labels

    Selections of the same features, as neighbouring settings often give, are scored once.
    """
    ok = [selection for selection in selections if selection["status"] == "ok"]
    distinct = list(dict.fromkeys(_features(selection) for selection in ok))
    dataset = selections[0]["dataset"] if selections else ""
    known: dict[tuple[int, ...], Record] = {}
    if distinct:
        work = _Screening(Scorer(X, y, graph, n_clusters, dataset, protocol))
        for outcome in run_isolated(work, distinct, limits):
            found = outcome.value if outcome.status == "ok" else failed_score(outcome)
            known[outcome.task] = found
            if len(known) % 10 == 0 or len(known) == len(distinct):
                logger.info("screened %d of %d selections", len(known), len(distinct))
    records = []
    for selection in selections:
        record = {key: selection[key] for key in _KEPT} | {"score_seconds": 0.0}
        if selection["status"] == "ok":
            scores = known[_features(selection)]
            record |= scores
            # Equal selections that follow cost nothing.
            scores["score_seconds"] = 0.0
        else:
            record |= {"status": selection["status"], "reason": selection["reason"]}
        records.append(record)
    return records


def _features(selection: Record) -> tuple[int, ...]:
    return tuple(sorted(selection["features"]))


class _Screening:
    """Mean scores and criteria of one set of features."""

    def __init__(self, scorer: Scorer):
        self.scorer = scorer

    def __call__(self, features: tuple[int, ...]) -> Record:
        start = processor_seconds()
        protocol = self.scorer.protocol
        try:
            found = self.scorer.cluster(features, range(protocol.n_clusterings), all_criteria=True)
            values = dict(found.values)
            tasks = dict.fromkeys(metric.task for metric in METRICS.values())
            for task in tasks if self.scorer.y is not None else ():
                if task != "clustering" and (count := protocol.repetitions(task)):
                    values |= self.scorer.score(task, features, range(count)).values
        except MemoryError:
            raise
        except Exception as error:
            return failed_score(error)
        scores = {key: float(np.mean(of_metric)) for key, of_metric in values.items()}
        criteria = {f"{CRITERION_PREFIX}{key}": value for key, value in found.criteria.items()}
        seconds = processor_seconds() - start
        return {**scores, **criteria, "score_seconds": seconds, "status": "ok", "reason": ""}
