"""Stage "show_cell": one cell of the results by name: dataset, method, s and repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blufs_bench.results.records import Record


def show_cell(
    scores: Sequence[Record], selections: Sequence[Record], s: int, repetition: int
) -> dict[str, Any]:
    """Setting, values and features of one cell, for every choice and metric.

    Raises
    ------
    KeyError
        If the method was not evaluated at s.
    """
    features = {(r["setting"], r["s"], r["fit_seed"]): r["features"] for r in selections}
    choices: dict[str, Any] = {}
    for score in scores:
        if score["s"] != s or repetition not in score["repetitions"]:
            continue
        position = score["repetitions"].index(repetition)
        key = (score["setting"], s, score["fit_seeds"][position])
        choices.setdefault(score["choice"], {})[score["metric"]] = {
            "value": score["values"][position],
            "status": score["status"],
            "reason": score["reason"],
            "setting": score["setting"],
            "features": features[key],
        }
    if not choices:
        available = sorted({score["s"] for score in scores})
        raise KeyError(f"no cell with s = {s}; there are s = {available}")
    return choices
