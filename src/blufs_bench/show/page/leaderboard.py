"""The leaderboard as a block of cells, for readers without JavaScript and for the first paint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blufs_bench.show.page.data import COLUMNS, first_view

DASH = "–"


@dataclass(frozen=True)
class Line:
    """One method: its key, whether it is under study, and a text and a number per column.

    ``whisker`` places its gain on a line in percent of the width: zero, low, high and the gain.
    """

    method: str
    marked: bool
    cells: list[tuple[str, float | None]]
    whisker: list[float] | None = None


@dataclass(frozen=True)
class Leaderboard:
    titles: list[str]
    lines: list[Line]


def leaderboard(data: Mapping[str, Any]) -> Leaderboard | None:
    """Rows of the view that the page opens with; None if there is nothing to compare."""
    key = first_view(data)
    if key is None:
        return None
    here = data["views"]
    views = {
        metric: here[metric].get(key["choice"], {}).get(key["score"], {}).get(key["domain"])
        for metric in data["metrics"]
    }
    view = views[key["metric"]]
    titles = ["Place", "Method", *(["Gain over random"] if view["hasRandom"] else [])]
    titles += [data["metrics"][metric][1] for metric in views]
    titles += ["W / T / L"] if view["hasRandom"] else []
    titles += [*data["extras"], "Seconds"]
    whiskers = _whiskers(view)
    lines = [
        Line(
            method,
            method == data["special"]["study"],
            _cells(data, views, view, method),
            whiskers.get(method),
        )
        for method in view["methods"]
    ]
    return Leaderboard(titles, lines)


def _whiskers(view: Mapping) -> dict[str, list[float]]:
    """Gains with their intervals on one scale that holds all of them and zero."""
    spans: dict[str, list[float]] = {}
    for method in view["methods"]:
        row = record(view, method)
        gain, low, high = row["gain"], row["low"], row["high"]
        if gain is not None:
            spans[method] = [
                0.0,
                gain if low is None else low,
                gain if high is None else high,
                gain,
            ]
    ends = [0.0, *(end for span in spans.values() for end in span)]
    least, width = min(ends), max(ends) - min(ends) or 1.0
    return {
        method: [round(100 * (value - least) / width, 1) for value in span]
        for method, span in spans.items()
    }


def _cells(data: Mapping, views: Mapping, view: Mapping, method: str) -> list:
    row = record(view, method)
    is_random = method == data["special"]["random"]
    cells = [_text(row["place"], "{:.0f}"), (data["methods"][method]["title"], None)]
    if view["hasRandom"]:
        cells.append(("0", 0.0) if is_random else _gain(row))
    for other in views.values():
        known = other and method in other["methods"]
        mean = record(other, method)["mean"] if known else None
        cells.append(_text(None if mean is None else 100 * mean, "{:.1f}"))
    if view["hasRandom"]:
        counts = [row[name] for name in ("wins", "ties", "losses")]
        shown = DASH if row["wins"] is None else " / ".join(f"{n:.0f}" for n in counts)
        cells.append((shown, row["wins"]))
    cells += [_text(column.get(method), "{:.2f}") for column in data["extras"].values()]
    return [*cells, (seconds_text(row["seconds"]), row["seconds"])]


def record(view: Mapping[str, Any], method: str) -> dict[str, float | None]:
    """What a view knows of a method, by name."""
    values = view["rows"][view["methods"].index(method)]
    return dict(zip(COLUMNS, values, strict=True))


def _gain(row: Mapping[str, Any]) -> tuple[str, float | None]:
    star = "*" if row["n_imputed"] else ""
    if row["low"] is None:
        return f"{row['gain']:+.1f}{star}", row["gain"]
    return f"{row['gain']:+.1f}{star} [{row['low']:+.1f}, {row['high']:+.1f}]", row["gain"]


def _text(value: float | None, form: str) -> tuple[str, float | None]:
    return (DASH, None) if value is None else (form.format(value), value)


def seconds_text(value: float | None) -> str:
    """Two digits, never in powers of ten."""
    if value is None:
        return DASH
    if value >= 10:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= 0.01 else "<0.01"
