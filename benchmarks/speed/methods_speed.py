"""Seconds of every compared method against a public or straight dense implementation.

``python -m benchmarks.speed.methods_speed`` runs all; each side runs in a process of its own with
one thread and is measured in processor seconds, so that other load on the machine matters little.
The other side is skfeature (``against_packages.py`` installs it) for LapScore, MCFS and UDFS and
``transcriptions.py`` for the rest; it is stopped after ``--limit`` seconds.

Writes benchmarks/results/methods_speed.json and docs/methods-speed.md.
"""

from __future__ import annotations

import argparse
import json
import warnings

import numpy as np

from benchmarks.harness import (
    ROOT,
    available,
    load,
    markdown,
    measure_one,
    read,
    save,
    steady_seconds,
)
from benchmarks.speed import against_packages as peers

METHODS = ("LapScore", "MCFS", "UDFS", "SOGFS", "RNE", "SPCAFS", "FSPCA", "BLFSE", "BLSFS")
DATASETS = ("COIL20", "warpAR")
TOP = 100
PAGE = ROOT / "docs" / "methods-speed.md"


def run_library(method: str, X, c: int) -> np.ndarray:
    from blufs.methods.registry import method_class

    selector = method_class(method)(TOP)
    wanted = {"n_clusters": c, "random_state": 0}
    selector.set_params(**{k: v for k, v in wanted.items() if k in selector.get_params()})
    return np.argsort(selector.fit(X).ranking_)


def run_other(method: str, X, c: int) -> np.ndarray:
    if method not in ("LapScore", "MCFS", "UDFS"):
        from benchmarks.speed import transcriptions

        return getattr(transcriptions, method.lower())(X, TOP, c)
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


def run_itmo(method: str, X, c: int) -> np.ndarray:
    return peers.run_itmo(method, X, c, TOP)


def measure(dataset: str, method: str, side: str) -> dict:
    """Fit in this process: processor seconds and the features."""
    X, y = load(dataset)
    warnings.simplefilter("ignore")
    peers.use()
    runs = {"library": run_library, "other": run_other, "ITMO_FS": run_itmo}
    run = runs[side]
    # Imports and the first call of the linear algebra are no part of the method.
    warm_up = "LapScore" if side == "ITMO_FS" else method
    run(warm_up, np.random.default_rng(0).random((TOP, TOP + 5)), 2)
    seconds, features = steady_seconds(lambda: run(method, X, int(y.max()) + 1))
    return {"seconds": seconds, "top": features[:TOP].tolist()}


def in_process(dataset: str, method: str, side: str, limit: int) -> dict:
    stopped = {"seconds": None, "top": []}
    return (
        measure_one("benchmarks.speed.methods_speed", dataset, method, side, limit=limit) or stopped
    )


def compare(dataset: str, method: str, limit: int) -> dict:
    ours = in_process(dataset, method, "library", 10 * limit)
    other = in_process(dataset, method, "other", limit)
    return {
        "dataset": dataset,
        "method": method,
        "library_seconds": ours["seconds"],
        "other_seconds": other["seconds"],
        "limit_seconds": limit,
        "shared_of_100": len(set(ours["top"]) & set(other["top"])) if other["top"] else None,
    }


def table(rows: list[dict]) -> str:
    lines = [
        "| dataset | method | other | this library, s | other, s | times faster | shared of 100 |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        stopped = row["other_seconds"] is None
        other = row["limit_seconds"] if stopped else row["other_seconds"]
        sign = "> " if stopped else ""
        name = "skfeature" if row["method"] in METHODS[:3] else "transcription"
        shared = "" if row["shared_of_100"] is None else row["shared_of_100"]
        ratio = other / row["library_seconds"]
        lines.append(
            f"| {row['dataset']} | {row['method']} | {name} | {row['library_seconds']:.2f} "
            f"| {sign}{other:.2f} | {sign}{ratio:.1f} | {shared} |"
        )
    return "\n".join(lines)


#: Why a method may be less ahead than wanted, by method.
REASONS = {
    "MCFS": "skfeature follows the path of least angles, which never takes a feature back and so "
    "has fewer steps than the lasso path of the method's authors",
    "SPCAFS": "it converges after four eigenproblems, so that the Gram matrix and their "
    "factorisations, which both sides need, are a good part of it",
    "BLFSE": "k-means and products with the data, which both sides need, are more than half of it",
}


def shortfalls(rows: list[dict]) -> str:
    """Rows that are slower than the other, or less than 5 times faster where that takes long."""
    found = []
    for row in rows:
        other, ours = row["other_seconds"], row["library_seconds"]
        if other is None or not (other < ours or (other > 1 and other < 5 * ours)):
            continue
        reason = f": {REASONS[row['method']]}" if row["method"] in REASONS else ""
        found.append(f"- {row['method']} on {row['dataset']}, {other / ours:.2f} times{reason}.")
    if not found:
        return "Wanted and met: never slower, and 5 times faster where the other takes a second."
    return (
        "Wanted: never slower, and 5 times faster where the other takes more than a second. Not "
        "met:\n\n" + "\n".join(found)
    )


def scale_table(rows: list[dict]) -> str:
    """What ``methods_scale.py`` measured."""
    return markdown(
        ["method", "seconds", "peak memory, GiB", "status"],
        [
            [
                row["method"],
                "" if row["seconds"] is None else f"{row['seconds']:.0f}",
                "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 2**30:.1f}",
                row["status"],
            ]
            for row in rows
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=300, help="processor seconds of the other")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(*arguments.one)))
        return
    rows = {(row["dataset"], row["method"]): row for row in read("methods_speed") or []}
    methods = arguments.methods
    if "skfeature" not in peers.use():
        print("skfeature is missing (benchmarks.speed.against_packages installs it): skipped")
        methods = [method for method in methods if method not in METHODS[:3]]
    for dataset in available(*arguments.datasets):
        for method in methods:
            rows[dataset, method] = compare(dataset, method, arguments.limit)
            print(rows[dataset, method], flush=True)
            save("methods_speed", in_order(rows))
    if rows:
        PAGE.write_text(page())


def in_order(rows: dict) -> list[dict]:
    return [rows[key] for key in sorted(rows, key=lambda k: (k[0], METHODS.index(k[1])))]


def page() -> str:
    """docs/methods-speed.md"""
    rows = read("methods_speed") or []
    return f"""# Speed of the compared methods

Processor seconds of one fit that selects {TOP} features, one thread, on COIL20 (1440 x 1024) and
warpAR (130 x 2400). The other side is skfeature where it has the method, else a straight dense
transcription of the method's formulas (`benchmarks/speed/transcriptions.py`); `>` marks a run
that was stopped. The last column counts the features that both select.

{table(rows)}

They need not agree where the method has no unique result (MCFS on a graph that is not connected,
SOGFS and BLFSE with more features than samples, BLSFS where the k-means of the start falls
differently) and where skfeature computes something else: its MCFS centres the data and follows
another path, its UDFS sums the local terms over the wrong samples.

## 7000 x 5000

Processor seconds of one fit that selects {TOP} features and peak memory of its process, one thread,
on random clusters of gisette's size (the data alone take 0.26 GiB).

{scale_table(read("methods_scale") or [])}

Made by `python -m benchmarks.speed.methods_scale` and `python -m benchmarks.speed.methods_speed`.
"""


if __name__ == "__main__":
    main()
