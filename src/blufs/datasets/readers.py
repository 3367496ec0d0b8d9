"""Readers of data files. Each gives features and labels as they are in the file.

Whatever a parser raises becomes a `DatasetError` that names the file and a remedy.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blufs.datasets.errors import DatasetError
from blufs.datasets.hashing import is_web_page

#: Usual names of the arrays in a .mat or .npz file, and of a table's label column.
FEATURE_KEYS = ("X", "x", "data", "fea", "features")
LABEL_KEYS = ("y", "Y", "label", "labels", "gnd", "target", "class")


@dataclass
class RawData:
    """What a file holds: ``X`` (2-d), ``y`` (any shape) and the names of the features, if any.

    A missing label is None or NaN.
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: list[str] | None = None


def read_file(path: Path, spec: Mapping[str, Any]) -> RawData:
    """Read features and labels from a file in one of the known formats.

    Raises
    ------
    DatasetError
        If the file is not what its name says, or does not hold what ``spec`` asks for.
    """
    suffix = path.suffix.lower()
    reader = FORMATS[suffix]
    try:
        if path.stat().st_size == 0:
            raise DatasetError("the file is empty")
        if is_web_page(path):
            raise DatasetError("the file is a web page, not data")
        return reader(path, spec)
    except DatasetError:
        raise
    except Exception as error:  # parsers of damaged files raise nearly anything
        detail = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise DatasetError(f"the file cannot be read as {suffix} ({detail})") from error


# ------------------------------------------------------------------------------ files of arrays


def _read_mat(path: Path, spec: Mapping[str, Any]) -> RawData:
    if not _is_hdf5(path):
        verified = "sha256" in spec or "git_blob" in spec
        return _pick_arrays(_load_mat(path, trusted=verified), spec)
    import h5py

    with h5py.File(path, "r") as archive:  # MATLAB 7.3
        arrays = {name: _hdf5_array(item) for name, item in archive.items() if name[0] != "#"}
    return _pick_arrays(arrays, spec)


