"""How the time of a BLUFS fit grows with n, d, c and s, the graph apart from the rest.

Random clusters, processor seconds of one thread; one of the four sizes varies, the others stay at
their base. The graph of the samples (neighbours by the exact search, by the approximate index, and
eigenvectors) is timed by itself along n, with the recall of the index and the share of the
selection that does not change with it.
"""

from __future__ import annotations

import warnings

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from threadpoolctl import threadpool_limits

from benchmarks.harness import (
    RESULTS,
    markdown,
    overlap,
    parse_quick,
    random_clusters,
    read,
    save,
    steady_seconds,
    timed,
)
from blufs import BLUFS, SampleGraph
from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.scaling import scale_samples
from blufs._numerics.neighbors import nearest_neighbors, neighbors_of_many
from blufs._numerics.principal import principal_vectors
from blufs_bench.show.figures.style import LINE_STYLES, MARKERS, SAFE, Style, facets, use_style

NEIGHBORS = 10
#: What growth.png shows: label, colour, line and marker.
PARTS = {
    "fit_seconds": ("the rest of the fit", "black", "-", "o"),
    "exact_seconds": ("neighbours, exact", SAFE[0], LINE_STYLES[1], MARKERS[0]),
    "approximate_seconds": ("neighbours, approximate", SAFE[3], LINE_STYLES[2], MARKERS[1]),
    "eigenvectors_seconds": ("eigenvectors", SAFE[2], LINE_STYLES[3], MARKERS[3]),
}
#: Samples up to which the exact search is timed, too.
EXACT_TIMED_UP_TO = 50_000
#: What varies: its values and the other sizes.
AXES = {
    "n": ((2000, 5000, 10000, 20000, 50000, 100000), {"d": 500, "c": 10, "s": 100}),
    "d": ((500, 1000, 2000, 5000, 10000, 20000), {"n": 2000, "c": 10, "s": 100}),
    "c": ((2, 5, 10, 20, 40), {"n": 5000, "d": 1000, "s": 100}),
    "s": ((10, 20, 50, 100, 200, 400), {"n": 5000, "d": 1000, "c": 10}),
}
QUICK = {
    "n": ((60, 120, 240), {"d": 40, "c": 3, "s": 10}),
    "d": ((40, 80, 160), {"n": 60, "c": 3, "s": 10}),
    "c": ((2, 4, 8), {"n": 60, "d": 40, "s": 10}),
    "s": ((5, 10, 20), {"n": 60, "d": 40, "c": 3}),
}


