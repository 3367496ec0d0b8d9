"""Objects that R saved, read by the pure-Python package rdata. Nothing of R is run."""

from __future__ import annotations

import bz2
import gzip
import lzma
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import rdata
from rdata.parser import DEFAULT_ALTREP_MAP

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.raw import check_memory

_COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_CHUNK = 2**20


def load_rdata(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by name; the members of a list are called `list.member`, what is no array is None."""
    content = _uncompressed(path, spec)
    constructors = {
        name: _within_memory(build, spec) if b"compact" in name else build
        for name, build in DEFAULT_ALTREP_MAP.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on classes of R that it does not know
        parsed = rdata.parser.parse_data(content, altrep_constructor_dict=constructors)
        objects = rdata.conversion.convert(parsed)
    if not isinstance(objects, Mapping):
        raise DatasetError("it holds one object without a name; write it by R's save()")
    return _flat(objects)


def _within_memory(build: Callable, spec: Mapping[str, Any]) -> Callable:
    """Check the length of a sequence that R stores by length, start and step alone."""

    def checked(state: Any) -> Any:
        check_memory(8 * float(state.value[0]), spec)
        return build(state)

    return checked


def _uncompressed(path: Path, spec: Mapping[str, Any]) -> bytes:
    with path.open("rb") as stream:
        head = stream.read(6)
    opener: Any = next((f for mark, f in _COMPRESSIONS.items() if head.startswith(mark)), open)
    content = bytearray()
    with opener(path, "rb") as stream:
        while chunk := stream.read(_CHUNK):
            content += chunk
            check_memory(len(content), spec)
    return bytes(content)


def _flat(objects: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for name, value in objects.items():
        if isinstance(value, Mapping):
            arrays.update(_flat(value, f"{prefix}{name}."))
            continue
        array = np.asarray(value) if hasattr(value, "__array__") else None
        arrays[f"{prefix}{name}"] = array
    return arrays
