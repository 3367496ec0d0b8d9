"""Records of a dataset that cannot be had: every cell says so.

Nothing here needs scikit-learn, whose import would be nearly all that such a job does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blufs.results.records import Record, failed_fit


def absent_selections(
    settings: Sequence[dict[str, Any]], s_values: Sequence[int], reason: str
) -> list[Record]:
    """What stage "select" writes."""
    return [
        failed_fit(setting, 0, s, "unavailable", reason) for setting in settings for s in s_values
    ]


def absent_times(s: int, reason: str) -> list[Record]:
    """What the timing of fits writes."""
    return [{"s": s, "repeat": 0, "threads": 1, "seconds": None, **_status(reason)}]


def absent_resamples(s_values: Sequence[int], reason: str) -> list[Record]:
    """What the fits on subsets of the samples write."""
    return [
        {"s": s, "resample": 0, "features": [], "seconds": None, **_status(reason)}
        for s in s_values
    ]


def _status(reason: str) -> Record:
    return {"status": "unavailable", "reason": reason}