def exponent(sizes, seconds) -> float:
    """b of the least-squares fit ``log seconds = a + b log size``."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def fit_row(X: np.ndarray, graph: SampleGraph, c: int, s: int) -> dict:
    """A fit that gets the graph and its eigenvectors."""
    graph.leading_eigenvectors(c)
    fit = BLUFS(s, n_clusters=c).fit
    seconds, selector = steady_seconds(lambda: fit(X, precomputed=graph))
    features = np.flatnonzero(selector.support_).tolist()
    return {"fit_seconds": seconds, "sweeps": selector.n_iter_, "features": features}


def coordinates(X: np.ndarray, c: int) -> np.ndarray:
    """What BLUFS compares samples by."""
    return scale_samples(principal_vectors(scaled_data(X, "center+unit"), 2 * c)[1])


def along(axis: str, values, others: dict) -> list[dict]:
    rows = []
    for value in values:
        sizes = {**others, axis: value}
        X = random_clusters(sizes["n"], sizes["d"], sizes["c"])
        graph = SampleGraph.from_data(coordinates(X, sizes["c"]), NEIGHBORS)
        found = fit_row(X, graph, sizes["c"], sizes["s"])
        rows.append({**sizes, **{k: v for k, v in found.items() if k != "features"}})
        print(axis, rows[-1], flush=True)
    return rows


def along_n(values, others: dict, search) -> list[dict]:
    """As ``along``, with the graphs. ``search`` is the approximate index, None without it."""
    rows = []
    for n in values:
        X = random_clusters(n, others["d"], others["c"])
        Z = coordinates(X, others["c"])
        row, graphs = {**others, "n": n}, {}
        if n <= EXACT_TIMED_UP_TO:
            row["exact_seconds"], exact = timed(lambda Z=Z: nearest_neighbors(Z, NEIGHBORS))
            graphs["exact"] = SampleGraph.from_neighbors(*exact)
        if search:
            row["approximate_seconds"], found = timed(lambda Z=Z: search(Z, NEIGHBORS))
            graphs["approximate"] = SampleGraph.from_neighbors(*found)
            row["recall"] = recall(Z, found[0])
        if not graphs:
            print(f"n = {n} skipped: it needs faiss (pip install 'blufs[index]')")
            continue
        graph = next(iter(graphs.values()))
        row["eigenvectors_seconds"] = timed(lambda g=graph: g.leading_eigenvectors(others["c"]))[0]
        fits = {k: fit_row(X, g, others["c"], others["s"]) for k, g in graphs.items()}
        if len(fits) == 2:
            row["overlap"] = overlap(fits["exact"]["features"], fits["approximate"]["features"])
        found = next(iter(fits.values()))
        rows.append({**row, "fit_seconds": found["fit_seconds"], "sweeps": found["sweeps"]})
        print("n", rows[-1], flush=True)
    return rows


def recall(Z: np.ndarray, indices: np.ndarray, sample: int = 500) -> float:
    """Share of the exact neighbours among those found, over random samples."""
    chosen = np.random.default_rng(0).permutation(len(Z))[:sample]
    k, hits = indices.shape[1], 0
    for i in chosen:
        distances = ((Z - Z[i]) ** 2).sum(axis=1)
        distances[i] = np.inf
        hits += len(np.intersect1d(np.argpartition(distances, k)[:k], indices[i]))
    return hits / (k * len(chosen))


def exponents(axes: dict[str, list[dict]]) -> dict[str, float]:
    found = {
        f"fit, {axis}": exponent([r[axis] for r in rows], [r["fit_seconds"] for r in rows])
        for axis, rows in axes.items()
    }
    for part in ("exact", "approximate", "eigenvectors"):
        rows = [r for r in axes["n"] if f"{part}_seconds" in r]
        if len(rows) > 1:
            seconds = [r[f"{part}_seconds"] for r in rows]
            found[f"{part}, n"] = exponent([r["n"] for r in rows], seconds)
    return found


def index():
    """The search by the index, of which the first call is slower; None if it is not there."""
    try:
        neighbors_of_many(random_clusters(500, 20, 2), NEIGHBORS)
    except ImportError as error:
        print(error)
        return None
    return neighbors_of_many


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


def growth_table() -> str:
    report = read("growth")
    names = {"exact": "exact neighbours", "approximate": "approximate neighbours"}
    rows = []
    for name, value in report["exponents"].items():
        part, size = name.split(", ")
        measured = [r for r in report["axes"][size] if f"{part}_seconds" in r]
        values = [r[size] for r in measured]
        at = ", ".join(f"{other} = {measured[0][other]}" for other in "ndcs" if other != size)
        span = f"{min(values)} to {max(values)}"
        rows.append([names.get(part, part), size, span, at, value])
    return markdown(["part", "in", "from", "at", "exponent"], rows)


def graph_table() -> str:
    """Seconds of both searches for neighbours, and the recall of the approximate one."""
    keys = {
        "exact_seconds": "exact, s",
        "approximate_seconds": "approximate, s",
        "eigenvectors_seconds": "eigenvectors, s",
        "fit_seconds": "rest of the fit, s",
        "sweeps": "sweeps",
    }
    rows = []
    for r in read("growth")["axes"]["n"]:
        shares = [f"{100 * r[key]:.1f}" if key in r else "" for key in ("recall", "overlap")]
        rows.append([r["n"], *(r.get(key, "") for key in keys), *shares])
    return markdown(["n", *keys.values(), "recall, %", "same selection, %"], rows)


if __name__ == "__main__":
    quick = parse_quick(__doc__)
    warnings.simplefilter("ignore")
    sizes = QUICK if quick else AXES
    with threadpool_limits(1):
        BLUFS(5, n_clusters=2).fit(random_clusters(50, 20, 2))  # the first calls are slower
        search = None if quick else index()
        measured = {"n": along_n(*sizes["n"], search)}
        measured |= {axis: along(axis, *sizes[axis]) for axis in ("d", "c", "s")}
    report = {"axes": measured, "exponents": exponents(measured)}
    save("growth", report)
    with use_style(Style()):
        draw(report).savefig(RESULTS / "growth.png", metadata={"Software": None})
    print(report["exponents"])
