"""Peak memory and processor time of a fit of every method, on data of several shapes.

Each fit runs in a forked process of its own, as in a job of the workflow, with the default setting
and the numbers of features of the suite `wide`. It is stopped at the processor seconds and the
address space that are its limits. The law of the memory that jobs ask for is tested against these.
The data of ``chunks`` are drawn, and read from their file in chunks, as jobs read large data.
The rows of other stages are of jobs of a run, as their logs said (benchmarks/config/k1b.yaml).
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from benchmarks.data import DATA
from benchmarks.harness import ROOT, random_clusters, read, save
from benchmarks.speed.large import counts
from blufs_bench.datasets.preparation import prepare
from blufs_bench.datasets.storage import PreparedDataset, read_dataset, write_dataset
from blufs_bench.plan.jobs import Plan
from blufs_bench.plan.read import read_plan
from blufs_bench.run.isolation import Limits
from blufs_bench.run.process_control import Purpose
from blufs_bench.selectors import make_selector
from blufs_bench.stages.select import Fit, Target, data_for, failure_status, fit_parameters

#: Tall, square and wide; dense, then sparse.
DATASETS = ("musk", "COIL20", "GLIOMA", "ALLAML", "PCMAC", "tr11")
#: Drawn data that are read in chunks: n, d, and the density of those that are sparse. More samples
#: than 20,000 are too many for methods that compare all pairs.
CHUNKS = {
    "chunks": (3_000, 4_000, None),
    "chunks, tall": (60_000, 200, None),
    "chunks, sparse": (30_000, 4_000, 0.03),
}
MEMORY_MB = 12000
NAME = "job_memory"


def fit(X, target: Target, setting: dict[str, Any], s_values: list[int], limits: Limits) -> str:
    """Fit as stage "select" does; the status."""
    parameters = fit_parameters(target.cls, Fit(setting, 0, 0), target.n_clusters)
    selector = make_selector(target.cls, parameters)
    try:
        data = data_for(selector, X, limits)
        selector.select_path(data, s_values, precomputed=selector.precompute(data))
    except MemoryError:
        return "memory"
    except Exception as error:
        print(error, file=sys.stderr)
        return failure_status(error)["status"]
    return "ok"


def in_child(work: Callable[[], str], limits: Limits) -> tuple[str, float, float]:
    """Status, peak of resident megabytes and processor seconds of ``work()`` in a fork."""
    receiver, sender = os.pipe()
    pid = os.fork()
    if pid == 0:
        seconds, size = int(limits.fit_seconds), int(limits.memory_mb * 2**20)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        os.write(sender, work().encode())
        os._exit(0)
    os.close(sender)
    status = os.read(receiver, 100).decode()
    os.close(receiver)
    _, ended, usage = os.wait4(pid, 0)
    if os.WIFSIGNALED(ended):
        status = "timeout" if os.WTERMSIG(ended) in (signal.SIGXCPU, signal.SIGKILL) else "failed"
    return status, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def measure_chunks(plan: Plan, name: str, limits: Limits) -> list[dict[str, Any]]:
    n, d, density = CHUNKS[name]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, file) for file in ("data.npz", "card.json", "graph.npz")]

        def write() -> str:
            X = counts(n, d, density, 10)[0] if density else random_clusters(n, d, 10)
            write_dataset(PreparedDataset(X, None, {}, sp.csr_array((n, n))), *paths)
            return "ok"

        in_child(write, Limits(600, 20_000))
        for method in (m for m in plan.methods if plan.takes_chunks(m)):
            target = Target(name, method, plan.method(method), 10)
            setting = plan.settings(method)[0]

            def work(target=target, setting=setting) -> str:
                X, _ = read_dataset(paths[0], in_chunks=True)
                keeps_all = plan.keeps_all_features(target.method)
                return fit(X, target, setting, [d] if keeps_all else [20, 100], limits)

            status, peak, seconds = in_child(work, limits)
            row = {"dataset": name, "n": n, "d": d, "density": density, "stage": "select"}
            row |= {"method": method, "takes_sparse": True, "in_chunks": True, "status": status}
            rows.append(row | {"memory_mb": round(peak), "cpu_seconds": seconds})
            print(rows[-1], flush=True)
    return rows


def measure(plan: Plan, dataset: str, limits: Limits) -> list[dict[str, Any]]:
    definition = plan.all_datasets[dataset]
    path = None if "builtin" in definition else DATA / definition["file"]
    prepared = prepare(definition, path, {"status": "ok", "file": path})
    X, card = prepared.X, prepared.card
    size = {
        "dataset": dataset,
        "n": card["n_samples"],
        "d": card["n_features"],
        "density": card["density"] if card["sparse"] else None,
    }
    rows = []
    for method in plan.methods:
        target = Target(dataset, method, plan.method(method), card["n_clusters"])
        sizes = [s for s in plan.sizes_on(dataset) if s <= X.shape[1]]
        setting = plan.settings(method)[0]
        wanted = sizes if plan.sizes_for(dataset, method) else [X.shape[1]]
        status, peak, seconds = in_child(partial(fit, X, target, setting, wanted, limits), limits)
        row = {
            **size,
            "stage": "select",
            "method": method,
            "takes_sparse": plan.takes_sparse(method),
        }
        rows.append(row | {"status": status, "memory_mb": round(peak), "cpu_seconds": seconds})
        print(rows[-1], flush=True)
    return rows


def main(datasets: list[str], seconds: int) -> None:
    plan = read_plan({"suite": "wide"}, ROOT, Purpose.LOOK)
    known = [row for row in read(NAME) or [] if row["dataset"] not in datasets]
    for dataset in datasets:
        measured = measure_chunks if dataset in CHUNKS else measure
        known += measured(plan, dataset, Limits(seconds, MEMORY_MB))
        save(NAME, known)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="*", default=(*DATASETS, *CHUNKS))
    parser.add_argument("--seconds", type=int, default=60, help="processor seconds of a fit")
    warnings.simplefilter("ignore")
    arguments = parser.parse_args()
    main(list(arguments.dataset), arguments.seconds)
