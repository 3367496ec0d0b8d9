"""Scores against the number of features, and their mean height as one number."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from blufs_bench.compare.summaries import KEY
from blufs_bench.results.suite import SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES


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
