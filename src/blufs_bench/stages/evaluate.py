"""Stage "evaluate": cluster and classify with the chosen settings under the full protocol."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blufs_bench.results.records import Record
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, METRICS
from blufs_bench.run.isolation import Limits, run_isolated
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.scoring import Scorer, Scores, failed_score

if TYPE_CHECKING:
    from blufs._numerics.graph import SampleGraph

logger = logging.getLogger("blufs.evaluate")


@dataclass(frozen=True)
class Cells:
    """What one job evaluates: all s, or one; all repetitions, or one."""

    s: int | None = None
    repetition: int | None = None

    def repetitions(self, count: int) -> list[int]:
        """Repetitions of a task that has ``count`` of them."""
        if self.repetition is None:
            return list(range(count))
        return [self.repetition] if self.repetition < count else []


def evaluate(
    X: np.ndarray,
    y: np.ndarray | None,
    graph: SampleGraph,
    n_clusters: int,
    selections: Sequence[Record],
    choices: dict[str, Any],
    protocol: Protocol,
    part: Cells,
    limits: Limits,
) -> list[Record]:
    """Scores of one method on one dataset.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), or None for data without labels
    selections : records of stage "select", all settings
    choices : what stage "choose" wrote; if nothing could be chosen, only the default is scored

    Returns
    -------
    One record per choice, metric and s, with the values of all repetitions. Label-free criteria
    are among the metrics, for the choices that do not depend on a metric, where repetition 0 is in
    the part. A selection that serves several choices is scored once; repetition r of a random
    method uses the fit with seed ``r mod (number of fit seeds)``. A scoring that fails becomes
    records with its status.
    """
    s_values = sorted(
        {r["s"] for r in selections if part.s in (None, r["s"])}, key=lambda s: s or 0
    )
    work = _Evaluation(y, selections, choices, protocol, part)
    if any(selection["status"] == "ok" for selection in selections):
        dataset = selections[0]["dataset"]
        work.scorer = Scorer(X, y, graph, n_clusters, dataset, protocol)
        outcomes = run_isolated(work, s_values, limits)
    else:
        return [record for s in s_values for record in work(s)]
    records = []
    for number, outcome in enumerate(outcomes, start=1):
        if outcome.status == "ok":
            records += outcome.value
        else:
            records += work.failed(outcome.task, failed_score(outcome))
        logger.info("evaluated s = %s (%d of %d)", outcome.task, number, len(s_values))
    return records


def chosen_setting(choices: dict[str, Any], choice: str, metric: str, s: int | None) -> str:
    """The setting of a choice; the default where nothing was chosen for this s."""
    default = choices["default"]
    if choice == "default":
        return default
    pairs = choices[choice][metric] if CHOICES[choice].uses_labels else choices[choice]
    return dict(pairs).get(s, default)


class _Evaluation:
    """All scores at one s; each selection is scored once for each task."""

    def __init__(
        self,
        y: np.ndarray | None,
        selections: Sequence[Record],
        choices: dict[str, Any],
        protocol: Protocol,
        part: Cells,
    ):
        self.by_key = {(r["setting"], r["s"], r["fit_seed"]): r for r in selections}
        self.fit_seeds = sorted({r["fit_seed"] for r in selections})
        self.key = {name: selections[0][name] for name in ("dataset", "method")}
        self.labelled = y is not None
        self.choices, self.protocol, self.part = choices, protocol, part
        self.scorer: Scorer | None = None
        self._known: dict[Any, Scores] = {}

    def __call__(self, s: int | None) -> list[Record]:
        try:
            return [
                record
                for choice, metric in self._asked()
                for record in [self._record(choice, metric, s)]
                if record["repetitions"]
            ]
        except MemoryError:
            raise
        except Exception as error:
            return self.failed(s, failed_score(error))

    def failed(self, s: int | None, status: Record) -> list[Record]:
        """The records of an s whose scoring failed."""
        return [
            record | status
            for choice, metric in self._asked()
            for record in [self._frame(choice, metric, s)]
            if record["repetitions"] and (metric in METRICS or not self.labelled)
        ]

    def _asked(self) -> list[tuple[str, str]]:
        """The choices and metrics that these data allow."""
        by_labels = [(c, m) for c in CHOICES for m in METRICS] if self.labelled else []
        free = [key for key, choice in CHOICES.items() if not choice.uses_labels]
        return by_labels + [(choice, criterion) for choice in free for criterion in CRITERIA]

    def _frame(self, choice: str, metric: str, s: int | None) -> Record:
        """A record without values."""
        task = METRICS[metric].task if metric in METRICS else "clustering"
        repetitions = self.part.repetitions(self.protocol.repetitions(task))
        if metric in CRITERIA:
            repetitions = [r for r in repetitions if r == 0]
        budget = "n_equal_budget" if choice == "oracle_equal_budget" else "n_settings"
        return {
            **self.key,
            "choice": choice,
            "metric": metric,
            "s": s,
            "setting": chosen_setting(self.choices, choice, metric, s),
            "n_settings": self.choices[budget],
            "repetitions": repetitions,
            "fit_seeds": [self.fit_seeds[r % len(self.fit_seeds)] for r in repetitions],
            "values": [None] * len(repetitions),
            "evaluation_seconds": 0.0,
            "status": "ok",
            "reason": "",
        }

    def _record(self, choice: str, metric: str, s: int | None) -> Record:
        record = self._frame(choice, metric, s)
        fits = [self.by_key[record["setting"], s, seed] for seed in self.fit_seeds]
        failed = next((fit for fit in fits if fit["status"] != "ok"), None)
        if failed:
            return record | {"status": failed["status"], "reason": failed["reason"]}
        if any(s is not None and len(set(fit["features"])) != s for fit in fits):
            return record | {"status": "failed", "reason": f"the selection has not {s} features"}
        if "reason" in self.choices and choice != "default":
            return record | {"status": "failed", "reason": self.choices["reason"]}
        task = METRICS[metric].task if metric in METRICS else "clustering"
        wanted = self.part.repetitions(self.protocol.repetitions(task))
        for number, fit in enumerate(fits):
            mine = [r for r in wanted if r % len(fits) == number]
            if not mine:
                continue
            scores, seconds = self._score(task, fit["features"], mine)
            record["evaluation_seconds"] += seconds
            if metric in CRITERIA:
                if mine[0] == 0:
                    record["values"] = [scores.criteria[metric]]
                continue
            for repetition, value in zip(mine, scores.values[metric], strict=True):
                record["values"][record["repetitions"].index(repetition)] = value
        return record

    def _score(
        self, task: str, features: list[int], repetitions: list[int]
    ) -> tuple[Scores, float]:
        """Scores of a selection and the seconds that they took, none if they were known."""
        key = (task, tuple(features), tuple(repetitions))
        if key in self._known:
            return self._known[key], 0.0
        assert self.scorer is not None
        self._known[key] = self.scorer.score(task, features, repetitions)
        return self._known[key], self._known[key].seconds
