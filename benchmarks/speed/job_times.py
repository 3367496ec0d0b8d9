"""Processor seconds of what the jobs of the paper's suite are made of.

``python -m benchmarks.speed.job_times [--limit 100] [dataset ...]`` measures, with one thread: the
fit of every method with its default setting and all numbers of features, k-means and k-NN on a
selection under the light and the full protocol, and the start of a job. Processor seconds, so that
other load on the machine matters little; a fit is stopped after ``--limit`` of them. A dataset
whose file is not in the folder that BLUFS_MIRROR names (or in data/raw) is replaced by random
clusters of its size. Adds to benchmarks/results/job_times.json, which ``scaling_plan.py`` reads.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from blufs.base import MethodLimitError
from blufs_bench.datasets import (
    fetch_or_explain,
    local_copies_digest,
    mirror_list,
    prepare_or_unavailable,
)
from blufs_bench.plan.jobs import Plan
from blufs_bench.plan.read import read_plan
from blufs_bench.plan.sizes import expected_shape
from blufs_bench.run.isolation import Limits, run_isolated
from blufs_bench.run.purpose import Purpose
from blufs_bench.selectors import import_class, make_selector
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.select import Fit, fit_parameters

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "benchmarks" / "results" / "job_times.json"
MEMORY_MB = 8000
SELECTED = 50


def paper_plan(**jobs) -> Plan:
    """The plan of the suite ``paper``, with other keys under ``jobs``."""
    return read_plan({"suite": "paper", "jobs": jobs}, ROOT, Purpose.LOOK, ROOT / "no-results")


def arrays(definition: dict) -> tuple[np.ndarray, np.ndarray, str]:
    """X, y and where they come from."""
    places = {"mirrors": mirror_list([]), "cache_dir": ROOT / "data/raw"}
    if "file" not in definition or local_copies_digest(definition, **places):
        prepared = prepare_or_unavailable(definition, fetch_or_explain(definition, **places))
        if prepared.card["status"] == "ok":
            return prepared.X, prepared.y, "the file"
    n, d = expected_shape(definition)
    X, y = make_blobs(
        n, d, centers=definition["expect"]["n_classes"], cluster_std=4.0, random_state=0
    )
    return X, y, "random clusters of its size"


def fit_seconds(
    plan: Plan, dataset: str, method: str, X: np.ndarray, n_classes: int, limit: float
) -> dict:
    """Processor seconds of one fit; None and the reason where it was stopped."""
    settings = plan.settings(method)[0]

    def stop(*_) -> None:
        raise TimeoutError(f"stopped after {limit:g} processor seconds")

    def work(settings: dict) -> dict:
        code = plan.method(method)
        cls = import_class(code["name"], code["class"])
        selector = make_selector(cls, fit_parameters(cls, Fit(settings, 0, 0), n_classes))
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, limit)
        start = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                selector.select_path(X, plan.sizes_for(dataset, method) or [X.shape[1]])
        except TimeoutError as error:
            return {"seconds": None, "reason": str(error)}
        except MethodLimitError as error:  # the method refuses data of this size, at once
            return {"seconds": time.process_time() - start, "reason": str(error)}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return {"seconds": time.process_time() - start, "reason": ""}

    (outcome,) = run_isolated(work, [settings], Limits(100 * limit, MEMORY_MB))
    return outcome.value or {"seconds": None, "reason": outcome.reason}


def scoring_seconds(plan: Plan, dataset: str, X: np.ndarray, y: np.ndarray) -> dict:
    """Processor seconds of k-means and of k-NN on one selection, by section of the suite."""
    some = np.random.default_rng(0).permutation(X.shape[1])[:SELECTED]
    seconds = {}
    for section in ("screening", "evaluation"):
        protocol = Protocol(seed=0, **plan.suite[section])
        start = time.process_time()
        protocol.cluster(X[:, some], int(y.max()) + 1, dataset, range(protocol.n_clusterings))
        between = time.process_time()
        protocol.classify("neighbours", X[:, some], y, dataset, range(protocol.n_splits))
        end = time.process_time()
        seconds[section] = {"cluster": between - start, "classify": end - between}
    return seconds


def start_seconds() -> dict[str, float]:
    """Processor seconds before a script works, and of reading the workflow once."""

    def of(command: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # As the scripts do, quick_start first.
    modules = ("run.quick_start", "stages.select", "stages.evaluate")
    script = f"import {', '.join(f'blufs.workflow.{name}' for name in modules)}"
    target = "results/paper/data/Jaffe/source.json"
    plan = ["-m", "snakemake", "--dry-run", target, "--config", "suite=paper"]
    whole = ["-m", "snakemake", "--dry-run", "--quiet", "all", "--config", "suite=paper"]
    return {
        "script": of([sys.executable, "-c", script]),
        "workflow": of([sys.executable, *plan]),
        "dry run of the suite": of([sys.executable, *whole]),
    }


def main(names: list[str], limit: float) -> None:
    plan = paper_plan()
    measured = json.loads(OUTPUT.read_text()) if OUTPUT.exists() else {"datasets": {}}

    def save() -> None:
        OUTPUT.parent.mkdir(exist_ok=True)
        OUTPUT.write_text(json.dumps(measured, indent=1) + "\n")

    measured["start"] = start_seconds()
    measured["limit"] = limit
    save()
    for dataset in names or plan.datasets:
        X, y, origin = arrays(plan.all_datasets[dataset])
        shape = {"n_samples": X.shape[0], "n_features": X.shape[1]}
        entry = {"origin": origin, **shape, "scoring": scoring_seconds(plan, dataset, X, y)}
        measured["datasets"][dataset] = entry | {"fits": {}}
        for method in [m for d, m in plan.pairs() if d == dataset]:
            found = fit_seconds(plan, dataset, method, X, int(y.max()) + 1, limit)
            measured["datasets"][dataset]["fits"][method] = found
            print(dataset, method, found, flush=True)
            save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="*")
    parser.add_argument("--limit", type=float, default=100, help="processor seconds of one fit")
    arguments = parser.parse_args()
    with threadpool_limits(1):
        main(arguments.dataset, arguments.limit)
