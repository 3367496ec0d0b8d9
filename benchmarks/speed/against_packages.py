"""The public implementations to compare with, in a folder of their own, and a run of ITMO_FS.

skfeature and ITMO_FS pin old companions, so they come without their dependencies into
benchmarks/.peers, where methods_speed.py finds them. ITMO_FS has LapScore, MCFS and UDFS: processor
seconds of one thread, ratio to this library, features of the best 100 that both choose; or the
error with which it ends on the versions installed here.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.harness import available, parse_quick, save

FOLDER = Path(__file__).parents[1] / ".peers"
PACKAGES = ("skfeature-chappers", "ITMO_FS", "imbalanced-learn", "sklearn-compat", "qpsolvers")
MODULES = ("skfeature", "ITMO_FS")
METHODS = ("LapScore", "MCFS", "UDFS")
LIMIT = 45


def use() -> list[str]:
    """Let imports find the peers; returns those that are there."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return [name for name in MODULES if importlib.util.find_spec(name)]


def install() -> list[str]:
    if len(use()) < len(MODULES):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        done = subprocess.run([*pip, "--target", str(FOLDER), *PACKAGES], check=False)
        if done.returncode:
            print("the peers could not be installed")
    importlib.invalidate_caches()
    return use()


def run_itmo(method: str, X: np.ndarray, c: int, top: int) -> np.ndarray:
    """Features, best first."""
    from ITMO_FS.filters.sparse import MCFS, UDFS
    from ITMO_FS.filters.univariate.measures import laplacian_score
    from sklearn.metrics import pairwise_distances

    if method == "UDFS":
        selector = UDFS(p=top, c=c, k=5, gamma=0.1)
        return selector.feature_ranking(selector.run(X))
    width = pairwise_distances(X).mean()
    if method == "MCFS":
        selector = MCFS(d=top, k=c, p=10, scheme="heat", sigma=np.sqrt(2) * width)
        return selector.feature_ranking(selector.run(X))
    # It links samples with equal labels; all labels differ here.
    scores = laplacian_score(X, np.arange(len(X)), k_neighbors=10, t=2 * width**2)
    return np.argsort(scores, kind="stable")


def compare(dataset: str, method: str) -> dict:
    from benchmarks.speed.methods_speed import in_process

    row = {"dataset": dataset, "method": method, "limit_seconds": LIMIT, "error": None}
    ours = in_process(dataset, method, "library", LIMIT)
    row["library_seconds"] = ours["seconds"]
    try:
        other = in_process(dataset, method, "ITMO_FS", LIMIT)
    except RuntimeError as error:
        return row | {"other_seconds": None, "error": str(error).strip().splitlines()[-1]}
    shared = len(set(ours["top"]) & set(other["top"])) if other["top"] else None
    return row | {"other_seconds": other["seconds"], "shared_of_100": shared}


def versions() -> dict[str, str]:
    names = ("numpy", "scipy", "scikit-learn", *PACKAGES[:2])
    return {name: importlib.metadata.version(name) for name in names}


if __name__ == "__main__":
    quick = parse_quick(__doc__)
    there = use() if quick else install()
    report = {"installed": there, "versions": {}, "rows": []}
    if "ITMO_FS" in there:
        report["versions"] = versions()
        failed = set()
        for dataset in available("warpAR") if quick else available("warpAR", "COIL20"):
            for method in METHODS[:1] if quick else METHODS:
                if method not in failed:
                    report["rows"].append(compare(dataset, method))
                    print(report["rows"][-1], flush=True)
                    if report["rows"][-1]["error"]:
                        failed.add(method)
    save("peers", report)
