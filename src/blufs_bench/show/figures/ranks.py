"""All methods over all datasets: ranks with their critical difference, and the averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scikit_posthocs
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from blufs_bench.compare import statistics
from blufs_bench.compare.summaries import chosen_scores, score_matrix
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES, CHOICES, METHOD_UNDER_STUDY, METRICS
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import NoDataError, choice_line, method_styles, new_figure


def _dots(choice: str) -> dict[str, Any]:
    """A choice in the overview: hollow if it looks at the labels, filled if a user can make it."""
    hollow = {"markerfacecolor": "white"} if CHOICES[choice].uses_labels else {}
    return choice_line(choice) | {"linestyle": "none", "markersize": 5} | hollow


def _complete_blocks(
    results: SuiteResults, suite: Suite, metric: str, choices: Sequence[str], methods: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Choice -> scores of shape (datasets, methods) without gaps, where there are any."""
    frames.frame(results, "scores")
    scores = chosen_scores(results, suite)
    blocks = {
        choice: statistics.complete_block(score_matrix(scores, metric, choice, methods)).scores
        for choice in choices
    }
    return {choice: block for choice, block in blocks.items() if block.size}


def critical_difference(
    results: SuiteResults,
    suite: Suite,
    *,
    metric: str = "clustering_acc",
    choices: tuple[str, ...] = ("oracle", "blind"),
) -> tuple[Figure, list[Axes]]:
    """Average ranks; methods that Nemenyi's test cannot tell apart are joined by a bar."""
    blocks = _complete_blocks(results, suite, metric, choices, suite.ranked_methods)
    compared = {
        choice: block
        for choice, block in blocks.items()
        if len(block) >= statistics.MIN_DATASETS and block.shape[1] >= statistics.MIN_METHODS
    }
    if not compared:
        raise NoDataError(
            f"Friedman's test needs {statistics.MIN_METHODS} methods with a score on "
            f"{statistics.MIN_DATASETS} datasets or more."
        )
    half = -(-max(block.shape[1] for block in compared.values()) // 2)
    figure = new_figure(7.2, len(compared) * (1.65 + 0.24 * half))
    panels = list(figure.subplots(len(compared), 1, squeeze=False).flat)
    for panel, (choice, block) in zip(panels, compared.items(), strict=True):
        _rank_diagram(panel, block, suite)
        title = f"{METRICS[metric].short}, {CHOICES[choice].title}"
        _describe(panel, block, suite.significance_level, title)
    return figure, panels


def _rank_diagram(panel: Axes, block: pd.DataFrame, suite: Suite) -> None:
    """Diagram of one score matrix with the critical difference above the axis."""
    chosen = method_styles(suite)
    labels = {method: suite.title(method) for method in block.columns}
    ranks = statistics.average_ranks(block).rename(labels)
    p_values = statistics.nemenyi(block).rename(index=labels, columns=labels)
    n, k = block.shape
    panel.grid(visible=False)
    panel.set_xlim(0.5, k + 0.5)
    drawn = scikit_posthocs.critical_difference_diagram(
        ranks,
        p_values,
        alpha=suite.significance_level,
        ax=panel,
        label_fmt_left="{label}  ({rank:.2f}) ",
        label_fmt_right=" ({rank:.2f})  {label}",
        color_palette={labels[method]: chosen[method].color for method in block.columns},
        elbow_props={"linewidth": 1.1},
        crossbar_props={"linewidth": 3, "color": "#444444"},
        text_h_margin=0.15,
    )
    for (bar,) in drawn["crossbars"]:
        # Its points come in the order of a set of names, which differs from run to run.
        bar.set_xdata(sorted(bar.get_xdata()))
    for text in drawn["labels"]:
        text.set_color("black")  # the colour of the line is too pale for text
        text.set_fontweight(
            "bold" if suite.title(METHOD_UNDER_STUDY) in text.get_text().split() else "normal"
        )
    panel.set_xticks(range(1, k + 1))
    difference = statistics.critical_difference(k, n, suite.significance_level)
    end = 1 + min(difference, k - 1)
    height = 1.9
    panel.plot([1, end], [height, height], color="black", linewidth=1.2, marker="|", markersize=7)
    more = "" if difference <= k - 1 else " (longer than the axis)"
    panel.text((1 + end) / 2, height + 0.25, f"CD = {difference:.2f}{more}", ha="center")


def _describe(panel: Axes, block: pd.DataFrame, alpha: float, title: str) -> None:
    test = statistics.friedman(block)
    panel.set_title(
        f"{title}\n{len(block)} datasets, Friedman p = {test['p_value']:.2g}, "
        f"Nemenyi at α = {alpha:g}",
        fontsize="medium",
        pad=14,
    )


def overview(
    results: SuiteResults, suite: Suite, *, metric: str = "clustering_acc"
) -> tuple[Figure, list[Axes]]:
    """Mean over the datasets and average rank of each method under each choice of settings.

    Only datasets on which all methods have a score count. The intervals are 95 % bootstrap
    intervals of the mean over the datasets.
    """
    matrices = _complete_blocks(results, suite, metric, tuple(CHOICES), suite.methods)
    if not matrices:
        raise NoDataError("No dataset has a score of every method.")
    first = next(iter(matrices.values()))
    order = list(first.mean().sort_values(kind="stable").index)
    figure = new_figure(8.2, 0.9 + 0.36 * len(order))
    means, ranked = figure.subplots(1, 2, sharey=True, width_ratios=(1.4, 1))
    shifts = np.linspace(0.27, -0.27, len(matrices))
    for (choice, block), shift in zip(matrices.items(), shifts, strict=True):
        _mean_dots(means, block, order, choice, shift)
        _rank_dots(ranked, block, order, choice, shift)
    means.set_yticks(range(len(order)), [suite.title(method) for method in order])
    for label, method in zip(means.get_yticklabels(), order, strict=True):
        label.set_fontweight("bold" if method == METHOD_UNDER_STUDY else "normal")
    means.set_xlabel(
        f"mean {METRICS[metric].short} over {len(first)} dataset{'s' * (len(first) != 1)}"
    )
    ranked.set_xlabel("average rank (1 is best)")
    ranked.invert_xaxis()
    figure.legend(
        *means.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
    )
    return figure, [means, ranked]


def _mean_dots(
    panel: Axes, block: pd.DataFrame, order: list[str], choice: str, shift: float
) -> None:
    methods = [method for method in order if method in block.columns]
    mean = block[methods].mean().to_numpy()
    bounds = np.array([statistics.bootstrap_interval(block[m].to_numpy()) for m in methods]).T
    bars = None if np.isnan(bounds).any() else np.abs(bounds - mean)
    panel.errorbar(
        mean,
        [order.index(method) + shift for method in methods],
        xerr=bars,
        elinewidth=1,
        label=CHOICES[choice].title,
        **_dots(choice),
    )


def _rank_dots(
    panel: Axes, block: pd.DataFrame, order: list[str], choice: str, shift: float
) -> None:
    mean = statistics.average_ranks(block.drop(columns=ALL_FEATURES, errors="ignore"))
    places = [order.index(method) + shift for method in mean.index]
    panel.plot(mean.to_numpy(), places, **_dots(choice))
