"""Clustering accuracy of BLUFS with oracle, default and blind choice of the weights.

A grid is screened with a light protocol (two runs of k-means, three restarts); what each rule
chooses from it, weights and s, is then measured by ten runs with ten restarts on the raw selected
features. ``python -m benchmarks.evidence.defaults_and_tuning [dataset ...]`` adds to
results/defaults_and_tuning.json.
"""

from __future__ import annotations

import itertools
import json
import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from benchmarks.harness import RESULTS, load, save
from blufs import BLUFS, SampleGraph, clustering_accuracy, normalized_mutual_info
from blufs.metrics import label_free_criteria
from blufs.search import choose_blind

PAPER = {"Isolet": 54.41, "Jaffe": 88.28, "pie": 42.22, "COIL20": 63.95, "warpAR": 38.45}
EXTRA = ("MNIST", "GLIOMA", "arcene", "MSTAR pixels")
GRID = {"alpha": (1.0, 10.0, 100.0), "lam": (1.0, 3.0, 10.0)}
DEFAULT = {name: BLUFS().get_params()[name] for name in GRID}
S_VALUES = (20, 50, 100)


def partitions(X, features, c, runs, restarts):
    return [
        KMeans(c, n_init=restarts, random_state=seed).fit_predict(X[:, features])
        for seed in range(runs)
    ]


def screen(X, y) -> list[dict]:
    """One row per setting and s: features, light ACC and the label-free criteria."""
    c = int(y.max()) + 1
    graph, shared = SampleGraph.from_data(X, 10), BLUFS(n_clusters=c).precompute(X)
    rows = []
    for values in itertools.product(*GRID.values()):
        settings = dict(zip(GRID, values, strict=True))
        path = BLUFS(n_clusters=c, **settings).select_path(X, S_VALUES, precomputed=shared)
        for s, solution in path.items():
            features = solution.ranked[:s]
            found = partitions(X, features, c, runs=2, restarts=3)
            row = {"settings": settings, "s": s, "features": features}
            row["acc"] = np.mean([clustering_accuracy(y, labels) for labels in found])
            rows.append(row | label_free_criteria(X, graph, found))
    return rows


def measure(X, y, row) -> dict:
    found = partitions(X, row["features"], int(y.max()) + 1, runs=10, restarts=10)
    return {
        **row["settings"],
        "s": row["s"],
        "ACC": 100 * float(np.mean([clustering_accuracy(y, labels) for labels in found])),
        "NMI": 100 * float(np.mean([normalized_mutual_info(y, labels) for labels in found])),
    }


def compare(name: str) -> dict:
    X, y = load(name)
    rows = screen(X, y)
    chosen = {
        "oracle": max(rows, key=lambda row: row["acc"]),
        "default": max((r for r in rows if r["settings"] == DEFAULT), key=lambda r: r["acc"]),
        "blind": choose_blind(rows),
        "blind, graph of the data": choose_blind(rows, "cohesion"),
    }
    return {rule: measure(X, y, row) for rule, row in chosen.items()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    path = RESULTS / "defaults_and_tuning.json"
    report = json.loads(path.read_text()) if path.exists() else {}
    for dataset in sys.argv[1:] or [*PAPER, *EXTRA]:
        with threadpool_limits(1):
            report[dataset] = {"paper": PAPER.get(dataset)} | compare(dataset)
        save("defaults_and_tuning", report)
        print(dataset, {k: v["ACC"] for k, v in report[dataset].items() if k != "paper"})
