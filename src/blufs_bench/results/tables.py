"""Write and read the result tables: the two sides of one schema."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from blufs_bench.files.atomic import atomic_path
from blufs_bench.files.damaged import reading
from blufs_bench.results.records import Record
from blufs_bench.results.schemas import TableSchema
from blufs_bench.results.vocabulary import CRITERION_PREFIX, METRICS


def write_table(path: str | Path, schema: TableSchema, records: Sequence[Record]) -> None:
    """Write records as Parquet: the columns of the schema, rows sorted by its key.

    Sorted rows make the file independent of the order in which jobs finished. Label-free criteria
    (``criterion_*``) and the metrics that not every suite measures are kept beside the columns of
    the schema; values that a record lacks are null.
    """
    some = {key for key, metric in METRICS.items() if not metric.everywhere}
    keys = {key for record in records for key in record}
    beside = sorted(key for key in keys if key.startswith(CRITERION_PREFIX) or key in some)
    fields = [*schema.arrow, *(pa.field(name, pa.float64()) for name in beside)]
    arrow = pa.schema(fields)
    columns = {name: [record.get(name) for record in records] for name in arrow.names}
    table = pa.table(columns, schema=arrow)
    with atomic_path(path) as temporary:
        pq.write_table(
            table.sort_by([(name, "ascending") for name in schema.key]),
            temporary,
            write_page_checksum=True,
        )


def read_table(path: str | Path, schema: TableSchema) -> pd.DataFrame:
    """Read a result table; an error names the file and its damage, or the columns it lacks."""
    with reading(path):
        table = pq.read_table(path, page_checksum_verification=True)
    missing = [name for name in schema.arrow.names if name not in table.column_names]
    if missing:
        raise ValueError(
            f"{path} has no column {', '.join(missing)}: it was written by another version of "
            "blufs; run the suite again"
        )
    return table.to_pandas()
