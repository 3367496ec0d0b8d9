"""Methods against each other: ranks, averages, pairs, time and agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scikit_posthocs
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from blufs_bench.compare import tests
from blufs_bench.compare.comparison import Comparison, View
from blufs_bench.compare.selections import agreement as agreement_of
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    METHOD_UNDER_STUDY,
    METRICS,
    RANDOM_FEATURES,
    counted,
    metric_words,
)
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import (
    SEQUENTIAL,
    NoDataError,
    choice_line,
    facets,
    method_styles,
    new_figure,
)
from blufs_bench.show.tables.table import tuples

#: What the overview and the critical differences are of.
METRIC = "clustering_acc"
#: Panels of single datasets beside the mean, and methods up to which the numbers can be read.
MAX_DATASETS, MAX_NUMBERED = 7, 12


def _first_view(results: SuiteResults, comparison: Comparison) -> View:
    """The first metric with the default setting, at the reported s, over all datasets."""
    frames.frame(results, "scores")
    metrics = comparison.metrics
    view = comparison.view(metrics[0], "default") if metrics else None
    if view is None:
        raise NoDataError("No score of a default setting was measured.")
    return view


def multi_comparison(
    results: SuiteResults, suite: Suite, comparison: Comparison
) -> tuple[Figure, Axes]:
    """Mean difference, wins / ties / losses and p-value of every pair, as coloured squares."""
    view = _first_view(results, comparison)
    found = view.pairs()
    if found.empty:
        raise NoDataError("No two methods have scores on the same dataset.")
    order = [name for name in view.content["methods"] if name in set(found["method"])]
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
    _, short = metric_words(view.metric)
    datasets = counted(view.n_datasets, "dataset")
    axes.set_xlabel(f"{short}, {CHOICES[view.choice].title.lower()}, {datasets}")
    return figure, axes


def pareto(scores: pd.Series, seconds: pd.Series) -> list[str]:
    """The methods that no other one beats in both, fastest first: faster and at least as good."""
    both = pd.DataFrame({"score": scores, "seconds": seconds}).dropna()
    both = both.sort_values(["seconds", "score"], ascending=[True, False], kind="stable")
    before = both["score"].cummax().shift(fill_value=-np.inf)
    return [str(name) for name in both.index[both["score"] > before]]


def score_time(results: SuiteResults, suite: Suite, comparison: Comparison) -> tuple[Figure, Axes]:
    """Mean score against the median seconds of a selection, the Pareto front as a line."""
    view = _first_view(results, comparison)
    table = view.standings()
    seconds = pd.Series(comparison.seconds(), dtype=float).reindex(table.index)
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
    axes.set_ylabel(
        f"mean {metric_words(view.metric)[1]} in %, {CHOICES[view.choice].title.lower()}"
    )
    return figure, axes


def _dots(choice: str) -> dict[str, Any]:
    """A choice in the overview: hollow if it looks at the labels, filled if a user can make it."""
    hollow = {"markerfacecolor": "white"} if CHOICES[choice].uses_labels else {}
    return choice_line(choice) | {"linestyle": "none", "markersize": 5} | hollow


def _complete_blocks(
    comparison: Comparison, choices: Sequence[str], methods: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Choice -> scores of shape (datasets, methods) without gaps, where there are any."""
    matrices = {choice: comparison.matrix(METRIC, choice)[list(methods)] for choice in choices}
    blocks = {choice: tests.complete_block(scores).scores for choice, scores in matrices.items()}
    return {choice: block for choice, block in blocks.items() if block.size}


