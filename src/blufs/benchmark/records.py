"""Records that pass from job to job: lists of flat dictionaries, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from blufs.files import read_json

Record = dict[str, Any]

CLUSTERING_METRICS = ("acc", "nmi")
METRICS = (*CLUSTERING_METRICS, "accuracy")


def read_records(paths: Iterable[str | Path]) -> list[Record]:
    """Records of several files, in the order of the files."""
    return [record for path in paths for record in read_json(path)]
