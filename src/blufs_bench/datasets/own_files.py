"""Is a user's own file there, and has it what its definition names? Asked before a run."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from blufs_bench.datasets.readers import TEXT_SUFFIXES
from blufs_bench.datasets.readers.raw import usual_separator
from blufs_bench.files.schema import suggestion

_LONGEST_LINE = 10_000_000


def own_file_problems(spec: Mapping[str, Any]) -> Iterator[str]:
    """What is missing: the file, or columns and arrays that the definition names.

    Only what can be seen at a glance is looked at; the rest is found when the file is read.
    """
    path = Path(spec["path"]).expanduser()
    if not path.is_file():
        folder = path.parent if path.is_absolute() else "the folder that Snakemake works in"
        alike = path.parent.glob(f"*{path.suffix}") if path.suffix else ()
        others = [other.name for other in alike if other.is_file()]
        near = f"; {suggestion(path.name, others)}" if others else ""
        yield f"path: there is no file {spec['path']} (looked in {folder}){near}"
        return
    names: list[str] | None = None
    with suppress(Exception):  # of a damaged file; who reads it says more
        names = _names(path, spec)
    if not names:
        return
    keys = spec.get("keys", {})
    asked = [("label", spec.get("label")), ("keys.X", keys.get("X")), ("keys.y", keys.get("y"))]
    asked += [("drop", column) for column in spec.get("drop", [])]
    is_text = path.suffix.lower() in TEXT_SUFFIXES
    if is_text:  # elsewhere the names of features are not known yet
        asked += [(key, name) for key in ("include", "exclude") for name in spec.get(key, [])]
    for key, name in asked:
        if isinstance(name, str) and name not in names:
            hint = f"it has one column only, {names[0]!r}: is `separator` right?"
            hint = hint if is_text and len(names) == 1 else suggestion(name, names)
            yield f"{key}: {spec['path']} holds no {name!r}; {hint}"


def _names(path: Path, spec: Mapping[str, Any]) -> list[str] | None:
    """Names of the columns or arrays in a file; None where they are not known at a glance."""
    suffix = path.suffix.lower()
    if suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
        return [*names, "X"] if "indptr" in names else names
    if suffix == ".h5ad":
        import h5py

        with h5py.File(path, "r") as archive:
            return [str(name) for name in archive["obs"] if name[0] != "_"]
    if suffix not in TEXT_SUFFIXES or not spec.get("header", True) or spec.get("transpose"):
        return None
    with path.open(encoding="utf-8-sig", newline="") as stream:
        line = stream.readline(_LONGEST_LINE)
    separator = spec.get("separator", usual_separator(path))
    return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
