"""What it changes to select on the training half alone, before a classifier is tested.

``python -m benchmarks.evidence.training_half`` writes results/training_half.json. The benchmark
selects on all samples, as papers do, and then splits them: no class of the test half is seen, but
its values are. Here the same splits are also used for the selection. At most 400 samples of each
set, so that it takes minutes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import load_part
from benchmarks.harness import markdown, read, save
from blufs import BLUFS, FSCA, MCFS, LapScore, MaxVariance, RandomFeatures
from blufs_bench.stages.classification import (
    classification_accuracy,
    forest_accuracy,
    random_splits,
)
from blufs_bench.supervised import Supervised

NAME = "training_half"
DATASETS = ("Yale", "umist", "Isolet", "khan", "bhattacharjee")
S_VALUES, SEEDS, MOST, N_TREES = (20, 60), (0, 1, 2, 3), 400, 50
#: Where the features are selected.
ALL, HALF = "all samples", "training half"
METHODS = ("RandomFeatures", "MaxVariance", "LapScore", "FSCA", "MCFS", "BLUFS", "Supervised")
METRICS = {"knn": "k-NN", "forest": "forest"}


def selector(name: str, y: np.ndarray):
    c = len(np.unique(y))
    return {
        "RandomFeatures": lambda: RandomFeatures(random_state=0),
        "MaxVariance": MaxVariance,
        "LapScore": LapScore,
        "FSCA": FSCA,
        "MCFS": lambda: MCFS(n_clusters=c),
        "BLUFS": lambda: BLUFS(n_clusters=c),
        "Supervised": lambda: Supervised(n_estimators=100, random_state=0).see(y),
    }[name]()


def selections(name: str, X: np.ndarray, y: np.ndarray, sizes: Sequence[int]) -> dict:
    """s -> the features selected on these samples, all of whose columns may be constant there."""
    path = selector(name, y).select_path(X, sizes)
    return {s: path[s].ranked[:s] for s in sizes}


def accuracies(name: str, X: np.ndarray, y: np.ndarray) -> dict[str, dict[str, float]]:
    """Where it was selected -> mean k-NN and forest accuracy over splits and s, in %."""
    sizes = [s for s in S_VALUES if s <= X.shape[1]]
    whole = selections(name, X, y, sizes)
    scores: dict[str, dict[str, list[float]]] = {
        where: {metric: [] for metric in METRICS} for where in (ALL, HALF)
    }
    for seed, (train, _) in zip(SEEDS, random_splits(len(X), SEEDS, 0.5), strict=True):
        half = selections(name, X[train], y[train], sizes)
        for where, found in ((ALL, whole), (HALF, half)):
            for s in sizes:
                Z = X[:, found[s]]
                scores[where]["knn"] += classification_accuracy(Z, y, [seed])
                scores[where]["forest"] += forest_accuracy(Z, y, [seed], n_trees=N_TREES)
    return {
        where: {metric: round(100 * float(np.mean(values)), 2) for metric, values in of.items()}
        for where, of in scores.items()
    }


def main() -> None:
    report = read(NAME) or {}
    for dataset in DATASETS:
        if dataset in report:
            continue
        X, y = load_part(dataset, MOST)
        with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
            report[dataset] = {name: accuracies(name, X, y) for name in METHODS}
        save(NAME, report)
        print(dataset, report[dataset]["BLUFS"], flush=True)


def table() -> str:
    """Mean accuracies over the datasets, and what selecting on the training half changes."""
    report = read(NAME)
    rows = []
    for name in METHODS:
        cells = []
        for metric in METRICS:
            whole, half = (
                np.array([found[name][where][metric] for found in report.values()])
                for where in (ALL, HALF)
            )
            change = half - whole
            cells += [f"{whole.mean():.1f}", f"{half.mean():.1f}"]
            cells.append(f"{change.mean():+.1f} ({change.min():+.1f} to {change.max():+.1f})")
        rows.append([name, *cells])
    header = [f"{title}, {what}" for title in METRICS.values() for what in (ALL, HALF, "change")]
    return markdown(["method", *header], rows)


TABLES = {"training_half": table}

if __name__ == "__main__":
    main()
