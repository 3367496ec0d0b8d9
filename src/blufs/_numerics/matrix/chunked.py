"""Data beyond memory: a matrix that is read in blocks of rows, as often as it is needed.

Four kinds of X are read so: dask arrays, memory-mapped files (:class:`numpy.memmap`), arrays in an
HDF5 or Zarr file, and the sparse matrices that AnnData leaves in one. How many passes over all rows
were made is counted. Where the blocks are, and what goes over them: see
:mod:`blufs._numerics.matrix.row_blocks`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from blufs._numerics.matrix.dense import ScaledData
from blufs._numerics.matrix.row_blocks import DaskRows, FileRows, Reader, Source, joined_rows
from blufs._numerics.matrix.rows import dense_rows
from blufs._numerics.matrix.scaling import affine_from_moments
from blufs._numerics.matrix.sparse import (
    SparseScaledData,
    centred_squares,
    column_means,
    sparse_ranges,
    weighted_squares,
)

#: Share of the memory of this machine up to which a memory-mapped file is taken as an array.
MAPPED_SHARE = 0.25
#: Libraries whose arrays stay where they are until rows of them are asked for.
_LAZY = ("dask", "h5py", "zarr", "anndata")
#: Bytes of columns, as X holds them, that the quadratic forms of X beyond memory take at a time.
COLUMN_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Summary:
    """What one pass tells of every column.

    Attributes
    ----------
    n_rows : int
    low, high : ndarray of shape (d,)
        Smallest and largest value.
    mean, squares : ndarray of shape (d,)
        Mean, and sum of the squared differences from it.
    n_bytes : int
        What all rows would take in memory.
    """

    n_rows: int
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    n_bytes: int

    def of_columns(self, columns: np.ndarray) -> Summary:
        """Of some columns; the bytes are still those of all, which bound theirs."""
        return replace(
            self,
            low=self.low[columns],
            high=self.high[columns],
            mean=self.mean[columns],
            squares=self.squares[columns],
        )


@np.errstate(invalid="ignore", over="ignore")  # infinite values are told by the ranges
def summary_of(block) -> Summary:
    """The summary of a block, dense or CSR."""
    if sp.issparse(block):
        mean = column_means(block)
        n_bytes = block.data.nbytes + block.indices.nbytes
        squares, (low, high) = centred_squares(block, mean), sparse_ranges(block)
    else:
        mean, n_bytes = block.mean(axis=0, dtype=np.float64), block.nbytes
        centred = block - mean
        squares = np.einsum("ij,ij->j", centred, centred)
        low, high = block.min(axis=0), block.max(axis=0)
    return Summary(block.shape[0], low, high, mean, squares, n_bytes)


@np.errstate(invalid="ignore", over="ignore")
def joined_summary(one: Summary, other: Summary) -> Summary:
    """Of the rows of both.

    Means and squares are joined as in Chan, Golub, LeVeque (1983), which loses no digits where the
    mean is large.
    """
    n = one.n_rows + other.n_rows
    change = other.mean - one.mean
    return Summary(
        n,
        np.minimum(one.low, other.low),
        np.maximum(one.high, other.high),
        one.mean + change * (other.n_rows / n),
        one.squares + other.squares + change**2 * (one.n_rows * other.n_rows / n),
        one.n_bytes + other.n_bytes,
    )


class RowChunks:
    """An n x d matrix that is read in blocks of rows, each dense or CSR, of float64 or float32.

    Parameters
    ----------
    source : Source

    Attributes
    ----------
    passes : int
        How often all rows were read, for this matrix or for one made from it.
    """

    ndim = 2

    def __init__(self, source: Source):
        self._source = source
        self._counter = [0]
        self._every: dict[int, Any] = {}
        self.shape: tuple[int, int] = source.shape
        dtype = np.dtype(np.float32 if source.dtype == np.float32 else np.float64)
        self._read = Reader(dtype, self.shape[1])
        self.dtype = dtype

    @property
    def passes(self) -> int:
        return self._counter[0]

    def reduce(self, function: Callable, combine: Callable, *shared, by_row=None):
        """What a function makes of every block, joined: one pass.

        Parameters
        ----------
        function : callable
            ``function(block, *shared)``, or ``function(block, by_row[rows], *shared)``. Runs where
            the block is: it and its arguments travel there, so it is a function of a module or a
            partial of one.
        combine : callable
            Two results, of earlier and of later rows, -> one of the same kind. Changes neither.
        shared : anything
            The same for all blocks; sent once to every worker.
        by_row : ndarray of n rows, optional
            Of which every block gets its own.
        """
        self._counter[0] += 1
        return self._source.reduce(self._read, function, combine, by_row, _in_order(shared))

    def each(self, function: Callable, *shared, by_row=None) -> Iterator[tuple[slice, Any]]:
        """Yield the rows of every block, in order, and what a function makes of it: one pass.

        The arguments are those of :meth:`reduce`. All results come here: for those that have as
        many rows as X, but few columns.
        """
        self._counter[0] += 1
        return self._source.each(self._read, function, by_row, _in_order(shared))

    def by_columns(self, function: Callable, groups: Sequence[slice], *shared) -> list:
        """``function(X[:, group], group, *shared)`` for groups of columns with all rows.

        A pass for each group of a file. In a cluster the columns go from worker to worker, several
        groups in a pass, and nothing but the results comes here.
        """
        at_once, results = self._source.groups_at_once, []
        for start in range(0, len(groups), at_once):
            self._counter[0] += 1
            part = groups[start : start + at_once]
            results += self._source.by_columns(self._read, function, part, _in_order(shared))
        return results

    def map(self, step: Callable, shape: tuple[int, int] | None = None) -> RowChunks:
        """The matrix with ``step`` applied to every block of rows."""
        mapped = RowChunks(self._source)
        mapped._counter = self._counter
        mapped._read = replace(self._read, steps=(*self._read.steps, step))
        mapped.shape, mapped.dtype = shape or self.shape, self.dtype
        return mapped

    def astype(self, dtype) -> RowChunks:
        mapped = self.map(partial(_as_type, dtype=dtype))
        mapped.dtype = np.dtype(dtype)
        if "summary" in self.__dict__:  # spares a pass
            mapped.summary = self.summary
        return mapped

    def __getitem__(self, key):
        """``X[:, columns]``, not read yet; or ``X[::step]`` or ``X[mask]``, in memory."""
        if isinstance(key, tuple):
            return self._some_columns(key[1])
        if isinstance(key, np.ndarray):
            before = np.concatenate([[0], np.cumsum(key)])
            parts = self.each(_rows, by_row=key)
            return joined_rows(((slice(before[r.start], None), p) for r, p in parts), before[-1])
        if key.step not in self._every:
            self._every[key.step] = self[np.arange(self.shape[0]) % key.step == 0]
        return self._every[key.step]

    def _some_columns(self, columns: np.ndarray) -> RowChunks:
        chosen = self.map(partial(_columns, columns=columns), (self.shape[0], len(columns)))
        if "summary" in self.__dict__:  # spares a pass
            chosen.summary = self.summary.of_columns(columns)
        return chosen

    def columns(self, columns: np.ndarray | slice):
        """``X[:, columns]`` in memory, dense or CSR as the blocks are: one pass."""
        return joined_rows(self.each(_columns, columns), self.shape[0])

    def first_row(self) -> np.ndarray:
        """The first row as a new array of shape (d,); reads one block, which is no pass."""
        return self._source.first(self._read, first_row)

    def checked(self) -> RowChunks:
        """The matrix itself; ValueError if it has fewer than two rows, NaN or infinite values."""
        n = self.shape[0]
        if n < 2 or self.shape[1] < 1:
            raise ValueError(f"at least 2 samples and a feature are needed, X has {self.shape}")
        if not np.isfinite([self.summary.low, self.summary.high]).all():
            raise ValueError("Input X contains NaN or infinity.")
        return self

    @cached_property
    def summary(self) -> Summary:
        """Ranges, means and squares of the columns, by one pass (at the first call)."""
        return self.reduce(summary_of, joined_summary)


def _in_order(shared: tuple) -> tuple:
    """Arrays in the order that they have after they were sent: products round by it."""
    return tuple(np.ascontiguousarray(v) if isinstance(v, np.ndarray) else v for v in shared)


def _as_type(block, dtype):
    return block.astype(dtype, copy=False)


def _columns(block, columns):
    return block[:, columns]


def _rows(block, mask):
    return block[mask]


def as_row_chunks(X) -> RowChunks | None:
    """X to be read in blocks of rows, if it is lazy or a memory-mapped file, else None.

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
    source: Source = DaskRows(_by_rows(X)) if is_dask(X) else FileRows(X)
    return RowChunks(source)


