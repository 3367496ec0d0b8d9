"""Records that pass from job to job: lists of flat dictionaries, as JSON.

Every record names its dataset and method, so that nothing has to be read off a path.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from blufs_bench.files.atomic import read_json
from blufs_bench.files.damaged import DamagedFileError

Record = dict[str, Any]


def read_records(paths: Iterable[str | Path]) -> list[Record]:
    """Records of several files, in the order of the files."""
    return [record for path in paths for record in _records_of(path)]


def _records_of(path: str | Path) -> list[Record]:
    content = read_json(path)
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise DamagedFileError(path, "it holds no list of records")
    return content


def failed_selection(
    dataset: str,
    method: str,
    setting: str,
    s: int | None,
    fit_seed: int,
    *,
    status: str,
    reason: str,
) -> Record:
    """The record of a fit that selected nothing; ``setting`` is canonical JSON."""
    return {
        "dataset": dataset,
        "method": method,
        "setting": setting,
        "s": s,
        "fit_seed": fit_seed,
        "features": [],
        "row_norms": None,
        "objective_history": [],
        "n_iter": None,
        "converged": False,
        "fit_seconds": 0.0,
        "status": status,
        "reason": reason,
    }
