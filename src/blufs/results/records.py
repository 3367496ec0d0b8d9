"""Records that pass from job to job: lists of flat dictionaries, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from blufs.workflow.plan.canonical import canonical_json
from blufs.files.atomic import read_json

Record = dict[str, Any]

CLUSTERING_METRICS = ("acc", "nmi")
METRICS = (*CLUSTERING_METRICS, "accuracy")


def read_records(paths: Iterable[str | Path]) -> list[Record]:
    """Records of several files, in the order of the files."""
    return [record for path in paths for record in read_json(path)]


def failed_fit(settings: dict[str, Any], fit_seed: int, s: int, status: str, reason: str) -> Record:
    """The record of a fit that selected nothing."""
    return {
        "settings": canonical_json(settings),
        "fit_seed": fit_seed,
        "s": s,
        "status": status,
        "reason": reason,
        "features": [],
        "objective_history": [],
        "n_iter": None,
        "converged": False,
        "fit_seconds": 0.0,
    }
