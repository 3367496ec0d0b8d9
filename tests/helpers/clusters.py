"""Data in a file, made into a dask array by tasks that workers of other processes can run too."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp


def read_rows(path: str, start: int, stop: int, sparse: bool = False):
    """Rows of a .npy file, as a task reads them."""
    rows = np.array(np.load(path, mmap_mode="r")[start:stop])
    return sp.csr_array(rows) if sparse else rows


def rows_that_kill_once(path: str, start: int, stop: int, mark: str):
    """As above; the process that first reads rows from the middle on dies, and leaves a mark."""
    if start > 0 and not Path(mark).exists():
        Path(mark).touch()
        os._exit(1)
    return read_rows(path, start, stop)


def rows_that_kill(path: str, start: int, stop: int):
    """As above, but every process that reads rows from the middle on dies."""
    if start > 0:
        os._exit(1)
    return read_rows(path, start, stop)


def rows_that_fail(path: str, start: int, stop: int):
    """As above; rows from the second block on cannot be read."""
    if start > 0:
        raise OSError(f"no such rows: {start}")
    return read_rows(path, start, stop)


def rows_that_fill_memory(path: str, start: int, stop: int):
    """As above, but with 800 MB for some seconds."""
    much = np.ones(100_000_000)
    time.sleep(10)
    return read_rows(path, start, stop) + 0 * much[:1]


def slow_rows(path: str, start: int, stop: int):
    """As above, after half a second."""
    time.sleep(0.5)
    return read_rows(path, start, stop)


def lazy(path: Path, sizes: list[int], reader=read_rows, *arguments):
    """The matrix in a .npy file as a dask array, each block read by a task."""
    import dask
    import dask.array as da

    X = np.load(path, mmap_mode="r")
    ends = np.cumsum(sizes).tolist()
    task = dask.delayed(reader, pure=True)
    return da.concatenate(
        [
            da.from_delayed(
                task(str(path), end - size, end, *arguments), (size, X.shape[1]), X.dtype
            )
            for end, size in zip(ends, sizes, strict=True)
        ]
    )
