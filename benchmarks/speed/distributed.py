"""Passes over data on the workers of a dask cluster: time, bytes that travel, memory of the client.

``python -m benchmarks.speed.distributed`` starts a cluster of one worker and one of two, each a
process with one thread, and a client of both that is another process. The data are dense, of single
precision, in a file that the workers read once and keep (``persist``), evenly shared
(``rebalance``). The clusters take turns, pass by pass, so that other work on the machine slows
both. ``--fit`` adds a fit of BLUFS on two workers; ``--small`` takes a tenth of the samples.

The bytes to the client are counted as they leave its sockets, which lead to the schedulers and the
workers only. Time is wall time, and the processor time of the busiest worker: on a machine with
other work, only that says how evenly the work is shared. Of several turns the least counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import ONE_THREAD, ROOT, markdown, read, resident, save, timed
from benchmarks.speed.large import write_clusters
from blufs import BLUFS
from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.chunked import RowChunks, as_row_chunks
from blufs_bench.plan.fit_memory import held_by
from blufs_bench.plan.memory_law import chunked_mb
from blufs_bench.plan.sizes import DataSize

#: Samples, features, clusters, features to select, rows of a block.
SIZES = {
    "full": (400_000, 2_000, 5, 20, 12_500),
    "small": (40_000, 2_000, 5, 20, 2_500),
    "quick": (1_000, 80, 3, 5, 400),
}
#: How often the clusters take their turns.
TURNS = 4
#: What the table of a large fit assumes: samples, features, share stored, clusters, selected
#: features, workers, bytes of a block, bytes per second of a network port, seconds of a task.
PLAN = {
    "n": 10_000_000,
    "d": 30_000,
    "density": 0.03,
    "c": 20,
    "s": 200,
    "workers": 64,
    "block_bytes": 256 * 2**20,
    "port": 1.25e9,
    "task": 1e-3,
}


def rows_of(path: str, start: int, stop: int) -> np.ndarray:
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def dask_matrix(path: str, step: int):
    """The .npy file as a dask array, each block read by the worker that needs it."""
    import dask
    import dask.array as da

    X = np.load(path, mmap_mode="r")
    n, d = X.shape
    task = dask.delayed(rows_of, pure=True)
    blocks = [
        da.from_delayed(task(path, a, min(a + step, n)), (min(a + step, n) - a, d), X.dtype)
        for a in range(0, n, step)
    ]
    return da.concatenate(blocks)


class Received:
    """Bytes that all sockets of this process received so far; counts from when it is made."""

    def __init__(self):
        from tornado.iostream import BaseIOStream

        self.total = 0
        read_once = BaseIOStream._read_to_buffer

        def counted(stream):
            n_bytes = read_once(stream)
            self.total += n_bytes or 0
            return n_bytes

        BaseIOStream._read_to_buffer = counted


def measure_client(addresses: list[str], path: str, size: str, fit: bool) -> list[dict]:
    """In this process: every kind of pass on every cluster, and a fit on the last if wanted."""
    import distributed

    n, d, c, s, step = SIZES[size]
    received = Received()
    clients = [distributed.Client(address, set_as_default=False) for address in addresses]
    reports: list[dict] = []
    kept = []  # what nobody holds, the workers forget
    kinds: list[dict[str, Callable]] = []
    for client in clients:
        with client.as_current():
            kept.append(dask_matrix(path, step).persist())
            distributed.wait(kept[-1])
            client.rebalance(kept[-1])
            kinds.append(passes_over(as_row_chunks(kept[-1]), c))
        reports.append({"passes": {}, "workers": len(client.nthreads()), "x_bytes": 4 * n * d})
    for name in kinds[0]:
        turns: list[list[dict]] = [[] for _ in clients]
        for _ in range(TURNS):
            for client, passes, own in zip(clients, kinds, turns, strict=True):
                with client.as_current():
                    own.append(measure_pass(client, passes[name], received))
        for report, own in zip(reports, turns, strict=True):
            report["passes"][name] = {key: min(one[key] for one in own) for key in own[0]}
            report["passes"][name]["peak_bytes"] = max(one["peak_bytes"] for one in own)
    if fit:
        with clients[-1].as_current():
            reports[-1]["fit"] = measure_fit(kept[-1], c, s, received)
    for client in clients:
        client.close()
    return reports


def passes_over(chunks: RowChunks, c: int) -> dict[str, Callable]:
    """The kinds of passes over data with c clusters."""
    n, d = chunks.shape
    data = scaled_data(chunks, "center+unit")
    rng = np.random.default_rng(0)
    width = 2 * c + 5  # of the blocks from which 2 c principal vectors come
    V, U = rng.standard_normal((n, width)), rng.standard_normal((d, width))
    return {
        "summary": lambda: RowChunks(chunks._source).summary,
        "A' V": lambda: data.correlate(V),
        "A' A V": lambda: data.gram_times(U),
        "A V": lambda: data.dot(U[:, : 2 * c]),
        "64 columns": lambda: data.columns(np.arange(64)),
    }


def measure_pass(client, one_pass: Callable, received: Received) -> dict:
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    held, before = resident("VmRSS"), received.total
    worked, start = client.run(time.process_time), time.perf_counter()
    one_pass()
    seconds = time.perf_counter() - start
    busiest = max(now - worked[w] for w, now in client.run(time.process_time).items())
    return {
        "seconds": seconds,
        "busiest_seconds": busiest,
        "bytes": received.total - before,
        "peak_bytes": resident("VmHWM") - held,
    }


def measure_fit(X, c: int, s: int, received: Received) -> dict:
    chunks = as_row_chunks(X)
    Path("/proc/self/clear_refs").write_text("5")
    held, before, start = resident("VmRSS"), received.total, time.perf_counter()
    seconds, selector = timed(lambda: BLUFS(s, n_clusters=c).fit(chunks))
    found = np.flatnonzero(selector.support_)
    return {
        "wall_seconds": time.perf_counter() - start,
        "client_seconds": seconds,
        "passes": chunks.passes,
        "bytes": received.total - before,
        "peak_bytes": resident("VmHWM") - held,
        "selected": found.tolist(),
        "precision": float((found < 100).mean()),
    }


def serve(n_workers: int) -> None:
    """In this process: a cluster, until the standard input ends."""
    from distributed import LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=n_workers, **options) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


def measure(size: str, path: Path, fit: bool) -> list[dict]:
    """Each kind of pass with one worker and with two, from a client in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.speed.distributed"]
    environment = {**os.environ, **ONE_THREAD, "MALLOC_MMAP_THRESHOLD_": "1000000"}
    options = {"cwd": ROOT, "env": environment, "text": True, "stdout": subprocess.PIPE}
    with ExitStack() as clusters:
        addresses = []
        for n_workers in ("1", "2"):
            serve = [*command, "--serve", n_workers]
            cluster = clusters.enter_context(
                subprocess.Popen(serve, stdin=subprocess.PIPE, **options)
            )
            clusters.callback(cluster.stdin.close)
            addresses.append(cluster.stdout.readline().strip())
        arguments = [*command, "--one", *addresses, str(path), size, *(["--fit"] if fit else [])]
        done = subprocess.run(arguments, check=True, **options)
    return json.loads(done.stdout.splitlines()[-1])


