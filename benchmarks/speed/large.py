"""BLUFS fits of large data: time, memory, and what is found of what was planted.

``python -m benchmarks.speed.large`` runs all cases, each in a process of its own with one thread;
``python -m benchmarks.speed.large NAME`` runs one, and keeps the results of the others.

- ``cells``: log-normalised counts of planted kinds of cells, sparse, in memory;
- ``many``: the same with a million samples and few features;
- ``genes``: the same with few cells, of which many features are selected;
- ``disk``: dense clusters in a memory-mapped file, read in chunks of rows.

Time is in processor seconds, and in pairs of products ``X @ B`` and ``X.T @ C`` with 2c columns.
Memory is the peak of the resident memory of the process, for ``cells`` and ``many`` beyond what it
is before the data are made. Where pandas is installed, scikit-learn imports it, which takes 70 MB.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import markdown, measure_one, read, resident, save, timed
from blufs import BLUFS
from blufs._numerics.matrix.chunked import as_row_chunks

#: Samples, features, share of non-zeros, clusters, features to select.
CELLS = {
    "cells": (100_000, 20_000, 0.03, 20, 200),
    "cells, a tenth": (10_000, 20_000, 0.03, 20, 200),
    "many": (1_000_000, 2_000, 0.02, 10, 100),
    "many, a tenth": (100_000, 2_000, 0.02, 10, 100),
    **{f"genes {s}": (2_000, 5_000, 0.12, 6, s) for s in (100, 500, 1_000, 2_000)},
    "quick": (400, 300, 0.05, 3, 20),
}
#: Samples, features, clusters, features to select.
DISK = {
    "disk": (200_000, 2_000, 5, 20),
    "disk, a tenth": (20_000, 2_000, 5, 20),
    "quick disk": (300, 80, 3, 10),
}
#: Share of the features that differ between the clusters, and by which factor.
PLANTED, FOLD = 0.1, 10.0


def rates(d: int, density: float, rng: np.random.Generator) -> np.ndarray:
    """Mean counts of d features, log-normal, such that ``density`` of all counts are above 0."""
    shape = rng.lognormal(0.0, 1.2, d)
    low, high = 1e-9, 1e3
    for _ in range(80):
        middle = np.sqrt(low * high)
        too_many = np.mean(-np.expm1(-middle * shape)) > density
        low, high = (low, middle) if too_many else (middle, high)
    return middle * shape


def counts(n: int, d: int, density: float, c: int) -> tuple[sp.csr_array, np.ndarray]:
    """Log-normalised counts (n x d, float64, CSR) of c kinds of cells, and the planted features.

    Each kind has its share of a tenth of the features, drawn among those with a mean count above
    0.01, ten times as often as the others have. Cells differ in their total count.
    """
    rng = np.random.default_rng(0)
    mean = rates(d, density, rng)
    planted = rng.permutation(np.flatnonzero(mean > 0.01))[: int(PLANTED * d)]
    kind = rng.integers(c, size=n)
    factor = np.ones((c, d))
    factor[np.arange(len(planted)) % c, planted] = FOLD
    ladders = np.cumsum(mean * factor, axis=1)
    parts = []
    for cells in np.array_split(np.arange(n), max(1, n * d // 2**27)):
        own = kind[cells]
        totals = rng.poisson(ladders[own, -1] * rng.lognormal(0.0, 0.3, len(own)))
        rows = np.repeat(np.arange(len(own)), totals)
        drawn = rng.random(len(rows))
        columns = np.empty(len(rows), dtype=np.int32)
        for k in range(c):  # the feature of a count, by the probabilities of its kind
            here = own[rows] == k
            columns[here] = np.searchsorted(ladders[k], drawn[here] * ladders[k, -1])
        X = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(own), d)).tocsr()
        X.data = np.log1p(X.data * np.repeat(1e4 / np.maximum(totals, 1), np.diff(X.indptr)))
        parts.append(X)
    return sp.csr_array(sp.vstack(parts, format="csr")), planted


def dispersions(X: sp.csr_array, n_bins: int = 20) -> np.ndarray:
    """Normalised dispersions of log-normalised X (n x d), as scanpy's flavour "seurat" has them.

    ``log(variance / mean)`` of the counts, standardised among features of like ``log(1 + mean)``.
    """
    import pandas as pd

    n = X.shape[0]
    values = X.copy()
    values.data = np.expm1(values.data)
    mean = np.asarray(values.sum(axis=0)) / n
    values.data **= 2
    variance = (np.asarray(values.sum(axis=0)) / n - mean**2) * n / (n - 1)
    mean = np.maximum(mean, 1e-12)
    dispersion = pd.Series(np.log(np.where(variance > 0, variance / mean, np.nan)))
    groups = dispersion.groupby(pd.cut(np.log1p(mean), n_bins), observed=False)
    middle, spread = groups.transform("mean"), groups.transform("std")
    alone = spread.isna()
    spread[alone], middle[alone] = middle[alone], 0.0
    return ((dispersion - middle) / spread).fillna(-np.inf).to_numpy()


def seconds_of_a_pair(X: sp.csr_array, width: int) -> float:
    """Processor seconds of ``X @ B`` and ``X.T @ C``, the less of two tries."""
    rng = np.random.default_rng(0)
    B, C = (rng.standard_normal((size, width)) for size in X.shape[::-1])
    return min(timed(lambda: (X @ B, X.T @ C))[0] for _ in range(2))


def measure_cells(name: str) -> dict:
    """In this process: one case of :data:`CELLS`."""
    n, d, density, c, s = CELLS[name]
    before = resident("VmRSS")
    X, planted = counts(n, d, density, c)
    x_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    pair = seconds_of_a_pair(X, 2 * c)
    variance = np.asarray(X.multiply(X).mean(axis=0)) - np.asarray(X.mean(axis=0)) ** 2
    ranked = {"variance": variance, "dispersion": dispersions(X)}
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    wall = time.perf_counter()
    seconds, selector = timed(lambda: BLUFS(s, n_clusters=c).fit(X))
    wall = time.perf_counter() - wall
    chosen = {key: np.argsort(-scores)[:s] for key, scores in ranked.items()}
    chosen = {"BLUFS": np.flatnonzero(selector.support_), **chosen}
    return {
        "n": n,
        "d": d,
        "density": X.nnz / n / d,
        "c": c,
        "s": s,
        "x_bytes": x_bytes,
        "fit_seconds": seconds,
        "wall_seconds": wall,
        "sweeps": selector.n_iter_,
        "pairs": seconds / pair,
        "peak_bytes": resident("VmHWM") - before,
        "precision": {key: float(np.isin(found, planted).mean()) for key, found in chosen.items()},
    }


def write_clusters(path: Path, n: int, d: int, c: int) -> None:
    """Clusters apart in the first 100 of d features, plus noise, as float32 in a .npy file."""
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    centers = rng.standard_normal((c, min(d, 100)), dtype=np.float32)
    for rows in np.array_split(np.arange(n), max(1, n * d // 2**22)):
        block = rng.standard_normal((len(rows), d), dtype=np.float32)
        block[:, : centers.shape[1]] += centers[rng.integers(c, size=len(rows))]
        X[rows[0] : rows[-1] + 1] = block
    X.flush()


def measure_disk(name: str, path: str) -> dict:
    """In this process: one case of :data:`DISK`, whose file is there."""
    n, d, c, s = DISK[name]
    X = as_row_chunks(np.load(path, mmap_mode="r"))
    wall = time.perf_counter()
    seconds, selector = timed(lambda: BLUFS(s, n_clusters=c).fit(X))
    found = np.flatnonzero(selector.support_)
    return {
        "n": n,
        "d": d,
        "c": c,
        "s": s,
        "x_bytes": 4 * n * d,
        "passes": X.passes,
        "fit_seconds": seconds,
        "wall_seconds": time.perf_counter() - wall,
        "sweeps": selector.n_iter_,
        "peak_bytes": resident("VmHWM"),
        "precision": {"BLUFS": float((found < 100).mean())},
    }


def run(name: str) -> dict:
    if name in CELLS:
        return measure_one("benchmarks.speed.large", name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.npy")
        write_clusters(path, *DISK[name][:3])
        # Else the C library keeps much of what was given back.
        os.environ["MALLOC_MMAP_THRESHOLD_"] = "1000000"
        return measure_one("benchmarks.speed.large", name, path)


def main(names: list[str]) -> None:
    quick = "--quick" in names
    report = {} if quick else read("large") or {}
    every = ["quick", "quick disk"] if quick else [n for n in (*CELLS, *DISK) if "quick" not in n]
    for name in [name for name in names if name != "--quick"] or every:
        report[name] = run(name)
        print(name, report[name], flush=True)
        save("large", report)


def tables() -> tuple[str, str, str, str]:
    """Sparse data in memory, what was found of what was planted, data on disk, many features."""
    report = read("large") or {}
    genes = [row for name, row in report.items() if name.startswith("genes")]
    rows = [row for row in report.values() if row not in genes]
    rows.sort(key=lambda row: row["n"] * row["d"])
    sizes = {id(row): f"{row['n']:,} x {row['d']:,}" for row in rows}
    needs = {
        id(row): [
            f"{row['x_bytes'] / 1e6:,.0f}",
            f"{row['peak_bytes'] / 1e6:,.0f}",
            f"{row['fit_seconds']:,.0f}",
        ]
        for row in rows
    }
    sparse = [row for row in rows if "passes" not in row]
    cells = [
        [
            sizes[id(r)],
            f"{100 * r['density']:.1f} %",
            r["c"],
            r["s"],
            *needs[id(r)],
            round(r["pairs"]),
        ]
        for r in sparse
    ]
    rankings = ("BLUFS", "dispersion", "variance")
    hits = [[sizes[id(r)], *(r["precision"][key] for key in rankings)] for r in sparse]
    disk = [
        [sizes[id(r)], r["c"], r["s"], *needs[id(r)], r["passes"]] for r in rows if "passes" in r
    ]
    by_s = [
        [r["s"], f"{r['fit_seconds']:.1f}", f"{r['peak_bytes'] / 1e6:,.0f}", r["sweeps"]]
        for r in sorted(genes, key=lambda r: r["s"])
    ]
    common = ["c", "s", "X, MB", "memory, MB", "CPU s"]
    return (
        markdown(["n x d", "stored", *common, "pairs of products"], cells),
        markdown(["n x d", *rankings], hits),
        markdown(["n x d", *common, "passes"], disk),
        markdown(["s", "CPU s", "memory, MB", "sweeps"], by_s),
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--one" in sys.argv:
        name, *path = sys.argv[2:]
        print(json.dumps(measure_disk(name, *path) if path else measure_cells(name)))
    else:
        main(sys.argv[1:])
