"""One mean per dataset, method, choice and metric: what the tables and tests are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd

from blufs_bench.compare.statistics import bootstrap_interval
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METRICS

KEY = ["dataset", "method", "choice", "metric"]
_DESCRIPTION = ["s", "n_settings", "setting", "status", "reason"]
_NUMBERS = ["mean", "std", "low", "high"]


def chosen_scores(
    results: SuiteResults,
    suite: Suite,
    *,
    s: int | None = None,
    metrics: Iterable[str] | None = None,
    choices: Iterable[str] = CHOICES,
) -> pd.DataFrame:
    """Mean, standard deviation and interval of every score, at the s that the choice reports.

    Parameters
    ----------
    s : take this number of features instead of the reported one
    metrics : which of them, by default those that were measured; or label-free criteria
    choices : which of them

    Returns
    -------
    frame with a row for every compared dataset (with labels, where the metric needs them), method
    (variants of the ablation included), choice and metric, in this order: the key, s, mean, std (of
    a sample), low and high (95 % bootstrap interval of the mean), n (repetitions), n_settings,
    setting, status, reason. What has not a single row in the results has status ``missing``.
    """
    metrics = measured_metrics(results) if metrics is None else list(metrics)
    expected = _expected(results, suite, metrics, list(choices))
    rows = results.scores
    wanted = [rows[name].isin(expected.unique(name)) for name in ("dataset", "choice", "metric")]
    rows = rows[np.logical_and.reduce(wanted)].sort_values([*KEY, "repetition"], kind="stable")
    reported = rows[rows["is_reported_s"] if s is None else rows["s"] == s]
    # What describes a score: a failure at its s, else its s, else a failure at any other s.
    sources = [_failed(reported), reported, _failed(rows)]
    scores = pd.concat([source.groupby(KEY)[_DESCRIPTION].first() for source in sources])
    scores = scores[~scores.index.duplicated()].reindex(expected)
    never = scores["status"].isna()
    scores.loc[never, ["status", "reason", "setting"]] = ["missing", "no row in the results", ""]
    scores = scores.join(_summary(reported[reported["status"] == "ok"]))
    scores.loc[scores["status"] != "ok", _NUMBERS] = np.nan
    scores[["n", "n_settings"]] = scores[["n", "n_settings"]].fillna(0)
    scores = scores.astype(dict.fromkeys(("s", "n", "n_settings"), "Int64"))
    return scores.reset_index()[[*KEY, "s", *_NUMBERS, "n", *_DESCRIPTION[1:]]]


def _failed(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["status"] != "ok"]


def _expected(
    results: SuiteResults, suite: Suite, metrics: list[str], choices: list[str]
) -> pd.MultiIndex:
    """Keys of all scores that a suite should have, in the order of the tables."""
    by_labels = set(metrics) <= set(METRICS)
    names = (
        labelled_datasets(results, suite)
        if by_labels
        else results.compared_datasets(suite.datasets)
    )
    methods = list(dict.fromkeys([*suite.methods, *suite.ablation]))
    keys = list(product(names, methods, choices, metrics))
    return pd.MultiIndex.from_frame(pd.DataFrame(keys, columns=KEY))


def measured_metrics(results: SuiteResults, datasets: Sequence[str] | None = None) -> list[str]:
    """The metrics that occur in the scores (of some datasets): a suite need not ask for all."""
    scores = results.scores
    rows = scores if datasets is None else scores[scores["dataset"].isin(list(datasets))]
    found = set(rows["metric"].unique())
    return [metric for metric in METRICS if metric in found]


def labelled_datasets(results: SuiteResults, suite: Suite) -> list[str]:
    """The compared datasets on which methods can be judged by the classes."""
    return results.compared_datasets([d for d in suite.datasets if results.is_labelled(d)])


def _summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers of every key; its rows lie together, in the order of the repetitions."""
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
    scores: pd.DataFrame, metric: str, choice: str, methods: Sequence[str]
) -> pd.DataFrame:
    """Mean scores of shape (datasets, methods), NaN where there is none."""
    chosen = scores[(scores["metric"] == metric) & (scores["choice"] == choice)]
    datasets = list(dict.fromkeys(chosen["dataset"]))
    matrix = chosen.pivot(index="dataset", columns="method", values="mean")
    return matrix.reindex(index=datasets, columns=list(methods)).rename_axis(
        index=None, columns=None
    )