def seconds_per_entry(n: int = 4_000, d: int = 30_000, width: int = 45) -> dict[str, float]:
    """Processor seconds of a stored entry and a column in products with one block of CSR."""
    X = sp.random_array((n, d), density=0.03, format="csr", rng=np.random.default_rng(0))
    data = scaled_data(X, "center")
    rng = np.random.default_rng(0)
    V, U = rng.standard_normal((n, width)), rng.standard_normal((d, width))
    work = X.nnz * width
    return {
        "A' V": min(timed(lambda: data.correlate(V))[0] for _ in range(3)) / work,
        "A V": min(timed(lambda: data.dot(U))[0] for _ in range(3)) / work,
    }


def main(arguments: list[str]) -> None:
    size = next((name for name in ("quick", "small") if f"--{name}" in arguments), "full")
    fit = "--fit" in arguments or size == "quick"
    report = {"load": os.getloadavg()[0], "n": SIZES[size][0], "d": SIZES[size][1]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.npy")
        write_clusters(path, *SIZES[size][:3])
        report["runs"] = measure(size, path, fit)
    shape = (200, 300, 5) if size == "quick" else ()
    report["seconds_per_entry"] = seconds_per_entry(*shape)
    save("distributed", report)
    print(passes_table())


def passes_table() -> str:
    """Every kind of pass, and a fit: two workers against one, and what came to the client.

    The ratios are of wall time, and of the processor time of the busiest worker.
    """
    report = read("distributed")
    one, two = (run["passes"] for run in report["runs"])
    x_bytes = report["runs"][0]["x_bytes"]
    rows = [
        [
            name,
            one[name]["seconds"],
            two[name]["seconds"],
            f"{one[name]['seconds'] / two[name]['seconds']:.1f}",
            f"{one[name]['busiest_seconds'] / two[name]['busiest_seconds']:.1f}",
            f"{100 * two[name]['bytes'] / x_bytes:.2f} %",
            round(two[name]["peak_bytes"] / 1e6),
        ]
        for name in one
    ]
    if fit := report["runs"][1].get("fit"):
        own = f"{100 * fit['bytes'] / x_bytes:.2f} %", round(fit["peak_bytes"] / 1e6)
        rows.append([f"a fit, {fit['passes']} passes", "", fit["wall_seconds"], "", "", *own])
    what = f"{report['n']:,} x {report['d']:,}, {x_bytes / 1e9:.2g} GB, load {report['load']:.0f}:"
    header = ["pass", "1 worker, s", "2 workers, s", "ratio", "ratio of the busiest worker"]
    header += ["to the client", "its memory, MB"]
    return f"{what}\n\n{markdown(header, rows)}"


def planned() -> list[tuple[str, int, float, float, float]]:
    """Steps of the fit in :data:`PLAN`: passes, seconds of work, bytes, seconds of tasks.

    The bytes are those that go through the busiest network port: that of the client, or, where
    columns go from worker to worker, that of a worker.
    """
    rate, p = read("distributed")["seconds_per_entry"], PLAN
    entries = p["n"] * p["d"] * p["density"]
    n_blocks = int(np.ceil(12 * entries / p["block_bytes"]))
    width, c, s, workers = 2 * p["c"] + 5, p["c"], p["s"], p["workers"]

    def work(kind: str, columns: float) -> float:
        return rate[kind] * entries * columns / workers

    def sent(columns: float) -> float:  # n x columns, to the client or from it
        return 8 * p["n"] * columns

    groups = int(np.ceil(12 * entries / 2**26))
    shuffles = int(np.ceil(groups / (8 * workers)))
    blocks = int(np.ceil(s / 16))
    overhead = n_blocks * 9 / 8 * p["task"]
    chosen = 64 * p["density"] * 1.5  # columns of candidates, stored with their indices
    steps = [
        ("ranges, means, squares", 1, work("A' V", 1), 0.0, overhead),
        # Of each of two scalings that BLUFS tries.
        ("principal vectors, A' V", 2, 2 * work("A' V", width), 2 * sent(width), 2 * overhead),
        (
            "principal vectors, A' A V",
            8,
            8 * (work("A' V", width) + work("A V", width)),
            8 * 2 * 8 * p["d"] * width * workers,
            8 * overhead,
        ),
        ("principal vectors, A V", 2, 2 * work("A V", 2 * c), 2 * sent(2 * c), 2 * overhead),
        (
            "every feature against the graph",
            shuffles,
            work("A' V", 22),
            12 * entries / workers,
            (n_blocks * groups + shuffles * n_blocks) * p["task"],
        ),
        (
            "pursuit",
            2 * blocks + 1,
            blocks * work("A' V", 16),
            blocks * (sent(16) + sent(chosen)) + s * sent(p["density"] * 1.5),
            (2 * blocks + 1) * overhead,
        ),
        ("three searches", 6, 3 * work("A' V", c), 3 * (sent(c) + sent(chosen)), 6 * overhead),
    ]
    return [*steps, ("all", *(sum(step[i] for step in steps) for i in range(1, 5)))]


def planned_table() -> str:
    header = ["step", "passes", "work, s", "through the busiest port, GB", "that takes, s"]
    rows = [
        [name, count, round(work), f"{sent / 1e9:.1f}", round(sent / PLAN["port"]), round(tasks)]
        for name, count, work, sent, tasks in planned()
    ]
    return markdown([*header, "tasks, s"], rows)


def planned_memory_table() -> str:
    """Bytes that the workers and the client of the fit in :data:`PLAN` hold."""
    p = PLAN
    size = DataSize(p["n"], p["d"], p["density"])
    share = 12 * p["n"] * p["d"] * p["density"] / p["workers"]
    shuffled = 8 * 2**26  # groups of columns that a worker is given in one pass
    rows = [
        ["a worker", "its share of X, kept by `persist`", share],
        ["a worker", "a block, scaled and multiplied", 3 * p["block_bytes"]],
        ["a worker", "whole columns for the graph, and what is cut for others", shuffled + share],
        [
            "your process",
            "by the law of jobs that read in chunks",
            2**20 * chunked_mb(size, held_by("BLUFS")),
        ],
    ]
    cells = [[where, what, f"{n_bytes / 1e9:.1f}"] for where, what, n_bytes in rows]
    return markdown(["where", "what", "GB"], cells)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--serve" in sys.argv:
        serve(int(sys.argv[2]))
    elif "--one" in sys.argv:
        print(json.dumps(measure_client(sys.argv[2:4], *sys.argv[4:6], "--fit" in sys.argv)))
    else:
        main(sys.argv[1:])
