"""One cell per dataset, method, choice and metric: what the tables and tests are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from blufs.analysis.results import CHOICES, METRIC_LABELS, Results, Suite
from blufs.analysis.statistics import bootstrap_interval

KEY = ["dataset", "method", "choice", "metric"]


def final_cells(results: Results, suite: Suite, *, s: int | None = None) -> pd.DataFrame:
    """Mean, standard deviation and interval of every cell, at the s that the choice proposes.

    Parameters
    ----------
    s : take this number of features instead of the proposed one

    Returns
    -------
    frame with a row for every compared dataset, method (variants of the ablation included), choice
    and metric, in this order: the key, s, mean, std (of a sample), low and high (95 % bootstrap
    interval of the mean), n (repetitions), n_settings, settings, status, reason. A cell without
    a single row in the results has status ``missing``.
    """
    rows = results.results
    groups = _groups(rows[rows["status"] != "ok"])
    groups |= _groups(rows[rows["picked"] if s is None else rows["s"] == s])
    names = [
        (dataset, method, choice, metric)
        for dataset in results.compared_datasets(suite.datasets)
        for method in dict.fromkeys([*suite.methods, *suite.ablation])
        for choice in CHOICES
        for metric in METRIC_LABELS
    ]
    cells = pd.DataFrame(
        [dict(zip(KEY, name, strict=True)) | _summary(groups.get(name)) for name in names]
    )
    cells = _with_intervals(cells, groups)
    return cells.astype(dict.fromkeys(("s", "n", "n_settings"), "Int64"))


def _groups(rows: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    return dict(list(rows.groupby(KEY, sort=False, observed=True)))


def _summary(rows: pd.DataFrame | None) -> dict[str, Any]:
    nothing = dict.fromkeys(("mean", "std", "low", "high"), np.nan)
    if rows is None:
        outcome = {"status": "missing", "reason": "no row in the results"}
        return {"s": np.nan, **nothing, "n": 0, "n_settings": 0, "settings": "", **outcome}
    failed = rows[rows["status"] != "ok"]
    first = failed.iloc[0] if len(failed) else rows.iloc[0]
    if not len(failed):
        values = rows["value"].to_numpy(dtype=float)
        nothing["mean"] = float(values.mean())
        nothing["std"] = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    kept = ("n_settings", "settings", "status", "reason")
    n = len(rows) - len(failed)
    return {"s": first["s"], **nothing, "n": n, **{key: first[key] for key in kept}}


def _with_intervals(cells: pd.DataFrame, groups: dict[Any, pd.DataFrame]) -> pd.DataFrame:
    """Fill low and high, for all cells with the same number of repetitions at once."""
    ran = cells[cells["status"] == "ok"]
    for _, alike in ran.groupby("n"):
        keys = alike[KEY].itertuples(index=False, name=None)
        values = [groups[key].sort_values("seed")["value"].to_numpy(dtype=float) for key in keys]
        low, high = bootstrap_interval(np.array(values))
        cells.loc[alike.index, "low"] = low
        cells.loc[alike.index, "high"] = high
    return cells


def score_matrix(
    cells: pd.DataFrame, metric: str, choice: str, methods: Sequence[str]
) -> pd.DataFrame:
    """Mean scores of shape (datasets, methods), NaN where a cell did not run."""
    chosen = cells[(cells["metric"] == metric) & (cells["choice"] == choice)]
    datasets = list(dict.fromkeys(chosen["dataset"]))
    matrix = chosen.pivot(index="dataset", columns="method", values="mean")
    return matrix.reindex(index=datasets, columns=list(methods)).rename_axis(
        index=None, columns=None
    )
