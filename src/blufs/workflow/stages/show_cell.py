"""One cell of the results by name: a dataset, a method, a number of features, a repetition."""

from __future__ import annotations

from typing import Any

from blufs.results.records import Record


def cell(evaluation: dict[str, list[Record]], s: int, seed: int) -> dict[str, Any]:
    """Settings, values and features of one cell, for every choice of settings.

    Raises
    ------
    KeyError
        If the method was not evaluated at s.
    """
    choices: dict[str, Any] = {}
    for record in evaluation["cells"]:
        if record["s"] != s:
            continue
        choice = choices.setdefault(record["choice"], {})
        value = dict(zip(record["seeds"], record["values"], strict=True)).get(seed)
        fits = [
            fit
            for fit in evaluation["fits"]
            if fit["settings"] == record["settings"] and fit["s"] == s
        ]
        choice[record["metric"]] = {
            "value": value,
            "status": record["status"],
            "reason": record["reason"],
            "settings": record["settings"],
            "features": fits[seed % len(fits)]["features"],
        }
    if not choices:
        available = sorted({record["s"] for record in evaluation["cells"]})
        raise KeyError(f"no cell with s = {s}; there are s = {available}")
    return choices
