"""Where the time of a BLUFS fit goes, by block, now and in the solver's first version.

COIL20, s = 100, one thread: cumulative seconds by cProfile of the functions that make up a block,
as shares of the fit. The first version is taken from the history, where there is one.
"""

from __future__ import annotations

import cProfile
import io
import json
import os
import pstats
import subprocess
import sys
import tarfile
import tempfile
import warnings

from threadpoolctl import threadpool_limits

from benchmarks.harness import ROOT, available, load, parse_quick, random_clusters, save

FIRST_VERSION = "2ac2cc3"
REPEATS, S = 3, 100
#: Block -> functions (file, name) whose cumulative time it is; none of them calls another.
BLOCKS = {
    "graph: neighbours": (("graph.py", "nearest_neighbors"),),
    "graph: eigenvectors": (("graph.py", "leading_eigenvectors"),),
    "start: principal vectors": (("principal.py", "principal_vectors"),),
    "start: diagonal of H": (("data.py", "quadratic_forms"),),
    "start: pseudo-labels": (("start.py", "relaxed_start"),),
    "start: pursuit": (("w_step.py", "start_support"),),
    "P step": (("sweeps.py", "update_p"),),
    "W step": (("sweeps.py", "update_w"),),
    "Y step": (("sweeps.py", "update_y"),),
    "objective": (("sweeps.py", "value"),),
}


def by_block(stats: pstats.Stats, repeats: int) -> dict[str, float]:
    """Seconds of one fit and of its blocks."""
    spent = {}
    for (path, _, name), (_, _, _, cumulative, _) in stats.stats.items():
        spent[path.rsplit("/", 1)[-1], name] = cumulative / repeats
    total = spent["base.py", "fit"]
    blocks = {block: sum(spent.get(f, 0) for f in parts) for block, parts in BLOCKS.items()}
    return {"fit": total, **blocks, "rest": total - sum(blocks.values())}


def measure(dataset: str) -> dict[str, float]:
    from blufs import BLUFS

    if dataset == "random":
        X, c, s = random_clusters(60, 40, 3), 3, 10
    else:
        X, y = load(dataset)
        c, s = int(y.max()) + 1, S
    warnings.simplefilter("ignore")
    selector, profile = BLUFS(s, n_clusters=c), cProfile.Profile()
    with threadpool_limits(1):
        selector.fit(X)
        profile.enable()
        for _ in range(REPEATS):
            selector.fit(X)
        profile.disable()
    return by_block(pstats.Stats(profile, stream=io.StringIO()), REPEATS)


def in_process(dataset: str, source: str | None = None) -> dict[str, float]:
    environment = {**os.environ, **({"PYTHONPATH": source} if source else {})}
    command = [sys.executable, "-m", "benchmarks.speed.fit_profile", "--one", dataset]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def first_version(dataset: str) -> dict[str, float] | None:
    archive = subprocess.run(
        ["git", "archive", FIRST_VERSION, "src"], cwd=ROOT, capture_output=True, check=False
    )
    if archive.returncode:
        print("the first version is not in the history here")
        return None
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        return in_process(dataset, f"{folder}/src")


def main(quick: bool) -> None:
    names = ["random"] if quick else available("COIL20")
    for name in names:
        report = {"dataset": name, "s": S, "now": in_process(name)}
        report["first"] = None if quick else first_version(name)
        save("fit_profile", report)
        print(json.dumps(report, indent=1))


if __name__ == "__main__":
    if "--one" in sys.argv:
        print(json.dumps(measure(sys.argv[2])))
    else:
        main(parse_quick(__doc__))
