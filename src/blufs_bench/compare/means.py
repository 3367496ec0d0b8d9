"""Means of the scores: at the s that is reported, at every s, and over all s; and times of fits.

Everything else that compares methods starts from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd

from blufs_bench.compare.selections import selections_of_choice
from blufs_bench.compare.tests import bootstrap_interval
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES, CHOICES, METRICS

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


def curve_scores(results: SuiteResults, metrics: Sequence[str]) -> pd.DataFrame:
    """Mean and standard deviation over the repetitions at every s, where a score is ok.

    Returns
    -------
    frame with dataset, method, choice, metric, s, mean, std
    """
    rows = results.scores
    rows = rows[(rows["status"] == "ok") & rows["metric"].isin(list(metrics))]
    values = rows.groupby([*KEY, "s"], sort=False)["value"]
    return values.agg(["mean", "std"]).reset_index()


def s_of_datasets(curves: pd.DataFrame) -> dict[str, list[int]]:
    """The numbers of features on which the methods of a dataset are compared."""
    selecting = curves[curves["method"] != ALL_FEATURES]
    return {
        str(dataset): sorted(int(s) for s in group["s"].unique())
        for dataset, group in selecting.groupby("dataset")
    }


def curve_areas(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean height of every curve of scores over s, by the trapezoidal rule.

    One number for all s, so that no s has to be picked: the area divided by the range of s. A curve
    of one point has its height.

    Returns
    -------
    frame with dataset, method, choice, metric, area and n (points)
    """
    curves = curves.sort_values([*KEY, "s"], kind="stable")
    by_curve = curves.groupby(KEY, sort=False)
    before = by_curve[["s", "mean"]].shift()
    strip = (curves["s"] - before["s"]) * (curves["mean"] + before["mean"]) / 2
    whole = by_curve.agg(
        first=("s", "first"), last=("s", "last"), height=("mean", "first"), n=("s", "size")
    )
    strips = strip.groupby([curves[name] for name in KEY], sort=False).sum()
    area = (strips / (whole["last"] - whole["first"])).where(whole["n"] > 1, whole["height"])
    return whole.assign(area=area).reset_index()[[*KEY, "area", "n"]]


def area_matrix(
    curves: pd.DataFrame,
    metric: str,
    choice: str,
    datasets: Sequence[str],
    methods: Sequence[str],
) -> pd.DataFrame:
    """Mean heights of the curves, shape (datasets, methods).

    NaN where a method lacks the score of any s of its dataset: a part of a curve does not compare.
    All features have one score, which stands for the whole line.
    """
    chosen = curves[(curves["metric"] == metric) & (curves["choice"] == choice)]
    areas = curve_areas(chosen)
    points = {dataset: len(s) for dataset, s in s_of_datasets(curves).items()}
    is_whole = (areas["method"] == ALL_FEATURES) | (areas["n"] == areas["dataset"].map(points))
    matrix = areas[is_whole].pivot(index="dataset", columns="method", values="area")
    return matrix.reindex(index=list(datasets), columns=list(methods)).rename_axis(
        index=None, columns=None
    )


def fit_seconds(results: SuiteResults, datasets: Sequence[str]) -> pd.Series:
    """Method -> seconds of a selection with the default setting: the median over the datasets.

    The time on a dataset is the median over its s and fit seeds.
    """
    rows = selections_of_choice(results, "default")
    rows = rows[(rows["status"] == "ok") & rows["dataset"].isin(list(datasets))]
    each = rows.groupby(["method", "dataset"])["fit_seconds"].median()
    return each.groupby("method").median()
