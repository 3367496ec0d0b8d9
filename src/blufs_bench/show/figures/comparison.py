"""Methods against each other, and their score against their time."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from blufs_bench.compare.comparison import compared, pairs, standings
from blufs_bench.compare.views import EVERYWHERE, ViewKey, Views, counted, fit_seconds, metric_words
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    METHOD_UNDER_STUDY,
    RANDOM_FEATURES,
)
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import NoDataError, method_styles, new_figure
from blufs_bench.show.tables.table import tuples


def _first_view(results: SuiteResults, suite: Suite) -> tuple[Views, ViewKey]:
    """The first metric with the default setting, at the reported s, over all datasets."""
    frames.frame(results, "scores")
    views = Views(results, suite)
    if not views.metrics or "default" not in views.choices:
        raise NoDataError("No score of a default setting was measured.")
    return views, ViewKey(views.metrics[0], "default", "reported")


def multi_comparison(results: SuiteResults, suite: Suite) -> tuple[Figure, Axes]:
    """Mean difference, wins / ties / losses and p-value of every pair, as coloured squares."""
    views, key = _first_view(results, suite)
    matrix = views.matrix(key)
    found = pairs(matrix)
    if found.empty:
        raise NoDataError("No two methods have scores on the same dataset.")
    order = [name for name in standings(matrix).index if name in set(found["method"])]
    gap = found.pivot(index="method", columns="other", values="difference").reindex(order)[order]
    size = 1.6 + 0.62 * len(order)
    figure = new_figure(size + 0.6, size)
    axes = figure.subplots()
    limit = float(np.nanmax(np.abs(gap.to_numpy()))) or 1.0
    axes.imshow(gap.to_numpy(), cmap="RdBu", vmin=-1.6 * limit, vmax=1.6 * limit)
    for row in tuples(found):
        p_value = "" if np.isnan(row.p_value) else f"\n{row.p_value:.2g}"
        distinct = row.p_value < suite.significance_level
        axes.text(
            *(order.index(row.other), order.index(row.method)),
            f"{row.difference:+.1f}\n{row.wins}/{row.ties}/{row.losses}{p_value}",
            ha="center",
            va="center",
            fontsize="x-small",
            weight="bold" if distinct else "normal",
        )
    names = [suite.title(method) for method in order]
    axes.set_xticks(range(len(order)), names, rotation=90)
    axes.set_yticks(range(len(order)), names)
    axes.xaxis.tick_top()
    axes.grid(visible=False)
    _, short = metric_words(key.metric)
    datasets = counted(len(compared(matrix).scores), "dataset")
    axes.set_xlabel(f"{short}, {CHOICES[key.choice].title.lower()}, {datasets}")
    return figure, axes


def pareto(scores: pd.Series, seconds: pd.Series) -> list[str]:
    """The methods that no other one beats in both, fastest first: faster and at least as good."""
    both = pd.DataFrame({"score": scores, "seconds": seconds}).dropna()
    both = both.sort_values(["seconds", "score"], ascending=[True, False], kind="stable")
    before = both["score"].cummax().shift(fill_value=-np.inf)
    return [str(name) for name in both.index[both["score"] > before]]


def score_time(results: SuiteResults, suite: Suite) -> tuple[Figure, Axes]:
    """Mean score against the median seconds of a selection, the Pareto front as a line."""
    views, key = _first_view(results, suite)
    table = standings(views.matrix(key))
    seconds = fit_seconds(results, views.domains[EVERYWHERE]).reindex(table.index)
    seconds = seconds.where(seconds > 0).drop([ALL_FEATURES, RANDOM_FEATURES], errors="ignore")
    mean = 100 * table["mean"]
    shown = seconds.dropna().index
    if shown.empty:
        raise NoDataError("No fit of a default setting has both a score and a time.")
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    front = pareto(mean[shown], seconds[shown])
    axes.plot(seconds[front], mean[front], color="#777777", linewidth=1.0, zorder=1, label="front")
    chosen = method_styles(suite)
    for method in shown:
        look = chosen[method].line | {"linestyle": "none", "markersize": 7}
        axes.plot([seconds[method]], [mean[method]], **look)
        axes.annotate(
            suite.title(method),
            (seconds[method], mean[method]),
            xytext=(5, 4),
            textcoords="offset points",
            fontsize="small",
            weight="bold" if method == METHOD_UNDER_STUDY else "normal",
        )
    for method, line in ((ALL_FEATURES, (0, (6, 3))), (RANDOM_FEATURES, (0, (1, 1)))):
        if method in mean.index:
            axes.axhline(mean[method], color="#777777", linestyle=line, linewidth=1.2)
            axes.annotate(
                suite.title(method),
                (1, mean[method]),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="bottom",
                fontsize="small",
                color="#555555",
            )
    axes.set_xscale("log")
    axes.set_xlabel("seconds of a selection (median over the datasets)")
    axes.set_ylabel(f"mean {metric_words(key.metric)[1]} in %, {CHOICES[key.choice].title.lower()}")
    return figure, axes
