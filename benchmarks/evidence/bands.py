"""Twenty bands of Indian Pines, and the accuracy of a support vector machine on them.

``python -m benchmarks.evidence.bands`` writes results/bands.json. All labelled pixels take part. As
in that field, a classifier (radial basis functions, C = 100, standardised bands) learns from a
tenth of the pixels of each class, five times, and is tested on the others.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.data import load
from benchmarks.harness import markdown, read, save
from blufs import (
    BLUFS,
    FSCA,
    MCFS,
    AllFeatures,
    BLUFSVariant,
    LapScore,
    MaxVariance,
    RandomFeatures,
)
from blufs_bench.bands import EvenlySpaced

N_BANDS, TRAIN, SPLITS = 20, 0.1, 5


def selectors(c: int) -> dict[str, list]:
    """By name, several for random ones: their scores are averaged."""
    return {
        "BLUFS": [BLUFS(N_BANDS, n_clusters=c)],
        "BLUFS, equal norm": [BLUFSVariant(N_BANDS, n_clusters=c, scaling="center+unit")],
        "BLUFS, own scale": [BLUFSVariant(N_BANDS, n_clusters=c, scaling="center")],
        "evenly spaced": [EvenlySpaced(N_BANDS)],
        "random": [RandomFeatures(N_BANDS, random_state=seed) for seed in range(5)],
        "MCFS": [MCFS(N_BANDS, n_clusters=c)],
        "FSCA": [FSCA(N_BANDS)],
        "LapScore": [LapScore(N_BANDS)],
        "variance": [MaxVariance(N_BANDS)],
        "all bands": [AllFeatures()],
    }


def accuracy(X: np.ndarray, y: np.ndarray) -> float:
    splits = StratifiedShuffleSplit(SPLITS, train_size=TRAIN, random_state=0).split(X, y)
    machine = make_pipeline(StandardScaler(), SVC(C=100))
    return 100 * np.mean([machine.fit(X[a], y[a]).score(X[b], y[b]) for a, b in splits])


def main() -> None:
    X, y = load("IndianPines")
    found = {}
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        for name, several in selectors(int(y.max()) + 1).items():
            scores = [accuracy(one.fit_transform(X), y) for one in several]
            found[name] = round(float(np.mean(scores)), 2)
            print(name, found[name], flush=True)
    save("bands", found)


def table() -> str:
    rows = sorted(read("bands").items(), key=lambda item: -item[1])
    return markdown(["20 bands by", "accuracy"], [list(row) for row in rows])


TABLES = {"bands": table}

if __name__ == "__main__":
    main()
