"""Read a matrix with the names of its features from a file, for the command ``blufs``.

NumPy and SciPy read text, ``.npy``, ``.npz`` and ``.mat``. Other formats need a package, which the
error names. Nothing is ever unpickled.
"""

from __future__ import annotations

import csv
import importlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

#: Texts that mean a missing value, besides those the user names.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
#: Names under which an array or its features' names are looked for, in this order.
ARRAYS, NAMES = ("X", "data", "fea", "features"), ("feature_names", "names", "columns")
#: What to do with missing values.
TREATMENTS = ("error", "impute", "drop-features", "drop-samples")
_SHOWN = 5
#: Lines of a text with their numbers.
Rows = Iterator[tuple[int, list[str]]]


class FileError(ValueError):
    """A file cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Layout:
    """How a file is to be read.

    Attributes
    ----------
    left_out : names of columns that are no features: identifiers, labels
    missing : texts that mean a missing value, besides :data:`MISSING`
    separator : of columns in a text; by default that of the suffix
    header : whether the first line of a text names the columns
    transpose : whether features are in rows
    array : name of the array in a ``.npz`` or ``.mat``, of the layer in a ``.h5ad``
    """

    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    separator: str | None = None
    header: bool = True
    transpose: bool = False
    array: str | None = None


@dataclass(frozen=True)
class Table:
    """X (n x d, an array or a CSR array) and the names of its features."""

    X: Any
    names: list[str]
    #: Columns that were left out without having been named.
    dropped: list[str] = field(default_factory=list)


def read_table(path: str | Path, layout: Layout = Layout()) -> Table:  # noqa: B008 (frozen)
    """The matrix of a file.

    Raises
    ------
    FileError
        If the file is not there, is not what its name says, or holds something else than numbers.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "no plain file"
        raise FileError(f"{str(path)!r} is {kind}: give the name of a file")
    if not path.is_file():
        raise FileError(f"there is no file {str(path)!r} in the folder {Path.cwd()}")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise FileError(f"{str(path)!r} must end in one of {' '.join(READERS)}")
    if path.stat().st_size == 0:
        raise FileError(f"{str(path)!r} is empty")
    try:
        table = reader(path, layout)
    except (FileError, MemoryError, ImportError):
        raise
    except UnicodeDecodeError:
        raise FileError(f"{str(path)!r} is no text in UTF-8: save it as that") from None
    except Exception as error:  # parsers of damaged files raise nearly anything
        text = " ".join(str(error).split())[:200]
        kind = type(error).__name__
        raise FileError(f"{str(path)!r} cannot be read ({kind}: {text})") from error
    return _checked(table, path)


def treat_missing(table: Table, how: str) -> tuple[Table, str]:
    """The table without missing values, and what was done, in words.

    Raises
    ------
    FileError
        If ``how`` is ``"error"`` and values are missing, naming the columns.
    """
    if sp.issparse(table.X):
        if np.isnan(table.X.data).any():
            raise FileError("values are missing in a sparse matrix: fill them in first")
        return table, ""
    missing = np.isnan(table.X)
    count = int(missing.sum())
    if not count:
        return table, ""
    columns, rows = missing.any(axis=0), missing.any(axis=1)
    if how == "impute":
        if missing.all(axis=0).any():
            empty = _listed([table.names[j] for j in np.flatnonzero(missing.all(axis=0))])
            raise FileError(f"no value to impute from in {empty}: leave it out by --drop")
        filled = np.where(missing, np.nanmedian(table.X, axis=0), table.X)
        return replace(table, X=filled), f"{count} missing values replaced by the median"
    if how == "drop-features":
        kept = [name for name, gone in zip(table.names, columns, strict=True) if not gone]
        done = f"{int(columns.sum())} features with missing values left out"
        return _not_empty(replace(table, X=table.X[:, ~columns], names=kept), how), done
    if how == "drop-samples":
        done = f"{int(rows.sum())} samples with missing values left out"
        return _not_empty(replace(table, X=table.X[~rows]), how), done
    names = _listed([table.names[j] for j in np.flatnonzero(columns)])
    raise FileError(
        f"{count} values are missing, in {int(columns.sum())} of {len(table.names)} features "
        f"({names}) and {int(rows.sum())} of {len(rows)} samples; say --missing impute, "
        "--missing drop-features or --missing drop-samples"
    )


def _not_empty(table: Table, how: str) -> Table:
    if 0 in table.X.shape:
        raise FileError(f"--missing {how} leaves nothing: every one has a missing value")
    return table


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def _checked(table: Table, path: Path) -> Table:
    X = table.X
    if X.ndim != 2 or 0 in X.shape:
        raise FileError(f"{str(path)!r} must hold a table of samples and features, got {X.shape}")
    if len(table.names) != X.shape[1]:
        raise FileError(f"{str(path)!r} names {len(table.names)} of {X.shape[1]} features")
    values = X.data if sp.issparse(X) else X
    if np.isinf(values).any():
        raise FileError(f"{str(path)!r} holds infinite values")
    twice = (
        sorted({name for name in table.names if table.names.count(name) > 1})
        if (len(set(table.names)) < len(table.names))
        else []
    )
    if twice:
        raise FileError(f"several columns are called {_listed(twice)}: rename them")
    return table


