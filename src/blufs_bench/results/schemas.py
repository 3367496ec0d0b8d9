"""The columns of every result table, with what they hold: the data dictionary of a suite."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from blufs_bench.results.vocabulary import METRICS


@dataclass(frozen=True)
class Column:
    name: str
    type: pa.DataType
    description: str


@dataclass(frozen=True)
class TableSchema:
    """One Parquet file of a suite.

    Attributes
    ----------
    name : stem of the file
    description : what one row is
    key : columns that identify a row; rows are sorted by them
    columns : all columns, the key first
    """

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([(column.name, column.type) for column in self.columns])


_TEXT, _COUNT, _REAL, _YES = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_DATASET = Column("dataset", _TEXT, "name of the dataset")
_METHOD = Column("method", _TEXT, "name of the method or variant")
_SETTING = Column("setting", _TEXT, "values of the method's parameters, as canonical JSON")
_S = Column("s", _COUNT, "number of selected features; null where the data are not available")
_FIT_SEED = Column("fit_seed", _COUNT, "number of the fit of a random method, 0 for the others")
_STATUS = (
    Column("status", _TEXT, "what became of it: ok, or why there is no value"),
    Column("reason", _TEXT, "why there is no value, empty if ok"),
)
_FIT = (
    Column("n_iter", _COUNT, "iterations of the method, null if it does not iterate"),
    Column("converged", _YES, "whether the method met its own stopping rule"),
    Column(
        "fit_seconds", _REAL, "processor seconds of the fit, an equal share for each s it served"
    ),
)

SCORES = TableSchema(
    "scores",
    "one score: a metric of one selection and repetition",
    ("dataset", "method", "choice", "metric", "s", "repetition"),
    (
        _DATASET,
        _METHOD,
        Column("choice", _TEXT, "rule that picked the setting"),
        Column("metric", _TEXT, "what was measured"),
        _S,
        Column("repetition", _COUNT, "number of the k-means start or of the train-test split"),
        Column("value", _REAL, "the score, between 0 and 1"),
        *_STATUS,
        Column("setting", _TEXT, "with s and fit_seed: the row of `selections` it stands on"),
        _FIT_SEED,
        Column("n_settings", _COUNT, "settings that the choice was made from"),
        Column("is_reported_s", _YES, "whether this s stands for the choice in the tables"),
        Column(
            "evaluation_seconds", _REAL, "processor seconds of scoring, an equal share of its batch"
        ),
    ),
)
SELECTIONS = TableSchema(
    "selections",
    "one selection: the features of one method, setting, s and fit seed",
    ("dataset", "method", "setting", "s", "fit_seed"),
    (
        _DATASET,
        _METHOD,
        _SETTING,
        _S,
        _FIT_SEED,
        Column("features", pa.list_(pa.int32()), "column numbers from 0, best first"),
        Column("row_norms", pa.list_(pa.float32()), "norms of the rows of W, default setting only"),
        Column("objective_history", pa.list_(_REAL), "objective at the start and after each sweep"),
        *_FIT,
        *_STATUS,
    ),
)
SCREENED = TableSchema(
    "screened",
    "one selection scored by the light protocol, from which the choices are made",
    ("dataset", "method", "setting", "s", "fit_seed"),
    (
        _DATASET,
        _METHOD,
        _SETTING,
        _S,
        _FIT_SEED,
        *(
            Column(key, _REAL, f"mean {metric.title}")
            for key, metric in METRICS.items()
            if metric.everywhere
        ),
        *_FIT,
        Column(
            "score_seconds",
            _REAL,
            "processor seconds of scoring; 0 if the same features were known",
        ),
        *_STATUS,
    ),
)
TIMING = TableSchema(
    "timing",
    "one timed fit with the default setting",
    ("dataset", "method", "s", "repeat"),
    (
        _DATASET,
        _METHOD,
        _S,
        Column("repeat", _COUNT, "number of the fit"),
        Column("seconds", _REAL, "wall-clock seconds of the fit alone"),
        Column("threads", _COUNT, "threads that it was given"),
        *_STATUS,
    ),
)
STABILITY = TableSchema(
    "stability",
    "one selection on a random subset of the samples, with the default setting",
    ("dataset", "method", "s", "resample"),
    (
        _DATASET,
        _METHOD,
        _S,
        Column("resample", _COUNT, "number of the subset"),
        Column("features", pa.list_(pa.int32()), "column numbers from 0, best first"),
        Column(
            "seconds", _REAL, "processor seconds of the fit, an equal share for each s it served"
        ),
        *_STATUS,
    ),
)

SCHEMAS = {table.name: table for table in (SCORES, SELECTIONS, SCREENED, TIMING, STABILITY)}
