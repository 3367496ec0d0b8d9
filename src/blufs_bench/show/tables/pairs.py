"""The multi-comparison matrix: every method against every other."""

from __future__ import annotations

from typing import Any

import pandas as pd

from blufs_bench.compare.comparison import bayes, compared, listed_once, pairs, standings
from blufs_bench.compare.views import EVERYWHERE, ViewKey, Views, counted, view_title
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import METHOD_UNDER_STUDY
from blufs_bench.show.tables.table import Block, Cell, Row, Table, nothing, number_cell, tuples

_CAPTION = "Every method against every other"
_COLUMNS = ["metric", "choice", "score", "domain"]
_CHANCES = ("better", "equal", "worse")
_PAIR = ["method", "other", "difference", "wins", "ties", "losses", "p_value"]


def pair_table(results: SuiteResults, suite: Suite) -> Table:
    """A matrix per metric and choice over all datasets, and BLUFS against each by Bayes' rule."""
    views = Views(results, suite)
    tidy, blocks = [], []
    for key in views.keys():  # noqa: SIM118
        matrix = views.matrix(key)
        found = pairs(matrix)
        if found.empty:
            continue
        once = listed_once(found, list(matrix.columns))
        # More digits would be most of the file, and say nothing.
        once = once.round({"difference": 6, "p_value": 8})
        tidy.append(once.assign(**vars(key))[[*_COLUMNS, *_PAIR]])
        if key.domain == EVERYWHERE and key.score == "reported":
            blocks.append(_block(suite, key, matrix, found))
            blocks += _bayes_block(suite, key, matrix)
    if not tidy:
        why = "No two methods of this suite have scores on the same dataset"
        return nothing("pairs", _CAPTION, [*_COLUMNS, *_PAIR], why)
    notes = [
        "Method of the row less method of the column: mean difference in points, wins / ties / "
        "losses, p-value of Wilcoxon's test corrected by Holm; bold where it is below "
        f"{suite.significance_level:g}",
        "Methods in the order of their mean; gaps count as random features, where these are in the "
        "suite",
    ]
    return Table("pairs", _CAPTION, pd.concat(tidy, ignore_index=True), blocks, notes)


def _block(suite: Suite, key: ViewKey, matrix: pd.DataFrame, found: pd.DataFrame) -> Block:
    order = [name for name in standings(matrix).index if name in set(found["method"])]
    cells = {(row.method, row.other): _cell(row, suite) for row in tuples(found)}
    rows = [
        Row([Cell(suite.title(a)), *(cells.get((a, b), Cell("–")) for b in order)]) for a in order
    ]
    return Block(["Method", *map(suite.title, order)], rows, _title(key, matrix))


def _cell(row: Any, suite: Suite) -> Cell:
    p_value = "" if pd.isna(row.p_value) else f", p {row.p_value:.2g}"
    text = f"{row.difference:+.1f} ({row.wins}/{row.ties}/{row.losses}{p_value})"
    return Cell(text, row.difference, "best" if row.p_value < suite.significance_level else "")


def _bayes_block(suite: Suite, key: ViewKey, matrix: pd.DataFrame) -> list[Block]:
    """Probabilities of the Bayesian signed-rank test; nothing without BLUFS or a second dataset."""
    chances = bayes(matrix)
    if not chances:
        return []
    rows = [
        Row([Cell(suite.title(m)), *(number_cell(chances[m][k], "{:.2f}") for k in _CHANCES)])
        for m in standings(matrix).index
        if m in chances
    ]
    name = suite.title(METHOD_UNDER_STUDY)
    columns = ["Against", f"{name} better", "Within one point", f"{name} worse"]
    return [Block(columns, rows, f"{_title(key, matrix)}: Bayesian signed-rank test")]


def _title(key: ViewKey, matrix: pd.DataFrame) -> str:
    return f"{view_title(key)}, {counted(len(compared(matrix).scores), 'dataset')}"
