"""Every method on 7000 x 5000: processor seconds and peak memory of one fit, one thread.

``python -m benchmarks.speed.methods_scale [--limit 1200] [--methods ...]``. The data are random
clusters of gisette's size. Each fit runs in a process of its own and is stopped after ``--limit``
processor seconds; a method that refuses data of this size says so at once. Adds to
benchmarks/results/methods_scale.json; methods_speed.py puts it into docs/results/methods-speed.md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np

from benchmarks.harness import measure_one, random_clusters, read, save
from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.methods_speed import METHODS, TOP, run_library
from blufs.base import MethodLimitError

SHAPE = (7000, 5000)
CLUSTERS = 2
ALL = (*METHODS, "BLUFS")


def measure(method: str) -> dict:
    """Fit once in this process."""
    X = random_clusters(*SHAPE, CLUSTERS)
    run_library(method, np.random.default_rng(0).random((TOP, TOP + 5)), CLUSTERS)  # warm-up
    start = time.process_time()
    try:
        run_library(method, X, CLUSTERS)
    except MethodLimitError as error:
        return {"seconds": None, "peak_bytes": None, "status": f"skipped: {error}"}
    seconds = time.process_time() - start
    return {"seconds": seconds, "peak_bytes": peak_bytes(), "status": "ok"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=1200, help="processor seconds of a fit")
    parser.add_argument("--methods", nargs="+", default=ALL)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        warnings.simplefilter("ignore")
        print(json.dumps(measure(arguments.one)))
        return
    rows = {row["method"]: row for row in read("methods_scale") or []}
    for method in arguments.methods:
        status = f"stopped after {arguments.limit} s"
        stopped = {"seconds": None, "peak_bytes": None, "status": status}
        found = (
            measure_one("benchmarks.speed.methods_scale", method, limit=arguments.limit) or stopped
        )
        rows[method] = {"method": method, **found}
        print(rows[method], flush=True)
        save("methods_scale", [rows[name] for name in ALL if name in rows])


if __name__ == "__main__":
    main()
