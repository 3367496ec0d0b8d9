"""Records of a dataset that is not available: every row says so.

Nothing here needs scikit-learn, whose import would be nearly all that such a job does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blufs_bench.files.canonical import canonical_json
from blufs_bench.results.records import Record, failed_selection


def unavailable_selections(
    dataset: str,
    method: str,
    settings: Sequence[dict[str, Any]],
    s_values: Sequence[int],
    reason: str,
) -> list[Record]:
    """What stage "select" writes; ``s`` is null for a method that keeps all features."""
    sizes: list[int | None] = list(s_values) or [None]
    return [
        failed_selection(dataset, method, canonical_json(setting), s, 0, **_status(reason))
        for setting in settings
        for s in sizes
    ]


def unavailable_times(dataset: str, method: str, s: int, reason: str) -> list[Record]:
    """What stage "time_fit" writes."""
    key = {"dataset": dataset, "method": method, "s": s}
    return [{**key, "repeat": 0, "threads": 1, "seconds": None, **_status(reason)}]


def unavailable_resamples(
    dataset: str, method: str, s_values: Sequence[int], reason: str
) -> list[Record]:
    """What stage "resample" writes."""
    key = {"dataset": dataset, "method": method, "resample": 0}
    return [{**key, "s": s, "features": [], "seconds": None, **_status(reason)} for s in s_values]


def _status(reason: str) -> dict[str, str]:
    return {"status": "unavailable", "reason": reason}
