"""Stage "collect": the records of all jobs as a few tidy Parquet tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blufs_bench.results.records import Record
from blufs_bench.stages.choose import reported_s


def score_rows(scores: Sequence[Record]) -> list[Record]:
    """One row per repetition, for the table ``results``."""
    reported = reported_s(scores)
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


def scored_selections(scores: Iterable[Record], selections: Iterable[Record]) -> list[Record]:
    """The selections that a score points to, each once, for the table ``selections``."""
    wanted = {(*_key(score), fit_seed) for score in scores for fit_seed in score["fit_seeds"]}
    return [
        selection for selection in selections if (*_key(selection), selection["fit_seed"]) in wanted
    ]


def _key(record: Record) -> tuple:
    return record["dataset"], record["method"], record["setting"], record["s"]
