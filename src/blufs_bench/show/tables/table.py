"""What a table is before it is written: tidy numbers, and blocks of cells as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

#: Values closer than this count as equal when the best ones are marked.
EQUAL = 1e-12

#: Marks of a cell.
BEST, SECOND, PLAIN = "best", "second", ""

#: Kinds of rows. The last two sum up the others and stay below them; an absent row is of a dataset
#: that is not available.
DATA, ABSENT, AVERAGE, COUNT = "data", "absent", "average", "count"


@dataclass(frozen=True)
class Cell:
    """One place of a block.

    Attributes
    ----------
    text : what is read there
    value : the number behind it, in the unit that is shown; None if there is none
    mark : ``best``, ``second`` or empty
    """

    text: str
    value: float | None = None
    mark: str = PLAIN


@dataclass(frozen=True)
class Row:
    """A line of a block; its first cell names it."""

    cells: Sequence[Cell]
    kind: str = DATA

    @property
    def is_summary(self) -> bool:
        return self.kind in (AVERAGE, COUNT)


@dataclass(frozen=True)
class Block:
    """A rectangle of cells under one line of column titles; a table shows one or several."""

    columns: Sequence[str]
    rows: Sequence[Row]
    title: str = ""

    def __post_init__(self) -> None:
        if any(len(row.cells) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row of {self.title!r} has not {len(self.columns)} cells")


@dataclass(frozen=True)
class Table:
    """A table: ``tidy`` goes to CSV in full precision, ``blocks`` to what people read.

    A table with nothing to show has no block and a note that says why.
    """

    name: str
    caption: str
    tidy: pd.DataFrame
    blocks: Sequence[Block]
    notes: Sequence[str] = field(default_factory=list)


def nothing(name: str, caption: str, columns: Sequence[str], why: str) -> Table:
    """The table of a suite that has nothing to show in it."""
    return Table(name, caption, pd.DataFrame(columns=list(columns)), [], [why])


def mark_row(values: Sequence[float], *, larger_is_better: bool = True) -> list[str]:
    """Best and second best of the finite values; equal values share a mark.

    There is no second when several are best.

    Examples
    --------
    >>> mark_row([1.0, float("nan"), 3.0, 2.0])
    ['', '', 'best', 'second']
    """
    numbers = np.asarray(values, dtype=float) * (1 if larger_is_better else -1)
    marks = [PLAIN] * len(numbers)
    left = np.isfinite(numbers)
    for mark in (BEST, SECOND):
        if not left.any():
            break
        top = left & (numbers >= numbers[left].max() - EQUAL)
        for position in np.flatnonzero(top):
            marks[position] = mark
        left &= ~top
        if mark == BEST and top.sum() > 1:
            break
    return marks


def number_cell(value: Any, text: str = "{:.3f}", mark: str = PLAIN) -> Cell:
    """A cell of a finite number in this format, else one that says that there is none."""
    if value is None or pd.isna(value) or not np.isfinite(value):
        return Cell("n/a")
    return Cell(text.format(value), float(value), mark)


def count_cell(value: Any) -> Cell:
    """A cell of a whole number."""
    return number_cell(value, "{:.0f}")


def row_kind(statuses: Iterable[str]) -> str:
    """Whether the row of these cells is one of a dataset that is not available."""
    return ABSENT if set(statuses) == {"unavailable"} else DATA


def without_absent(table: Table) -> Table:
    """The table without the rows of datasets that are not available; a note names them once.

    A block of nothing else goes with them.
    """
    absent: dict[str, None] = {}
    blocks = []
    for block in table.blocks:
        absent |= dict.fromkeys(row.cells[0].text for row in block.rows if row.kind == ABSENT)
        kept = [row for row in block.rows if row.kind != ABSENT]
        if len(kept) == len(block.rows) or any(row.kind == DATA for row in kept):
            blocks.append(replace(block, rows=kept))
    if not absent:
        return table
    note = f"Not available, so left out: {', '.join(absent)}"
    return replace(table, blocks=blocks, notes=[*table.notes, note])


def words(*texts: str) -> list[Cell]:
    """Cells without numbers."""
    return [Cell(text) for text in texts]


def tuples(frame: pd.DataFrame) -> list[Any]:
    """The rows of a frame, with the columns as attributes."""
    return list(frame.itertuples(index=False))


def by_dataset(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of every dataset, in the order in which they come."""
    return [(str(name), rows) for name, rows in frame.groupby("dataset", sort=False)]


def without_empty_columns(block: Block) -> Block:
    """The block without the columns in which no row has a number (the first one stays)."""
    kept = [0] + [
        column
        for column in range(1, len(block.columns))
        if any(row.cells[column].value is not None for row in block.rows)
    ]
    rows = [Row([row.cells[column] for column in kept], row.kind) for row in block.rows]
    return Block([block.columns[column] for column in kept], rows, block.title)


def percent(mean: float, std: float | None = None) -> str:
    """A share as percentage with two digits, with its standard deviation if there is one."""
    if std is None or not np.isfinite(std):
        return f"{100 * mean:.2f}"
    return f"{100 * mean:.2f}±{100 * std:.2f}"