def _load_mat(path: Path, trusted: bool) -> dict[str, Any]:
    """Variables of a .mat file of version 4 or 5.

    One wrong byte can make SciPy's reader access memory out of bounds, which ends the process. So
    a file that was not verified by hash is read in a process of its own.
    """
    if trusted:
        import scipy.io

        return scipy.io.loadmat(path)
    code = (
        "import pickle, sys, scipy.io\n"
        "pickle.dump(scipy.io.loadmat(sys.argv[1]), sys.stdout.buffer)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False)
    if run.returncode < 0:
        raise DatasetError("the file cannot be read as .mat (it is damaged)")
    if run.returncode > 0:
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        raise DatasetError(f"the file cannot be read as .mat ({lines[-1][:200] if lines else ''})")
    return pickle.loads(run.stdout)


def _is_hdf5(path: Path) -> bool:
    """Whether HDF5's signature is where MATLAB 7.3 (offset 512) or other programs (0) put it."""
    with path.open("rb") as stream:
        head = stream.read(520)
    return b"\x89HDF\r\n\x1a\n" in (head[:8], head[512:])


def _hdf5_array(item: Any) -> Any:
    """The array as MATLAB sees it: HDF5 has the axes in reverse; None for sparse and structs."""
    import h5py

    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "biuf":
        return None
    # MATLAB writes an empty array as its shape, with this attribute.
    return np.empty((0, 0)) if "MATLAB_empty" in item.attrs else item[()].T


def _read_npz(path: Path, spec: Mapping[str, Any]) -> RawData:
    with np.load(path, allow_pickle=False) as archive:
        return _pick_arrays(dict(archive), spec)


def _pick_arrays(arrays: Mapping[str, Any], spec: Mapping[str, Any]) -> RawData:
    keys = spec.get("keys", {})
    X = _pick(arrays, keys.get("X"), FEATURE_KEYS, "features", "keys: {X: ...}")
    y = _pick(arrays, keys.get("y", spec.get("label")), LABEL_KEYS, "labels", "label: ...")
    if X.ndim != 2:
        raise DatasetError(f"the features have shape {X.shape}; it must be samples x features")
    return RawData(X.T if spec.get("transpose") else X, y)


def _pick(
    arrays: Mapping[str, Any], name: str | None, usual: tuple[str, ...], what: str, remedy: str
) -> np.ndarray:
    import scipy.sparse

    present = [key for key in arrays if not key.startswith("__")]
    candidates = (name,) if name is not None else usual
    found = next((key for key in candidates if key in present), None)
    if found is None:
        raise DatasetError(
            f"there are no {what}: no array is called {' or '.join(map(repr, candidates))}; the "
            f"file holds {', '.join(map(repr, present)) or 'nothing'}. Name it by `{remedy}`"
        )
    array = arrays[found]
    if scipy.sparse.issparse(array):
        raise DatasetError(f"{found!r} is sparse; save it as a dense array")
    if not isinstance(array, np.ndarray) or array.dtype.names:
        raise DatasetError(f"{found!r} is not a dense numeric array; save it as one")
    return array


def _read_npy(path: Path, spec: Mapping[str, Any]) -> RawData:
    array = np.load(path, allow_pickle=False)
    if array.ndim != 2:
        raise DatasetError(f"the array has shape {array.shape}; it must be samples x columns")
    column = spec.get("label")
    if not isinstance(column, int):
        raise DatasetError("say which column holds the classes: `label: -1` for the last one")
    n_columns = array.shape[1]
    if not -n_columns <= column < n_columns:
        raise DatasetError(f"there is no column {column}; the array has {n_columns}")
    return RawData(np.delete(array, column, axis=1), array[:, column])


# --------------------------------------------------------------------------------------- tables


def _read_text(path: Path, spec: Mapping[str, Any]) -> RawData:
    import pandas as pd

    usual = "\t" if path.suffix.lower() == ".tsv" else ","
    separator = spec.get("separator", usual)
    header = 0 if spec.get("header", True) else None
    table = pd.read_csv(path, sep=separator, header=header, low_memory=False)
    if table.shape[1] == 1:
        raise DatasetError(
            f"there is one column only; if columns are not separated by {separator!r}, "
            "give `separator: ...`"
        )
    return _split_table(table, spec)


def _read_parquet(path: Path, spec: Mapping[str, Any]) -> RawData:
    import pandas as pd

    return _split_table(pd.read_parquet(path), spec)


def _read_arff(path: Path, spec: Mapping[str, Any]) -> RawData:
    import pandas as pd
    from scipy.io import arff

    table = pd.DataFrame(arff.loadarff(path)[0])
    for column in table.select_dtypes(object):
        table[column] = table[column].str.decode("utf-8")
    return _split_table(table, spec)


def _split_table(table: Any, spec: Mapping[str, Any]) -> RawData:
    """Separate the label column of a pandas table from the features."""
    import pandas as pd

    if not len(table):
        raise DatasetError("the table has no rows")
    named = spec.get("header", True)
    table.columns = [str(column).strip() for column in table.columns]
    position = _label_position(list(table.columns), spec.get("label"), named)
    y = table.iloc[:, position].astype(object)
    features = table.drop(columns=table.columns[position])
    dropped = spec.get("drop", [])
    unknown = [column for column in dropped if column not in features.columns]
    if unknown:
        raise DatasetError(f"`drop` names columns that do not exist: {_some(unknown)}")
    features = features.drop(columns=dropped)
    text = [
        column
        for column, kind in features.dtypes.items()
        if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_complex_dtype(kind)
    ]
    if text:
        column = features[text[0]]
        odd = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
        example = str((odd if len(odd) else column).iloc[0])[:40]
        raise DatasetError(
            f"{len(text)} column(s) hold something else than numbers: {_some(text)} (for instance "
            f"{example!r}). Encode them as numbers, or leave them out by "
            f"`drop: [{', '.join(text[:5])}]`"
        )
    names = [str(column) for column in features.columns] if named else None
    X = features.to_numpy(dtype=np.float64, na_value=np.nan)
    return RawData(X, y.where(y.notna(), None).to_numpy(), names)


def _label_position(columns: list[str], label: str | int | None, named: bool) -> int:
    if isinstance(label, int):
        if not -len(columns) <= label < len(columns):
            raise DatasetError(f"there is no column {label}; the table has {len(columns)}")
        return label % len(columns)
    if not named:
        raise DatasetError(
            "the columns have no names; say which one holds the classes by its number: `label: -1`"
        )
    usual = {key.lower() for key in LABEL_KEYS}
    found = [
        position
        for position, column in enumerate(columns)
        if (column == label if label is not None else column.lower() in usual)
    ]
    if len(found) != 1:
        missing = "no label column" if label is None else f"no column {label!r}"
        problem = missing if not found else "more than one column that may hold the classes"
        raise DatasetError(f"there is {problem}; name it by `label: ...` out of {_some(columns)}")
    return found[0]


def _some(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(map(repr, names[:6]))
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")


FORMATS: dict[str, Callable[[Path, Mapping[str, Any]], RawData]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".parquet": _read_parquet,
    ".mat": _read_mat,
    ".npz": _read_npz,
    ".npy": _read_npy,
    ".arff": _read_arff,
}
