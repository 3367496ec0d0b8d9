"""Stage "collect": the records of all jobs as a few tidy Parquet tables.

Rows are sorted, so that the tables do not depend on the order in which jobs finished.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from blufs.evaluation.pick import choose_blind
from blufs.files.atomic import atomic_path, read_json
from blufs.results.records import Record

_SORT_KEYS = (
    "dataset",
    "method",
    "choice",
    "metric",
    "settings",
    "s",
    "seed",
    "fit_seed",
    "repeat",
    "resample",
)
_KEY = [("dataset", pa.string()), ("method", pa.string())]
_STATUS = [("status", pa.string()), ("reason", pa.string())]

RESULTS = pa.schema(
    [
        *_KEY,
        ("choice", pa.string()),
        ("metric", pa.string()),
        ("s", pa.int64()),
        ("seed", pa.int64()),
        ("value", pa.float64()),
        *_STATUS,
        ("settings", pa.string()),
        ("n_settings", pa.int64()),
        ("picked", pa.bool_()),
    ]
)
SELECTIONS = pa.schema(
    [
        *_KEY,
        ("choice", pa.string()),
        ("metric", pa.string()),
        ("s", pa.int64()),
        ("fit_seed", pa.int64()),
        ("settings", pa.string()),
        ("features", pa.list_(pa.int32())),
        ("objective_history", pa.list_(pa.float64())),
        ("n_iter", pa.int64()),
        ("converged", pa.bool_()),
        ("fit_seconds", pa.float64()),
        ("evaluation_seconds", pa.float64()),
        *_STATUS,
    ]
)
TIMING = pa.schema(
    [
        *_KEY,
        ("s", pa.int64()),
        ("repeat", pa.int64()),
        ("seconds", pa.float64()),
        ("threads", pa.int64()),
        *_STATUS,
    ]
)
STABILITY = pa.schema(
    [
        *_KEY,
        ("s", pa.int64()),
        ("resample", pa.int64()),
        ("features", pa.list_(pa.int32())),
        ("seconds", pa.float64()),
        *_STATUS,
    ]
)
_GRID = pa.schema(
    [
        *_KEY,
        ("settings", pa.string()),
        ("s", pa.int64()),
        ("fit_seed", pa.int64()),
        ("acc", pa.float64()),
        ("nmi", pa.float64()),
        ("accuracy", pa.float64()),
        ("fit_seconds", pa.float64()),
        ("score_seconds", pa.float64()),
        ("n_iter", pa.int64()),
        ("converged", pa.bool_()),
        *_STATUS,
    ]
)


def keyed_records(paths: Iterable[str]) -> list[Record]:
    """Records of files ``.../<dataset>/<method>[/<part>].json`` that hold a list of them."""
    return [{**_key(path), **record} for path in paths for record in read_json(path)]


def evaluated(paths: Iterable[str]) -> tuple[list[Record], list[Record]]:
    """Rows of the tables ``results`` and ``selections`` from the files of stage "evaluate"."""
    cells, fits = [], {}
    for path in paths:
        key, content = _key(path), read_json(path)
        cells += [{**key, **cell} for cell in content["cells"]]
        for fit in content["fits"]:
            fits[*key.values(), fit["settings"], fit["s"], fit["fit_seed"]] = {**key, **fit}
    picked = _picked(cells)
    results = [
        {
            **cell,
            "seed": seed,
            "value": value,
            "picked": cell["s"] == picked[_group(cell)],
        }
        for cell in cells
        for seed, value in zip(cell["seeds"], cell["values"], strict=True)
    ]
    return results, _selections(cells, fits.values())


def _selections(cells: Iterable[Record], fits: Iterable[Record]) -> list[Record]:
    """The fits behind each (choice, metric, s), with the seconds of their evaluation."""
    by_setting = defaultdict(list)
    for fit in fits:
        by_setting[_setting(fit)].append(fit)
    merged: dict[tuple, Record] = {}  # the cells of split jobs, put together again
    for cell in cells:
        key = (*_group(cell), cell["s"])
        before = merged.get(key, {"evaluation_seconds": 0.0})["evaluation_seconds"]
        merged[key] = {**cell, "evaluation_seconds": before + cell["evaluation_seconds"]}
    return [
        {**fit, **{key: cell[key] for key in ("choice", "metric", "evaluation_seconds")}}
        for cell in merged.values()
        for fit in by_setting[_setting(cell)]
    ]


def _group(cell: Record) -> tuple[str, str, str, str]:
    return cell["dataset"], cell["method"], cell["choice"], cell["metric"]


def _setting(record: Record) -> tuple[str, str, str, int]:
    return record["dataset"], record["method"], record["settings"], record["s"]


def _picked(cells: Iterable[Record]) -> dict[tuple, int]:
    """For each dataset, method, choice and metric the s that the choice itself proposes.

    The oracle takes the s with the best mean, the blind choice the one with the best label-free
    criterion, and the default the largest.
    """
    values: dict[tuple, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    criteria: dict[tuple, list[Record]] = defaultdict(list)
    for cell in cells:
        known = [value for value in cell["values"] if value is not None]
        values[_group(cell)][cell["s"]] += known
        if cell["criteria"] and cell["metric"] == "acc":
            criteria[_group(cell)[:3]].append({"s": cell["s"], **cell["criteria"]})
    picked = {}
    for group, by_s in values.items():
        choice = group[2]
        ran = {s: known for s, known in by_s.items() if known}
        if choice.startswith("oracle") and ran:
            picked[group] = max(ran, key=lambda s: (sum(ran[s]) / len(ran[s]), -s))
        elif choice == "blind" and criteria[group[:3]]:
            rows = sorted(criteria[group[:3]], key=lambda row: row["s"])
            picked[group] = choose_blind(rows)["s"]
        else:
            picked[group] = max(ran or by_s)
    return picked


def grid_schema(records: Sequence[Record]) -> pa.Schema:
    """Schema of the table ``grid``: the fixed columns and one per label-free criterion."""
    criteria = sorted({k for record in records for k in record if k.startswith("criterion_")})
    return pa.schema([*_GRID, *((name, pa.float64()) for name in criteria)])


def write_table(path: str | Path, records: Sequence[Record], schema: pa.Schema) -> None:
    """Write records as Parquet, columns by the schema (missing ones null), rows sorted."""
    columns = {name: [record.get(name) for record in records] for name in schema.names}
    table = pa.table(columns, schema=schema)
    keys = [
        (name, "ascending")
        for name in schema.names
        if name not in ("value", "reason", "status")
        and not pa.types.is_list(schema.field(name).type)
    ]
    with atomic_path(path) as temporary:
        pq.write_table(table.sort_by(keys), temporary)


#: What is no failure: it ran, the data cannot be had, or a documented limit was met.
_EXPECTED = ("ok", "unavailable", "skipped")


def failed_cells(results: pd.DataFrame) -> int:
    """Number of cells that were to run and did not."""
    return int((~_cells(results)["status"].isin(_EXPECTED)).sum())


def _cells(results: pd.DataFrame) -> pd.DataFrame:
    return results.drop_duplicates(["dataset", "method", "choice", "metric", "s"])


def summary(results: pd.DataFrame) -> str:
    """How many cells ran, and what became of the others."""
    cells = _cells(results)
    counts = cells["status"].value_counts()
    lines = [f"{len(cells)} cells: " + ", ".join(f"{n} {status}" for status, n in counts.items())]
    missing = cells[cells["status"] != "ok"]
    for (dataset, status, reason), group in missing.groupby(["dataset", "status", "reason"]):
        methods = sorted(group["method"].unique())
        whose = f"{len(methods)} methods" if len(methods) > 3 else ", ".join(methods)
        lines.append(f"  {dataset} ({whose}): {len(group)} {status}: {reason}")
    return "\n".join(lines)


def _key(path: str) -> Record:
    """Dataset and method of a file: the two folders after the stage's."""
    parts = Path(path).parts
    stage = next(
        index
        for index, part in enumerate(parts)
        if part in ("screens", "evaluations", "timing", "resamples")
    )
    return {
        "dataset": parts[stage + 1],
        "method": Path(parts[stage + 2]).name.removesuffix(".json"),
    }
