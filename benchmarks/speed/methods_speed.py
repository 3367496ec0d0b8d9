"""Seconds of every compared method against a public or straight dense implementation.

``python -m benchmarks.speed.methods_speed`` runs all; each side runs in a process of its own with
one thread and is measured in processor seconds, so that other load on the machine matters little.
The other side is skfeature (``against_packages.py`` installs it) for LapScore, MCFS and UDFS and
``transcriptions.py`` for the rest; it is stopped after ``--limit`` seconds.

Writes benchmarks/results/methods_speed.json and docs/results/methods-speed.md.
"""

from __future__ import annotations

import argparse
import json
import warnings
from textwrap import fill

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
PAGE = ROOT / "docs" / "results" / "methods-speed.md"


def run_library(method: str, X, c: int) -> np.ndarray:
    from blufs_bench.registry import method_class

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


def compare(dataset: str, method: str, limit: int, known: dict | None = None) -> dict:
    """Row of the table; the other's numbers are those of the ``known`` row, if there is one."""
    ours = in_process(dataset, method, "library", 10 * limit)
    if known is not None:
        return {**known, "library_seconds": ours["seconds"]}
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
    header = ["dataset", "method", "other", "this library, s", "other, s", "times faster"]
    body = []
    for row in rows:
        stopped = row["other_seconds"] is None
        other = row["limit_seconds"] if stopped else row["other_seconds"]
        sign = "> " if stopped else ""
        name = "skfeature" if row["method"] in METHODS[:3] else "transcription"
        shared = "" if row["shared_of_100"] is None else row["shared_of_100"]
        ratio = other / row["library_seconds"]
        seconds = [row["library_seconds"], f"{sign}{other:.2f}", f"{sign}{ratio:.1f}"]
        body.append([row["dataset"], row["method"], name, *seconds, shared])
    return markdown([*header, "shared of 100"], body)


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


#: Why the slowest methods take what they take, by method; see ``method_profile.py``.
BOUNDS = {
    "SOGFS": "Every W update solves some thirty eigenproblems, one after the other, because each "
    "needs the weights that the last one gave. The bound counts their Cholesky factorisations and "
    "solves.",
    "RNE": "A fit is 1,500 updates of all entries of H. While many entries are above the rounding "
    "error of a column, the products of an update are dense. Later ones are taken over the entries "
    "that matter, and wait for the memory that holds A'A: each entry needs a row of it. The other "
    "entries must be updated too, because some of them grow again. The bound counts the dense "
    "products, and reading these rows once.",
    "BLFSE": "The base clusterings, of 20 restarts each, are k-means of scikit-learn. The rest are "
    "products and eigenvectors that every iteration needs anew, because the graph has changed. The "
    "bound counts k-means and the products of the data with themselves.",
}


def _bound(row: dict) -> str:
    read_from_memory = ""
    if row["gigabytes"]:
        read_from_memory = (
            f" and {row['gigabytes']:.0f} GB read at {row['gigabytes_per_second']:.0f} GB/s"
        )
    coarse = ""
    if "coarse" in row:
        other = row["coarse"]
        coarse = (
            " Eigenvectors of less accuracy would save some solves, but with a relative residual "
            f"of {other['tol']:g} only {other['shared_of_100']} of 100 features stay selected on "
            f"{other['dataset']}."
        )
    return (
        f"Bound: {row['gigaflops']:.0f} GFLOP at the {row['gigaflops_per_second']:.0f} GFLOP/s of "
        f"a product of large matrices{read_from_memory}"
        f"{' and the k-means' if 'k-means' in row['parts'] else ''} take at least "
        f"{row['least_seconds']:.1f} s: with the same steps, no more than "
        f"{row['seconds'] / row['least_seconds']:.1f} times faster is possible.{coarse}"
    )


def profile_section(rows: list[dict]) -> str:
    """What ``method_profile.py`` measured."""
    texts = []
    for row in rows:
        total = row["seconds"]
        parts = [[name, f"{100 * spent / total:.0f} %"] for name, spent in row["parts"].items()]
        calls = ", ".join(f"{count:,} {name}" for name, count in row["calls"].items())
        texts.append(
            f"### {row['method']} on {row['dataset']}\n\n{markdown(['part', 'share'], parts)}\n\n"
            f"{total:.1f} s; {calls}.\n\n" + fill(f"{BOUNDS[row['method']]} {_bound(row)}", 100)
        )
    return "\n\n".join(texts) or "Not measured."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=300, help="processor seconds of the other")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--keep-other", action="store_true", help="run this library's side alone")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(*arguments.one)))
        return
    rows = {(row["dataset"], row["method"]): row for row in read("methods_speed") or []}
    methods = arguments.methods
    if "skfeature" not in peers.use() and not arguments.keep_other:
        print("skfeature is missing (benchmarks.speed.against_packages installs it): skipped")
        methods = [method for method in methods if method not in METHODS[:3]]
    for dataset in available(*arguments.datasets):
        for method in methods:
            known = rows.get((dataset, method)) if arguments.keep_other else None
            rows[dataset, method] = compare(dataset, method, arguments.limit, known)
            print(rows[dataset, method], flush=True)
            save("methods_speed", in_order(rows))
    if rows:
        PAGE.write_text(page())


def in_order(rows: dict) -> list[dict]:
    return [rows[key] for key in sorted(rows, key=lambda k: (k[0], METHODS.index(k[1])))]


def page() -> str:
    """docs/results/methods-speed.md"""
    rows = read("methods_speed") or []
    return f"""# Speed of the compared methods

Processor seconds of one fit that selects {TOP} features, on one thread, on COIL20 (1440 x 1024)
and warpAR (130 x 2400). It is compared with skfeature where that has the method. Otherwise it is
compared with a plain program that follows the method's formulas with dense matrices
(`benchmarks/speed/transcriptions.py`). `>` marks a run that was stopped. The last column counts the
features that both select.

{table(rows)}

The two selections can differ for two reasons. Some methods have no unique result: MCFS on a graph
that is not connected, SOGFS and BLFSE with more features than samples, BLSFS where k-means starts
differently. And skfeature computes something else: its MCFS centres the data and follows another
path, its UDFS sums the local terms over the wrong samples.

## 7000 x 5000

Processor seconds of one fit that selects {TOP} features and peak memory of its process, one thread,
on random clusters of gisette's size (the data alone take 0.26 GiB).

{scale_table(read("methods_scale") or [])}

## Where the time of the slowest goes

Shares of the processor time of one fit that selects {TOP} features, one thread.

{profile_section(read("method_profile") or [])}

Made by `python -m benchmarks.speed.methods_scale`, `python -m benchmarks.speed.methods_speed` and
`python -m benchmarks.speed.method_profile`.
"""


if __name__ == "__main__":
    main()
