"""Speed and memory of the BLUFS solver, as ratios measured side by side in one run.

Run with ``python -m benchmarks.speed.solver_speed``; CPU seconds of one thread, the median of
the repeats.
"""

from __future__ import annotations

import argparse
import tracemalloc
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import load
from benchmarks.harness import cpu_seconds, save
from benchmarks.speed.dense_transcription import dense_blufs
from blufs import BLUFS, SampleGraph

S_VALUES = list(range(10, 101, 10))


def against_transcription(repeats: int) -> dict:
    """COIL20, s = 100: a whole fit, the graph included, against the dense transcription."""
    X, y = load("COIL20")
    c = int(y.max()) + 1
    dense = cpu_seconds(lambda: dense_blufs(X, c, 100), repeats)
    fit = cpu_seconds(lambda: BLUFS(100, n_clusters=c).fit(X), repeats)
    selector = BLUFS(n_clusters=c)
    shared = selector.precompute(X)
    again = cpu_seconds(lambda: selector.select_path(X, [100], precomputed=shared), repeats)
    path = cpu_seconds(lambda: selector.select_path(X, S_VALUES), repeats)
    return {
        "dense transcription [s]": dense,
        "fit [s]": fit,
        "fit, start shared [s]": again,
        "path of ten s [s]": path,
        "transcription / fit": dense / fit,
        "path / fit": path / fit,
    }


def large(n: int, d: int, repeats: int) -> dict:
    """Two classes in n x d: a fit without the graph against one ``X.T @ X``; peak memory."""
    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=n)
    X = rng.standard_normal((n, d))
    X[:, :100] += np.outer(classes, rng.uniform(0.2, 1.5, 100))
    graph = SampleGraph.from_data(X[:, :50], 10)
    graph.leading_eigenvectors(2)
    gram = cpu_seconds(lambda: X.T @ X, repeats)
    fit = cpu_seconds(lambda: BLUFS(100, n_clusters=2).fit(X, precomputed=graph), repeats)
    selector = BLUFS(n_clusters=2)
    path = cpu_seconds(lambda: selector.select_path(X, S_VALUES, precomputed=graph), repeats)
    tracemalloc.start()
    BLUFS(100, n_clusters=2).fit(X, precomputed=graph)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "X.T @ X [s]": gram,
        "fit [s]": fit,
        "path of ten s [s]": path,
        "fit / X.T @ X": fit / gram,
        "path / fit": path / fit,
        "peak memory / X": peak / X.nbytes,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--shape", type=int, nargs=2, default=[7000, 5000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        report = {
            "COIL20, s = 100": against_transcription(arguments.repeats),
            "x".join(map(str, arguments.shape)): large(*arguments.shape, arguments.repeats),
        }
    save("solver_speed", report)
    for name, values in report.items():
        print(name)
        for key, value in values.items():
            print(f"  {key:28s} {value:8.3f}")
