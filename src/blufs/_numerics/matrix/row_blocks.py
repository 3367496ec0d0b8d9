"""Where the blocks of rows of a matrix are, and how a pass goes over them.

A pass is a map and a reduce: a function of one block of rows, and one that joins two results. Files
go through a loop here. A dask array goes through dask's own scheduler, threads of this process or
the workers of a cluster: the blocks stay there, only what the function makes of them travels.

Results are joined in a fixed order, by the numbers of the blocks. So a pass gives the same bits
with any number of workers, whichever of them is first.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.sparse import canonical_csr, check_structure

#: Bytes of a block of rows of a file. The blocks of a dask array are its chunks.
BLOCK_BYTES = 2**23
#: Neighbouring results that are joined one after the other, at every level of the tree.
FAN = 8
#: Groups of columns that a worker is given in one pass, see :meth:`Source.by_columns`.
_GROUPS_PER_WORKER = 8


class BlockError(ValueError):
    """A block of rows could not be read, or not be worked on; the message says which."""


@dataclass(frozen=True)
class Reader:
    """What is done to every block after it was read.

    Attributes
    ----------
    dtype : numpy.dtype
        float64 or float32.
    n_features : int
        Columns that the block has in its source.
    steps : tuple of callables
        Each gets a block, dense or canonical CSR, and returns one.
    """

    dtype: np.dtype
    n_features: int
    steps: tuple[Callable, ...] = ()

    def __call__(self, block, n_rows: int):
        if np.ma.isMaskedArray(block):
            raise ValueError("it has masked values; fill them in first, for example by filled(0)")
        if sp.issparse(block):
            check_structure(block)
        block = canonical_csr(block) if sp.issparse(block) else settled(np.asarray(block))
        if block.dtype.kind not in "fiub":  # a dask array may say otherwise than its blocks
            raise ValueError(f"it holds {block.dtype}, which are not real numbers")
        if block.shape != (n_rows, self.n_features):
            raise ValueError(f"its shape is {block.shape}, not {(n_rows, self.n_features)}")
        block = block.astype(self.dtype, copy=False)
        for step in self.steps:
            block = step(block)
        return block


@dataclass(frozen=True)
class Place:
    """Number and rows of a block."""

    number: int
    rows: slice

    def __str__(self) -> str:
        return f"block {self.number} of X (rows {self.rows.start} to {self.rows.stop - 1})"


class Source(Protocol):
    """An n x d matrix of which blocks of rows can be read."""

    shape: tuple[int, int]
    dtype: np.dtype

    @property
    def groups_at_once(self) -> int:
        """Groups of columns that :meth:`by_columns` should be given at once."""

    def reduce(self, read: Reader, function, combine, by_row, shared: tuple) -> Any:
        """``function(block, by_row[rows], *shared)`` of all blocks, joined by ``combine``.

        Without ``by_row`` (None, or an array of n rows) it is ``function(block, *shared)``.
        """

    def each(self, read: Reader, function, by_row, shared: tuple) -> Iterator[tuple[slice, Any]]:
        """The rows of every block, in order, and what the function makes of it."""

    def first(self, read: Reader, function) -> Any:
        """``function(block)`` of the first block."""

    def by_columns(self, read: Reader, function, groups: Sequence[slice], shared: tuple) -> list:
        """``function(X[:, group], group, *shared)`` of every group, each with all n rows."""


def joined_in_order(parts: Iterable, combine: Callable) -> Any:
    """All parts joined: eight neighbours one after the other, then eight of these, and so on.

    Holds one result for each level. ``combine`` must not change what it is given.
    """
    counts: list[int] = []
    results: list[Any] = []
    for part in parts:
        level = 0
        while True:
            if level == len(counts):
                counts.append(0)
                results.append(None)
            results[level] = part if counts[level] == 0 else combine(results[level], part)
            counts[level] += 1
            if counts[level] < FAN:
                break
            part, results[level], counts[level] = results[level], None, 0
            level += 1
    left: Any = None
    for count, result in zip(counts, results, strict=True):  # what is left is from the later blocks
        if count:
            left = result if left is None else combine(result, left)
    return left


def on_block(raw, place: Place, read: Reader, function: Callable, own, *shared):
    """``function(block, own, *shared)`` of a block as the source has it; of no ``own``, without."""
    try:
        block = read(raw, place.rows.stop - place.rows.start)
        own = () if own is None else (own,)
        return function(block, *settled((*own, *shared)))
    except Exception as error:
        raise BlockError(f"{place} failed: {type(error).__name__}: {error}") from error


def settled(value):
    """Arrays, alone or in a tuple or list, aligned in memory: copied if they are not.

    What was sent between processes may start at any byte, and numpy multiplies such arrays by
    loops of its own, which round differently from those of BLAS.
    """
    if isinstance(value, tuple | list):
        return type(value)(settled(each) for each in value)
    return np.require(value, requirements="A") if isinstance(value, np.ndarray) else value


def own_rows(values: np.ndarray, place: Place) -> np.ndarray:
    """The rows of an array that belong to a block, in the order in which they would be sent.

    Products round differently with arrays in another order.
    """
    return np.ascontiguousarray(values[place.rows])


class FileRows:
    """Rows of a file, or of anything else that is read in this process.

    Parameters
    ----------
    source : memmap, or array of h5py, zarr or a backed AnnData
    """

    groups_at_once = 1

    def __init__(self, source):
        self._source = source
        self.shape: tuple[int, int] = (source.shape[0], source.shape[1])
        self.dtype = source.dtype

    def places(self) -> list[Place]:
        """Blocks one after the other, of about :data:`BLOCK_BYTES` each."""
        source, (n, d) = self._source, self.shape
        entries, size = n * d, source.dtype.itemsize
        if hasattr(source, "group"):  # a sparse matrix of AnnData; an index has 4 bytes or 8
            entries, size = source.group["indices"].shape[0], size + 4
        wanted = max(1, BLOCK_BYTES * n // max(1, entries * size))
        if chunks := getattr(source, "chunks", None):  # cut between them
            wanted = max(chunks[0], wanted // chunks[0] * chunks[0])
        starts = range(0, n, wanted)
        return [Place(i, slice(start, min(start + wanted, n))) for i, start in enumerate(starts)]

    def read(self, rows: slice):
        """Rows as they are stored, in memory of their own."""
        source = self._source
        if isinstance(source, np.memmap):
            block = np.array(source[rows])
            _forget_pages(source)
            return block
        return _stored_rows(source, rows) if hasattr(source, "group") else source[rows]

    def reduce(self, read: Reader, function, combine, by_row, shared: tuple):
        results = (result for _, result in self.each(read, function, by_row, shared))
        return joined_in_order(results, combine)

    def each(self, read: Reader, function, by_row, shared: tuple) -> Iterator[tuple[slice, Any]]:
        for place in self.places():
            own = None if by_row is None else own_rows(by_row, place)
            yield place.rows, on_block(self.read(place.rows), place, read, function, own, *shared)

    def first(self, read: Reader, function):
        place = self.places()[0]
        return on_block(self.read(place.rows), place, read, function, None)

    def by_columns(self, read: Reader, function, groups: Sequence[slice], shared: tuple) -> list:
        parts: list[list] = [[] for _ in groups]
        for rows, pieces in self.each(read, _split, None, (groups,)):
            for own, piece in zip(parts, pieces, strict=True):
                own.append((rows, piece))
        return [
            function(joined_rows(own, self.shape[0]), group, *shared)
            for own, group in zip(parts, groups, strict=True)
        ]


class DaskRows:
    """The chunks of a dask array, which stay where dask has them.

    Parameters
    ----------
    X : dask array of shape (n, d), of known chunks along the rows; empty ones are left out
    """

    def __init__(self, X):
        self.shape: tuple[int, int] = X.shape
        self.dtype = X.dtype
        sizes = X.chunks[0]
        ends = np.cumsum(sizes).tolist()
        self._places = [
            Place(number, slice(end - size, end))
            for number, (end, size) in enumerate(zip(ends, sizes, strict=True))
            if size
        ]
        blocks = X.to_delayed()[:, 0]
        self._blocks = [blocks[place.number] for place in self._places]

    @property
    def groups_at_once(self) -> int:
        """One where the tasks run in this process; of a cluster, more where more workers hold them.

        All columns of a pass are in memory together, because every group has rows of all blocks.
        """
        return max(1, _GROUPS_PER_WORKER * _workers())

    def reduce(self, read: Reader, function, combine, by_row, shared: tuple):
        tasks = self._tasks(read, function, by_row, shared)
        join = _delayed(_joined_neighbors)
        while len(tasks) > 1:
            starts = range(0, len(tasks), FAN)
            tasks = [join(tasks[start : start + FAN], combine) for start in starts]
        return self._computed(tasks)[0]

    def each(self, read: Reader, function, by_row, shared: tuple) -> Iterator[tuple[slice, Any]]:
        results = self._computed(self._tasks(read, function, by_row, shared))[::-1]
        for place in self._places:
            yield place.rows, results.pop()  # given back as soon as it was used

    def first(self, read: Reader, function):
        return self._computed(self._tasks(read, function, None, ())[:1])[0]

    def by_columns(self, read: Reader, function, groups: Sequence[slice], shared: tuple) -> list:
        pieces = self._tasks(read, _split, None, (groups,), n_results=len(groups))
        places, sent = _sent_once((self._places,)), _sent_once((function, *shared))
        join = _delayed(_on_columns)
        return self._computed(
            [
                join([own[i] for own in pieces], *places, sent[0], group, *sent[1:])
                for i, group in enumerate(groups)
            ]
        )

    def _tasks(self, read, function, by_row, shared: tuple, n_results: int | None = None):
        """One task for every block."""
        sent = _sent_once((read, function, *shared))
        call = _delayed(on_block, n_results)
        return [
            call(
                block,
                place,
                *sent[:2],
                None if by_row is None else own_rows(by_row, place),
                *sent[2:],
            )
            for block, place in zip(self._blocks, self._places, strict=True)
        ]

    def _computed(self, tasks: list) -> list:
        """The results, by one call of the scheduler; what goes wrong is said in words."""
        import dask

        # Rows of V travel to the block that they belong to; that they are many is no mistake.
        many = {"distributed.admin.large-graph-warning-threshold": "1 TB"} if _workers() else {}
        try:
            with dask.config.set(many):
                return settled(list(dask.compute(*tasks)))
        except BlockError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        """The error of a pass, naming the block that caused it if that can be found."""
        if type(error).__name__ == "KilledWorker":
            largest = max(p.rows.stop - p.rows.start for p in self._places)
            return MemoryError(
                f"a task on the blocks of X killed one worker after the other ({error}). Most "
                f"often their memory is too small: the largest of the {len(self._places)} blocks "
                f"has {largest} rows of {self.shape[1]} features. Make the blocks smaller by "
                "X.rechunk, or give the workers more memory or less threads"
            )
        if type(error).__name__ in ("CommClosedError", "CancelledError", "FutureCancelledError"):
            return ConnectionError(
                f"the cluster was lost during a pass over X ({type(error).__name__}: {error}). "
                "Nothing of the fit is kept: connect to a cluster again, and call fit again"
            )
        # Not raised by a task of ours, so by one that makes a block: which?
        for place, block in zip(self._places, self._blocks, strict=True):
            try:
                _delayed(np.shape)(block).compute()
            except Exception as own:
                return BlockError(f"{place} could not be made: {type(own).__name__}: {own}")
        return error


def _delayed(function: Callable, n_results: int | None = None):
    import dask

    return dask.delayed(function, pure=False, nout=n_results, traverse=False)


def _sent_once(values: Iterable) -> list:
    """The values as tasks of their own, which a worker fetches once instead of for every block."""
    from uuid import uuid4

    import dask

    return [dask.delayed(value, name=f"blufs-{uuid4().hex}", traverse=False) for value in values]


def _workers() -> int:
    """Workers of the cluster that dask's tasks go to now, 0 without one."""
    if "distributed" not in sys.modules:
        return 0
    import distributed

    try:
        return len(distributed.get_client().nthreads())
    except ValueError:
        return 0


