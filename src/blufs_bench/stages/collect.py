"""Stage "collect": the records of all jobs as a few tidy Parquet tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from blufs_bench.results.records import Record
from blufs_bench.results.vocabulary import CHOICES


def score_rows(scores: Sequence[Record]) -> list[Record]:
    """One row per repetition, for the table ``results``."""
    reported = _reported_s(scores)
    rows = []
    for score in scores:
        group = (score["dataset"], score["method"], score["choice"], score["metric"])
        count = len(score["repetitions"])
        rows += [
            {
                **score,
                "repetition": repetition,
                "fit_seed": fit_seed,
                "value": value,
                "is_reported_s": score["s"] == reported[group],
                "evaluation_seconds": score["evaluation_seconds"] / count,
            }
            for repetition, fit_seed, value in zip(
                score["repetitions"], score["fit_seeds"], score["values"], strict=True
            )
        ]
    return rows


def _reported_s(scores: Iterable[Record]) -> dict[tuple[str, str, str, str], int | None]:
    """The s that stands for each (dataset, method, choice, metric) in the tables.

    An oracle takes the s with the best mean, the others the largest.
    """
    values: dict[tuple, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        group = (score["dataset"], score["method"], score["choice"], score["metric"])
        values[group][score["s"]] += [value for value in score["values"] if value is not None]
    reported: dict[tuple[str, str, str, str], int | None] = {}
    for group, by_s in values.items():
        ran = {s: known for s, known in by_s.items() if known}
        if CHOICES[group[2]].uses_labels and ran:
            reported[group] = max(ran, key=lambda s: (sum(ran[s]) / len(ran[s]), -s))
        else:
            reported[group] = max(ran or by_s, key=lambda s: s or 0)
    return reported


def scored_selections(scores: Iterable[Record], selections: Iterable[Record]) -> list[Record]:
    """The selections that a score points to, each once, for the table ``selections``."""
    wanted = {(*_key(score), fit_seed) for score in scores for fit_seed in score["fit_seeds"]}
    return [
        selection for selection in selections if (*_key(selection), selection["fit_seed"]) in wanted
    ]


def _key(record: Record) -> tuple:
    return record["dataset"], record["method"], record["setting"], record["s"]
