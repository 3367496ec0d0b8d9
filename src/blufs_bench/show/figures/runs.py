"""How the fits went: convergence of the objective, and time against the size of the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METHOD_UNDER_STUDY
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import (
    NoDataError,
    choice_line,
    facets,
    method_legend,
    method_styles,
    new_figure,
)


def convergence(results: SuiteResults, suite: Suite) -> tuple[Figure, list[Axes]]:
    """Objective of BLUFS after every sweep, a panel per dataset and a line per chosen setting."""
    frames.frame(results, "selections")  # says what is wrong if there is nothing at all
    curves: dict[str, dict[str, np.ndarray]] = {}
    for choice in CHOICES:
        try:
            rows = frames.selections(results, [METHOD_UNDER_STUDY], choice)
        except NoDataError:
            continue
        rows = rows.sort_values("s").drop_duplicates("dataset", keep="last")
        for dataset, stored in zip(rows["dataset"], rows["objective_history"], strict=True):
            if stored is not None and len(stored) > 1:
                curves.setdefault(dataset, {})[choice] = np.asarray(stored, dtype=float)
    datasets = [name for name in suite.datasets if name in curves]
    if not datasets:
        raise NoDataError(f"No objective history of {METHOD_UNDER_STUDY} is stored.")
    figure, panels = facets(len(datasets))
    for panel, dataset in zip(panels, datasets, strict=True):
        for choice, history in curves[dataset].items():
            # The settings weigh the terms differently: only the relative decrease compares.
            relative = (history - history.min()) / (np.ptp(history) or 1.0)
            every = max(1, len(history) // 12)
            look = {"markevery": every, "markersize": 4, **choice_line(choice)}
            panel.plot(relative, label=CHOICES[choice].short, **look)
        panel.set_title(results.dataset_title(dataset))
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    figure.supxlabel("sweep", fontsize="medium")
    figure.supylabel("scaled objective", fontsize="medium")
    handles = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    figure.legend(
        handles=list(handles.values()), loc="outside upper center", ncols=4, frameon=False
    )
    return figure, panels


def scaling(results: SuiteResults, suite: Suite) -> tuple[Figure, np.ndarray]:
    """Median seconds of ``fit`` against the numbers of samples and of features."""
    rows = frames.frame(results, "timing")
    rows = rows[rows["method"].isin(suite.ranked_methods) & (rows["seconds"] > 0)]
    rows = rows[rows["dataset"].isin(list(suite.datasets))]
    if rows.empty:
        raise NoDataError("No method of this suite was timed.")
    seconds = rows.groupby(["method", "dataset"])["seconds"].median()
    methods = frames.present(suite.methods, rows["method"])
    chosen = method_styles(suite)
    figure = new_figure(8.2, 4.3)
    panels = figure.subplots(1, 2, sharey=True)
    sizes = {"n_samples": "number of samples n", "n_features": "number of features d"}
    for panel, (key, label) in zip(panels, sizes.items(), strict=True):
        for method in methods:
            times = seconds[method]
            size = np.array([results.cards[name][key] for name in times.index])
            order = np.argsort(size, kind="stable")
            panel.plot(size[order], times.to_numpy()[order], **chosen[method].line)
        panel.set(xscale="log", yscale="log", xlabel=label)
        panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.xaxis.set_major_formatter("{x:g}")
        panel.xaxis.set_minor_formatter(NullFormatter())
        _name_datasets(panel, results, frames.present(suite.datasets, rows["dataset"]), key)
    panels[0].set_ylabel("seconds of one fit (median)")
    method_legend(figure, suite, methods, "lower")
    return figure, panels


def _name_datasets(panel: Axes, results: SuiteResults, datasets: list[str], key: str) -> None:
    """Mark the size of every dataset by a thin line and its name above the panel."""
    sizes = sorted((results.cards[name][key], results.dataset_title(name)) for name in datasets)
    low, high = np.log(panel.get_xlim())
    wanted = [(np.log(size) - low) / (high - low) for size, _ in sizes]
    for (size, name), place in zip(sizes, spread(wanted, gap=0.045), strict=True):
        panel.axvline(size, color="#CCCCCC", linewidth=0.6, zorder=0)
        panel.annotate(
            name,
            xy=(size, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(place, 1.07),
            textcoords="axes fraction",
            rotation=90,
            ha="center",
            va="bottom",
            fontsize="x-small",
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.6, "shrinkB": 0},
        )


def spread(places: Sequence[float], gap: float) -> np.ndarray:
    """Ascending places moved as little as one pass each way allows, to be ``gap`` apart."""
    moved = np.array(places, dtype=float)
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + gap)
    limit = max(1.0, moved[0] + gap * (len(moved) - 1))
    for i in range(len(moved) - 1, -1, -1):
        moved[i] = min(moved[i], limit - gap * (len(moved) - 1 - i))
    return moved
