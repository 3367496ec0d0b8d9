"""Where the time of the three slowest compared methods goes, and how fast they could be at most.

``python -m benchmarks.speed.method_profile``: one fit of SOGFS, RNE and BLFSE each that selects 100
features, on one thread, with a profile in processor seconds. What a method's updates define, at the
speed of a product of large matrices and of reading memory on this machine, is a bound from below.
Writes benchmarks/results/method_profile.json and docs/results/methods-speed.md.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import pstats
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness import available, load, read, save
from benchmarks.speed.methods_speed import PAGE, page, run_library
from blufs.methods import _row_sparse as row_sparse
from blufs.methods import rne

DATASETS = {"SOGFS": "COIL20", "RNE": "warpAR", "BLFSE": "COIL20"}
S, GUARDS = 100, 4
FACTOR, SOLVE = ("_decomp_cholesky.py", "_cholesky"), ("_decomp_cholesky.py", "_cho_solve")
LANCZOS = ("lanczos.py", "_block_lanczos")
DENSE, SPARSE = ("rne.py", "_dense_products"), ("rne.py", "_sparse_products")
SCATTER = ("estimator.py", "_scatter")
#: Method -> part -> functions (file, name) whose time it is; none of them calls another.
PARTS = {
    "SOGFS": {
        "Cholesky factorisations": (FACTOR,),
        "solves with the factors": (SOLVE,),
        "other block Lanczos work": (LANCZOS,),
        "products in the objective": (("row_sparse.py", "times"),),
        "X' L X": (("row_sparse.py", "laplacian_form"),),
        "start of every W update": (("row_sparse.py", "unregularized"),),
    },
    "RNE": {
        "updates with dense products": (DENSE,),
        "updates with sparse products": (SPARSE,),
        "rest of the updates, entry by entry": (("rne.py", "run"),),
    },
    "BLFSE": {
        "k-means": (("_kmeans.py", "fit"),),
        "X' L X": (SCATTER,),
        "eigenvectors for P": (("estimator.py", "_projection"),),
        "score step": (("score_step.py", "score_step"),),
        "eigenvectors for F": (("estimator.py", "_embed"),),
        "base scores": (("infinite_selection.py", "infinite_selection_weights"),),
    },
}
#: Parts that hold others of the table: what these took is taken off.
HOLDS = {LANCZOS: (SOLVE,), ("rne.py", "run"): (DENSE, SPARSE)}


def best_seconds(function) -> float:
    """Least processor seconds of five calls."""
    taken = []
    for _ in range(5):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def machine_speed(order: int = 1500) -> tuple[float, float]:
    """Floating-point operations of a product, and bytes read from memory, per second."""
    A, long = np.random.default_rng(0).random((order, order)), np.ones(2**25)
    return 2 * order**3 / best_seconds(lambda: A @ A), long.nbytes / best_seconds(long.max)


def defined_work(method: str, shape: tuple[int, int], c: int, calls: dict) -> float:
    """Floating-point operations of the products and factorisations that the updates define."""
    n, d = shape
    if method == "SOGFS":
        return calls[FACTOR] * d**3 / 3 + calls[SOLVE] * 2 * d**2 * (c + GUARDS)
    if method == "RNE":
        by_way_of_data = 2 * S * d**2 + 4 * S * n * d
        update = by_way_of_data if 2 * n < d else 4 * S * d**2
        return calls[DENSE] * (update + 4 * S**2 * d)
    return calls[SCATTER] * n * d**2


@contextmanager
def counted_entries() -> Iterator[list[int]]:
    """Numbers of A'A that each sparse product of RNE reads: a row for every entry of H."""
    counts: list[int] = []
    original = rne.MultiplicativeUpdates._sparse_products

    def counting(self, Ht, entries, alpha):
        counts.append(len(entries) * Ht.shape[1])
        return original(self, Ht, entries, alpha)

    with patch.object(rne.MultiplicativeUpdates, "_sparse_products", counting):
        yield counts


def measure(method: str, dataset: str) -> dict:
    """Profile one fit in this process."""
    X, y = load(dataset)
    c = int(y.max()) + 1
    warnings.simplefilter("ignore")
    profile = cProfile.Profile(time.process_time)
    with threadpool_limits(1), counted_entries() as rows_read:
        flops_per_second, bytes_per_second = machine_speed()
        run_library(method, np.random.default_rng(0).random((S, S + 5)), 2)
        rows_read.clear()
        profile.enable()
        run_library(method, X, c)
        profile.disable()
    calls, spent = {}, {}
    stats = pstats.Stats(profile, stream=io.StringIO())
    for (path, _, name), (_, count, _, cumulative, _) in stats.stats.items():  # type: ignore[attr-defined]
        key = (path.rsplit("/", 1)[-1], name)
        calls[key] = calls.get(key, 0) + count
        spent[key] = spent.get(key, 0.0) + cumulative
    for outer, inner in HOLDS.items():
        spent[outer] = spent.get(outer, 0.0) - sum(spent.get(key, 0.0) for key in inner)
    total = spent["methods_speed.py", "run_library"]
    parts = {name: sum(spent.get(f, 0.0) for f in of) for name, of in PARTS[method].items()}
    parts["rest"] = total - sum(parts.values())
    work = defined_work(method, X.shape, c, calls)
    # A'A read once, its parts made on the way; k-means as scikit-learn runs it.
    read_bytes, kmeans = 8 * sum(rows_read), parts.get("k-means", 0.0)
    counted = {"factorisations": FACTOR, "solves": SOLVE, "dense updates": DENSE}
    counted |= {"sparse updates": SPARSE, "scatter matrices": SCATTER}
    return {
        "method": method,
        "dataset": dataset,
        "seconds": total,
        "parts": parts,
        "calls": {name: calls[key] for name, key in counted.items() if key in calls},
        "gigaflops": work / 1e9,
        "gigaflops_per_second": flops_per_second / 1e9,
        "gigabytes": read_bytes / 1e9,
        "gigabytes_per_second": bytes_per_second / 1e9,
        "least_seconds": work / flops_per_second + read_bytes / bytes_per_second + kmeans,
    }


def coarse_selection(dataset: str = "Isolet", tol: float = 1e-3) -> dict:
    """How many of its features SOGFS still selects where its eigenvectors are less accurate."""
    X, y = load(dataset)
    c = int(y.max()) + 1
    usual = set(run_library("SOGFS", X, c)[:S])
    with patch.object(row_sparse, "_STEP_TOL", tol):
        coarse = set(run_library("SOGFS", X, c)[:S])
    return {"dataset": dataset, "tol": tol, "shared_of_100": len(usual & coarse)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=list(DATASETS))
    arguments = parser.parse_args()
    rows = {row["method"]: row for row in read("method_profile") or []}
    for method in arguments.methods:
        for dataset in available(DATASETS[method]):
            rows[method] = measure(method, dataset)
            if method == "SOGFS" and available("Isolet"):
                rows[method]["coarse"] = coarse_selection()
            print(rows[method], flush=True)
            save("method_profile", [rows[name] for name in DATASETS if name in rows])
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