def first_row(X) -> np.ndarray:
    """The first row of X (n x d, of any kind) as a new array of shape (d,)."""
    if isinstance(X, RowChunks):
        return X.first_row()
    return dense_rows(X, slice(0, 1))[0].copy()


def is_lazy(X) -> bool:
    """Whether X is an array of a library that reads rows when they are asked for."""
    lazy = isinstance(X, RowChunks) or type(X).__module__.split(".")[0] in _LAZY
    # Views of AnnData are arrays in memory.
    return lazy and hasattr(X, "dtype") and not sp.issparse(X) and not isinstance(X, np.ndarray)


def is_beyond_memory(X) -> bool:
    """Whether X is to be read in blocks of rows: it is lazy, or a file that memory cannot hold.

    A smaller memory-mapped file is an array like any other: joblib hands its workers such files.
    """
    return is_lazy(X) or (isinstance(X, np.memmap) and X.nbytes > MAPPED_SHARE * _memory())


def _memory() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def is_dask(X) -> bool:
    """Whether X is a dask array."""
    return type(X).__module__.split(".")[0] == "dask" and hasattr(X, "to_delayed")


def with_known_rows(X):
    """X itself, or of a dask array that does not know how many rows it has one that does."""
    if not is_dask(X) or not np.isnan([*X.shape]).any():
        return X
    return X.copy().compute_chunk_sizes()  # of X itself it would change the chunks


