"""How stable the selections are when the samples change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from blufs_bench.compare.stability import kuncheva_index, nogueira_index
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.show.tables.matrix import (
    COLUMNS,
    aggregate,
    largest_s,
    marked,
    matrix,
    of_selecting_methods,
    three_digits,
)
from blufs_bench.show.tables.table import Table, nothing

_CAPTION = "Stability of the selection"
_MORE = ("kuncheva",)


def stability(results: SuiteResults, suite: Suite) -> Table:
    """Nogueira's and Kuncheva's index of the selections on resampled data."""
    rows = of_selecting_methods(results.stability, suite)
    if rows.empty:
        why = "This suite does not repeat selections on subsets of the samples"
        return nothing("stability", _CAPTION, [*COLUMNS, *_MORE], why)
    parts = [
        aggregate(group, suite, _of(results), _MORE) for _, group in rows.groupby("s", dropna=False)
    ]
    block = matrix(results, suite, indices(results, suite), three_digits)
    notes = [
        "Nogueira's index over the resamples at the largest number of features: 1 is always the "
        "same features, 0 is chance",
        "Best in bold, second underlined",
    ]
    tidy = pd.concat(parts, ignore_index=True).rename(columns={"mean": "nogueira"})
    return Table("stability", _CAPTION, tidy, [block], notes)


def indices(results: SuiteResults, suite: Suite) -> pd.DataFrame:
    """Nogueira's index of every dataset and method at its largest s, with marks."""
    rows = largest_s(of_selecting_methods(results.stability, suite))
    return marked(aggregate(rows, suite, _of(results), _MORE), larger_is_better=True)


def _of(results: SuiteResults) -> Callable[[pd.DataFrame], dict[str, Any]]:
    def summary(rows: pd.DataFrame) -> dict[str, Any]:
        sets = [list(features) for features in rows["features"]]
        n_features = results.cards[rows["dataset"].iloc[0]]["n_features"]
        return {
            "mean": nogueira_index(sets, n_features),
            "kuncheva": kuncheva_index(sets, n_features),
            "n": len(sets),
        }

    return summary
