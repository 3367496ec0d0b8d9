"""Prepared datasets on disk: arrays, card and neighbour graph.

Dense features are one array ``X``. Sparse ones are the three arrays of a CSR matrix and its shape:
``X_data``, ``X_indices``, ``X_indptr``, ``X_shape``. Data without labels have no ``y``. Nothing is
compressed, so that rows can be read from the file where they lie in it.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blufs_bench.files.atomic import read_json, write_json, write_npz
from blufs_bench.files.damaged import reading

if TYPE_CHECKING:
    import dask.array
    from scipy.sparse import csr_array

    from blufs._numerics.graph import SampleGraph

#: Bytes of a block of rows that is read at a time, for each core.
CHUNK_BYTES = 2**25


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
    npz_path: str | os.PathLike, *, in_chunks: bool = False, cores: int = 1
) -> tuple[np.ndarray | csr_array | dask.array.Array, np.ndarray | None]:
    """``X`` and ``y`` as `write_dataset` wrote them.

    Parameters
    ----------
    in_chunks : whether X is to be a dask array, whose blocks of rows are read when they are needed
    cores : blocks that dask works on at a time then, for the rest of this process. How many changes
        no bit of a result.

    Returns
    -------
    X : ndarray, csr_array or dask array of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,), int64; None for data without labels
    """
    if in_chunks:
        return _in_chunks(npz_path, cores)
    with reading(npz_path), np.load(npz_path, allow_pickle=False) as archive:
        y = archive.get("y")
        if "X" in archive:
            return archive["X"], y
        import scipy.sparse as sp

        parts = archive["X_data"], archive["X_indices"], archive["X_indptr"]
        return sp.csr_array(parts, shape=tuple(archive["X_shape"].tolist())), y


def map_dataset(
    npz_path: str | os.PathLike,
) -> tuple[np.ndarray | csr_array, np.ndarray | None]:
    """As :func:`read_dataset`, but the arrays of ``X`` stay in the file until they are touched."""
    with reading(npz_path), np.load(npz_path, allow_pickle=False) as archive:
        y = archive.get("y")
        shape = tuple(archive["X_shape"].tolist()) if "X_shape" in archive else None
    with reading(npz_path):
        if shape is None:
            return _mapped(npz_path, "X"), y
        import scipy.sparse as sp

        parts = tuple(_mapped(npz_path, f"X_{name}") for name in ("data", "indices", "indptr"))
        return sp.csr_array(parts, shape=shape), y


def _in_chunks(
    npz_path: str | os.PathLike, cores: int
) -> tuple[dask.array.Array, np.ndarray | None]:
    import dask
    import dask.array as da

    dask.config.set(scheduler="threads" if cores > 1 else "sync", num_workers=cores)
    X, y = map_dataset(npz_path)
    n, d = X.shape
    n_bytes = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    step = max(1, n * CHUNK_BYTES // max(1, n_bytes))
    rows_of = dask.delayed(_rows, pure=True)
    blocks = [
        da.from_delayed(
            rows_of(os.fspath(npz_path), start, start + step), (min(step, n - start), d), X.dtype
        )
        for start in range(0, n, step)
    ]
    return da.concatenate(blocks), y


def _rows(npz_path: str, start: int, stop: int) -> np.ndarray | csr_array:
    """Rows of ``X`` in memory.

    The file is closed again, because its pages would count as memory of this process.
    """
    rows = map_dataset(npz_path)[0][start:stop]
    return np.array(rows) if isinstance(rows, np.ndarray) else rows.copy()


def _mapped(npz_path: str | os.PathLike, name: str) -> np.ndarray:
    """An array of an archive that is not compressed, in its place in the file."""
    with zipfile.ZipFile(npz_path) as archive:
        start = archive.getinfo(f"{name}.npy").header_offset
    with open(npz_path, "rb") as file:
        file.seek(start + 26)  # of the member's own header: lengths of its name and further fields
        lengths = np.frombuffer(file.read(4), "<u2")
        file.seek(int(lengths.sum()), os.SEEK_CUR)
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        if 0 in shape:  # such an array cannot be mapped
            return np.empty(shape, dtype)
        return np.memmap(npz_path, dtype, "r", offset=file.tell(), shape=shape)


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
