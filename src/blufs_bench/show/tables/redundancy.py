"""How much the selected features repeat each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.selections import TYPICAL_S, redundancy, selections_of_choice
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES
from blufs_bench.show.tables.matrix import (
    COLUMNS,
    aggregate,
    marked,
    matrix,
    of_selecting_methods,
    three_digits,
)
from blufs_bench.show.tables.table import Table, nothing

_CAPTION = "Redundancy: mean absolute correlation of the selected features"


def redundancies(results: SuiteResults, suite: Suite) -> Table:
    """Mean absolute correlation of the selected features, for every choice and s."""
    tidy, blocks = [], []
    measure = _measure(results)
    for choice in CHOICES:
        every = correlations(_selections(results, suite, choice), suite, measure)
        if every.empty:
            continue
        tidy.append(every.assign(choice=choice))
        shown = marked(near_typical_s(every))
        blocks.append(matrix(results, suite, shown, three_digits, CHOICES[choice].title))
    if not tidy:
        why = "No method of this suite has a selection"
        return nothing("redundancy", _CAPTION, [*COLUMNS, "choice"], why)
    notes = [
        f"{TYPICAL_S} features or the nearest number tried on the dataset; an oracle is the one "
        "for ACC; 0 is uncorrelated",
        "Lowest in bold, second underlined",
    ]
    whole = pd.concat(tidy, ignore_index=True).rename(columns={"mean": "redundancy"})
    return Table("redundancy", _CAPTION, whole, blocks, notes)


def _measure(results: SuiteResults) -> Callable[[str, tuple[int, ...]], float]:
    """Redundancy of a dataset's features; choices share selections, which are measured once."""
    data = cache(lambda name: results.data(name)[0])
    return cache(lambda dataset, features: redundancy(data(dataset), features))


def typical_correlations(results: SuiteResults, suite: Suite, choice: str) -> pd.DataFrame:
    """Redundancy of every dataset and method under one choice, at the typical s."""
    rows = _selections(results, suite, choice)
    return near_typical_s(correlations(rows[_has_typical_s(rows)], suite, _measure(results)))


def _selections(results: SuiteResults, suite: Suite, choice: str) -> pd.DataFrame:
    rows = of_selecting_methods(selections_of_choice(results, choice), suite)
    return rows[rows["dataset"].isin(results.compared_datasets(suite.datasets))]


def correlations(
    rows: pd.DataFrame, suite: Suite, measure: Callable[[str, tuple[int, ...]], float]
) -> pd.DataFrame:
    """Redundancy of every dataset, method and s that occur in the rows."""

    def summary(group: pd.DataFrame) -> dict[str, Any]:
        dataset = group["dataset"].iloc[0]
        values = [measure(dataset, tuple(sorted(features))) for features in group["features"]]
        return {"mean": float(np.mean(values)), "n": len(values)}

    rows = rows[["dataset", "method", "s", "status", "reason", "features"]]
    parts = [aggregate(group, suite, summary) for _, group in rows.groupby("s", dropna=False)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def near_typical_s(rows: pd.DataFrame) -> pd.DataFrame:
    """For every dataset the rows whose s is nearest to the typical one, in the same order."""
    order = list(dict.fromkeys(rows["dataset"]))
    kept = rows[_has_typical_s(rows)].drop_duplicates(["dataset", "method"])
    return kept.sort_values("dataset", key=lambda names: names.map(order.index), kind="stable")


def _has_typical_s(rows: pd.DataFrame) -> pd.Series:
    distance = (rows["s"] - TYPICAL_S).abs().astype(float).fillna(np.inf)
    return distance == distance.groupby(rows["dataset"]).transform("min")
