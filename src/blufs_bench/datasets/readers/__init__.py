"""Read data files. Each reader gives features and labels as they are in the file.

How a file is laid out is declared in the dataset's definition: names of arrays, which axis holds
the samples, where the classes are. Whatever a parser raises becomes a `DatasetError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.hashing import stand_in_for_data
from blufs_bench.datasets.readers.raw import RawData
from blufs_bench.files.damaged import is_disk_trouble, one_line

#: Formats that hold several arrays by name, one array, and tables as text or otherwise.
ARRAY_SUFFIXES = (".mat", ".npz", ".rdata", ".rda")
TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
#: Archives: `member` says which of their files hold the data.
ARCHIVE_SUFFIXES = (".zip", ".whl")
SUFFIXES = (
    *(*TEXT_SUFFIXES, ".parquet", ".arff", ".h5ad"),
    *(*ARRAY_SUFFIXES, ".npy", *ARCHIVE_SUFFIXES),
)

__all__ = [
    "ARCHIVE_SUFFIXES",
    "ARRAY_SUFFIXES",
    "SUFFIXES",
    "TEXT_SUFFIXES",
    "RawData",
    "read_file",
]


def read_file(path: Path, spec: Mapping[str, Any]) -> RawData:
    """Read features and labels from a file in one of the known formats.

    Raises
    ------
    DatasetError
        If the file is not what its name says, does not hold what ``spec`` asks for, or would take
        more memory than the definition allows.
    """
    suffix = path.suffix.lower()
    try:
        if path.stat().st_size == 0:
            raise DatasetError("the file is empty")
        if stand_in := stand_in_for_data(path):
            raise DatasetError(f"the file is {stand_in}, not data")
        return _reader(suffix)(path, spec)
    except DatasetError:
        raise
    except Exception as error:  # parsers of damaged files raise nearly anything
        if is_disk_trouble(error):
            raise
        text = one_line(error, 200)
        detail = f"{type(error).__name__}: {text}" if text else "it ends in the middle"
        raise DatasetError(f"the file cannot be read as {suffix} ({detail})") from error


def _reader(suffix: str) -> Callable[[Path, Mapping[str, Any]], RawData]:
    """The function that reads a format. The parsers are slow to import, so only when needed."""
    if suffix in ARCHIVE_SUFFIXES:
        from blufs_bench.datasets.readers import archives

        return archives.read_archive
    if suffix == ".h5ad":
        from blufs_bench.datasets.readers import cells

        return cells.read_h5ad
    if suffix in ARRAY_SUFFIXES or suffix == ".npy":
        from blufs_bench.datasets.readers import arrays

        return arrays.read_arrays
    from blufs_bench.datasets.readers import tables

    return {".parquet": tables.read_parquet, ".arff": tables.read_arff}.get(
        suffix, tables.read_text
    )
