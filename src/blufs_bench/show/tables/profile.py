"""One dataset in detail: every method's scores, what needs no labels, and the features by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd

from blufs_bench.compare.means import chosen_scores
from blufs_bench.compare.measures import (
    criterion_scores,
    fit_times,
    near_typical_s,
    of_selecting_methods,
    redundancies,
    stabilities,
)
from blufs_bench.compare.selections import agreement, feature_name, selections_of_choice
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES, CHOICES, CRITERIA, METRICS, RANDOM_FEATURES
from blufs_bench.show.tables.table import (
    PLAIN,
    Block,
    Cell,
    Row,
    Table,
    count_cell,
    mark_row,
    nothing,
    pair_block,
    score_cell,
    seconds_text,
    three_digits,
    tuples,
    value_cell,
    without_empty_columns,
)

#: A column of a block: its title, and method -> cell.
Column = tuple[str, dict[str, Cell]]

_FEATURES = ["dataset", "method", "choice", "s", "fit_seed", "position", "feature", "name"]
#: How many features the page names; the CSV file has all.
_NAMED = 10


def profile(results: SuiteResults, suite: Suite, *, name: str, dataset: str) -> Table:
    """Methods x everything that is known about them on one dataset."""
    one, results = replace(suite, datasets=[dataset]), results.on(dataset)
    title = results.dataset_title(dataset)
    caption = f"Methods on {title}"
    blocks = [
        _block(suite, _score_columns(results, one), "Scores by the classes, in %"),
        _block(suite, _label_free_columns(results, one), "What needs no labels"),
        _feature_block(results, one, dataset),
        _agreement_block(results, one, dataset),
    ]
    shown = [block for block in blocks if block.rows and len(block.columns) > 1]
    if not shown:
        why = f"No method has a result on {title}"
        return nothing(name, caption, _FEATURES, why)
    notes = [
        "Best in bold, second underlined; all features do not compete",
        "In parentheses: the number of features",
    ]
    if results.cards.get(dataset, {}).get("feature_names") is None:
        notes.append("The columns of the data have no names; they are counted from 0")
    return Table(name, caption, features_by_name(results, one), shown, notes)


def _block(suite: Suite, columns: list[Column], title: str) -> Block:
    """Methods down, columns across; those without any number are left out."""
    known = {method for _, cells in columns for method in cells}
    methods = [m for m in dict.fromkeys([*suite.methods, *suite.ablation]) if m in known]
    missing = Cell("–")
    rows = [
        Row([Cell(suite.title(method)), *(cells.get(method, missing) for _, cells in columns)])
        for method in methods
    ]
    block = without_empty_columns(Block(["Method", *(name for name, _ in columns)], rows, title))
    return replace(block, rows=[row for row in block.rows if _says_something(row)])


def _says_something(row: Row) -> bool:
    return any(cell.text not in ("–", "n/a (missing)") for cell in row.cells[1:])


def _column(
    frame: pd.DataFrame, cell: Callable[[Any], Cell], *, larger_is_better: bool = True
) -> dict[str, Cell]:
    """Method -> cell of the rows of a frame, the best and second best marked."""
    competing = frame["mean"].where(frame["method"] != ALL_FEATURES)
    marks = mark_row(list(competing), larger_is_better=larger_is_better)
    rows = tuples(frame.assign(mark=marks if len(frame) else PLAIN))
    return {row.method: cell(row) for row in rows}


def _score_columns(results: SuiteResults, one: Suite) -> list[Column]:
    if not all(map(results.is_labelled, one.datasets)):
        return []
    scores = chosen_scores(results, one)
    return [
        (
            f"{METRICS[metric].short}, {CHOICES[choice].short.lower()}",
            _column(
                scores[(scores["metric"] == metric) & (scores["choice"] == choice)], score_cell
            ),
        )
        for metric in dict.fromkeys(scores["metric"])
        for choice in CHOICES
    ]


def _label_free_columns(results: SuiteResults, one: Suite) -> list[Column]:
    scores = criterion_scores(results, one)

    def with_size(row: Any) -> Cell:
        cell = value_cell(row, three_digits)
        size = "" if row.method == ALL_FEATURES or cell.value is None else f" ({row.s:.0f})"
        return replace(cell, text=cell.text + size)

    def plain(row: Any) -> Cell:
        return value_cell(row, three_digits)

    columns: list[Column] = []
    for (criterion, choice), group in scores.groupby(["metric", "choice"], sort=False):
        title = f"{CRITERIA[str(criterion)].title}, {CHOICES[str(choice)].short.lower()}"
        columns.append((title, _column(group, with_size)))
    columns.append(("Stability", _column(stabilities(results, one), plain)))
    redundant = redundancies(results, one, ["default"], every_s=False)["default"]
    redundant = near_typical_s(redundant)
    columns.append(("Redundancy", _column(redundant, plain, larger_is_better=False)))
    timed = fit_times(results, one)
    columns.append(
        (
            "Seconds of a fit",
            _column(timed, lambda row: value_cell(row, seconds_text), larger_is_better=False),
        )
    )
    return columns


def features_by_name(results: SuiteResults, one: Suite) -> pd.DataFrame:
    """Every selected feature at the reported s, one row each, for every choice without labels.

    Random features are left out: they say nothing, and would be most of the rows.
    """
    found = []
    for choice in (key for key, rule in CHOICES.items() if not rule.uses_labels):
        rows = of_selecting_methods(selections_of_choice(results, choice, reported=True), one)
        rows = rows[(rows["status"] == "ok") & (rows["method"] != RANDOM_FEATURES)]
        for row in tuples(rows):
            card = results.cards.get(row.dataset, {})
            found += [
                (row.dataset, row.method, choice, int(row.s), row.fit_seed, position, feature, name)
                for position, feature in enumerate(row.features, start=1)
                for name in [feature_name(card, feature)]
            ]
    return pd.DataFrame(found, columns=_FEATURES)


def _feature_block(results: SuiteResults, one: Suite, dataset: str) -> Block:
    """The features that each method takes first with its default setting."""
    rows = of_selecting_methods(selections_of_choice(results, "default", reported=True), one)
    rows = rows[rows["status"] == "ok"].drop_duplicates("method").set_index("method")
    card = results.cards.get(dataset, {})
    lines = []
    for method in one.ranked_methods:
        if method not in rows.index:
            continue
        features = [int(feature) for feature in rows["features"][method]]
        named = ", ".join(feature_name(card, feature) for feature in features[:_NAMED])
        more = f" and {len(features) - _NAMED} more" if len(features) > _NAMED else ""
        lines.append(Row([Cell(one.title(method)), count_cell(len(features)), Cell(named + more)]))
    columns = ["Method", "Number", "Features, best first"]
    return Block(columns, lines, "Selected features, default setting")


def _agreement_block(results: SuiteResults, one: Suite, dataset: str) -> Block:
    pairs = agreement(results, [dataset], one.ranked_methods)
    title = "Agreement: features in common (Jaccard)"
    if len(pairs):
        s, chance = pairs[["s", "chance"]].iloc[0]
        title += f", s = {s:.0f}, {chance:.2f} by chance"
    return pair_block(one, pairs, title)
