"""MATLAB files: versions 4 and 5 by SciPy, version 7.3 by h5py.

One wrong byte can make SciPy's reader access memory out of bounds, which ends the process: the
workflow prepares every dataset in a process of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.raw import check_memory

#: Tag of a compressed variable in a file of version 5, whose header has 128 bytes.
_COMPRESSED, _HEADER = 15, 128
_CHUNK = 2**20


def load_mat(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Variables of a file of version 4 or 5; None for those that are no arrays."""
    check_memory(path.stat().st_size, spec)
    _check_compressed_variables(path, spec)
    return plain_variables(path)


def _check_compressed_variables(path: Path, spec: Mapping[str, Any]) -> None:
    """Unpack what is compressed without keeping it: its size and its checksum must be right."""
    total = 0
    with path.open("rb") as stream:
        header = stream.read(_HEADER)
        order = {b"IM": "little", b"MI": "big"}.get(header[126:128])
        if order is None:  # version 4 has no compression
            return
        while len(tag := stream.read(8)) == 8:
            kind, size = (int.from_bytes(tag[i : i + 4], order) for i in (0, 4))  # type: ignore[arg-type]
            if kind != _COMPRESSED:
                stream.seek(size, 1)
                continue
            for length in _unpacked_lengths(stream.read(size)):
                total += length
                check_memory(total, spec)


def _unpacked_lengths(packed: bytes):
    """Lengths of the pieces that a compressed variable consists of; its checksum is verified."""
    unpack = zlib.decompressobj()
    try:
        while packed and not unpack.eof:
            yield len(unpack.decompress(packed, _CHUNK))
            packed = unpack.unconsumed_tail
        yield len(unpack.flush())
    except zlib.error as error:
        raise DatasetError(f"the file is damaged ({error})") from error
    if not unpack.eof:
        raise DatasetError("the file is damaged (a compressed variable is cut off)")


def plain_variables(path: Path) -> dict[str, Any]:
    """What SciPy reads, as plain arrays: numbers, text and sparse arrays; None for all else."""
    import scipy.io

    variables = scipy.io.loadmat(path)
    return {name: _plain(value) for name, value in variables.items() if not name.startswith("__")}


def _plain(value: Any) -> Any:
    if sp.issparse(value):
        return sp.csc_array(value)
    if not isinstance(value, np.ndarray) or value.dtype.names:
        return None
    if value.dtype.kind == "O":  # cells
        cells = [_unwrapped(cell) for cell in value.ravel()]
        return np.array(cells).reshape(value.shape) if None not in cells else None
    return value


def _unwrapped(cell: Any) -> Any:
    """The number or text in a cell with one element, else None."""
    while isinstance(cell, np.ndarray) and cell.size == 1:
        cell = cell.ravel()[0]
    return cell if isinstance(cell, (str, int, float, np.number)) else None


# ----------------------------------------------------------------------------------- version 7.3


def is_hdf5(path: Path) -> bool:
    """Whether HDF5's signature is where MATLAB 7.3 (offset 512) or other programs (0) put it."""
    with path.open("rb") as stream:
        head = stream.read(520)
    return b"\x89HDF\r\n\x1a\n" in (head[:8], head[512:])


def load_hdf5(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Variables of a file of version 7.3; None for those that are no arrays."""
    import h5py

    with h5py.File(path, "r") as archive:
        refuse_other_files(archive)
        items = {name: item for name, item in archive.items() if name[0] != "#"}
        check_memory(sum(map(stated_bytes, items.values())), spec)
        return {name: _hdf5_array(item) for name, item in items.items()}


def refuse_other_files(group: Any) -> None:
    """Refuse what HDF5 would read from another file than this one."""
    import h5py

    for name in group:
        link = group.get(name, getlink=True)
        here = not isinstance(link, h5py.ExternalLink)
        item = group.get(name) if here else None
        if isinstance(item, h5py.Dataset):
            here = not item.external and not item.is_virtual
        elif isinstance(item, h5py.Group):
            refuse_other_files(item)
        if not here:
            raise DatasetError(f"{name!r} points to another file; save the numbers themselves")


def stated_bytes(item: Any) -> int:
    import h5py

    if isinstance(item, h5py.Dataset):
        return item.size * item.dtype.itemsize
    return sum(stated_bytes(part) for part in item.values() if isinstance(part, h5py.Dataset))


def _hdf5_array(item: Any) -> Any:
    """The array as MATLAB sees it: HDF5 has the axes in reverse."""
    import h5py

    if isinstance(item, h5py.Group) and "MATLAB_sparse" in item.attrs:
        indptr = item["jc"][()]
        shape = (int(item.attrs["MATLAB_sparse"]), len(indptr) - 1)
        if "data" not in item:  # no entry that is not zero
            return sp.csc_array(shape)
        return sp.csc_array((item["data"][()], item["ir"][()], indptr), shape=shape)
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "biuf":
        return None
    # MATLAB writes an empty array as its shape, with this attribute.
    return np.empty((0, 0)) if "MATLAB_empty" in item.attrs else item[()].T
