"""Peak memory of a BLUFS fit as a multiple of X, in float64 and float32, and what float32 changes.

Resident memory of a fresh process each, beyond what the interpreter, the imports
and a tiny fit take; X itself counts. On real data the selections of both precisions are compared.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks.data import load_available
from benchmarks.harness import (
    markdown,
    measure_one,
    overlap,
    parse_quick,
    random_clusters,
    read,
    resident,
    save,
)
from blufs import BLUFS, SampleGraph

SHAPES = ((7000, 5000, 2), (20000, 2000, 10), (1000, 20000, 10))
QUICK = ((100, 300, 2),)
DATASETS = ("Isolet", "Jaffe", "pie", "COIL20", "warpAR")
S = 100


def measure(n: int, d: int, c: int, dtype: str, graph: str = "") -> dict:
    """In this process: bytes of the peak beyond the start; ``graph`` is the file of a given one."""
    given = sp.load_npz(graph) if graph else None
    BLUFS(5, n_clusters=2).fit(random_clusters(50, 20, 2))
    before = resident("VmHWM")
    X = random_clusters(n, d, c, np.dtype(dtype))
    BLUFS(S, n_clusters=c).fit(X, precomputed=given)
    return {"peak_bytes": resident("VmHWM") - before}


def shape_row(n: int, d: int, c: int) -> dict:
    """Peaks as multiples of the float64 X, for both precisions, and for fits that get a graph."""
    row = {"n": n, "d": d, "c": c, "x_bytes": 8 * n * d}
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder, "graph.npz")
        # That of few features, which are enough to have one.
        sp.save_npz(graph, SampleGraph.from_data(random_clusters(n, 20, c), 10).similarity)
        for dtype in ("float64", "float32"):
            for name, given in (("with", []), ("without", [graph])):
                peak = measure_one("benchmarks.speed.memory", n, d, c, dtype, *given)["peak_bytes"]
                row[f"{dtype}_{name}_graph"] = peak / row["x_bytes"]
    return row


def precision_row(dataset: str, X: np.ndarray, y: np.ndarray) -> dict:
    c = int(y.max()) + 1
    chosen = [
        np.flatnonzero(BLUFS(S, n_clusters=c).fit(X.astype(dtype)).support_)
        for dtype in (np.float64, np.float32)
    ]
    return {"dataset": dataset, "s": S, "overlap": overlap(*chosen)}


def main(quick: bool) -> None:
    report = {"shapes": [], "precision": []}
    for shape in QUICK if quick else SHAPES:
        report["shapes"].append(shape_row(*shape))
        print(report["shapes"][-1], flush=True)
    for data in load_available(*(DATASETS[1:2] if quick else DATASETS)):
        with threadpool_limits(1):
            report["precision"].append(precision_row(*data))
        print(report["precision"][-1], flush=True)
    save("memory", report)


def table() -> str:
    kinds = [f"{t}_{g}_graph" for t in ("float64", "float32") for g in ("with", "without")]
    header = ["n x d", "MB of X", *(kind.replace("_", " ") for kind in kinds)]
    rows = [
        [f"{r['n']} x {r['d']}", round(r["x_bytes"] / 1e6), *(r[kind] for kind in kinds)]
        for r in read("memory")["shapes"]
    ]
    return markdown(header, rows)


def precision_table() -> str:
    rows = [[r["dataset"], r["s"], 100 * r["overlap"]] for r in read("memory")["precision"]]
    return markdown(["data", "s", "same selection in float32, %"], rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--one" in sys.argv:
        n, d, c, *rest = sys.argv[2:]
        print(json.dumps(measure(int(n), int(d), int(c), *rest)))
    else:
        main(parse_quick(__doc__))
