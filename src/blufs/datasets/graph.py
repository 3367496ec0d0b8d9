"""The neighbour graph that is stored with a dataset: its criteria and figures share it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs.numerics.graph import SampleGraph, clip_n_neighbors, smallest_per_row

#: Neighbours of each sample.
N_NEIGHBORS = 10
#: Entries of one block of distances (8 MiB of float64).
_BLOCK_ENTRIES = 2**20


def neighbor_similarity(X: Any) -> sp.csr_array:
    """Heat-kernel similarity of every sample and its nearest neighbours, shape (n, n).

    Sparse data are never made dense: only blocks of distances between samples are.
    """
    from threadpoolctl import threadpool_limits

    # One thread: the last bits of a product depend on the number of threads.
    with threadpool_limits(1):
        graph = _graph_of_sparse(X) if sp.issparse(X) else SampleGraph.from_data(X, N_NEIGHBORS)
    return graph.similarity


def _graph_of_sparse(X: sp.csr_array) -> SampleGraph:
    n = X.shape[0]
    k = clip_n_neighbors(N_NEIGHBORS, n)
    indices = np.empty((n, k), dtype=np.intp)
    distances = np.empty((n, k))
    total = 0.0
    for start, D in _squared_distance_blocks(X):
        total += float(np.sqrt(D).sum())
        local = np.arange(len(D))
        D[local, start + local] = np.inf
        block = slice(start, start + len(D))
        indices[block], distances[block] = smallest_per_row(D, k)
    return SampleGraph.from_neighbors(indices, distances, total / n**2)


def _squared_distance_blocks(X: sp.csr_array) -> Iterator[tuple[int, np.ndarray]]:
    """Yield ``(start, D)``: D[i, j] = ||x_{start+i} - x_j||^2, clipped at 0, in blocks of rows."""
    n = X.shape[0]
    norms = np.asarray((X * X).sum(axis=1)).ravel()
    rows = max(1, _BLOCK_ENTRIES // n)
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        D = -2 * (X[block] @ X.T).toarray()
        D += norms[block, None]
        D += norms[None, :]
        np.maximum(D, 0, out=D)
        local = np.arange(len(D))
        D[local, start + local] = 0
        yield start, D
