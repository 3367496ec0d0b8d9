"""What the figures read from the results, and the reasons when there is nothing to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from blufs_bench.compare.selections import selections_of_choice
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METRICS
from blufs_bench.show.figures.style import NoDataError

#: The bi-level method with the l2,1-norm that the paper compares with.
RIVAL = "BLSFS"


def frame(results: SuiteResults, name: str) -> pd.DataFrame:
    """The rows of a result table that are ``ok``."""
    try:
        rows: pd.DataFrame = getattr(results, name)
    except (KeyError, FileNotFoundError) as error:
        raise NoDataError(f"The suite has no table of {name}.") from error
    if rows.empty:
        raise NoDataError(f"The suite's table of {name} has no rows.")
    succeeded = rows[rows["status"] == "ok"]
    if succeeded.empty:
        counts = ", ".join(f"{n} {status}" for status, n in rows["status"].value_counts().items())
        raise NoDataError(f"No row in the table of {name} is ok ({counts}).")
    return succeeded


def scores(results: SuiteResults, suite: Suite, metric: str, choice: str) -> pd.DataFrame:
    """Final evaluations of the compared methods under one metric and one choice."""
    rows = frame(results, "scores")
    rows = rows[
        (rows["metric"] == metric)
        & (rows["choice"] == choice)
        & rows["method"].isin(list(suite.methods))
        & rows["dataset"].isin(list(suite.datasets))
    ]
    if rows.empty:
        raise NoDataError(
            f"No {METRICS[metric].short} was measured under: {CHOICES[choice].title.lower()}."
        )
    return rows


def selections(results: SuiteResults, methods: Sequence[str], choice: str) -> pd.DataFrame:
    """What the methods selected: one row per dataset, method and s (the first fit seed)."""
    frame(results, "selections")  # says what is wrong if there is nothing at all
    rows = selections_of_choice(results, choice)
    rows = rows[(rows["status"] == "ok") & rows["method"].isin(list(methods))]
    rows = rows.sort_values("fit_seed", kind="stable").drop_duplicates(["dataset", "method", "s"])
    if rows.empty:
        raise NoDataError(f"No selection of {', '.join(methods) or 'any method'} is stored.")
    return rows


def shown_selections(results: SuiteResults, methods: Sequence[str]) -> pd.DataFrame:
    """The oracle's selections, or those of the default setting where the data have no labels."""
    parts: list[pd.DataFrame] = []
    for choice, labelled in (("oracle", True), ("default", False)):
        try:
            rows = selections(results, methods, choice)
        except NoDataError:
            if choice == "default" and not parts:
                raise
            continue
        kept = [results.is_labelled(name) == labelled for name in rows["dataset"]]
        parts.append(rows[kept])
    return pd.concat(parts, ignore_index=True)


def present(names: Sequence[str], column: Iterable[str]) -> list[str]:
    """The names that occur in the column, in the order given."""
    found = set(column)
    return [name for name in names if name in found]


def settings(text: str) -> dict[str, Any]:
    """Parameters from their JSON."""
    return json.loads(text)
