"""How much alike the methods select, as heat maps."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from blufs_bench.compare.selections import agreement as agreement_of
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import SEQUENTIAL, NoDataError, facets

#: Panels of single datasets beside the mean, and methods up to which the numbers can be read.
MAX_DATASETS, MAX_NUMBERED = 7, 12


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
