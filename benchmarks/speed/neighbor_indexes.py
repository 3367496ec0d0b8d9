"""Ways to find neighbours of many samples: time with the first call, recall, memory, determinism.

``python -m benchmarks.speed.neighbor_indexes`` compares exact search in blocks, faiss as the
library uses it, hnswlib and pynndescent, each in a process of its own; one that is not installed is
left out. The samples are clusters on the unit sphere, which is what the principal graph compares.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.util import find_spec

import numpy as np

from benchmarks.harness import (
    markdown,
    measure_one,
    parse_quick,
    random_clusters,
    read,
    resident,
    save,
)
from blufs._numerics.matrix.scaling import scale_samples
from blufs._numerics.neighbors import nearest_by_products, neighbors_of_many, without_own

#: Samples, coordinates, clusters.
SIZES, QUICK = (50_000, 20, 10), (300, 8, 3)
K = 10


def exact(X: np.ndarray, threads: int) -> np.ndarray:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(threads):
        return nearest_by_products(X, K)


def by_faiss(X: np.ndarray, threads: int) -> np.ndarray:
    import faiss

    # scikit-learn may share this setting, and hangs in a forked process if it is left above 1.
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(threads)
    try:
        return neighbors_of_many(X, K)[0]
    finally:
        faiss.omp_set_num_threads(before)


def by_hnswlib(X: np.ndarray, threads: int) -> np.ndarray:
    import hnswlib

    index = hnswlib.Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), M=16, ef_construction=100, random_seed=0)
    index.add_items(X, num_threads=threads)
    index.set_ef(100)
    return without_own(index.knn_query(X, K + 1, num_threads=threads)[0].astype(np.intp))


def by_pynndescent(X: np.ndarray, threads: int) -> np.ndarray:
    from pynndescent import NNDescent

    found = NNDescent(X, n_neighbors=K + 1, random_state=0, n_jobs=threads).neighbor_graph[0]
    return without_own(found.astype(np.intp))


#: Name -> the module it needs, and the search: samples (n x d) and threads to neighbours (n x K).
WAYS = {
    "exact": ("numpy", exact),
    "faiss": ("faiss", by_faiss),
    "hnswlib": ("hnswlib", by_hnswlib),
    "pynndescent": ("pynndescent", by_pynndescent),
}


def recall(found: np.ndarray, right: np.ndarray) -> float:
    """Mean share of the right neighbours of a sample that were found; both (n, K)."""
    return float(np.mean((found[:, :, None] == right[:, None]).any(axis=1)))


def measure(name: str, n: int, d: int, c: int) -> dict:
    """In this process: the first call on one thread, with its imports, and calls after it."""
    search = WAYS[name][1]
    X = scale_samples(random_clusters(n, d, c))
    before, start = resident("VmRSS"), time.perf_counter()
    found = search(X, 1)
    seconds, memory = time.perf_counter() - start, resident("VmHWM") - before
    start = time.perf_counter()
    again = search(X, 1)
    later = time.perf_counter() - start
    return {
        "way": name,
        "first_seconds": seconds,
        "later_seconds": later,
        "bytes": memory,
        "recall": recall(found, nearest_by_products(X, K)),
        "same_again": bool((found == again).all()),
        "same_on_two_threads": bool((found == search(X, 2)).all()),
    }


def table() -> str:
    header = ["way", "first call, s", "later calls, s", "memory, MB", "recall", "same"]
    rows = [
        [
            row["way"],
            row["first_seconds"],
            row["later_seconds"],
            f"{row['bytes'] / 1e6:,.0f}",
            f"{100 * row['recall']:.1f} %",
            "yes" if row["same_again"] and row["same_on_two_threads"] else "no",
        ]
        for row in read("neighbor_indexes")["ways"]
    ]
    return markdown(header, rows)


def main(quick: bool) -> None:
    sizes = QUICK if quick else SIZES
    rows = []
    for name in [name for name, (module, _) in WAYS.items() if find_spec(module)]:
        rows.append(measure_one("benchmarks.speed.neighbor_indexes", name, *sizes))
        print(rows[-1], flush=True)
    save("neighbor_indexes", {"n": sizes[0], "d": sizes[1], "k": K, "ways": rows})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--one" in sys.argv:
        print(json.dumps(measure(sys.argv[2], *map(int, sys.argv[3:]))))
    else:
        main(parse_quick(__doc__))
