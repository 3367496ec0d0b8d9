"""The defaults of BLUFS, and what each step to them is worth, over the wide data.

``python -m benchmarks.evidence.wide_defaults [row ...]`` adds rows to
results/wide_defaults.json: one per setting or method, for every dataset the mean over s = 20, 60
and 100 of ACC and NMI (k-means, five runs of three restarts on the raw selected features), of 5-NN
accuracy (five splits) and, for some rows, of random-forest accuracy and the label-free criteria.
Scores of a selection that is known already are taken from the folder that BLUFS_EVIDENCE_CACHE
names, where there is one.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import DATASETS, MAX_SAMPLES, load_part
from benchmarks.harness import read, save
from blufs import BLUFS, BLUFSVariant, SampleGraph
from blufs.metrics import cluster, label_free_criteria, score_partitions
from blufs_bench.registry import method_class
from blufs_bench.stages.classification import classification_accuracy, forest_accuracy

S_VALUES = (20, 60, 100)
SEEDS = range(5)
RANDOM_DRAWS = 3
CACHE = os.environ.get("BLUFS_EVIDENCE_CACHE")
#: Rows that are methods of the library.
METHODS = ("MCFS", "LapScore", "FSCA", "FSPCA", "PivotedQR")
#: Rows that are also scored by a random forest (50 trees, two splits).
WITH_FOREST = ("before", "default", "no feedback", "MCFS", "variance", "random", *METHODS)
#: Rows among which a label-free choice is tried.
WITH_CRITERIA = ("no feedback", "lam 1", "lam 10", "alpha 30")

BEFORE = {"scaling": "center+unit", "lam": 10.0, "learn_neighbors": False, "feedback": 0}
PRINTED = {"similarity": "data", "scaling": "unit", "feedback": 0}
#: What was chosen before the feedback of the learned graph was tried, by row.
WITHOUT_FEEDBACK: dict[str, dict] = {
    "no feedback": {},
    "neighbours of S": {"learn_neighbors": False},
    "scaling center+unit": {"scaling": "center+unit"},
    "scaling center": {"scaling": "center"},
    "beta 0.3": {"beta": 0.3},
    "beta 3": {"beta": 3.0},
    "lam 1": {"lam": 1.0},
    "lam 5": {"lam": 5.0},
    "lam 10": {"lam": 10.0},
    "alpha 30": {"alpha": 30.0},
}
#: Parameters of BLUFS by row, given the number of classes.
SETTINGS: dict[str, Callable[[int], dict]] = {
    "before": lambda c: BEFORE,
    "default": lambda c: {},
    "feedback 0.5": lambda c: {"feedback": 0.5},
    "Case III": lambda c: {"beta": 0.0},
    "start only": lambda c: {"max_iter": 0},
    **{
        row: lambda c, chosen=chosen: {**chosen, "feedback": 0}
        for row, chosen in WITHOUT_FEEDBACK.items()
    },
    "auto c": lambda c: {"n_clusters": "auto"},
    "half c": lambda c: {"n_clusters": max(2, c // 2)},
    "double c": lambda c: {"n_clusters": 2 * c},
    "paper": lambda c: {**PRINTED, "init": "random", "y_solver": "penalty", "random_state": 0},
    "paper, relaxed start": lambda c: PRINTED,
    "paper, principal similarity": lambda c: {"scaling": "unit", "feedback": 0},
}


def selections(row: str, X: np.ndarray, c: int) -> list[np.ndarray]:
    """The selected features, one array for every s (and draw)."""
    sizes = sorted({min(s, X.shape[1]) for s in S_VALUES})
    if row == "all features":
        return [np.arange(X.shape[1])]
    if row == "variance":
        order = np.argsort(-X.var(axis=0), kind="stable")
        return [order[:s] for s in sizes]
    if row == "random":
        draws = [np.random.default_rng(i).permutation(X.shape[1]) for i in range(RANDOM_DRAWS)]
        return [order[:s] for order in draws for s in sizes]
    cls, settings = (method_class(row), {}) if row in METHODS else (BLUFSVariant, SETTINGS[row](c))
    clusters = {"n_clusters": c} if "n_clusters" in cls().get_params() else {}
    selector = cls(**{**clusters, **settings})
    return [solution.ranked[:s] for s, solution in selector.select_path(X, sizes).items()]


class Dataset:
    """A dataset with its graph, and the scores of selections from it."""

    def __init__(self, name: str, most: int = MAX_SAMPLES):
        self.name = name
        self.X, self.y = load_part(name, most)
        self.c = int(self.y.max()) + 1

    @cached_property
    def graph(self) -> SampleGraph:
        return SampleGraph.from_data(self.X, 10)

    def score(self, features: np.ndarray, forest: bool, criteria: bool) -> dict[str, float]:
        features = np.sort(features)
        digest = hashlib.sha1(features.astype(np.int64).tobytes()).hexdigest()[:16]
        path = Path(CACHE, "scored", self.name, f"{digest}.json") if CACHE else None
        known = json.loads(path.read_text()) if path and path.exists() else {}
        if not known or (criteria and "cohesion" not in known):
            known |= self._cluster_and_classify(features, criteria)
        if forest and "forest" not in known:
            found = forest_accuracy(self.X[:, features], self.y, [0, 1], n_trees=50)
            known["forest"] = 100 * float(np.mean(found))
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(known))
        return known

    def _cluster_and_classify(self, features: np.ndarray, criteria: bool) -> dict[str, float]:
        Z, seeds = np.ascontiguousarray(self.X[:, features]), list(SEEDS)
        partitions = cluster(Z, self.c, seeds, restarts=3)
        scores = score_partitions(self.y, partitions)
        return {
            "acc": 100 * float(np.mean(scores["clustering_acc"])),
            "nmi": 100 * float(np.mean(scores["nmi"])),
            "knn": 100 * float(np.mean(classification_accuracy(Z, self.y, seeds))),
            **(label_free_criteria(self.X, self.graph, partitions) if criteria else {}),
        }

    def row(self, row: str) -> dict:
        start = time.process_time()
        chosen = selections(row, self.X, self.c)
        seconds = time.process_time() - start
        forest, criteria = row in WITH_FOREST, row in WITH_CRITERIA
        # Forests take long: of random features only the first draw is scored by them.
        scores = [
            self.score(features, forest and i < len(S_VALUES), criteria)
            for i, features in enumerate(chosen)
        ]
        common = set.intersection(*map(set, scores)) - {"forest"}
        means = {key: float(np.mean([one[key] for one in scores])) for key in sorted(common)}
        if forest:
            scored = [one["forest"] for one in scores[: len(S_VALUES)]]
            means["forest"] = float(np.mean(scored))
        if criteria:
            means["by_s"] = scores
        if row == "auto c":
            selector = BLUFS(min(20, self.X.shape[1]), n_clusters="auto", max_iter=0)
            means |= {"classes": self.c, "estimate": selector.fit(self.X).n_clusters_}
        return means | {"fit_seconds": seconds}


@cache
def dataset(name: str) -> Dataset | None:
    """None, and a line that says so, if its file or reader is not there."""
    try:
        return Dataset(name)
    except (OSError, ImportError) as missing:
        print(f"skipped {name}: {missing}", flush=True)
        return None


def measure_missing(
    name: str, report: dict, found: dict[str, Any], measure: Callable[[Dataset], Any]
) -> None:
    """Measure the datasets that ``found``, a part of the report ``name``, lacks; store each."""
    for key in DATASETS:
        data = None if key in found else dataset(key)
        if data is None:
            continue
        with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
            found[key] = measure(data)
        save(name, report)
        print(key, flush=True)


def main(rows: list[str]) -> None:
    report = read("wide_defaults") or {}
    for row in rows:
        found = report.setdefault(row, {})
        measure_missing("wide_defaults", report, found, lambda data, row=row: data.row(row))
        print(row, {k: round(mean(report[row], k), 1) for k in ("acc", "nmi", "knn")}, flush=True)


def mean(scores: dict[str, dict], key: str) -> float:
    return float(np.mean([values[key] for values in scores.values()]))


if __name__ == "__main__":
    everything = [*SETTINGS, *METHODS, "variance", "random", "all features"]
    main(sys.argv[1:] or everything)
