"""What a table is before it is written: tidy numbers, and blocks of text as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

#: Values closer than this count as equal when the best ones are marked.
EQUAL = 1e-12

BEST, SECOND, PLAIN = "best", "second", ""


@dataclass(frozen=True)
class Block:
    """A rectangle of text; a table shows one or several.

    Attributes
    ----------
    shown : all cells as text, the first column names the rows
    marks : same shape, ``best``, ``second`` or empty
    """

    shown: pd.DataFrame
    marks: pd.DataFrame
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A table: ``tidy`` goes to CSV in full precision, ``blocks`` to Markdown and LaTeX."""

    name: str
    caption: str
    tidy: pd.DataFrame
    blocks: Sequence[Block]
    notes: Sequence[str] = field(default_factory=list)


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


def records(cells: pd.DataFrame) -> list[Any]:
    """The rows, with the columns as attributes."""
    return list(cells.itertuples(index=False))


def by_dataset(cells: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of every dataset, in the order in which they come."""
    return [(str(name), rows) for name, rows in cells.groupby("dataset", sort=False)]


def unmarked(shown: pd.DataFrame, title: str = "") -> Block:
    """A block without marks."""
    marks = pd.DataFrame(PLAIN, index=shown.index, columns=shown.columns)
    return Block(shown, marks, title)


def block_from_rows(
    columns: Sequence[str], rows: Sequence[tuple[Sequence[str], Sequence[str]]], title: str = ""
) -> Block:
    """A block from (texts, marks) of every row."""
    shown = pd.DataFrame([texts for texts, _ in rows], columns=list(columns))
    marks = pd.DataFrame([marks for _, marks in rows], columns=list(columns))
    return Block(shown, marks, title)


def percent(mean: float, std: float | None = None) -> str:
    """A share as percentage with two digits, with its standard deviation if there is one."""
    if std is None or not np.isfinite(std):
        return f"{100 * mean:.2f}"
    return f"{100 * mean:.2f}±{100 * std:.2f}"
