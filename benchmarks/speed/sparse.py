"""A BLUFS fit of sparse data against the fit of the dense copy: time, memory, features.

Each in a fresh process with one thread, the same number of times. Memory is the peak of the
resident memory during the fit beyond what it is before, that is with the data, the interpreter and
a tiny fit in it.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.io import loadmat

from benchmarks.data import DATA
from benchmarks.harness import measure_one, overlap, parse_quick, resident, save, steady_seconds
from blufs import BLUFS

#: Word counts: file, classes.
DATASETS = {"k1b": ("k1b_2340n_21839d_6c_tfidf_uni.mat", 6)}
#: Made up: samples, features, share of non-zeros, clusters.
MADE_UP = {"made up": (300, 600, 0.02, 3)}
S = 100


def words(n: int, d: int, density: float, c: int) -> sp.csr_array:
    """Counts (n x d), logarithmic, of c topics, each rich in its share of the words."""
    rng = np.random.default_rng(0)
    topic = rng.integers(c, size=n)
    counts = sp.random_array((n, d), density=density, rng=rng)
    own = topic[counts.coords[0]] == counts.coords[1] % c
    counts.data = np.log1p(rng.poisson(np.where(own, 5, 1)) + 1.0)
    return sp.csr_array(counts)


def read(name: str) -> tuple[sp.csr_array, int]:
    if name in MADE_UP:
        *sizes, c = MADE_UP[name]
        return words(*sizes, c), c
    file, c = DATASETS[name]
    return sp.csr_array(loadmat(DATA / file)["X"]).astype(np.float64), c


def measure(name: str, kind: str) -> dict:
    """In this process: seconds of a fit, its memory, and the features."""
    X, c = read(name)
    tiny = words(60, 40, 0.2, 2)
    BLUFS(5, n_clusters=2).fit(tiny if kind == "sparse" else tiny.toarray())
    data_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    if kind == "dense":
        X = X.toarray()
        data_bytes = X.nbytes
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    selector = BLUFS(S, n_clusters=c).fit(X)
    memory = resident("VmHWM") - before
    seconds, _ = steady_seconds(lambda: BLUFS(S, n_clusters=c).fit(X))
    features = np.flatnonzero(selector.support_).tolist()
    sizes = {"n": X.shape[0], "d": X.shape[1], "data_bytes": data_bytes}
    return {**sizes, "fit_seconds": seconds, "fit_bytes": memory, "features": features}


def row(name: str) -> dict:
    sparse, dense = (measure_one("benchmarks.speed.sparse", name, k) for k in ("sparse", "dense"))
    return {
        "dataset": name,
        "n": sparse["n"],
        "d": sparse["d"],
        "s": S,
        "sparse": {key: sparse[key] for key in ("data_bytes", "fit_seconds", "fit_bytes")},
        "dense": {key: dense[key] for key in ("data_bytes", "fit_seconds", "fit_bytes")},
        "times_faster": dense["fit_seconds"] / sparse["fit_seconds"],
        "share_of_memory": sparse["fit_bytes"] / dense["fit_bytes"],
        "share_of_dense_data": sparse["fit_bytes"] / dense["data_bytes"],
        "overlap": overlap(sparse["features"], dense["features"]),
    }


def main(quick: bool) -> None:
    there = [name for name, (file, _) in DATASETS.items() if (DATA / file).exists()]
    rows = [row(name) for name in (MADE_UP if quick else there)]
    for one in rows:
        print(one, flush=True)
    save("sparse", rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--one" in sys.argv:
        print(json.dumps(measure(*sys.argv[2:])))
    else:
        main(parse_quick(__doc__))
