"""Data beyond memory: a matrix that is read in blocks of rows, as often as it is needed.

Four kinds of X are read so: dask arrays, memory-mapped files (:class:`numpy.memmap`), arrays in an
HDF5 or Zarr file, and the sparse matrices that AnnData leaves in one. Only a block of rows is in
memory at a time; how many passes over all rows were made is counted.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.dense import ScaledData
from blufs._numerics.matrix.scaling import (
    affine_from_moments,
)
from blufs._numerics.matrix.sparse import (
    SparseScaledData,
    canonical_csr,
    centred_squares,
    column_means,
    sparse_ranges,
)

#: Bytes of a block of rows, unless the blocks of a dask array are larger.
BLOCK_BYTES = 2**23
#: Libraries whose arrays stay where they are until rows of them are asked for.
_LAZY = ("dask", "h5py", "zarr", "anndata")


@dataclass(frozen=True)
class Summary:
    """What one pass tells of every column.

    Attributes
    ----------
    low, high : ndarray of shape (d,)
        Smallest and largest value.
    mean, squares : ndarray of shape (d,)
        Mean, and sum of the squared differences from it.
    n_bytes : int
        What all rows would take in memory.
    """

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    n_bytes: int


class RowChunks:
    """An n x d matrix that is read in blocks of rows, each dense or CSR, of float64 or float32.

    Parameters
    ----------
    source : dask array, memmap, or array of h5py, zarr or a backed AnnData
    steps : tuple of callables
        What is done to every block after it was read.

    Attributes
    ----------
    passes : int
        How often all rows were read, for this matrix or for one made from it.
    """

    ndim = 2

    def __init__(self, source, steps: tuple[Callable, ...] = (), counter: list | None = None):
        self._source, self._steps = source, steps
        self._counter = [0] if counter is None else counter
        self._every: dict[int, Any] = {}
        self.shape: tuple[int, int] = (source.shape[0], source.shape[1])
        self.dtype = np.dtype(np.float32 if source.dtype == np.float32 else np.float64)

    @property
    def passes(self) -> int:
        return self._counter[0]

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield ``(rows, block)`` from the first row to the last: one pass."""
        self._counter[0] += 1
        for rows in _row_blocks(self._source):
            block = _read(self._source, rows, self.dtype)
            for step in self._steps:
                block = step(block)
            yield rows, block

    def map(self, step: Callable, shape: tuple[int, int] | None = None) -> RowChunks:
        """The matrix with ``step`` applied to every block of rows."""
        mapped = RowChunks(self._source, (*self._steps, step), self._counter)
        mapped.shape, mapped.dtype = shape or self.shape, self.dtype
        return mapped

    def astype(self, dtype) -> RowChunks:
        mapped = self.map(lambda block: block.astype(dtype, copy=False))
        mapped.dtype = np.dtype(dtype)
        return mapped

    def __getitem__(self, key):
        """``X[:, columns]``, not read yet; or ``X[::step]`` or ``X[mask]``, in memory."""
        if isinstance(key, tuple):
            return self._some_columns(key[1])
        if isinstance(key, np.ndarray):
            before = np.concatenate([[0], np.cumsum(key)])
            parts = ((slice(before[r.start], None), b[key[r]]) for r, b in self.blocks())
            return _joined(parts, before[-1])
        if key.step not in self._every:
            self._every[key.step] = self._every_row(key.step)
        return self._every[key.step]

    def _some_columns(self, columns: np.ndarray) -> RowChunks:
        chosen = self.map(lambda block: block[:, columns], (self.shape[0], len(columns)))
        if "summary" in self.__dict__:  # spares a pass
            known = self.summary
            chosen.summary = Summary(
                known.low[columns],
                known.high[columns],
                known.mean[columns],
                known.squares[columns],
                known.n_bytes,
            )
        return chosen

    def _every_row(self, step: int):
        parts = (
            (slice(-(-rows.start // step), None), block[-rows.start % step :: step])
            for rows, block in self.blocks()
        )
        return _joined(parts, -(-self.shape[0] // step))

    def columns(self, columns: np.ndarray | slice):
        """``X[:, columns]`` in memory, dense or CSR as the blocks are: one pass."""
        return _joined(((rows, block[:, columns]) for rows, block in self.blocks()), self.shape[0])

    def checked(self) -> RowChunks:
        """The matrix itself; ValueError if it has fewer than two rows, NaN or infinite values."""
        n = self.shape[0]
        if n < 2 or self.shape[1] < 1:
            raise ValueError(f"at least 2 samples and a feature are needed, X has {self.shape}")
        if not np.isfinite([self.summary.low, self.summary.high]).all():
            raise ValueError("Input X contains NaN or infinity.")
        return self

    @cached_property
    @np.errstate(invalid="ignore", over="ignore")  # infinite values are told by the ranges
    def summary(self) -> Summary:
        """Ranges, means and squares of the columns, by one pass (at the first call).

        Means and squares of blocks are joined as in Chan, Golub, LeVeque (1983), which loses no
        digits where the mean is large.
        """
        d = self.shape[1]
        low, high = np.full(d, np.inf, self.dtype), np.full(d, -np.inf, self.dtype)
        mean, squares, seen, n_bytes = np.zeros(d), np.zeros(d), 0, 0
        for _, block in self.blocks():
            count = block.shape[0]
            ranges, own_mean, own_squares, own_bytes = _moments(block)
            np.minimum(low, ranges[0], out=low)
            np.maximum(high, ranges[1], out=high)
            change = own_mean - mean
            mean += change * (count / (seen + count))
            squares += own_squares + change**2 * (seen * count / (seen + count))
            seen, n_bytes = seen + count, n_bytes + own_bytes
        return Summary(low, high, mean, squares, n_bytes)


def _moments(block) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray, int]:
    """Ranges, mean and centred squares of the columns of a block, and its bytes."""
    if sp.issparse(block):
        mean = column_means(block)
        n_bytes = block.data.nbytes + block.indices.nbytes
        return sparse_ranges(block), mean, centred_squares(block, mean), n_bytes
    mean = block.mean(axis=0, dtype=np.float64)
    centred = block - mean
    squares = np.einsum("ij,ij->j", centred, centred)
    return (block.min(axis=0), block.max(axis=0)), mean, squares, block.nbytes


def as_row_chunks(X) -> RowChunks | None:
    """X to be read in blocks of rows if it is beyond memory, else None.

    Raises ValueError for what cannot be read by rows.
    """
    if isinstance(X, RowChunks):
        return X
    if not (is_lazy(X) or isinstance(X, np.memmap)):
        return None
    if len(X.shape) != 2:
        raise ValueError(f"expected a matrix of samples and features, got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X holds {X.dtype}, which are not real numbers")
    if getattr(X, "format", "csr") == "csc":
        raise ValueError("X is stored by columns (CSC); store it by rows (CSR), or load it")
    return RowChunks(X)


def is_lazy(X) -> bool:
    """Whether X is an array of a library that reads rows when they are asked for."""
    lazy = type(X).__module__.split(".")[0] in _LAZY
    return lazy and hasattr(X, "dtype") and not sp.issparse(X)


def column_slice(X, columns: np.ndarray):
    """``X[:, columns]`` of X beyond memory: lazy for a dask array, in memory for the others."""
    if type(X).__module__.startswith("dask"):
        return X[:, columns]
    chosen = ((rows, _read(X, rows)[:, columns]) for rows in _row_blocks(X))
    return _joined(chosen, X.shape[0])


def _joined(parts: Iterable[tuple[slice, Any]], n: int):
    """The matrix of n rows that has the given parts, each at the start of its slice of rows."""
    kept: list = []
    for rows, part in parts:
        if sp.issparse(part):
            kept.append(part)
            continue
        if not kept:  # not collected and joined at the end, which would hold all of them twice
            kept.append(np.empty((n, part.shape[1]), part.dtype))
        kept[0][rows.start : rows.start + len(part)] = part
    return sp.vstack(kept, format="csr") if sp.issparse(kept[0]) else kept[0]


def _row_blocks(source) -> list[slice]:
    """Blocks of rows, one after the other, of about :data:`BLOCK_BYTES` each."""
    n, d = source.shape
    entries, size = n * d, source.dtype.itemsize
    if hasattr(source, "group"):  # a sparse matrix of AnnData; an index has 4 bytes or 8
        entries, size = source.group["indices"].shape[0], size + 4
    wanted = max(1, BLOCK_BYTES * n // max(1, entries * size))
    chunks = getattr(source, "chunks", None)
    if chunks and isinstance(chunks[0], tuple):
        # Those of dask are never cut, because each part would be made of the whole again.
        return _grouped(np.cumsum(chunks[0]).tolist(), wanted)
    if chunks:  # of a file: cut between them
        wanted = max(chunks[0], wanted // chunks[0] * chunks[0])
    return [slice(start, min(start + wanted, n)) for start in range(0, n, wanted)]


def _grouped(ends: list[int], wanted: int) -> list[slice]:
    """Pieces of rows, which end at ``ends``, joined while they have at most ``wanted`` rows."""
    blocks, start, last = [], 0, 0
    for end in ends:
        if last > start and end - start > wanted:
            blocks.append(slice(start, last))
            start = last
        last = end
    return [*blocks, slice(start, last)]


def _read(source, rows: slice, dtype: np.dtype | None = None):
    """Rows of a source, dense or CSR, in memory and of its own; of ``dtype`` if it is given."""
    if isinstance(source, np.memmap):
        block = np.array(source[rows], dtype, copy=True)
        _forget_pages(source)
        return block
    block = _stored_rows(source, rows) if hasattr(source, "group") else source[rows]
    if hasattr(block, "compute"):
        block = block.compute()
    block = canonical_csr(block) if sp.issparse(block) else np.asarray(block)
    return block if dtype is None else block.astype(dtype, copy=False)


def _stored_rows(source, rows: slice) -> sp.csr_array:
    """Rows of a sparse matrix that AnnData left in a file: the three arrays of a CSR matrix."""
    starts = source.group["indptr"][rows.start : rows.stop + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    values, columns = source.group["data"][entries], source.group["indices"][entries]
    shape = (len(starts) - 1, source.shape[1])
    return sp.csr_array((values, columns, starts - starts[0]), shape=shape)


def _forget_pages(mapped: np.memmap) -> None:
    """Let the operating system take back the pages that were read: they count as memory of ours.

    Not of a copy-on-write map, whose changed pages exist nowhere else.
    """
    file_map = getattr(mapped, "_mmap", None)
    if isinstance(file_map, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and mapped.mode != "c":
        file_map.madvise(mmap.MADV_DONTNEED)


#: Bytes of columns, as X holds them, that the quadratic forms of X beyond memory take at a time.
COLUMN_BYTES = 64 * 2**20


class ChunkedScaledData:
    """The n x d matrix ``A = (X - shift) / divisor`` of an X that is read in blocks of rows.

    The four products are those of :class:`ScaledData`, made of those of the blocks, by one pass
    over the rows each; the quadratic forms take more, see there.

    Parameters
    ----------
    X : RowChunks of shape (n, d)
    shift, divisor : ndarray of shape (d,)
    """

    def __init__(self, X: RowChunks, shift: np.ndarray, divisor: np.ndarray):
        self.X, self.shift, self.divisor = X, shift, divisor

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def _blocks(self, features: np.ndarray | slice = slice(None)):
        """Yield the rows of a block, and the block as scaled data in memory."""
        for rows, block in self.X.blocks():
            yield rows, self._in_memory(block, features)

    def _in_memory(self, values, features: np.ndarray | slice) -> ScaledData | SparseScaledData:
        kind = SparseScaledData if sp.issparse(values) else ScaledData
        return kind(values, self.shift[features], self.divisor[features])

    def columns(self, features: np.ndarray | slice) -> np.ndarray:
        chosen = np.empty((self.shape[0], len(self.shift[features])))
        for rows, block in self._blocks():
            chosen[rows] = block.columns(features)
        return chosen

    def correlate(self, V: np.ndarray) -> np.ndarray:
        return sum(block.correlate(V[rows]) for rows, block in self._blocks())

    def dot(self, V: np.ndarray) -> np.ndarray:
        product = np.empty((self.shape[0], V.shape[1]))
        for rows, block in self._blocks():
            product[rows] = block.dot(V)
        return product

    def quadratic_forms(self, M) -> tuple[np.ndarray, np.ndarray]:
        """As of :class:`ScaledData`: one pass for every 64 MiB that X would take in memory.

        M joins samples of all blocks, so that whole columns are needed, as many as fit.
        """
        d = self.shape[1]
        width = max(1, d * COLUMN_BYTES // max(1, self.X.summary.n_bytes))
        squares, forms = np.empty(d), np.empty(d)
        for start in range(0, d, width):
            part = slice(start, start + width)
            columns = self._in_memory(self.X.columns(part), part)
            squares[part], forms[part] = columns.quadratic_forms(M)
        return squares, forms


def chunked_affine_scaling(X: RowChunks, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """Shift and divisor of every column, each (d,), from the summary of X."""
    summary, n = X.summary, X.shape[0]
    return affine_from_moments(
        scaling,
        X.shape,
        ranges=lambda: (summary.low.astype(np.float64), summary.high.astype(np.float64)),
        mean=lambda: summary.mean,
        norms=lambda shift: np.sqrt(summary.squares + n * (summary.mean - shift) ** 2),
    )
