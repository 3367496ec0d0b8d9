"""What the figures read from the results, and the reasons when there is nothing to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from blufs.analysis.figures.style import NoDataError
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import ALL_FEATURES, CHOICES, METRICS


def frame(results: SuiteResults, name: str) -> pd.DataFrame:
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


def scores(results: SuiteResults, suite: Suite, metric: str, choice: str) -> pd.DataFrame:
    """Final evaluations of the compared methods under one metric and one choice."""
    rows = frame(results, "scores")
    rows = rows[
        (rows["metric"] == metric)
        & (rows["choice"] == choice)
        & rows["method"].isin(list(suite.methods))
    ]
    if rows.empty:
        raise NoDataError(
            f"No {METRICS[metric].short} was measured under: {CHOICES[choice].title.lower()}."
        )
    return rows


def selections(
    results: SuiteResults,
    methods: Sequence[str],
    choice: str = "oracle",
    metric: str = "clustering_acc",
) -> pd.DataFrame:
    """What the methods selected: one row per dataset, method and s (the first fit seed)."""
    frame(results, "selections")  # says what is wrong if there is nothing at all
    rows = results.chosen_selections()
    rows = rows[
        (rows["status"] == "ok")
        & rows["method"].isin(list(methods))
        & (rows["choice"] == choice)
        & (rows["metric"] == metric)
    ].sort_values("fit_seed", kind="stable")
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
    return [method for method in methods if method != ALL_FEATURES]


def settings(text: str) -> dict[str, Any]:
    """Parameters from their JSON."""
    return json.loads(text)
