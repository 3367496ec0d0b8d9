"""What was selected: in the plane, on images, by weight, and how the features correlate."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from blufs_bench.compare.selections import TYPICAL_S, absolute_correlation, columns
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import METHOD_UNDER_STUDY
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.frames import RIVAL
from blufs_bench.show.figures.style import (
    MARKERS,
    SAFE,
    SEQUENTIAL,
    NoDataError,
    facets,
    method_styles,
    new_figure,
)

#: Rows of sample images and columns of datasets that still can be read.
MAX_IMAGES, MAX_DATASETS = 6, 4
NORMS = {RIVAL: r"$\ell_{2,1}$", METHOD_UNDER_STUDY: r"$\ell_{2,0}$"}

#: A row whose norm is below this share of the largest counts as zero.
ZERO = 1e-6


def selected_plane(
    results: SuiteResults, suite: Suite, *, dataset: str
) -> tuple[Figure, list[Axes]]:
    """The samples in the two features that each method selects first, at the smallest s."""
    card = results.cards.get(dataset, {})
    real = set(card.get("real_features") or [])
    if len(real) != 2:
        raise NoDataError(f"{dataset} is not a synthetic dataset with two real features.")
    rows = frames.shown_selections(results, suite.ranked_methods)
    rows = rows[(rows["dataset"] == dataset) & (rows["s"] >= 2)].sort_values("s")
    chosen = rows.drop_duplicates("method").set_index("method")["features"]
    methods = [method for method in suite.methods if method in chosen.index]
    if not methods:
        raise NoDataError(f"No method selected two features or more on {dataset}.")
    X, y = results.data(dataset)
    classes = _classes(X, y)
    figure, panels = facets(len(methods), columns=5, width=1.9, height=2.1)
    for panel, method in zip(panels, methods, strict=True):
        first, second = sorted(int(feature) for feature in chosen[method][:2])
        plane = columns(X, [first, second])
        for label in np.unique(classes):
            panel.scatter(
                plane[classes == label, 0],
                plane[classes == label, 1],
                s=7,
                marker=MARKERS[label % len(MARKERS)],
                color=SAFE[label % len(SAFE)],
                linewidths=0,
            )
        found = len(real & {first, second})
        name = textwrap.fill(suite.title(method), 16, break_long_words=False)
        panel.set_title(f"{name}\n{found} of 2 real features", fontsize="medium")
        panel.set_xlabel(_feature_label(first, real), labelpad=2)
        panel.set_ylabel(_feature_label(second, real), labelpad=2)
        panel.set(xticks=[], yticks=[])
    figure.suptitle(f"{results.dataset_title(dataset)}: the two features selected first")
    return figure, panels


def _classes(X: Any, y: np.ndarray | None) -> np.ndarray:
    """The classes; one for all samples where there are no labels."""
    return np.zeros(X.shape[0], dtype=int) if y is None else y


def _feature_label(feature: int, real: set[int]) -> str:
    return f"feature {feature} ({'real' if feature in real else 'noise'})"


def pixels(results: SuiteResults, suite: Suite) -> tuple[Figure, np.ndarray]:
    """The selected pixels on sample images, for the ablation cases and the full method."""
    methods = [*suite.ablation, METHOD_UNDER_STUDY]
    rows = frames.shown_selections(results, methods)
    methods = frames.present(methods, rows["method"])
    # An image without marks would look like a variant that selects nothing: it has not run there.
    ran = rows.groupby("dataset")["method"].nunique()
    datasets = [
        name
        for name in frames.present(suite.datasets, rows["dataset"])
        if results.cards.get(name, {}).get("image_shape") and ran[name] == ran.max()
    ][:MAX_IMAGES]
    if not datasets:
        raise NoDataError("No dataset of the suite consists of images.")
    per_dataset = 3 if len(datasets) == 1 else 2 if 2 * len(datasets) <= MAX_IMAGES else 1
    n_rows, n_columns = per_dataset * len(datasets), 1 + len(methods)
    figure = new_figure(1.35 * n_columns + 0.4, 1.4 * n_rows + 0.3)
    panels = figure.subplots(n_rows, n_columns, squeeze=False)
    for place, dataset in enumerate(datasets):
        here = rows[rows["dataset"] == dataset]
        group = panels[place * per_dataset : (place + 1) * per_dataset]
        _pixel_rows(group, results, here, dataset, methods)
    for panel, name in zip(panels[0], ["sample", *map(suite.title, methods)], strict=True):
        panel.set_title(textwrap.fill(name, 14, break_long_words=False))
    return figure, panels


def _pixel_rows(
    panels: np.ndarray, results: SuiteResults, rows: pd.DataFrame, dataset: str, methods: list[str]
) -> None:
    card = results.cards[dataset]
    X, y = results.data(dataset)
    classes = _classes(X, y) if y is not None else np.arange(X.shape[0])
    samples = [np.flatnonzero(classes == label)[0] for label in np.unique(classes)[: len(panels)]]
    s = _common_count(rows, methods, X.shape[1])
    chosen = rows[rows["s"] == s].set_index("method")["features"]
    for row, sample in zip(panels, samples, strict=False):
        pixels = columns(X[[sample]], range(X.shape[1]))
        image = np.reshape(pixels, card["image_shape"], order=card["image_order"])
        for column, panel in enumerate(row):
            panel.imshow(image, cmap="gray", interpolation="nearest")
            panel.set(xticks=[], yticks=[])
            panel.grid(visible=False)
            panel.spines[:].set_visible(False)
            if column and methods[column - 1] in chosen.index:
                features = np.asarray(chosen[methods[column - 1]])
                _mark_pixels(panel, features, card["image_shape"], card["image_order"])
        row[0].set_ylabel(f"{results.dataset_title(dataset)}, s = {s}")


def _common_count(rows: pd.DataFrame, methods: list[str], n_pixels: int) -> int:
    """The largest s with a selection of most methods that leaves three quarters of the image."""
    counts = rows[rows["method"].isin(methods)].groupby("s")["method"].nunique()
    common = counts[counts == counts.max()].index
    return int(max([s for s in common if 4 * s <= n_pixels], default=common.min()))


def _mark_pixels(panel: Axes, features: np.ndarray, shape: list[int], order: Any) -> None:
    mask = np.zeros(int(np.prod(shape)), dtype=bool)
    mask[features] = True
    overlay = np.zeros((*shape, 4))
    overlay[np.reshape(mask, shape, order=order)] = (0.835, 0.369, 0.0, 0.9)
    panel.imshow(overlay, interpolation="nearest")


def correlation(results: SuiteResults, suite: Suite) -> tuple[Figure, np.ndarray]:
    """Absolute correlation of ten selected features, the l2,1 method against BLUFS."""
    methods = [frames.RIVAL, METHOD_UNDER_STUDY]
    rows = frames.shown_selections(results, methods)
    methods = frames.present(methods, rows["method"])
    rows = rows[rows["s"] >= 2]
    datasets = _most_features_first(results, frames.present(suite.datasets, rows["dataset"]))
    if not datasets:
        raise NoDataError("No selection of two features or more is stored.")
    figure = new_figure(2.1 * len(datasets) + 0.9, 2.25 * len(methods) + 0.2)
    panels = figure.subplots(len(methods), len(datasets), squeeze=False)
    shown = None
    for column, dataset in enumerate(datasets):
        X, _ = results.data(dataset)
        for row, method in enumerate(methods):
            panel = panels[row, column]
            if column == 0:
                panel.set_ylabel(suite.title(method), weight="bold")
            features = _about_ten(rows[(rows["dataset"] == dataset) & (rows["method"] == method)])
            if features is None:
                panel.axis("off")
                panel.text(0.5, 0.5, "no selection", ha="center", transform=panel.transAxes)
                continue
            values = absolute_correlation(X, features)
            shown = panel.imshow(values, vmin=0, vmax=1, cmap=SEQUENTIAL)
            others = values[~np.eye(len(values), dtype=bool)]
            panel.set_title(f"{results.dataset_title(dataset)}\nmean {others.mean():.2f}")
            panel.set(xticks=[], yticks=[])
            panel.grid(visible=False)
    if shown is not None:
        figure.colorbar(shown, ax=panels, label="absolute correlation", shrink=0.7, pad=0.02)
    return figure, panels


def _about_ten(rows: pd.DataFrame) -> list[int] | None:
    """The first ten features of the selection whose size is closest to ten (None: no selection)."""
    if rows.empty:
        return None
    closest = np.argmin(np.abs(rows["s"].to_numpy() - TYPICAL_S))
    return list(rows["features"].iloc[closest])[:TYPICAL_S]


def _most_features_first(results: SuiteResults, datasets: list[str]) -> list[str]:
    """A few measured datasets, those with the most features first."""
    measured = results.compared_datasets(datasets)
    measured.sort(key=lambda name: -(results.cards[name]["n_features"] or 0))
    return measured[:MAX_DATASETS]


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
