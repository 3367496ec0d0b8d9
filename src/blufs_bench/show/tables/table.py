"""What a table is before it is written: tidy numbers, and blocks of cells as they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES

#: Why a table of scores is empty.
NO_LABELS = "No dataset of this suite has labels, so that nothing can be measured by classes"
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


def marked(summaries: pd.DataFrame, *, larger_is_better: bool = False) -> pd.DataFrame:
    """The rows with the best and second best of each dataset in ``mark``.

    The method that keeps all features does not compete.
    """
    summaries = summaries.assign(mark=PLAIN)
    for _, group in by_dataset(summaries):
        competing = group["mean"].where(group["method"] != ALL_FEATURES)
        marks = mark_row(list(competing), larger_is_better=larger_is_better)
        summaries.loc[group.index, "mark"] = marks
    return summaries


def matrix(
    results: SuiteResults,
    suite: Suite,
    summaries: pd.DataFrame,
    text: Callable[[Any], str],
    title: str = "",
) -> Block:
    """The block datasets x methods of marked summaries."""
    rows = [
        Row(
            [*words(results.dataset_title(dataset)), *(value_cell(c, text) for c in tuples(group))],
            row_kind(group["status"]),
        )
        for dataset, group in by_dataset(summaries)
    ]
    methods = [suite.title(method) for method in dict.fromkeys(summaries["method"])]
    return Block(["Dataset", *methods], rows, title)


def value_cell(cell: Any, text: Callable[[Any], str]) -> Cell:
    """The cell of one dataset and method, or why it has no value."""
    if cell.status != "ok":
        return Cell(f"n/a ({cell.status})")
    if not np.isfinite(cell.mean):
        return Cell("n/a (undefined)")
    return Cell(text(cell), float(cell.mean), cell.mark)


def three_digits(cell: Any) -> str:
    return f"{cell.mean:.3f}"


def seconds_text(cell: Any) -> str:
    """Mean and standard deviation of seconds."""
    return f"{cell.mean:.3g}" + (f"±{cell.std:.2g}" if np.isfinite(cell.std) else "")


def pair_block(suite: Suite, pairs: pd.DataFrame, title: str = "") -> Block:
    """Methods x methods; ``pairs`` has the columns method, other and jaccard."""
    values = {(row.method, row.other): row.jaccard for row in pairs.itertuples()}
    methods = [name for name in suite.ranked_methods if name in set(pairs["method"])]
    rows = [
        Row(
            [
                Cell(suite.title(one)),
                *(
                    Cell("–") if one == other else number_cell(values.get((one, other)), "{:.2f}")
                    for other in methods
                ),
            ]
        )
        for one in methods
    ]
    return Block(["Method", *(suite.title(name) for name in methods)], rows, title)


def score_cell(score: Any) -> Cell:
    """Mean, deviation and number of features, or why there are none."""
    if score.status != "ok" or not np.isfinite(score.mean):
        return Cell(f"n/a ({score.status})")
    size = "" if score.method == ALL_FEATURES else f" ({score.s:.0f})"
    return Cell(percent(score.mean, score.std) + size, 100 * score.mean, score.mark)
