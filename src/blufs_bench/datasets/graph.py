"""The neighbour graph that is stored with a dataset: its criteria and figures share it."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from blufs._numerics.graph import N_NEIGHBORS, SampleGraph


def neighbor_similarity(X: Any) -> sp.csr_array:
    """Heat-kernel similarity of every sample and its nearest neighbours, shape (n, n).

    Sparse data are never made dense as a whole.
    """
    from threadpoolctl import threadpool_limits

    # One thread: the last bits of a product depend on the number of threads.
    with threadpool_limits(1):
        return SampleGraph.from_data(X, N_NEIGHBORS).similarity
