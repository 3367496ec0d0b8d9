"""Readers of tables: one row per sample, one column per feature, and maybe one for the class."""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.raw import (
    LABEL_KEYS,
    RawData,
    check_memory,
    expects_labels,
    some,
    unlabelled_note,
    usual_separator,
)
from blufs_bench.files.schema import suggestion

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_MISSING_IN_ARFF = "?"
_FLOAT_BYTES = 8
_USUAL_LABELS = {key.lower() for key in LABEL_KEYS}
_COMMA_IN_NUMBER = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")


def read_text(path: Path, spec: Mapping[str, Any]) -> RawData:
    """A .csv, .tsv or .txt file; with ``transpose`` its rows are columns and vice versa."""
    separator = spec.get("separator", usual_separator(path))
    check_memory(path.stat().st_size, spec)
    if spec.get("transpose"):
        return _split(_read_turned(path, separator, spec), spec)
    header = 0 if spec.get("header", True) else None
    table = _read_csv(path, separator, header)
    if table.shape[1] == 1:
        raise DatasetError(
            f"there is one column only; if columns are not separated by {separator!r}, "
            "give `separator: ...`"
        )
    if "missing_labels" in spec:
        position = _label_position(_names(table), spec)
        if position is not None:
            # Once more, as text: pandas takes "NA", "None" and the like for missing values.
            text = _read_csv(path, separator, header, dtype=str, keep_default_na=False)
            table.isetitem(position, text.iloc[:, position].to_numpy(dtype=object))
    notes = [] if header is None else _odd_header(path, separator, spec)
    raw = _split(table, spec)
    raw.notes += notes
    return raw


