"""The leaderboard: every method of a view with what the reader wants to know of it, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blufs_bench.results.suite import Suite
from blufs_bench.results.vocabulary import ALL_FEATURES, RANDOM_FEATURES
from blufs_bench.show.tables.table import Block, Cell, Row, mark_row

DASH = "–"
#: What a view knows of a method, by the names of :func:`blufs_bench.compare.pairs.standings`.
Record = Mapping[str, Any]
#: Title of a column, and what makes the cell of a method.
Column = tuple[str, Callable[[str, Record], Cell]]


def leaderboard(methods: Mapping[str, Record], columns: Sequence[Column], title: str = "") -> Block:
    """One row per method, in the order in which they come."""
    rows = [Row([cell(name, row) for _, cell in columns]) for name, row in methods.items()]
    return Block([header for header, _ in columns], rows, title)


def name_column(title_of: Callable[[str], str], header: str = "Method") -> Column:
    return header, lambda name, _: Cell(title_of(name))


def number_column(header: str, key: str, form: str, *, scale: float = 1) -> Column:
    """A number of the method's own record."""
    return header, lambda _, row: number(row.get(key), form, scale=scale)


def values_column(
    header: str, values: Mapping[str, float | None], form: str, *, scale: float = 1
) -> Column:
    """A number of each method from elsewhere, such as another view."""
    return header, lambda name, _: number(values.get(name), form, scale=scale)


def gain_column(
    header: str, marks: Mapping[str, str] | None = None, *, stars: bool = False
) -> Column:
    """Gain with its interval; with ``stars`` where it counts as random features somewhere."""
    return header, lambda name, row: gain_cell(row, (marks or {}).get(name, ""), stars=stars)


def wins_column(header: str) -> Column:
    """Datasets on which a method is better than, equal to and worse than random features."""

    def cell(_: str, row: Record) -> Cell:
        if row["wins"] is None:
            return Cell(DASH)
        return Cell(f"{row['wins']:.0f} / {row['ties']:.0f} / {row['losses']:.0f}", row["wins"])

    return header, cell


def share_columns(rows: Mapping[str, Record]) -> list[Column]:
    """Share of the way from random features to those chosen by the labels; none without these."""
    known = any(row.get("share") is not None for row in rows.values())
    return [number_column("To supervised", "share", "{:.0f} %", scale=100)] if known else []


def behind_column(header: str = "Behind the best") -> Column:
    """Mean distance to the best method of each dataset, in points."""
    return number_column(header, "behind", "{:.1f}")


def verified_column(suite: Suite) -> Column:
    """How the code of a method was checked."""

    def cell(name: str, _: Record) -> Cell:
        return Cell(verified(suite, name) or DASH)

    return "Its code is", cell


def verified(suite: Suite, name: str) -> str:
    """How a method's code was checked; nothing of variants and of the user's own classes."""
    return next(iter(suite.about.get(name, {}).get("verified", [])), "")


def gain_cell(row: Record, mark: str = "", *, stars: bool = False) -> Cell:
    if row["gain"] is None:
        return Cell("0", 0.0)
    star = "*" if stars and row["n_imputed"] else ""
    interval = "" if row["low"] is None else f" [{row['low']:+.1f}, {row['high']:+.1f}]"
    return Cell(f"{row['gain']:+.1f}{star}{interval}", row["gain"], mark)


def gain_marks(methods: Mapping[str, Record]) -> dict[str, str]:
    """Which gains are the best and the second best; all features do not compete."""
    nothing = float("nan")
    gains = [
        nothing if name == ALL_FEATURES or row["gain"] is None else row["gain"]
        for name, row in methods.items()
    ]
    return dict(zip(methods, mark_row(gains), strict=True))


def number(value: float | None, form: str, *, scale: float = 1) -> Cell:
    return Cell(DASH) if value is None else Cell(form.format(scale * value), scale * value)


def seconds_cell(value: float | None) -> Cell:
    """Two digits, never in powers of ten."""
    if value is None:
        return Cell(DASH)
    if value >= 10:
        text = f"{value:.0f}"
    else:
        text = f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= 0.01 else "<0.01"
    return Cell(text, value)


def whiskers(methods: Mapping[str, Record]) -> dict[str, list[float]]:
    """Method -> places of zero, low, high and gain on one line for all, in percent of its width."""
    spans: dict[str, list[float]] = {}
    for name, row in methods.items():
        gain, low, high = row["gain"], row["low"], row["high"]
        if gain is not None and name != RANDOM_FEATURES:
            spans[name] = [0.0, gain if low is None else low, gain if high is None else high, gain]
    ends = [0.0, *(end for span in spans.values() for end in span)]
    least, width = min(ends), max(ends) - min(ends) or 1.0
    return {
        name: [round(100 * (value - least) / width, 1) for value in span]
        for name, span in spans.items()
    }
