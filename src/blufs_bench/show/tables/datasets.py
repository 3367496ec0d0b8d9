"""Table I of the paper: the datasets as they are, and what it prints about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from blufs_bench.compare.comparison import Comparison
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import metric_words
from blufs_bench.show.tables.comparisons import headroom_cell
from blufs_bench.show.tables.table import (
    Block,
    Cell,
    Row,
    Table,
    count_cell,
    tuples,
    without_empty_columns,
)

_SIZES = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}
_COUNTS = {
    "n_samples": "Samples",
    "n_features": "Features",
    "n_classes": "Classes",
    "n_constant": "Constant features",
    "smallest_class": "Smallest class",
    "largest_class": "Largest class",
}


def datasets(results: SuiteResults, suite: Suite, comparison: Comparison) -> Table:
    """One row per dataset of the suite; with the headroom of each metric where it is known."""
    tidy = pd.DataFrame([_row(results, name) for name in suite.datasets])
    numbers = [name for name in tidy if str(name).removeprefix("paper_") in _COUNTS]
    tidy = tidy.astype(dict.fromkeys([*numbers, "n_duplicate_samples"], "Int64"))
    rooms = {metric: comparison.headroom(metric, "default") for metric in comparison.metrics}
    block = without_empty_columns(_block(results, tidy, rooms))
    for metric, table in rooms.items():
        if len(table):
            tidy[f"headroom_{metric}"] = tidy["dataset"].map(table["room"])
            tidy[f"has_headroom_{metric}"] = tidy["dataset"].map(table["has_room"])
    compared = [Cell(text) for text in tidy["against_paper"]]
    if any(cell.text not in ("", "not in the paper") for cell in compared):
        rows = [Row([*row.cells, cell]) for row, cell in zip(block.rows, compared, strict=True)]
        block = Block([*block.columns, "Against the paper"], rows)
    notes = [
        text if text.startswith(row.dataset) else f"{results.dataset_title(row.dataset)}: {text}"
        for row in tuples(tidy)
        for text in (row.reason, row.notes)
        if text
    ]
    return Table("datasets", "Datasets", tidy, [block], notes)


def _block(results: SuiteResults, tidy: pd.DataFrame, rooms: Mapping[str, pd.DataFrame]) -> Block:
    rows = [
        Row(
            [
                Cell(results.dataset_title(row.dataset)),
                *(count_cell(getattr(row, key)) for key in _COUNTS),
                *(headroom_cell(table, row.dataset) for table in rooms.values()),
            ]
        )
        for row in tuples(tidy)
    ]
    titles = [f"Headroom, {metric_words(metric)[1]}" for metric in rooms]
    return Block(["Dataset", *_COUNTS.values(), *titles], rows)


def _row(results: SuiteResults, name: str) -> dict[str, Any]:
    card = results.cards.get(name, {"status": "missing", "reason": "no card in the results"})
    ok = card["status"] == "ok"
    row = {"dataset": name, "status": card["status"], "reason": card.get("reason") or ""}
    row["labelled"] = results.is_labelled(name)
    for key in (*_SIZES, "n_constant", "n_duplicate_samples"):
        value = card.get(key)
        row[key] = value if ok and value is not None else pd.NA
    counts = card.get("class_counts") or [pd.NA]
    row |= {"smallest_class": min(counts), "largest_class": max(counts)}
    paper = card.get("paper") or {}
    row |= {f"paper_{key}": paper.get(key, pd.NA) for key in _SIZES}
    return row | {
        "against_paper": _against_paper(card, paper),
        "origin": card.get("origin") or "",
        "terms": card.get("terms") or "",
        "sha256": card.get("sha256") or "",
        "notes": "; ".join(card.get("notes") or []),
    }


def _against_paper(card: dict, paper: dict) -> str:
    if card["status"] != "ok":
        return f"n/a ({card['status']})"
    if not paper:
        return "not in the paper"
    differing = [
        f"{paper[key]} {word} in the paper"
        for key, word in _SIZES.items()
        if paper.get(key) is not None and paper[key] != card.get(key)
    ]
    return ", ".join(differing) or "same"