def _joined_neighbors(parts: list, combine: Callable):
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return result


def _split(block, groups: Sequence[slice]) -> tuple:
    """The columns of a block in groups."""
    if sp.issparse(block):
        columns = block.tocsc() if len(groups) > 1 else block
        return tuple(sp.csr_array(columns[:, group]) for group in groups)
    return tuple(block[:, group].copy() for group in groups)  # copy: a view would keep the block


def _on_columns(pieces: list, places: list[Place], function: Callable, group: slice, *shared):
    parts = ((place.rows, piece) for place, piece in zip(places, pieces, strict=True))
    return function(joined_rows(parts, places[-1].rows.stop), group, *settled(shared))


def joined_rows(parts: Iterable[tuple[slice, Any]], n: int):
    """The matrix of n rows that has the given parts, each at the start of its slice of rows."""
    kept: list = []
    for rows, part in parts:
        if not kept and not sp.issparse(part):
            # Not collected and joined at the end, which would hold all of them twice.
            kept.append(np.empty((n, part.shape[1]), part.dtype))
        if kept and not sp.issparse(kept[0]):
            dense = part.toarray() if sp.issparse(part) else part
            kept[0][rows.start : rows.start + len(dense)] = dense
        else:  # a dense one among sparse ones becomes sparse
            kept.append(sp.csr_array(part))
    return sp.vstack(kept, format="csr") if sp.issparse(kept[0]) else kept[0]


def _stored_rows(source, rows: slice) -> sp.csr_array:
    """Rows of a sparse matrix that AnnData left in a file: the three arrays of a CSR matrix."""
    starts = source.group["indptr"][rows.start : rows.stop + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    values, columns = source.group["data"][entries], source.group["indices"][entries]
    shape = (len(starts) - 1, source.shape[1])
    return sp.csr_array((values, columns, starts - starts[0]), shape=shape)


def _forget_pages(mapped: np.memmap) -> None:
    """Release the pages just read; otherwise they count towards our resident memory.

    Not of a copy-on-write map, whose changed pages exist nowhere else.
    """
    file_map = getattr(mapped, "_mmap", None)
    if isinstance(file_map, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and mapped.mode != "c":
        file_map.madvise(mmap.MADV_DONTNEED)