def _by_rows(X):
    """The dask array X (n x d) with known chunks along its rows; ValueError if it has others."""
    if np.ma.isMaskedArray(getattr(X, "_meta", None)):
        raise ValueError(
            "X has masked values; fill them in first, for example by dask.array.ma.filled(X, 0)"
        )
    if X.numblocks[1] > 1:
        raise ValueError(
            f"X is cut into {X.numblocks[1]} parts along its features, but whole samples are "
            'needed: X = X.rechunk({0: "auto", 1: -1}); persist the result, or store it so, '
            "because otherwise every pass cuts it anew"
        )
    return with_known_rows(X)


def _as_first_read(product: np.ndarray) -> np.ndarray:
    """The product, if it is finite as all values were when X was read first."""
    if not np.isfinite(product).all():
        raise ValueError(
            "X gives NaN or infinite values that it did not give when it was read first: its file, "
            "or what makes its blocks, has changed meanwhile"
        )
    return product


def column_slice(X, columns: np.ndarray):
    """``X[:, columns]`` of X beyond memory: lazy for a dask array, in memory for the others."""
    if is_dask(X):
        return X[:, columns]
    source = FileRows(X)
    parts = ((place.rows, source.read(place.rows)[:, columns]) for place in source.places())
    return joined_rows(parts, X.shape[0])


