"""Timing and output shared by the benchmark scripts.

Results go to benchmarks/results, or to the folder BLUFS_BENCHMARK_RESULTS. Real data are in the
folder that BLUFS_MIRROR names, by default data/raw (benchmarks/data.py).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
RESULTS = Path(os.environ.get("BLUFS_BENCHMARK_RESULTS", Path(__file__).parent / "results"))
DATA = Path(os.environ.get("BLUFS_MIRROR", ROOT / "data" / "raw"))
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
#: Calls are repeated so often, unless they take so many seconds together, and in any case until
#: they take a second: the clock of a process ticks in milliseconds.
REPEATS, REPEAT_BELOW, AT_LEAST = 5, 5.0, 1.0


def random_clusters(n: int, d: int, c: int, dtype=np.float64) -> np.ndarray:
    """n x d: Gaussian noise, and c clusters apart in the first 100 features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=dtype)
    centers = rng.standard_normal((c, min(d, 100)), dtype=dtype)
    X[:, : centers.shape[1]] += centers[rng.integers(c, size=n)]
    return X


def timed(function: Callable) -> tuple[float, object]:
    """Processor seconds of one call, and what it returns."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def steady_seconds(function: Callable) -> tuple[float, object]:
    """Processor seconds of a call, the mean of the middle half of several if it is short.

    Also what the last of them returns.
    """
    seconds: list[float] = []
    while sum(seconds) < (REPEAT_BELOW if len(seconds) < REPEATS else AT_LEAST):
        taken, result = timed(function)
        seconds.append(taken)
    middle = sorted(seconds)[len(seconds) // 4 : len(seconds) - len(seconds) // 4]
    return statistics.mean(middle), result


def resident(field: str) -> int:
    """Bytes of resident memory of this process: now ("VmRSS"), or the most so far ("VmHWM")."""
    # Not ru_maxrss, which a process inherits from the one that started it.
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"{field}:\s+(\d+) kB", status)[1])


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Share of the features of ``first`` that ``second`` has too."""
    return len(np.intersect1d(first, second)) / len(first)


def measure_one(module: str, *arguments, limit: int | None = None) -> dict | None:
    """What ``python -m module --one arguments`` prints, in a process of its own with one thread.

    None if it was stopped after ``limit`` processor seconds.
    """

    def set_limit() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-m", module, "--one", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        preexec_fn=set_limit,
    )
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    if done.returncode < 0 and limit:
        return None
    raise RuntimeError(f"{module} {' '.join(map(str, arguments))}:\n{done.stderr}")


def parse_quick(description: str) -> bool:
    """Whether the script was asked for ``--quick``: tiny sizes, to see that it runs."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it runs")
    return parser.parse_args().quick


def save(name: str, content) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def read(name: str):
    """A stored result, None where there is none."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def markdown(header: list[str], rows: list[list]) -> str:
    """A table; floats with two decimals."""

    def line(cells):
        shown = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells]
        return f"| {' | '.join(shown)} |"

    return "\n".join([line(header), line(["---"] * len(header)), *map(line, rows)])
