"""What the figures read from the results, and the reasons when there is nothing to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from blufs.analysis.figures.style import NoDataError
from blufs.analysis.results import BASELINE, CHOICE_LABELS, METRIC_LABELS, Results, Suite


def frame(results: Results, name: str) -> pd.DataFrame:
    """The rows of a result file that are ``ok``."""
    try:
        rows: pd.DataFrame = getattr(results, name)
    except FileNotFoundError as error:
        raise NoDataError(f"The suite has no file {name}.parquet.") from error
    if rows.empty:
        raise NoDataError(f"{name}.parquet holds no rows.")
    succeeded = rows[rows["status"] == "ok"]
    if succeeded.empty:
        counts = ", ".join(f"{n} {status}" for status, n in rows["status"].value_counts().items())
        raise NoDataError(f"No row of {name}.parquet is ok ({counts}).")
    return succeeded


def scores(results: Results, suite: Suite, metric: str, choice: str) -> pd.DataFrame:
    """Final evaluations of the compared methods under one metric and one choice."""
    rows = frame(results, "results")
    rows = rows[
        (rows["metric"] == metric)
        & (rows["choice"] == choice)
        & rows["method"].isin(list(suite.methods))
    ]
    if rows.empty:
        raise NoDataError(
            f"No {METRIC_LABELS[metric]} was measured under: {CHOICE_LABELS[choice].lower()}."
        )
    return rows


def selections(
    results: Results, methods: Sequence[str], choice: str = "oracle", metric: str = "acc"
) -> pd.DataFrame:
    """What the methods selected: one row per dataset, method and s (the first fit seed)."""
    rows = frame(results, "selections")
    rows = rows[rows["method"].isin(list(methods)) & (rows["choice"] == choice)]
    # Choices without labels are the same for every metric and may be stored once.
    rows = rows.sort_values(
        by="metric", key=lambda column: column != metric, kind="stable"
    ).sort_values("fit_seed", kind="stable")
    rows = rows.drop_duplicates(["dataset", "method", "s"])
    if rows.empty:
        raise NoDataError(f"No selection of {', '.join(methods)} is stored.")
    return rows


def present(names: Sequence[str], column: Iterable[str]) -> list[str]:
    """The names that occur in the column, in the order given."""
    found = set(column)
    return [name for name in names if name in found]


def selecting(methods: Sequence[str]) -> list[str]:
    """The methods that select anything: all but the baseline."""
    return [method for method in methods if method != BASELINE]


def settings(text: str) -> dict[str, Any]:
    """Parameters from their JSON."""
    return json.loads(text)
