"""One cell per dataset, method, choice and metric: what the tables and tests are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from blufs.analysis.statistics import bootstrap_interval
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import CHOICES, METRICS

KEY = ["dataset", "method", "choice", "metric"]
_DESCRIPTION = ["s", "n_settings", "setting", "status", "reason"]
_NUMBERS = ["mean", "std", "low", "high"]


def chosen_scores(results: SuiteResults, suite: Suite, *, s: int | None = None) -> pd.DataFrame:
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
    rows = results.scores.sort_values([*KEY, "repetition"], kind="stable")
    proposed = rows[rows["is_reported_s"] if s is None else rows["s"] == s]
    # What describes a cell: a failure at its s, else its s, else a failure at any other s.
    sources = [_failed(proposed), proposed, _failed(rows)]
    cells = pd.concat([source.groupby(KEY)[_DESCRIPTION].first() for source in sources])
    cells = cells[~cells.index.duplicated()].reindex(_expected(results, suite))
    never = cells["status"].isna()
    cells.loc[never, ["status", "reason", "setting"]] = ["missing", "no row in the results", ""]
    cells = cells.join(_summary(proposed[proposed["status"] == "ok"]))
    cells.loc[cells["status"] != "ok", _NUMBERS] = np.nan
    cells[["n", "n_settings"]] = cells[["n", "n_settings"]].fillna(0)
    cells = cells.astype(dict.fromkeys(("s", "n", "n_settings"), "Int64"))
    return cells.reset_index()[[*KEY, "s", *_NUMBERS, "n", *_DESCRIPTION[1:]]]


def _failed(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["status"] != "ok"]


def _expected(results: SuiteResults, suite: Suite) -> pd.MultiIndex:
    """Keys of all cells that a suite should have, in the order of the tables."""
    return pd.MultiIndex.from_product(
        [
            results.compared_datasets(suite.datasets),
            list(dict.fromkeys([*suite.methods, *suite.ablation])),
            list(CHOICES),
            list(METRICS),
        ],
        names=KEY,
    )


def _summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers of every cell; rows of a cell lie together, in the order of the seeds."""
    values = rows.groupby(KEY)["value"]
    summary = values.agg(["mean", "std", "size"]).rename(columns={"size": "n"})
    counts = values.transform("size")
    for n in counts.unique():
        alike = rows[counts == n]
        low, high = bootstrap_interval(alike["value"].to_numpy(dtype=float).reshape(-1, n))
        keys = pd.MultiIndex.from_frame(alike[KEY].iloc[::n])
        summary.loc[keys, "low"] = low
        summary.loc[keys, "high"] = high
    return summary.reindex(columns=[*_NUMBERS, "n"])


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
