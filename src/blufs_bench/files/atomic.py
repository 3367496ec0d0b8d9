"""Writing files so that a file that exists is complete."""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from blufs_bench.files.damaged import reading


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary name next to ``path``; it becomes ``path`` when the block ends well.

    The temporary file has the same suffix and lies in the same folder (made if missing). When the
    block raises it is removed and whatever was at ``path`` stays as it was.

    Examples
    --------
    >>> with atomic_path("out.txt") as temporary:
    ...     _ = temporary.write_text("all of it")
    >>> Path("out.txt").read_text()
    'all of it'
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{secrets.token_hex(6)}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_others(paths: Iterable[str | os.PathLike]) -> None:
    """Remove the files beside ``paths`` that are none of them, such as those of a former run."""
    kept = {Path(path).resolve() for path in paths}
    for folder in {path.parent for path in kept}:
        for path in folder.iterdir():
            if path.is_file() and path not in kept:
                path.unlink()


def write_json(path: str | os.PathLike, content: Any, *, indent: int | None = 1) -> None:
    """Write ``content`` as JSON, keys in the order given; without ``indent`` in one line."""
    with atomic_path(path) as temporary:
        text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def read_json(path: str | os.PathLike) -> Any:
    """What `write_json` wrote; a damaged file is named."""
    with reading(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


def write_npz(path: str | os.PathLike, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays as an .npz whose bytes depend on nothing but the arrays.

    ``numpy.savez`` leaves date and permissions of the members to the zip library; here both are
    fixed. Nothing is compressed, because zip libraries compress differently (and every job reads
    these files).
    """
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            member.external_attr = 0o644 << 16
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
