"""What is measured of the selections beside their scores: stability, redundancy and seconds.

Each is one number per dataset and method, computed from the rows of a result table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.means import chosen_scores
from blufs_bench.compare.selections import (
    TYPICAL_S,
    kuncheva_index,
    nogueira_index,
    redundancy,
    selections_of_choice,
)
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, CRITERIA

#: Columns of every frame that :func:`aggregate` makes.
COLUMNS = ["dataset", "method", "s", "mean", "n", "status", "reason"]
#: Choices that a user without labels can make.
FREE_CHOICES = [key for key, choice in CHOICES.items() if not choice.uses_labels]


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
    first_failures = rows[rows["status"] != "ok"].drop_duplicates(key).itertuples(index=False)
    failures: dict[tuple, Any] = {(row.dataset, row.method): row for row in first_failures}
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


def criterion_scores(results: SuiteResults, suite: Suite) -> pd.DataFrame:
    """The label-free criteria at the s that each choice without labels reports."""
    return chosen_scores(results, suite, metrics=CRITERIA, choices=FREE_CHOICES)


def stabilities(results: SuiteResults, suite: Suite, *, every_s: bool = False) -> pd.DataFrame:
    """Nogueira's index (``mean``) and Kuncheva's of the selections on resampled data.

    At the largest s of every dataset and method, or at every s.
    """

    def summary(rows: pd.DataFrame) -> dict[str, Any]:
        sets = [list(features) for features in rows["features"]]
        d = results.cards[rows["dataset"].iloc[0]]["n_features"]
        indices = {"mean": nogueira_index(sets, d), "kuncheva": kuncheva_index(sets, d)}
        return indices | {"n": len(sets)}

    rows = of_selecting_methods(results.stability, suite)
    if not every_s:
        return aggregate(largest_s(rows), suite, summary, ["kuncheva"])
    return _at_every_s(rows, lambda group: aggregate(group, suite, summary, ["kuncheva"]))


def fit_times(results: SuiteResults, suite: Suite) -> pd.DataFrame:
    """Mean and deviation of the seconds of a fit at the largest s, and its threads."""

    def summary(rows: pd.DataFrame) -> dict[str, Any]:
        seconds, threads = rows["seconds"], rows["threads"].iloc[0]
        numbers = {"mean": seconds.mean(), "std": seconds.std(ddof=1)}
        return numbers | {"n": len(rows), "threads": threads}

    rows = largest_s(of_selecting_methods(results.timing, suite))
    return aggregate(rows, suite, summary, ["std", "threads"])


def redundancies(
    results: SuiteResults, suite: Suite, choices: Sequence[str], *, every_s: bool = True
) -> dict[str, pd.DataFrame]:
    """Choice -> mean absolute correlation of the selected features of every dataset and method.

    At every s, or at the typical one alone.
    """
    measure = _redundancy_of(results)

    def summary(group: pd.DataFrame) -> dict[str, Any]:
        values = [measure(row) for row in group.itertuples()]
        return {"mean": float(np.mean(values)), "n": len(values)}

    found = {}
    for choice in choices:
        rows = of_selecting_methods(selections_of_choice(results, choice), suite)
        rows = rows[rows["dataset"].isin(results.compared_datasets(suite.datasets))]
        rows = rows if every_s else rows[_has_typical_s(rows)]
        found[choice] = _at_every_s(rows, lambda group: aggregate(group, suite, summary))
    return found


def _redundancy_of(results: SuiteResults) -> Callable[[Any], float]:
    """Redundancy of a row of the selections: as it is stored, where a kept run has the number but
    not the data, else measured. Choices share selections, each of which is measured once."""
    data = cache(lambda name: results.data(name)[0])
    measure = cache(lambda dataset, features: redundancy(data(dataset), features))

    def of(row: Any) -> float:
        if hasattr(row, "redundancy"):
            return row.redundancy
        return measure(row.dataset, tuple(sorted(row.features)))

    return of


def measured_redundancy(results: SuiteResults) -> list[float | None]:
    """Redundancy of every row of the selections that a choice picked; None for the others."""
    key = ["dataset", "method", "setting", "s", "fit_seed"]
    chosen = pd.concat([selections_of_choice(results, choice)[key] for choice in CHOICES])
    picked = set(chosen.itertuples(index=False, name=None))
    measure = _redundancy_of(results)
    return [
        measure(row)
        if row.status == "ok" and tuple(getattr(row, name) for name in key) in picked
        else None
        for row in results.selections.itertuples()
    ]


def _at_every_s(rows: pd.DataFrame, make: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    parts = [make(group) for _, group in rows.groupby("s", dropna=False)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def near_typical_s(rows: pd.DataFrame) -> pd.DataFrame:
    """For every dataset the rows whose s is nearest to the typical one, in the same order."""
    order = list(dict.fromkeys(rows["dataset"]))
    kept = rows[_has_typical_s(rows)].drop_duplicates(["dataset", "method"])
    return kept.sort_values("dataset", key=lambda names: names.map(order.index), kind="stable")


def _has_typical_s(rows: pd.DataFrame) -> pd.Series:
    distance = (rows["s"] - TYPICAL_S).abs().astype(float).fillna(np.inf)
    return distance == distance.groupby(rows["dataset"]).transform("min")
