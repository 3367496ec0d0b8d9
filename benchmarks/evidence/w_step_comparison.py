"""Rules for the support of W, compared by objective, clustering accuracy and time.

Y and P are those of the start (spectral pseudo-labels, uniform weights); only the support differs.
``python -m benchmarks.evidence.w_step_comparison`` writes results/w_step_comparison.json.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from benchmarks.data import load
from benchmarks.evidence.w_step_rules import (
    best_on,
    correlation_pursuit,
    dense_and_threshold,
    iterative_hard_thresholding,
)
from benchmarks.harness import save
from blufs import BLUFSVariant, clustering_accuracy
from blufs._numerics.matrix import scaled_data
from blufs._numerics.units import Units
from blufs.solver.w_block import SupportSearch

BETA, LAM = 0.01, 0.01


def rules(data, M, Y, H, B, diagonal, s):
    """Name -> function that returns a support."""

    search = SupportSearch(data, M, Y, diagonal, LAM, 0.0, units=Units.single(len(H)))

    def pursuit():
        return search.start(s).chosen

    def exchange():
        T = pursuit()
        return search.improve(T, data.columns(T), np.zeros((s, Y.shape[1]))).support

    return {
        "dense and threshold": lambda: dense_and_threshold(H, B, s),
        "iterative hard thresholding": lambda: iterative_hard_thresholding(H, B, s, 50),
        "pursuit by correlation": lambda: correlation_pursuit(H, B, s),
        "pursuit by exact gain": pursuit,
        "pursuit and exchange": exchange,
    }


def accuracy(X, y, support) -> float:
    c = int(y.max()) + 1
    labels = [KMeans(c, n_init=5, random_state=r).fit_predict(X[:, support]) for r in range(3)]
    return 100 * float(np.mean([clustering_accuracy(y, found) for found in labels]))


def compare(name: str, s: int) -> list[dict]:
    X, y = load(name)
    c = int(y.max()) + 1
    X = X[:, X.std(axis=0) > 0]
    shared = BLUFSVariant(n_clusters=c, similarity="data").precompute(X).value
    data, Y = scaled_data(X, "center+unit"), shared.spectral
    M = shared.learned_graph().smoothing(BETA)
    A = data.columns(slice(None))
    H = A.T @ (M @ A) + LAM * np.eye(X.shape[1])
    B = A.T @ Y
    rows = []
    for rule, function in rules(data, M, Y, H, B, np.diagonal(H).copy(), s).items():
        start = time.process_time()
        support = function()
        seconds = time.process_time() - start
        value = float(np.sum(Y**2)) + best_on(H, B, support)
        rows.append(
            {
                "dataset": name,
                "s": s,
                "rule": rule,
                "objective": value,
                "ACC": accuracy(X, y, support),
                "seconds": seconds,
            }
        )
    return rows


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    table = []
    with threadpool_limits(1):
        for dataset in ("Isolet", "COIL20", "pie", "Jaffe", "warpAR"):
            for s in (30, 100):
                table += compare(dataset, s)
                save("w_step_comparison", table)
    for row in table:
        print(
            f"{row['dataset']:8s} s={row['s']:3d} {row['rule']:28s} "
            f"objective {row['objective']:7.3f}  ACC {row['ACC']:5.1f}  {row['seconds']:7.3f} s"
        )