def critical_difference(
    results: SuiteResults, suite: Suite, comparison: Comparison
) -> tuple[Figure, list[Axes]]:
    """Average ranks; methods that Nemenyi's test cannot tell apart are joined by a bar."""
    frames.frame(results, "scores")
    blocks = _complete_blocks(comparison, ("oracle", "blind"), suite.ranked_methods)
    compared = {
        choice: block
        for choice, block in blocks.items()
        if len(block) >= tests.MIN_DATASETS and block.shape[1] >= tests.MIN_METHODS
    }
    if not compared:
        raise NoDataError(
            f"Friedman's test needs {tests.MIN_METHODS} methods with a score on "
            f"{tests.MIN_DATASETS} datasets or more."
        )
    half = -(-max(block.shape[1] for block in compared.values()) // 2)
    figure = new_figure(7.2, len(compared) * (1.65 + 0.24 * half))
    panels = list(figure.subplots(len(compared), 1, squeeze=False).flat)
    for panel, (choice, block) in zip(panels, compared.items(), strict=True):
        tested = comparison.tests[METRIC][choice]
        _rank_diagram(panel, tested, suite)
        panel.set_title(
            f"{METRICS[METRIC].short}, {CHOICES[choice].title}\n{len(block)} datasets, "
            f"Friedman p = {tested['friedman']['p_value']:.2g}, "
            f"Nemenyi at α = {suite.significance_level:g}",
            fontsize="medium",
            pad=14,
        )
    return figure, panels


def _rank_diagram(panel: Axes, tested: Mapping[str, Any], suite: Suite) -> None:
    """Diagram of the tests of one score matrix, the critical difference above the axis."""
    chosen = method_styles(suite)
    labels = {method: suite.title(method) for method in tested["methods"]}
    ranks = pd.Series(tested["average_ranks"]).rename(labels)
    p_values = pd.DataFrame(tested["nemenyi"]).rename(index=labels, columns=labels)
    k = len(labels)
    panel.grid(visible=False)
    panel.set_xlim(0.5, k + 0.5)
    drawn = scikit_posthocs.critical_difference_diagram(
        ranks,
        p_values,
        alpha=suite.significance_level,
        ax=panel,
        label_fmt_left="{label}  ({rank:.2f}) ",
        label_fmt_right=" ({rank:.2f})  {label}",
        color_palette={labels[method]: chosen[method].color for method in labels},
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
    difference = tested["critical_difference"]
    end = 1 + min(difference, k - 1)
    height = 1.9
    panel.plot([1, end], [height, height], color="black", linewidth=1.2, marker="|", markersize=7)
    more = "" if difference <= k - 1 else " (longer than the axis)"
    panel.text((1 + end) / 2, height + 0.25, f"CD = {difference:.2f}{more}", ha="center")


def overview(
    results: SuiteResults, suite: Suite, comparison: Comparison
) -> tuple[Figure, list[Axes]]:
    """Mean over the datasets and average rank of each method under each choice of settings.

    Only datasets on which all methods have a score count. The intervals are 95 % bootstrap
    intervals of the mean over the datasets.
    """
    frames.frame(results, "scores")
    matrices = _complete_blocks(comparison, tuple(CHOICES), suite.methods)
    if not matrices:
        raise NoDataError("No dataset has a score of every method.")
    first = next(iter(matrices.values()))
    order = list(first.mean().sort_values(kind="stable").index)
    figure = new_figure(8.2, 0.9 + 0.36 * len(order))
    means, ranked = figure.subplots(1, 2, sharey=True, width_ratios=(1.4, 1))
    shifts = np.linspace(0.27, -0.27, len(matrices))
    for (choice, block), shift in zip(matrices.items(), shifts, strict=True):
        _mean_dots(means, block, order, choice, shift, comparison.studies)
        _rank_dots(ranked, block, order, choice, shift)
    means.set_yticks(range(len(order)), [suite.title(method) for method in order])
    for label, method in zip(means.get_yticklabels(), order, strict=True):
        label.set_fontweight("bold" if method == METHOD_UNDER_STUDY else "normal")
    means.set_xlabel(
        f"mean {METRICS[METRIC].short} over {len(first)} dataset{'s' * (len(first) != 1)}"
    )
    ranked.set_xlabel("average rank (1 is best)")
    ranked.invert_xaxis()
    figure.legend(
        *means.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
    )
    return figure, [means, ranked]


def _mean_dots(
    panel: Axes,
    block: pd.DataFrame,
    order: list[str],
    choice: str,
    shift: float,
    studies: Mapping[str, str],
) -> None:
    methods = [method for method in order if method in block.columns]
    mean = block[methods].mean().to_numpy()
    low, high = tests.bootstrap_interval(
        block[methods].to_numpy().T, datasets=list(block.index), studies=studies
    )
    bounds = np.array([low, high])
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
    mean = tests.average_ranks(block.drop(columns=ALL_FEATURES, errors="ignore"))
    places = [order.index(method) + shift for method in mean.index]
    panel.plot(mean.to_numpy(), places, **_dots(choice))


def agreement(results: SuiteResults, suite: Suite) -> tuple[Figure, list[Axes]]:
    """Jaccard index of the selections of every two methods: the mean, and by dataset."""
    frames.frame(results, "selections")
    pairs = agreement_of(results, suite.datasets, suite.ranked_methods)
    if pairs.empty:
        raise NoDataError("No dataset has selections of two methods.")
    methods = frames.present(suite.ranked_methods, pairs["method"])
    names = list(dict.fromkeys(pairs["dataset"]))
    parts = {results.dataset_title(name): pairs[pairs["dataset"] == name] for name in names}
    parts = dict(list(parts.items())[:MAX_DATASETS])
    if len(names) > 1:
        parts = {f"Mean of {len(names)} datasets": pairs, **parts}
    size = max(2.4, 0.6 + 0.3 * len(methods))
    figure, panels = facets(len(parts), width=size + 0.6, height=size + 0.7)
    for panel, (title, part) in zip(panels, parts.items(), strict=True):
        values = part.pivot_table(index="method", columns="other", values="jaccard")
        values = values.reindex(index=methods, columns=methods).to_numpy(dtype=float, copy=True)
        np.fill_diagonal(values, np.nan)
        image = panel.imshow(values, vmin=0, vmax=1, cmap=SEQUENTIAL)
        _write_numbers(panel, values)
        panel.set_title(title)
        shown = [suite.title(method) for method in methods]
        panel.set_xticks(range(len(methods)), shown, rotation=90)
        panel.set_yticks(range(len(methods)), shown)
        panel.grid(visible=False)
    figure.colorbar(image, ax=panels, label="features in common (Jaccard)", shrink=0.7)
    return figure, panels


def _write_numbers(panel: Axes, values: np.ndarray) -> None:
    if len(values) > MAX_NUMBERED:
        return
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            color = "white" if value > 0.55 else "black"
            text = f"{value:.2f}"[1:] if value < 0.995 else "1"
            panel.text(column, row, text, color=color, ha="center", va="center", fontsize="x-small")