def _read_text(path: Path, layout: Layout) -> Table:
    separators = {".csv": ",", ".tsv": "\t"}
    separator = layout.separator or separators.get(path.suffix.lower()) or _sniffed(path)
    blanks = separator == " "  # several of them are one
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = (f"{line.strip()}\n" for line in file) if blanks else file
        rows: Rows = _numbered(csv.reader(lines, delimiter=separator, skipinitialspace=blanks))
        if layout.transpose:
            rows = _turned(rows, path)
        first = next(rows, None)
        if first is None:
            raise FileError(f"{str(path)!r} is empty")
        if not layout.header:
            header = [str(j) for j in range(len(first[1]))]
            return _from_rows(path, header, itertools.chain([first], rows), layout)
        if len(first[1]) > 1 and all(map(_is_number, first[1])):
            raise FileError(
                f"the first line of {str(path)!r} holds numbers instead of names: say --no-header "
                "if it is a sample"
            )
        return _from_rows(path, first[1], rows, layout)


def _numbered(lines: Iterable[list[str]]) -> Rows:
    return ((number, line) for number, line in enumerate(lines, start=1) if line)


def _sniffed(path: Path) -> str:
    with open(path, newline="", encoding="utf-8-sig") as file:
        first = file.readline()
    return max(("\t", ",", ";", " "), key=first.count)


def _turned(rows: Rows, path: Path) -> Rows:
    """Columns of a text as its rows."""
    lines = []
    for number, row in rows:
        lines.append(row)
        _check_length(row, lines[0], number, path)
    return _numbered(list(column) for column in zip(*lines, strict=True))


