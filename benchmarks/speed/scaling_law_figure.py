"""Draw benchmarks/results/growth.json: time against n, d, c and s, on logarithmic scales."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from benchmarks.harness import RESULTS, read
from blufs_bench.files.atomic import atomic_path
from blufs_bench.show.figures.style import LINE_STYLES, MARKERS, SAFE, Style, facets, use_style

PARTS = {
    "fit_seconds": ("the rest of the fit", "black", "-", "o"),
    "exact_seconds": ("neighbours, exact", SAFE[0], LINE_STYLES[1], MARKERS[0]),
    "approximate_seconds": ("neighbours, approximate", SAFE[3], LINE_STYLES[2], MARKERS[1]),
    "eigenvectors_seconds": ("eigenvectors", SAFE[2], LINE_STYLES[3], MARKERS[3]),
}


def draw(report: dict) -> Figure:
    """One panel for each size that varies; the dotted line is proportional to it."""
    figure, panels = facets(4, columns=4, height=2.6)
    for (size, rows), panel in zip(report["axes"].items(), panels, strict=True):
        for part, (label, color, line, marker) in PARTS.items():
            points = [(row[size], row[part]) for row in rows if part in row]
            if points:
                style = {"color": color, "linestyle": line, "marker": marker}
                panel.plot(*zip(*points, strict=True), label=label, markersize=4, **style)
        sizes = np.array([row[size] for row in rows])
        linear = rows[0]["fit_seconds"] * sizes / sizes[0]
        panel.plot(sizes, linear, color="#999999", linestyle=":", linewidth=1, label="linear")
        slope = report["exponents"][f"fit, {size}"]
        panel.set(xscale="log", yscale="log", xlabel=size, title=f"{size}: exponent {slope:.2f}")
        # Labels between the powers of ten would run into each other.
        panel.xaxis.set_minor_formatter(NullFormatter())
    panels[0].set_ylabel("CPU seconds")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, frameon=False)
    return figure


if __name__ == "__main__":
    report = read("growth")
    if report is None:
        print("no growth.json to draw")
    else:
        with use_style(Style()), atomic_path(RESULTS / "growth.png") as temporary:
            draw(report).savefig(temporary, format="png", metadata={"Software": None})
