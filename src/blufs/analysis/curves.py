"""Scores against the number of features, and their mean height as one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from blufs.analysis.gains import area_under_curve
from blufs.analysis.summaries import KEY
from blufs.results.suite import SuiteResults
from blufs.results.vocabulary import ALL_FEATURES


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
    matrix = pd.DataFrame(np.nan, index=list(datasets), columns=list(methods))
    s_values = s_of_datasets(curves)
    chosen = curves[(curves["metric"] == metric) & (curves["choice"] == choice)]
    for key, curve in chosen.groupby(["dataset", "method"]):
        dataset, method = map(str, key)
        if dataset not in matrix.index or method not in matrix.columns:
            continue
        whole = method == ALL_FEATURES or len(curve) == len(s_values.get(dataset, []))
        if whole:
            matrix.loc[dataset, method] = area_under_curve(list(curve["s"]), list(curve["mean"]))
    return matrix
