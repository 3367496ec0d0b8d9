"""BLUFS against the limit of the machine: one ``X.T @ X``, and one pass over X.

Random clusters, processor seconds of one thread. *Without the graph* is a fit that gets
the neighbour graph and its eigenvectors; *with* is a whole fit, in its two parts: what does not
depend on the weights, the graph among it, and the rest.
"""

from __future__ import annotations

import statistics
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness import cpu_seconds, parse_quick, random_clusters, save, timed
from blufs import BLUFS

#: n, d, c, repeats; the numbers of clusters are those of real data of about that shape.
SHAPES = (
    (1440, 1024, 20, 5),
    (130, 2400, 10, 5),
    (200, 10000, 5, 5),
    (7000, 5000, 2, 3),
    (20000, 2000, 10, 2),
    (100000, 500, 10, 1),
)
S = 100
QUICK = ((60, 120, 2, 1), (80, 110, 3, 2))


def measure(n: int, d: int, c: int, repeats: int) -> dict:
    X = random_clusters(n, d, c)
    vector = np.ones(n)
    selector = BLUFS(S, n_clusters=c)
    # The first calls of the linear algebra are slower.
    BLUFS(5, n_clusters=2).fit(X[:50, :50])
    gram = cpu_seconds(lambda: X.T @ X, repeats)
    one_pass = cpu_seconds(lambda: X.T @ vector, 5)
    whole, without = [], []
    for _ in range(repeats):
        start, shared = timed(lambda: selector.precompute(X))
        rest, _ = timed(lambda shared=shared: selector.fit(X, precomputed=shared))
        whole.append(start + rest)
        without.append(
            timed(lambda graph=shared.value.graph: selector.fit(X, precomputed=graph))[0]
        )
    return {
        "n": n,
        "d": d,
        "c": c,
        "s": S,
        "repeats": repeats,
        "sweeps": selector.n_iter_,
        "gram_seconds": gram,
        "pass_seconds": one_pass,
        "without_graph_seconds": statistics.median(without),
        "with_graph_seconds": statistics.median(whole),
        "without_graph_grams": statistics.median(without) / gram,
        "with_graph_grams": statistics.median(whole) / gram,
        "without_graph_passes": statistics.median(without) / one_pass,
        "with_graph_passes": statistics.median(whole) / one_pass,
    }


if __name__ == "__main__":
    shapes = QUICK if parse_quick(__doc__) else SHAPES
    warnings.simplefilter("ignore")
    rows = []
    with threadpool_limits(1):
        for shape in shapes:
            rows.append(measure(*shape))
            save("limits", rows)
            print({k: round(v, 3) for k, v in rows[-1].items()}, flush=True)