def _check_length(row: list[str], first: list[str], number: int, path: Path) -> None:
    if len(row) != len(first):
        raise FileError(
            f"line {number} of {str(path)!r} has {len(row)} columns, the first one has {len(first)}"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_rows(path: Path, header: list[str], rows: Rows, layout: Layout) -> Table:
    header = [" ".join(name.splitlines()).strip() for name in header]
    dropped = [""] if header[0] == "" and "" not in layout.left_out else []
    _check_left_out(layout.left_out, header)
    features = [
        j
        for j, name in enumerate(header)
        if name not in layout.left_out and not (dropped and j == 0)
    ]
    if not features:
        raise FileError(
            f"{str(path)!r} has no column that is a feature; the header is {_listed(header)}. Is "
            "the separator right (--separator)?"
        )
    if "" in (header[j] for j in features):
        raise FileError(
            f"column {header.index('', 1) + 1} of {str(path)!r} has no name: give it one, or leave "
            "out what has none by --drop ''"
        )
    missing = {*MISSING, *layout.missing}
    texts: dict[int, str] = {}
    values = []
    for number, row in rows:
        _check_length(row, header, number, path)
        values.append(_numbers([row[j] for j in features], missing, features, texts))
    if texts:
        places = [f"{header[j]!r} (for instance {text!r})" for j, text in texts.items()]
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        raise FileError(
            f"{len(places)} columns of {str(path)!r} hold text: {', '.join(places[:_SHOWN])}{more}."
            f" {_remedy(header, texts, layout)}"
        )
    if not values:
        raise FileError(f"{str(path)!r} has a header and no samples")
    X = np.array(values)
    return Table(
        X, [header[j] for j in features], ["the first column, which has no name"] * len(dropped)
    )


def _remedy(header: list[str], texts: dict[int, str], layout: Layout) -> str:
    """What to do about columns that hold text."""
    if not layout.header:
        return "If the first line has the names, do not say --no-header"
    if len(header) == 1 and (other := max(";\t, ", key=header[0].count)) in header[0]:
        return f"There is one column only: are columns separated by --separator {other!r}?"
    if all(_is_number(text.replace(",", ".", 1)) for text in texts.values()):
        return "Write numbers with a point instead of a comma, and without marks for thousands"
    return "Leave a column out by --id or --drop NAME; say --transpose if features are in rows"


def _numbers(
    cells: list[str], missing: set[str], features: list[int], texts: dict[int, str]
) -> np.ndarray:
    """The cells of a line as numbers; what is none is noted in ``texts`` by its column."""
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        pass
    values = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        text = cell.strip()
        if text in missing:
            continue
        if _is_number(text):
            values[i] = float(text)
        else:
            texts.setdefault(features[i], text[:30])
    return values


def _check_left_out(names: Sequence[str], header: Sequence[str]) -> None:
    unknown = [name for name in names if name not in header]
    if unknown:
        raise FileError(f"there is no column {_listed(unknown)}; there are {_listed(header)}")


def _read_parquet(path: Path, layout: Layout) -> Table:
    parquet = _needed("pyarrow.parquet", "pyarrow", path)
    table = parquet.read_table(path)
    names = [name for name in table.column_names if not name.startswith("__index_level")]
    _check_left_out(layout.left_out, names)
    names = [name for name in names if name not in layout.left_out]
    columns = []
    for name in names:
        column = table[name].to_numpy()
        try:
            if column.dtype.kind in "mM":
                raise TypeError("dates are no numbers")
            columns.append(np.asarray(column, dtype=float))
        except (TypeError, ValueError):
            raise FileError(
                f"column {name!r} of {str(path)!r} holds no numbers (for instance {column[0]!r}): "
                f"leave it out by --drop {name}"
            ) from None
    return Table(np.column_stack(columns) if columns else np.empty((0, 0)), names)


def _read_npy(path: Path, layout: Layout) -> Table:
    return _plain(np.load(path, allow_pickle=False), None, layout)


def _read_npz(path: Path, layout: Layout) -> Table:
    with np.load(path, allow_pickle=False) as arrays:
        if "format" in arrays and "data" in arrays and "shape" in arrays:
            return _plain(sp.csr_array(sp.load_npz(path)), None, layout)
        content = {name: arrays[name] for name in arrays.files}
    return _named(content, path, layout)


def _read_mat(path: Path, layout: Layout) -> Table:
    from scipy.io import loadmat

    try:
        content = loadmat(path)
    except NotImplementedError:  # MATLAB 7.3 is HDF5, with its axes turned
        h5py = _needed("h5py", "h5py", path)
        with h5py.File(path) as file:
            content = {
                name: value[()].T for name, value in file.items() if isinstance(value, h5py.Dataset)
            }
    return _named({k: v for k, v in content.items() if not k.startswith("__")}, path, layout)


def _read_h5ad(path: Path, layout: Layout) -> Table:
    anndata = _needed("anndata", "anndata", path)
    adata = anndata.read_h5ad(path)
    if layout.array is not None and layout.array not in adata.layers:
        known = _listed(list(adata.layers)) or "none"
        raise FileError(f"{str(path)!r} has no layer {layout.array!r}; there are {known}")
    X = adata.X if layout.array is None else adata.layers[layout.array]
    return _plain(X, [str(name) for name in adata.var_names], _apart(layout, adata.obs.columns))


def _named(content: dict[str, Any], path: Path, layout: Layout) -> Table:
    """The array that a file holds under a name, and the names of its features if there are some."""
    tables = [name for name, value in content.items() if getattr(value, "ndim", 0) == 2]
    wanted = [layout.array] if layout.array else [*ARRAYS, *(tables if len(tables) == 1 else ())]
    name = next((name for name in wanted if name in content), None)
    if name is None:
        raise FileError(
            f"which array of {str(path)!r} holds the features? Say --array NAME; there are "
            f"{_listed(list(content))}"
        )
    X = content[name]
    d = X.shape[0 if layout.transpose else -1] if X.ndim else 0
    titles = (np.ravel(content[key]) for key in NAMES if key in content)
    names = next((list(map(str, found)) for found in titles if len(found) == d), None)
    return _plain(X, names, _apart(layout, content))


def _apart(layout: Layout, elsewhere: Iterable[str]) -> Layout:
    """The layout without the labels and identifiers that are kept beside the matrix."""
    return replace(layout, left_out=tuple(set(layout.left_out) - set(elsewhere)))


def _plain(X: Any, names: list[str] | None, layout: Layout) -> Table:
    """A matrix in floating point without what is left out; unnamed features are numbered."""
    X = X.T if layout.transpose else X
    if X.ndim != 2:
        raise FileError(f"the array must have two axes, samples and features, got {X.shape}")
    if X.dtype.kind not in "buif":
        raise FileError(f"the array holds no numbers, but {X.dtype}")
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    X = X if X.dtype in (np.float32, np.float64) else X.astype(float)
    names = [str(j) for j in range(X.shape[1])] if names is None else names
    _check_left_out(layout.left_out, names)
    kept = [j for j, name in enumerate(names) if name not in layout.left_out]
    return Table(X[:, kept] if len(kept) < len(names) else X, [names[j] for j in kept])


def text_lines(path: str | Path) -> list[str]:
    """The lines of a text that say something."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileError(f"{str(path)!r} is no text in UTF-8: save it as that") from None
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    return [line.strip() for line in lines if line.strip()]


def write_whole(path: str | Path, text: str) -> None:
    """Write so that a file that exists is complete; links and devices stay what they are."""
    path = Path(path)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8", newline="")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


#: What a formula of a spreadsheet begins with.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def no_formula(value: Any) -> Any:
    """A value for a spreadsheet: a text that begins as a formula does is shown, not run."""
    is_formula = isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA)
    return f"'{value}" if is_formula else value


def _needed(module: str, package: str, path: Path) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise FileError(f"to read {str(path)!r} install {package}: pip install {package}") from None


READERS: dict[str, Callable[[Path, Layout], Table]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".parquet": _read_parquet,
    ".npz": _read_npz,
    ".npy": _read_npy,
    ".mat": _read_mat,
    ".h5ad": _read_h5ad,
}
