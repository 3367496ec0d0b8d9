"""The weights that two ways to ask for sparse rows lead to."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from blufs.analysis.figures import frames
from blufs.analysis.figures.features import RIVAL
from blufs.analysis.figures.style import SEQUENTIAL, NoDataError, Style, new_figure
from blufs.methods.registry import make_selector, method_class
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import METHOD_UNDER_STUDY
from blufs.workflow.stages.select import Fit, fit_parameters

NORMS = {RIVAL: r"$\ell_{2,1}$", METHOD_UNDER_STUDY: r"$\ell_{2,0}$"}

#: A row whose norm is below this share of the largest counts as zero.
ZERO = 1e-12
TYPICAL_S = 10
#: Bands of rows in a heat map: each is some dots high, so that none vanishes when it is drawn.
MOST_BANDS = 120


def sparsity(results: SuiteResults, suite: Suite, style: Style) -> tuple[Figure, list[Axes]]:
    """Entries of W of both methods as heat maps, and their row norms in descending order.

    Both are fitted again, on the smallest measured dataset, with the settings that were chosen.
    """
    dataset, s, fits = _smallest_common(results, suite)
    X, y = results.data(dataset)
    n_classes = len(np.unique(y))
    weights = {method: fitted_weights(method, fit, X, s, n_classes) for method, fit in fits.items()}
    figure = new_figure(8.2, 4.2)
    panels = list(figure.subplots(1, 3, width_ratios=(1, 1, 1.5)))
    for panel, (method, W) in zip(panels, weights.items(), strict=False):
        size = np.abs(W) / (np.abs(W).max() or 1.0)
        extent = (-0.5, W.shape[1] - 0.5, len(W) - 0.5, -0.5)
        image = panel.imshow(
            row_bands(size), extent=extent, aspect="auto", cmap=SEQUENTIAL, vmin=0, vmax=1
        )
        image.set_interpolation("nearest")
        panel.set_title(
            f"{textwrap.fill(suite.title(method), 15, break_long_words=False)}\n{NORMS[method]}"
        )
        panel.set_xlabel("column of W")
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.grid(visible=False)
    panels[0].set_ylabel("feature (row of W)")
    figure.colorbar(image, ax=panels[:2], label="|entry of W| / largest", shrink=0.8)
    _row_norms(panels[2], suite, weights, s)
    place: Any = "outside lower right"
    figure.legend(*panels[2].get_legend_handles_labels(), loc=place, ncols=1, frameon=False)
    figure.suptitle(f"{results.dataset_title(dataset)}, s = {s}")
    return figure, panels


def row_bands(values: np.ndarray) -> np.ndarray:
    """Largest entries of bands of consecutive rows, at most ``MOST_BANDS`` of them."""
    height = -(-len(values) // MOST_BANDS)
    return np.maximum.reduceat(values, np.arange(0, len(values), height))


def _row_norms(panel: Axes, suite: Suite, weights: dict[str, np.ndarray], s: int) -> None:
    lines = zip(("#CC6677", "black"), ((0, (5, 1.5)), "-"), ("s", "o"), strict=True)
    for (method, W), (color, line, marker) in zip(weights.items(), lines, strict=False):
        norms = np.sort(np.linalg.norm(W, axis=1))[::-1]
        norms = norms / (norms[0] or 1.0)
        kept = norms > ZERO
        panel.semilogy(
            np.arange(1, kept.sum() + 1),
            norms[kept],
            color=color,
            linestyle=line,
            marker=marker,
            markersize=3,
            markevery=max(1, int(kept.sum()) // 15),
            label=f"{suite.title(method)}: {kept.sum()} of {len(norms)} rows not zero",
        )
    panel.axvline(s, color="#777777", linewidth=1, linestyle=":", label=f"s = {s}")
    panel.set(xlabel="rows, largest first", ylabel="row norm / largest", title="Row norms")
    panel.set_xlim(0, len(norms) + 1)


def _smallest_common(results: SuiteResults, suite: Suite) -> tuple[str, int, dict[str, Fit]]:
    """A small measured dataset and an s at which both methods have settings: their fits."""
    rows = frames.selections(results, [RIVAL, METHOD_UNDER_STUDY])
    found = rows.groupby(["dataset", "s"])["method"].nunique()
    common = found[found == len(NORMS)].reset_index()
    datasets = results.compared_datasets(frames.present(suite.datasets, common["dataset"]))
    if not datasets:
        raise NoDataError(f"{RIVAL} and {METHOD_UNDER_STUDY} were not both fitted on one dataset.")
    # Few features, yet enough that the zero rows show.
    many = [name for name in datasets if results.cards[name]["n_features"] >= 50] or datasets
    dataset = min(many, key=lambda name: np.prod(results.data(name)[0].shape))
    s = min(common.loc[common["dataset"] == dataset, "s"], key=lambda s: abs(s - TYPICAL_S))
    rows = rows[(rows["dataset"] == dataset) & (rows["s"] == s)].set_index("method")
    seeds = {method: int(rows.loc[method, "fit_seed"]) for method in NORMS}
    fits = {
        method: Fit(frames.settings(rows.loc[method, "setting"]), seed, seed)
        for method, seed in seeds.items()
    }
    return dataset, int(s), fits


def fitted_weights(method: str, fit: Fit, X: np.ndarray, s: int, n_classes: int) -> np.ndarray:
    """W of shape (d, columns) that the method fits with these settings."""
    cls = method_class(method)
    selector = make_selector(cls, fit_parameters(cls, fit, n_classes))
    solution = selector.select_path(X, [s])[s]
    if "coef_" not in solution.per_feature:
        raise NoDataError(f"{method} does not publish its weights.")
    return solution.per_feature["coef_"]
