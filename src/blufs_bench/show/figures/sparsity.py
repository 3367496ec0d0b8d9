"""The row norms of the weights that two ways to ask for sparse rows lead to."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from blufs_bench.compare.selections import TYPICAL_S
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import METHOD_UNDER_STUDY
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.frames import RIVAL
from blufs_bench.show.figures.style import NoDataError, method_styles, new_figure

NORMS = {RIVAL: r"$\ell_{2,1}$", METHOD_UNDER_STUDY: r"$\ell_{2,0}$"}

#: A row whose norm is below this share of the largest counts as zero.
ZERO = 1e-6


def sparsity(results: SuiteResults, suite: Suite) -> tuple[Figure, list[Axes]]:
    """Norms of the rows of W by feature, a panel per method, and in descending order."""
    dataset, s, norms = _smallest_common(results, suite)
    figure = new_figure(2.6 * len(norms) + 3.4, 3.8)
    panels = list(figure.subplots(1, len(norms) + 1, width_ratios=(*(1,) * len(norms), 1.4)))
    styles = method_styles(suite)
    for panel, (method, values) in zip(panels, norms.items(), strict=False):
        kept = np.flatnonzero(values > ZERO)
        panel.vlines(kept, 0, values[kept], color=styles[method].color, linewidth=1.2)
        name = textwrap.fill(suite.title(method), 15, break_long_words=False)
        panel.set_title(f"{name}\n{NORMS[method]}")
        panel.set(xlabel="feature", xlim=(-1, len(values)), ylim=(0, 1.05))
        panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    panels[0].set_ylabel("row norm / largest")
    _sorted_norms(panels[-1], suite, norms, s)
    place: Any = "outside lower center"
    figure.legend(*panels[-1].get_legend_handles_labels(), loc=place, ncols=1, frameon=False)
    figure.suptitle(f"{results.dataset_title(dataset)}, s = {s}")
    return figure, panels


def _sorted_norms(panel: Axes, suite: Suite, norms: dict[str, np.ndarray], s: int) -> None:
    styles = method_styles(suite)
    for method, values in norms.items():
        ordered = np.sort(values)[::-1]
        kept = ordered > ZERO
        panel.semilogy(
            np.arange(1, kept.sum() + 1),
            ordered[kept],
            **styles[method].line | {"markersize": 3},
            markevery=max(1, int(kept.sum()) // 15),
            label=f"{suite.title(method)}: {kept.sum()} of {len(ordered)} rows not zero",
        )
    panel.axvline(s, color="#777777", linewidth=1, linestyle=":", label=f"s = {s}")
    panel.set(xlabel="rows, largest first", title="In descending order")
    panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))


def _smallest_common(results: SuiteResults, suite: Suite) -> tuple[str, int, dict[str, np.ndarray]]:
    """A dataset with few features and an s at which most of the methods have row norms."""
    methods = [method for method in NORMS if method in suite.methods]
    rows = frames.selections(results, methods, "default")
    rows = rows[[norms is not None and np.any(norms) for norms in rows["row_norms"]]]
    rows = rows[rows["dataset"].isin(list(suite.datasets))]
    if rows.empty:
        raise NoDataError(f"No norms of the weights of {' or '.join(NORMS)} are stored.")
    found = rows.groupby(["dataset", "s"])["method"].nunique()
    common = found[found == found.max()].reset_index()
    datasets = results.compared_datasets(frames.present(suite.datasets, common["dataset"]))
    # Few features, yet enough that the zero rows show.
    width = {name: results.cards[name]["n_features"] for name in datasets}
    many = [name for name in datasets if width[name] >= 50] or datasets
    dataset = min(many, key=width.__getitem__)
    s = min(common.loc[common["dataset"] == dataset, "s"], key=lambda s: abs(s - TYPICAL_S))
    chosen = rows[(rows["dataset"] == dataset) & (rows["s"] == s)].set_index("method")
    return dataset, int(s), {m: _scaled(chosen, m) for m in methods if m in chosen.index}


def _scaled(rows: pd.DataFrame, method: str) -> np.ndarray:
    norms = np.asarray(rows["row_norms"][method], dtype=float)
    return norms / norms.max()
