"""Prepared datasets on disk: arrays, card and neighbour graph."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from blufs.datasets.prepare import PreparedDataset
from blufs.files.atomic import read_json, write_json, write_npz

if TYPE_CHECKING:
    from blufs.numerics.graph import SampleGraph

#: Neighbours of the graph that all methods share.
N_NEIGHBORS = 10


def write_dataset(
    prepared: PreparedDataset,
    npz_path: str | os.PathLike,
    card_path: str | os.PathLike,
    graph_path: str | os.PathLike,
) -> None:
    """Write arrays, card and the heat-kernel graph of the samples (k = 10).

    For an unavailable dataset arrays and graph are valid and empty.
    """
    import scipy.sparse as sp
    from threadpoolctl import threadpool_limits

    from blufs.numerics.graph import SampleGraph

    if len(prepared.X):
        # One thread: the last bits of a product depend on the number of threads.
        with threadpool_limits(1):
            similarity = SampleGraph.from_data(prepared.X, N_NEIGHBORS).similarity
    else:
        similarity = sp.csr_array((0, 0))
    write_npz(npz_path, {"X": prepared.X, "y": prepared.y})
    write_npz(
        graph_path,
        {
            "data": similarity.data,
            "indices": similarity.indices.astype(np.int32),
            "indptr": similarity.indptr.astype(np.int32),
        },
    )
    write_json(card_path, prepared.card)


def read_dataset(npz_path: str | os.PathLike) -> tuple[np.ndarray, np.ndarray | None]:
    """``X`` (n x d float64) and ``y`` (n int64, or None without labels)."""
    with np.load(npz_path, allow_pickle=False) as archive:
        return archive["X"], archive.get("y")


def read_graph(graph_path: str | os.PathLike) -> SampleGraph:
    """The neighbour graph as `write_dataset` wrote it."""
    import scipy.sparse as sp

    from blufs.numerics.graph import SampleGraph

    with np.load(graph_path, allow_pickle=False) as archive:
        parts = archive["data"], archive["indices"], archive["indptr"]
    n = len(parts[2]) - 1
    return SampleGraph(sp.csr_array(parts, shape=(n, n)))


def read_card(card_path: str | os.PathLike) -> dict[str, Any]:
    return read_json(card_path)
