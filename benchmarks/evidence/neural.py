"""The neural selectors of examples/neural_selectors.py, measured beside simple methods.

``PYTHONPATH=examples python -m benchmarks.evidence.neural`` writes results/neural.json. Each is
fitted with three seeds; the table has mean and standard deviation over the seeds, and how much of
their features two seeds share.
"""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import load_part
from benchmarks.harness import markdown, overlap, read, save, timed
from blufs import BLUFS, FSCA, RandomFeatures
from blufs.metrics import score_partitions
from blufs_bench.stages.protocol import Protocol

NAME, S, SEEDS = "neural", 50, (0, 1, 2)
DATASETS = ("khan", "Yale")
METHODS = ("RandomFeatures", "FSCA", "BLUFS", "CAE", "LS-CAE", "DUFS")
METRICS = {"clustering_acc": "ACC", "nmi": "NMI", "knn_accuracy": "k-NN"}
PROTOCOL = Protocol(
    seed=0, n_clusterings=10, n_restarts=5, n_splits=10, n_neighbors=5, train_fraction=0.5
)


def selector(name: str, c: int, seed: int):
    if name == "BLUFS":
        return BLUFS(n_clusters=c)
    if name == "FSCA":
        return FSCA()
    if name == "RandomFeatures":
        return RandomFeatures(random_state=seed)
    import neural_selectors as neural

    classes = {"CAE": neural.ConcreteAutoencoder, "LS-CAE": neural.LSCAE, "DUFS": neural.DUFS}
    return classes[name](random_state=seed)


def measured(dataset: str, name: str) -> dict:
    """Scores and features of every seed, and the mean processor seconds of a fit."""
    X, y = load_part(dataset)
    c = len(np.unique(y))
    scores: dict[str, list[float]] = {metric: [] for metric in METRICS}
    features, seconds = [], []
    for seed in SEEDS:
        taken, path = timed(lambda seed=seed: selector(name, c, seed).select_path(X, [S]))
        chosen = path[S].ranked[:S]
        partitions = PROTOCOL.cluster(X[:, chosen], c, dataset, range(PROTOCOL.n_clusterings))
        found = score_partitions(y, partitions)
        splits = range(PROTOCOL.n_splits)
        found |= PROTOCOL.classify("neighbours", X[:, chosen], y, dataset, splits)
        for metric, values in scores.items():
            values.append(round(100 * float(np.mean(found[metric])), 2))
        features.append(chosen.tolist())
        seconds.append(taken)
    return {**scores, "features": features, "seconds": round(float(np.mean(seconds)), 2)}


def main() -> None:
    report = read(NAME) or {}
    for dataset in DATASETS:
        for name in METHODS:
            if name in report.setdefault(dataset, {}):
                continue
            with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
                report[dataset][name] = measured(dataset, name)
            save(NAME, report)
            print(dataset, name, report[dataset][name]["clustering_acc"], flush=True)


def table() -> str:
    """Mean and standard deviation over the seeds; the share of features that two seeds have."""
    rows = []
    for dataset, found in read(NAME).items():
        for name, of in ((name, found[name]) for name in METHODS if name in found):
            cells = [f"{np.mean(of[m]):.1f} ± {np.std(of[m], ddof=1):.1f}" for m in METRICS]
            pairs = combinations(map(np.array, of["features"]), 2)
            shared = np.mean([overlap(a, b) for a, b in pairs])
            rows.append([dataset, name, *cells, f"{100 * shared:.0f} %", f"{of['seconds']:.2g}"])
    header = ["data", "method", *METRICS.values(), "shared by two seeds", "seconds"]
    return markdown(header, rows)


TABLES = {"neural": table}

if __name__ == "__main__":
    main()