class ChunkedScaledData:
    """The n x d matrix ``A = (X - shift) / divisor`` of an X that is read in blocks of rows.

    The products are those of :class:`ScaledData`, made of those of the blocks, where the blocks
    are, by one pass over the rows each; the quadratic forms take more, see there. What travels, X
    being on the workers of a cluster: to the workers V, to this process the result.

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

    def columns(self, features: np.ndarray | slice) -> np.ndarray:
        shift, divisor = self.shift[features], self.divisor[features]
        chosen = np.empty((self.shape[0], len(shift)))
        # Scaled here, because before that they are smaller.
        for rows, block in self.X.each(_columns, features):
            chosen[rows] = _scaled_block(block, shift, divisor).columns(slice(None))
        return _as_first_read(chosen)

    def correlate(self, V: np.ndarray) -> np.ndarray:
        product = self.X.reduce(_correlate, np.add, self.shift, self.divisor, by_row=V)
        return _as_first_read(product)

    def dot(self, V: np.ndarray) -> np.ndarray:
        product = np.empty((self.shape[0], V.shape[1]))
        for rows, part in self.X.each(_dot, V, self.shift, self.divisor):
            product[rows] = part
        return _as_first_read(product)

    @property
    def gram_width(self) -> int:
        """Columns of ``A' A`` that one pass should make: what every block adds to has 64 MiB."""
        return max(1, COLUMN_BYTES // (8 * self.shape[1]))

    def gram(self, features: np.ndarray | slice) -> np.ndarray:
        return _as_first_read(self.X.reduce(_gram, np.add, features, self.shift, self.divisor))

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        return _as_first_read(self.X.reduce(_gram_times, np.add, V, self.shift, self.divisor))

    def quadratic_forms(self, M) -> tuple[np.ndarray, np.ndarray]:
        """As of :class:`ScaledData`, by whole columns, of 64 MiB that X takes in memory at a time.

        M joins samples of all blocks, so that whole columns are needed. Of a file they are read by
        a pass for each part; in a cluster they go from worker to worker, see
        :meth:`RowChunks.by_columns`.
        """
        d = self.shape[1]
        width = max(1, d * COLUMN_BYTES // max(1, self.X.summary.n_bytes))
        groups = list(gen_batches(d, width))
        found = self.X.by_columns(_quadratic_forms, groups, M, self.shift, self.divisor)
        squares, forms = zip(*found, strict=True)
        return np.concatenate(squares), np.concatenate(forms)


def _scaled_block(values, shift: np.ndarray, divisor: np.ndarray) -> ScaledData | SparseScaledData:
    """Scaled data of values that are in memory."""
    kind = SparseScaledData if sp.issparse(values) else ScaledData
    return kind(values, shift, divisor)


def as_they_are(X: RowChunks) -> ChunkedScaledData:
    """X (n x d) with its products, without a scaling."""
    return ChunkedScaledData(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


def _correlate(block, V, shift, divisor) -> np.ndarray:
    return _scaled_block(block, shift, divisor).correlate(V)


def _dot(block, V, shift, divisor) -> np.ndarray:
    return _scaled_block(block, shift, divisor).dot(V)


def _gram(block, features, shift, divisor) -> np.ndarray:
    data = _scaled_block(block, shift, divisor)
    if sp.issparse(block):
        return data.gram(features)
    values = data.columns(slice(None))  # centred first, no digits are lost to the means
    return values.T @ values[:, features]


def _gram_times(block, V, shift, divisor) -> np.ndarray:
    return _scaled_block(block, shift, divisor).gram_times(V)


def weighted_squares_of_chunks(data: ChunkedScaledData, weights: np.ndarray) -> np.ndarray:
    """``sum_i w_i a_ij^2`` of every column of the scaled data (n x d), shape (d,): one pass."""
    return data.X.reduce(_weighted, np.add, data.shift, data.divisor, by_row=weights)


def _weighted(block, weights, shift, divisor) -> np.ndarray:
    if sp.issparse(block):
        sums, squares = block.T @ weights, weighted_squares(block, weights)
        return (squares - 2 * shift * sums + weights.sum() * shift**2) / divisor**2
    values = ScaledData(block, shift, divisor).columns(slice(None))
    return np.einsum("i,ij,ij->j", weights, values, values)


def _quadratic_forms(columns, group: slice, M, shift, divisor) -> tuple[np.ndarray, np.ndarray]:
    return _scaled_block(columns, shift[group], divisor[group]).quadratic_forms(M)


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
