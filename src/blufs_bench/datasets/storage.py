"""Prepared datasets on disk: arrays, card and neighbour graph.

Dense features are one array ``X``. Sparse ones are the three arrays of a CSR matrix and its shape:
``X_data``, ``X_indices``, ``X_indptr``, ``X_shape``. Data without labels have no ``y``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blufs_bench.files.atomic import read_json, write_json, write_npz
from blufs_bench.files.damaged import reading

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from blufs._numerics.graph import SampleGraph


@dataclass
class PreparedDataset:
    """Clean data.

    Attributes
    ----------
    X : ndarray (C-contiguous) or csr_array (canonical) of shape (n_samples, n_features)
        float64, finite.
    y : ndarray of shape (n_samples,), int64, classes 0 .. n_classes - 1; None without labels
    card : dict
        What a reader of the results should know; JSON-able.
    similarity : csr_array of shape (n_samples, n_samples), or None if it was not computed
        The neighbour graph, see `blufs_bench.datasets.graph`.
    """

    X: np.ndarray | csr_array
    y: np.ndarray | None
    card: dict[str, Any]
    similarity: csr_array | None = None


def write_dataset(
    prepared: PreparedDataset,
    npz_path: str | os.PathLike,
    card_path: str | os.PathLike,
    graph_path: str | os.PathLike,
) -> None:
    """Write arrays, card and neighbour graph; the bytes depend on nothing but these."""
    import scipy.sparse as sp

    X, y, similarity = prepared.X, prepared.y, prepared.similarity
    if similarity is None:
        raise ValueError("the neighbour graph is missing; use `prepare_or_unavailable`")
    if sp.issparse(X):
        shape = np.array(X.shape, dtype=np.int64)
        arrays = {**_csr_parts(X, "X_"), "X_shape": shape}
    else:
        arrays = {"X": X}
    write_npz(npz_path, arrays if y is None else {**arrays, "y": y})
    write_npz(graph_path, _csr_parts(similarity))
    write_json(card_path, prepared.card)


def _csr_parts(matrix: csr_array, prefix: str = "") -> dict[str, np.ndarray]:
    """The arrays of a CSR matrix; its indices are of 32 bits if they can be."""
    few = matrix.nnz < 2**31 and max(matrix.shape) < 2**31
    kind = np.int32 if few else np.int64
    return {
        f"{prefix}data": matrix.data,
        f"{prefix}indices": matrix.indices.astype(kind),
        f"{prefix}indptr": matrix.indptr.astype(kind),
    }


def read_dataset(
    npz_path: str | os.PathLike,
) -> tuple[np.ndarray | csr_array, np.ndarray | None]:
    """``X`` and ``y`` as `write_dataset` wrote them.

    Returns
    -------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,), int64; None for data without labels
    """
    with reading(npz_path), np.load(npz_path, allow_pickle=False) as archive:
        y = archive.get("y")
        if "X" in archive:
            return archive["X"], y
        import scipy.sparse as sp

        parts = archive["X_data"], archive["X_indices"], archive["X_indptr"]
        return sp.csr_array(parts, shape=tuple(archive["X_shape"].tolist())), y


def read_graph(graph_path: str | os.PathLike) -> SampleGraph:
    """The neighbour graph as `write_dataset` wrote it."""
    import scipy.sparse as sp

    from blufs._numerics.graph import SampleGraph

    with reading(graph_path), np.load(graph_path, allow_pickle=False) as archive:
        parts = archive["data"], archive["indices"], archive["indptr"]
        n = len(parts[2]) - 1
        return SampleGraph(sp.csr_array(parts, shape=(n, n)))


def read_card(card_path: str | os.PathLike) -> dict[str, Any]:
    return read_json(card_path)
