"""Draw the picture of the README: ``python -m benchmarks.publish.overview``.

Gain of every method over random features in the kept suite `judge`, by whose labels nothing was
chosen, with default settings: the mean over the datasets with its 95 % interval. Writes
docs/images/overview.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from benchmarks.harness import ROOT
from benchmarks.publish.kept import Kept, kept_suite
from blufs_bench.results.vocabulary import METHOD_UNDER_STUDY, METRICS, RANDOM_FEATURES

PICTURE = ROOT / "docs" / "images" / "overview.png"
SUITE, CHOICE = "judge", "default"
SHOWN = ("clustering_acc", "nmi", "knn_accuracy", "forest_accuracy")
OWN, OTHER = "#CC6677", "#44556B"


def draw(kept: Kept) -> Figure:
    """One panel per metric, the methods in the order of the first."""
    views = {m: kept.methods(m, CHOICE) for m in SHOWN if kept.methods(m, CHOICE)}
    first = next(iter(views.values()))
    names = [name for name in first if name != RANDOM_FEATURES]
    with sns.axes_style("whitegrid", {"axes.grid.axis": "x"}):
        figure, panels = plt.subplots(
            1, len(views), figsize=(2.6 * len(views) + 1.2, 0.24 * len(names) + 1), sharey=True
        )
    for axes, (metric, view) in zip(panels, views.items(), strict=True):
        for height, name in enumerate(reversed(names)):
            row = view[name]
            color = OWN if name == METHOD_UNDER_STUDY else OTHER
            axes.plot([row["low"], row["high"]], [height, height], color=color, linewidth=1.6)
            axes.plot(row["gain"], height, "o", color=color, markersize=5)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_title(METRICS[metric].title, fontsize=9)
        axes.tick_params(labelsize=8)
    panels[0].set_yticks(range(len(names)), [kept.title(name) for name in reversed(names)])
    for label in panels[0].get_yticklabels():
        if label.get_text() == kept.title(METHOD_UNDER_STUDY):
            label.set(color=OWN, weight="bold")
    sns.despine(figure, left=True)
    count = first[METHOD_UNDER_STUDY]["n_datasets"]
    figure.supxlabel(
        f"points above random features: mean over {count} datasets and its 95 % "
        "interval, default settings",
        fontsize=9,
    )
    figure.tight_layout()
    return figure


def main(picture: Path = PICTURE) -> None:
    kept = kept_suite(SUITE)
    if kept is None:
        raise SystemExit(f"docs/results/{SUITE} is missing: see benchmarks/publish/keep_results.py")
    draw(kept).savefig(picture, dpi=150)


if __name__ == "__main__":
    main()
