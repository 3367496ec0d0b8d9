"""How the quality depends on the weights of the terms of BLUFS."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CRITERIA, CRITERION_PREFIX, METHOD_UNDER_STUDY, METRICS
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import SEQUENTIAL, NoDataError, new_figure

#: The pairs of weights that the paper varies together.
PAIRS = (("alpha", "beta"), ("mu", "lam"))
SYMBOLS = {"alpha": "α", "beta": "β", "mu": "μ", "lam": "λ"}
MAX_DATASETS = 6
#: What is shown where there are no labels.
CRITERION = "principal_cohesion"


def sensitivity(results: SuiteResults, suite: Suite) -> tuple[Figure, np.ndarray]:
    """Mean ACC over s at every pair of weights: as 3-D bars and as heat maps.

    A criterion that needs no labels stands in for it where the data have none.
    """
    rows = frames.frame(results, "screened")
    rows = rows[rows["method"] == METHOD_UNDER_STUDY]
    datasets = results.compared_datasets(frames.present(suite.datasets, rows["dataset"]))
    by_labels = ("clustering_acc", METRICS["clustering_acc"].short)
    without = (CRITERION_PREFIX + CRITERION, CRITERIA[CRITERION].title)
    measured = {name: by_labels if results.is_labelled(name) else without for name in datasets}
    tables = {
        (dataset, pair): table
        for dataset in datasets[:MAX_DATASETS]
        for pair in PAIRS
        for here in [rows[rows["dataset"] == dataset]]
        if (table := weight_table(here, pair, measured[dataset][0])) is not None
    }
    if not tables:
        raise NoDataError(f"The grid does not vary two weights of {METHOD_UNDER_STUDY} together.")
    pairs = [pair for pair in PAIRS if any(pair == key[1] for key in tables)]
    datasets = [name for name in datasets if any(name == key[0] for key in tables)]
    figure = new_figure(5.2 * len(pairs), 2.4 * len(datasets))
    grid = figure.add_gridspec(len(datasets), 2 * len(pairs), width_ratios=(1.15, 1) * len(pairs))
    panels = np.empty((len(datasets), 2 * len(pairs)), dtype=object)
    for row, dataset in enumerate(datasets):
        here = [table.to_numpy() for key, table in tables.items() if key[0] == dataset]
        limits = min(map(np.nanmin, here)), max(map(np.nanmax, here))
        for column, pair in enumerate(pairs):
            if (dataset, pair) not in tables:
                continue
            solid = figure.add_subplot(grid[row, 2 * column], projection="3d")
            flat = figure.add_subplot(grid[row, 2 * column + 1])
            table = tables[dataset, pair]
            bars(solid, table, limits)
            heat_map(flat, table, limits, measured[dataset][1])
            solid.set_title(results.dataset_title(dataset), y=0.98)
            panels[row, 2 * column : 2 * column + 2] = solid, flat
    return figure, panels


def weight_table(rows: pd.DataFrame, pair: tuple[str, str], metric: str) -> pd.DataFrame | None:
    """Mean of the metric over s; first weight of the pair down, second across.

    The other weights stay at the values under which the most pairs were tried. None if fewer
    than two values of each weight were.
    """
    parameters = pd.DataFrame([frames.settings(text) for text in rows["setting"]], index=rows.index)
    if not set(pair) <= set(parameters.columns) or metric not in rows:
        return None
    other = [name for name in parameters.columns if name not in pair]
    rows = rows.assign(
        first=parameters[pair[0]],
        second=parameters[pair[1]],
        fixed=[repr(values) for values in parameters[other].itertuples(index=False)],
    )
    tried = rows.drop_duplicates(["fixed", "first", "second"])["fixed"].value_counts()
    rows = rows[rows["fixed"] == tried.sort_index().idxmax()]
    table = rows.pivot_table(index="first", columns="second", values=metric, aggfunc="mean")
    table = table.rename_axis(index=pair[0], columns=pair[1])
    # A default setting beside the grid would leave a row or column of little else than gaps.
    table = table.loc[:, table.notna().mean() > 0.5]
    table = table.loc[table.notna().mean(axis=1) > 0.5]
    return table if min(table.shape) >= 2 else None


def heat_map(panel: Axes, table: pd.DataFrame, limits: tuple[float, float], name: str) -> None:
    """Heat map of a table of two weights, with a colour bar."""
    image = panel.imshow(table, origin="lower", cmap=SEQUENTIAL, vmin=limits[0], vmax=limits[1])
    panel.set_xticks(range(table.shape[1]), _powers(table.columns), rotation=90)
    panel.set_yticks(range(table.shape[0]), _powers(table.index))
    panel.set_xlabel(SYMBOLS[str(table.columns.name)])
    panel.set_ylabel(SYMBOLS[str(table.index.name)], rotation=0, labelpad=2)
    panel.grid(visible=False)
    panel.figure.colorbar(image, ax=panel, label=name, shrink=0.85)


def bars(panel, table: pd.DataFrame, limits: tuple[float, float]) -> None:
    """Three-dimensional bars of a table of two weights, as the paper draws them."""
    heights = table.to_numpy().ravel()
    tried = np.isfinite(heights)
    heights = heights[tried]
    rows, columns = (index.ravel()[tried] for index in np.indices(table.shape))
    low, high = limits
    shade = (heights - low) / ((high - low) or 1.0)
    colors = colormaps[SEQUENTIAL](shade)
    panel.bar3d(
        columns - 0.4,
        rows - 0.4,
        0,
        0.8,
        0.8,
        heights,
        color=colors,
        edgecolor="#555555",
        linewidth=0.2,
        shade=True,
    )
    every = 1 if max(table.shape) < 5 else 3
    panel.set_xticks(range(0, table.shape[1], every), _powers(table.columns[::every]))
    panel.set_yticks(range(0, table.shape[0], every), _powers(table.index[::every]))
    panel.tick_params(pad=-2, labelsize="x-small")
    panel.set_xlabel(SYMBOLS[str(table.columns.name)], labelpad=-5)
    panel.set_ylabel(SYMBOLS[str(table.index.name)], labelpad=-5)
    panel.set_zlim(0, max(high * 1.05, 1e-9))
    panel.set_box_aspect((1, 1, 0.75), zoom=1.0)


def _powers(values) -> list[str]:
    """Powers of ten as such, other numbers as they are."""
    labels = []
    for value in values:
        exponent = np.log10(value) if value > 0 else np.nan
        exact = np.isfinite(exponent) and np.isclose(exponent, round(exponent))
        labels.append(f"$10^{{{round(exponent)}}}$" if exact else f"{value:g}")
    return labels
