"""Datasets x methods of anything that is computed from the rows of a dataset and a method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES
from blufs_bench.show.tables.table import (
    PLAIN,
    Block,
    Cell,
    Row,
    by_dataset,
    mark_row,
    row_kind,
    tuples,
    words,
)

#: Columns that every matrix has in its tidy form.
COLUMNS = ["dataset", "method", "s", "mean", "n", "status", "reason"]


def of_selecting_methods(rows: pd.DataFrame, suite: Suite) -> pd.DataFrame:
    """Rows of the compared methods that select something, on the datasets of the suite."""
    return rows[rows["method"].isin(suite.ranked_methods) & rows["dataset"].isin(suite.datasets)]


def largest_s(rows: pd.DataFrame) -> pd.DataFrame:
    """For every dataset and method the rows with the most features, or with none at all."""
    largest = rows.groupby(["dataset", "method"])["s"].transform("max")
    return rows[(rows["s"] == largest) | largest.isna()]


def aggregate(
    rows: pd.DataFrame,
    suite: Suite,
    summary: Callable[[pd.DataFrame], dict[str, Any]],
    more: Sequence[str] = (),
) -> pd.DataFrame:
    """One row per dataset and method that occur: ``summary``, or the status if it failed.

    ``more`` names what ``summary`` returns beside ``mean`` and ``n``.
    """
    key = ["dataset", "method"]
    groups = dict(list(rows.groupby(key, sort=False)))
    failures = {
        (first.dataset, first.method): first
        for first in tuples(rows[rows["status"] != "ok"].drop_duplicates(key))
    }
    datasets, methods = ({key[level] for key in groups} for level in (0, 1))
    found = []
    for dataset in (name for name in suite.datasets if name in datasets):
        for method in (name for name in suite.ranked_methods if name in methods):
            row: dict[str, Any] = {"dataset": dataset, "method": method, "mean": np.nan}
            group = groups.get((dataset, method))
            if group is None:
                row |= {"status": "missing", "reason": "no row in the results"}
            else:
                failure = failures.get((dataset, method))
                row["s"] = group["s"].iloc[0]
                row["status"] = failure.status if failure else "ok"
                row["reason"] = failure.reason if failure else ""
                row |= {} if failure else summary(group)
            found.append(row)
    table = pd.DataFrame(found, columns=[*COLUMNS, *more])
    return table.astype({"s": "Int64", "n": "Int64", "mean": float})


def marked(summaries: pd.DataFrame, *, larger_is_better: bool = False) -> pd.DataFrame:
    """The rows with the best and second best of each dataset in ``mark``.

    The method that keeps all features does not compete.
    """
    summaries = summaries.assign(mark=PLAIN)
    for _, group in by_dataset(summaries):
        competing = group["mean"].where(group["method"] != ALL_FEATURES)
        marks = mark_row(list(competing), larger_is_better=larger_is_better)
        summaries.loc[group.index, "mark"] = marks
    return summaries


def matrix(
    results: SuiteResults,
    suite: Suite,
    summaries: pd.DataFrame,
    text: Callable[[Any], str],
    title: str = "",
) -> Block:
    """The block datasets x methods of marked summaries."""
    rows = [
        Row(
            [*words(results.dataset_title(dataset)), *(value_cell(c, text) for c in tuples(group))],
            row_kind(group["status"]),
        )
        for dataset, group in by_dataset(summaries)
    ]
    methods = [suite.title(method) for method in dict.fromkeys(summaries["method"])]
    return Block(["Dataset", *methods], rows, title)


def value_cell(cell: Any, text: Callable[[Any], str]) -> Cell:
    """The cell of one dataset and method, or why it has no value."""
    if cell.status != "ok":
        return Cell(f"n/a ({cell.status})")
    if not np.isfinite(cell.mean):
        return Cell("n/a (undefined)")
    return Cell(text(cell), float(cell.mean), cell.mark)


def three_digits(cell: Any) -> str:
    return f"{cell.mean:.3f}"