def _odd_header(path: Path, separator: str, spec: Mapping[str, Any]) -> list[str]:
    """Notes on a first line that may not be meant as names."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        names = [name.strip() for name in next(csv.reader(stream, delimiter=separator), [])]
    if all(map(_is_number, names)):
        return [
            "the first line holds numbers only and was taken for the names of the columns; if it "
            "is data, say `header: false`"
        ]
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    label = spec.get("label")
    labels = [n for n in twice if n == label or (label is None and n.lower() in _USUAL_LABELS)]
    if labels and spec.get("labelled") is not False:
        raise DatasetError(f"more than one column is called {labels[0]!r}; rename one of them")
    if not twice:
        return []
    return [f"several columns are called {some(twice)}; the later ones got numbers behind it"]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_csv(path: Path, separator: str, header: int | None, **options: Any) -> DataFrame:
    with warnings.catch_warnings():
        # Without `index_col` pandas makes the first column an index if rows are longer than the
        # header; with it, it cuts the rows and warns.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(
                path, sep=separator, header=header, index_col=False, low_memory=False, **options
            )
        except pd.errors.ParserWarning as error:
            raise DatasetError(
                "rows have more fields than the first line has names; name every column, or say "
                "`header: false` if the first line holds data"
            ) from error


def _read_turned(path: Path, separator: str, spec: Mapping[str, Any]) -> DataFrame:
    """A table whose columns are samples: its first row may hold classes, its first column names."""
    cells = _read_csv(path, separator, None, dtype=str, keep_default_na=False).T
    names = [str(name) for name in (cells.iloc[0] if spec.get("header", True) else cells.columns)]
    cells = cells.iloc[1:] if spec.get("header", True) else cells
    cells.columns = pd.Index(names)
    position = _label_position(names, spec)
    kept = [column for column in range(cells.shape[1]) if column != position]
    try:
        table = pd.DataFrame(cells.iloc[:, kept].to_numpy().astype(np.float64))
    except ValueError:  # an odd value: `_split` finds it
        table = cells.iloc[:, kept].apply(_as_numbers)
    table.columns = pd.Index([names[column] for column in kept])
    if position is not None:
        labels = cells.iloc[:, position].astype(object).to_numpy()
        table.insert(position, names[position], labels, allow_duplicates=True)
    return table


def _as_numbers(column: Series) -> Series:
    """The column as numbers if all of it are."""
    try:
        return pd.to_numeric(column)
    except ValueError:
        return column


def read_parquet(path: Path, spec: Mapping[str, Any]) -> RawData:
    import pyarrow.parquet as pq

    facts = pq.ParquetFile(path).metadata
    groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    n_values = sum(column.num_values for column in columns)
    check_memory(max(_FLOAT_BYTES * n_values, sum(g.total_byte_size for g in groups)), spec)
    # Texts that the file has once stay so: it may repeat a long one any number of times.
    text = {c.path_in_schema for c in columns if c.physical_type == "BYTE_ARRAY"}
    options = {"page_checksum_verification": True, "read_dictionary": sorted(text)}
    table = pq.read_table(path, **options).to_pandas()
    named = [name for name in table.index.names if name is not None]
    raw = _split(table.reset_index(level=named) if named else table, spec)
    for name in named:
        if name in (raw.feature_names or ()):
            raw.notes.append(
                f"the index {name!r} was taken as a feature; `drop: [{name}]` leaves it out"
            )
    return raw


def read_arff(path: Path, spec: Mapping[str, Any]) -> RawData:
    from scipy.io import arff

    check_memory(path.stat().st_size, spec)
    head, found, rows = (
        path.read_text(encoding="utf-8", errors="replace").lower().partition("@data")
    )
    if not found or "@attribute" not in head:
        raise DatasetError("there are no @attribute and @data lines; this is no ARFF file")
    if rows.lstrip().startswith("{"):
        raise DatasetError("sparse ARFF is not supported; save the data as .mat, .npz or .csv")
    table = pd.DataFrame(arff.loadarff(path)[0])
    for column in table.select_dtypes(object):
        text = table[column].str.decode("utf-8").astype(object)
        table[column] = text.where(text != _MISSING_IN_ARFF, None)
    return _split(table, spec)


# ------------------------------------------------------------------- features apart from the class


def _names(table: DataFrame) -> list[str]:
    return [str(column).strip() for column in table.columns]


def _split(table: DataFrame, spec: Mapping[str, Any]) -> RawData:
    """Separate the label column of a table from the features."""
    if not len(table):
        raise DatasetError("the table has no rows")
    names = _names(table)
    table.columns = pd.Index(names)
    position = _label_position(names, spec)
    if position is None:
        y, notes = None, [unlabelled_note(f"no column is called {' or '.join(LABEL_KEYS)}")]
    else:
        y, notes = _labels(table.iloc[:, position], spec), []
    kept = [column for column in range(len(names)) if column != position]
    features = _without_dropped(table.iloc[:, kept], spec)
    features, left_out = _without_row_names(features)
    _refuse_text(features, labelled=position is not None)
    X = features.to_numpy(dtype=np.float64, na_value=np.nan)
    named = list(features.columns) if spec.get("header", True) else None
    silent = spec.get("labelled") is False
    return RawData(X, y, named, left_out + ([] if silent else notes))


def _label_position(columns: list[str], spec: Mapping[str, Any]) -> int | None:
    """Number of the column with the classes; None if there is none and none was promised."""
    label, named = spec.get("label"), spec.get("header", True)
    if spec.get("labelled") is False:
        return None
    if isinstance(label, int):
        if not -len(columns) <= label < len(columns):
            raise DatasetError(f"there is no column {label}; the table has {len(columns)}")
        return label % len(columns)
    if not named:
        if not expects_labels(spec):
            return None
        raise DatasetError(
            "the columns have no names; say which one holds the classes by its number: `label: -1`"
        )
    found = [
        position
        for position, column in enumerate(column.strip() for column in columns)
        if (column == label if label is not None else column.lower() in _USUAL_LABELS)
    ]
    if len(found) == 1:
        return found[0]
    if not found and not expects_labels(spec):
        return None
    missing = "no label column" if label is None else f"no column {label!r}"
    problem = missing if not found else "more than one column that may hold the classes"
    meant = f" ({suggestion(label, columns)})" if label is not None and not found else ""
    raise DatasetError(f"there is {problem}{meant}; name it by `label: ...` out of {some(columns)}")


def _labels(column: Series, spec: Mapping[str, Any]) -> np.ndarray:
    """Labels as objects, None where one is missing."""
    y = column.astype(object)
    missing = y.isna() | y.isin(spec.get("missing_labels", []))
    return y.where(~missing, None).to_numpy()


def _without_dropped(features: DataFrame, spec: Mapping[str, Any]) -> DataFrame:
    dropped = spec.get("drop", [])
    unknown = [column for column in dropped if column not in features.columns]
    if unknown:
        raise DatasetError(f"`drop` names columns that do not exist: {some(unknown)}")
    return features.drop(columns=dropped)


def _without_row_names(features: DataFrame) -> tuple[DataFrame, list[str]]:
    """Leave out a first column without a name that counts or names the rows: pandas' index."""
    if not features.shape[1] or features.columns[0] not in ("", "Unnamed: 0"):
        return features, []
    first = features.iloc[:, 0]
    rows = np.arange(len(features))
    counts = any(np.array_equal(first.to_numpy(), rows + start) for start in (0, 1))
    if not counts and pd.api.types.is_numeric_dtype(first.dtype):
        return features, []
    what = "counts" if counts else "names"
    note = f"the first column has no name and {what} the rows; it was left out"
    return features.iloc[:, 1:], [note]


def _refuse_text(features: DataFrame, labelled: bool) -> None:
    text = [
        column
        for column, kind in zip(features.columns, features.dtypes, strict=True)
        if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_complex_dtype(kind)
    ]
    if not text:
        return
    column = features.iloc[:, list(features.columns).index(text[0])]
    odd = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
    example = str((odd if len(odd) else column).iloc[0])[:40]
    if _COMMA_IN_NUMBER.fullmatch(example.strip()):
        raise DatasetError(
            f"numbers have a comma in them, such as {example!r} in column {text[0]!r}; write a "
            "decimal point, and no mark for thousands"
        )
    classes = "" if labelled else f", or say `label: {_quoted(text[0])}` if it holds the classes"
    raise DatasetError(
        f"{len(text)} column(s) hold something else than numbers: {some(text)} (for instance "
        f"{example!r}). Encode them as numbers, or leave them out by "
        f"`drop: [{', '.join(map(_quoted, text[:5]))}]`{classes}"
    )


def _quoted(name: str) -> str:
    """A name as it can be written into a list of YAML."""
    return name if re.fullmatch(r"[A-Za-z_][\w .-]*", name) else json.dumps(name)
