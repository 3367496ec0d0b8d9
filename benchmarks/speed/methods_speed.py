"""Seconds of the compared methods, against skfeature where it has the method.

``python -m benchmarks.speed.methods_speed`` runs all; each side runs in a process of its own with
one thread and is measured in processor seconds, so that other load on the machine matters little.
The other side is stopped after ``--limit`` seconds. skfeature pins old companions, so put it into a
folder:

    pip install --no-deps --target .peers skfeature-chappers
    PYTHONPATH=.peers python -m benchmarks.speed.methods_speed

``--large`` fits random clusters of gisette's size, 7000 x 5000, instead, by all compared methods of
this library.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from importlib.util import find_spec

import numpy as np

from benchmarks.data import load, load_available
from benchmarks.harness import (
    markdown,
    measure_one,
    random_clusters,
    read,
    resident,
    save,
    steady_seconds,
)
from blufs.base import MethodLimitError
from blufs_bench.registry import method_class

PUBLIC = ("LapScore", "MCFS", "UDFS")
COMPARED = (*PUBLIC, "SOGFS", "RNE", "SPCAFS", "FSPCA", "BLFSE", "BLSFS", "BLUFS")
DATASETS = ("COIL20", "warpAR")
TOP = 100
LARGE, LARGE_CLUSTERS = (7000, 5000), 2


def run_library(method: str, X: np.ndarray, c: int) -> np.ndarray:
    """All features, best first."""
    selector = method_class(method)(TOP)
    wanted = {"n_clusters": c, "random_state": 0}
    selector.set_params(**{k: v for k, v in wanted.items() if k in selector.get_params()})
    return np.argsort(selector.fit(X).ranking_)


def run_other(method: str, X: np.ndarray, c: int) -> np.ndarray:
    from skfeature.function.similarity_based.lap_score import lap_score
    from skfeature.function.sparse_learning_based.MCFS import mcfs
    from skfeature.function.sparse_learning_based.UDFS import udfs
    from skfeature.utility.construct_W import construct_W
    from sklearn.metrics import pairwise_distances

    if method == "UDFS":
        return udfs(X, mode="index", gamma=0.1, k=5, n_clusters=c)
    # skfeature has no kernel width of its own that fits the data.
    width = pairwise_distances(X).mean()
    W = construct_W(X, metric="euclidean", weight_mode="heat_kernel", k=10, t=width)
    if method == "LapScore":
        return lap_score(X, mode="index", W=W)
    return mcfs(X, n_selected_features=TOP, mode="index", W=W, n_clusters=c)


def warm_up(run, method: str) -> None:
    """Imports and the first call of the linear algebra are no part of the method."""
    run(method, np.random.default_rng(0).random((TOP, TOP + 5)), 2)


def measure(dataset: str, method: str, side: str) -> dict:
    """In this process: processor seconds of a fit, and the features."""
    X, y = load(dataset)
    run = {"library": run_library, "other": run_other}[side]
    warm_up(run, method)
    seconds, features = steady_seconds(lambda: run(method, X, int(y.max()) + 1))
    return {"seconds": seconds, "top": features[:TOP].tolist()}


def measure_large(method: str) -> dict:
    """In this process: one fit of the large data."""
    X = random_clusters(*LARGE, LARGE_CLUSTERS)
    warm_up(run_library, method)
    start = time.process_time()
    try:
        run_library(method, X, LARGE_CLUSTERS)
    except MethodLimitError as error:
        return {"seconds": None, "peak_bytes": None, "status": f"skipped: {error}"}
    seconds = time.process_time() - start
    return {"seconds": seconds, "peak_bytes": resident("VmHWM"), "status": "ok"}


def in_process(*arguments: str, limit: int) -> dict | None:
    return measure_one("benchmarks.speed.methods_speed", *arguments, limit=limit)


def compare(dataset: str, method: str, limit: int) -> dict:
    """A row of the table."""
    ours = in_process(dataset, method, "library", limit=10 * limit)
    other = in_process(dataset, method, "other", limit=limit)
    return {
        "dataset": dataset,
        "method": method,
        "library_seconds": ours["seconds"],
        "other_seconds": other and other["seconds"],
        "limit_seconds": limit,
        "shared_of_100": other and len(set(ours["top"]) & set(other["top"])),
    }


def table() -> str:
    header = ["dataset", "method", "this library, s", "skfeature, s", "times faster"]
    body = []
    for row in read("methods_speed"):
        stopped = row["other_seconds"] is None
        other = row["limit_seconds"] if stopped else row["other_seconds"]
        sign = "> " if stopped else ""
        shared = "" if row["shared_of_100"] is None else row["shared_of_100"]
        ratio = other / row["library_seconds"]
        seconds = [row["library_seconds"], f"{sign}{other:.2f}", f"{sign}{ratio:.1f}"]
        body.append([row["dataset"], row["method"], *seconds, shared])
    return markdown([*header, "shared of 100"], body)


def table_large() -> str:
    body = [
        [
            row["method"],
            "" if row["seconds"] is None else f"{row['seconds']:.0f}",
            "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 2**30:.1f}",
            row["status"],
        ]
        for row in read("methods_scale")
    ]
    return markdown(["method", "seconds", "peak memory, GiB", "status"], body)


def main(arguments: argparse.Namespace) -> None:
    if arguments.large:
        rows = {row["method"]: row for row in read("methods_scale") or []}
        for method in arguments.methods or COMPARED:
            stopped = {"seconds": None, "peak_bytes": None}
            stopped["status"] = f"stopped after {arguments.limit} s"
            found = in_process(method, limit=arguments.limit) or stopped
            rows[method] = {"method": method, **found}
            save("methods_scale", list(rows.values()))
        return
    if not find_spec("skfeature"):
        sys.exit("skfeature is not installed")
    rows = {(row["dataset"], row["method"]): row for row in read("methods_speed") or []}
    for dataset, _, _ in load_available(*arguments.datasets):
        for method in arguments.methods or PUBLIC:
            rows[dataset, method] = compare(dataset, method, arguments.limit)
            print(rows[dataset, method], flush=True)
            save("methods_speed", [rows[key] for key in sorted(rows)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=300, help="processor seconds of the other")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--methods", nargs="+", help="default: all")
    parser.add_argument("--large", action="store_true", help="7000 x 5000, this library alone")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        warnings.simplefilter("ignore")
        one = arguments.one
        print(json.dumps(measure(*one) if len(one) == 3 else measure_large(*one)))
    else:
        main(arguments)
