"""The paper against ours: every number that it prints, ours, and the difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.means import KEY, chosen_scores
from blufs_bench.compare.paper import AVERAGE, DATA, Paper, PaperNumber
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METRICS
from blufs_bench.show.tables.table import (
    Block,
    Cell,
    Row,
    Table,
    count_cell,
    number_cell,
    tuples,
    words,
)

#: An average of the paper's cells over the datasets that we have as well.
SHARED = "average of shared datasets"
_KINDS = {AVERAGE: "Average", SHARED: "Average of shared datasets"}
_NAMES = ["table", "quantity", "statistic", "kind", "dataset", "method", "choice"]
_NAMES += ["paper", "ours", "difference", "status", "reason"]
_STATISTICS = {"mean": "", "std": ", deviation", "s": ", number of features"}


def paper_vs_ours(results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """One row per printed number and choice of settings; percentages as in the paper."""
    numbers = paper.numbers()
    ours = _Ours(results, suite, paper.datasets)
    numbers += _shared_averages(numbers, ours)
    tidy = pd.DataFrame(
        [
            _record(number, choice) | ours.look_up(number, choice)
            for number in numbers
            for choice in (CHOICES if number.table.depends_on_choice else [""])
        ]
    )
    tidy["difference"] = (tidy["ours"] - tidy["paper"]).where(tidy["status"] == "ok")
    titles = {number.table.number: number.table.title for number in numbers}
    notes = [
        "Paper → ours (difference), percentages in points, with the oracle's settings as papers "
        "do; the CSV file has every choice",
        "The paper does not print its settings, seeds and starting values",
    ]
    if set(paper.datasets) & set(suite.datasets):
        summary, cells = _summary_block(tidy, titles), _cell_blocks(tidy, suite, titles)
        blocks = [summary, *cells, _flaw_block(paper)]
    else:
        blocks, notes = [], ["None of the paper's real datasets is in this suite"]
    return Table("paper_vs_ours", "The paper against ours", tidy[_NAMES], blocks, notes)


def _record(number: PaperNumber, choice: str) -> dict[str, Any]:
    return {
        "table": number.table.number,
        "quantity": number.quantity,
        "statistic": number.statistic,
        "kind": number.kind,
        "dataset": number.dataset,
        "method": number.method,
        "choice": choice,
        "paper": number.value,
    }


class _Ours:
    """Our value for a number of the paper."""

    def __init__(self, results: SuiteResults, suite: Suite, datasets: list[str]):
        self.results, self.suite, self.datasets = results, suite, datasets
        self._scores: dict[int | None, pd.DataFrame] = {}

    def look_up(self, number: PaperNumber, choice: str) -> dict[str, Any]:
        """``ours``, ``status`` and ``reason``."""
        if number.kind != DATA:
            return self._average(number, choice)
        if number.dataset not in self.suite.datasets:
            return _nothing("skipped", f"{number.dataset} is not in this suite")
        if number.table.holds == "sizes":
            return self._size(number)
        if number.table.holds == "seconds":
            return self._seconds(number)
        return self._score(number, choice)

    def scores(self, s: int | None = None) -> pd.DataFrame:
        """Our scores by dataset, method, choice and metric, at this s or the reported one."""
        if s not in self._scores:
            self._scores[s] = chosen_scores(self.results, self.suite, s=s).set_index(KEY)
        return self._scores[s]

    def means(self, method: str, choice: str, metric: str) -> dict[str, float]:
        """Dataset of the paper -> our mean, where there is one."""
        stored = self.scores()["mean"]
        found = {d: stored.get((d, method, choice, metric), np.nan) for d in self.datasets}
        return {dataset: float(mean) for dataset, mean in found.items() if np.isfinite(mean)}

    def _score(self, number: PaperNumber, choice: str) -> dict[str, Any]:
        scores = self.scores(number.table.s)
        key = (number.dataset, number.method, choice, number.quantity)
        if key not in scores.index:
            return _nothing("skipped", f"{number.method} is not in this suite")
        score: Any = scores.xs(key)
        if score["status"] != "ok":
            return _nothing(score["status"], score["reason"])
        scale = 1 if number.statistic == "s" else 100
        return {"ours": scale * float(score[number.statistic]), "status": "ok", "reason": ""}

    def _average(self, number: PaperNumber, choice: str) -> dict[str, Any]:
        means = self.means(number.method, choice, number.quantity)
        if not means:
            return _nothing("missing", f"no {number.quantity} of {number.method}")
        average = {"ours": 100 * float(np.mean(list(means.values()))), "status": "ok", "reason": ""}
        wanted = self.datasets
        if number.kind == SHARED:
            wanted = list(self.means(number.method, "oracle", number.quantity))
        if set(means) == set(wanted):
            return average
        return average | {
            "status": "incomplete",
            "reason": f"{len(means)} of {len(wanted)} datasets",
        }

    def _size(self, number: PaperNumber) -> dict[str, Any]:
        card = self.results.cards.get(number.dataset, {"status": "missing", "reason": "no card"})
        if card["status"] != "ok":
            return _nothing(card["status"], card["reason"])
        size = card.get(number.quantity)
        if size is None:
            return _nothing("missing", "not on the card")
        return {"ours": float(size), "status": "ok", "reason": ""}

    def _seconds(self, number: PaperNumber) -> dict[str, Any]:
        rows = self.results.timing
        rows = rows[(rows["dataset"] == number.dataset) & (rows["method"] == number.method)]
        if rows.empty:
            return _nothing("skipped", f"{number.method} was not timed on {number.dataset}")
        rows = rows[(rows["s"] == rows["s"].max()) | rows["s"].isna()]
        failed = rows[rows["status"] != "ok"]
        if len(failed):
            return _nothing(failed["status"].iloc[0], failed["reason"].iloc[0])
        return {"ours": float(rows["seconds"].mean()), "status": "ok", "reason": ""}


def _nothing(status: str, reason: str) -> dict[str, Any]:
    return {"ours": np.nan, "status": status, "reason": reason}


def _shared_averages(numbers: list[PaperNumber], ours: _Ours) -> list[PaperNumber]:
    """Averages of the paper's cells over the datasets that we have, where it prints averages."""
    averages = []
    for printed in (number for number in numbers if number.kind == AVERAGE):
        have = ours.means(printed.method, "oracle", printed.quantity)
        values = [
            number.value
            for number in numbers
            if (number.table, number.method) == (printed.table, printed.method)
            and (number.kind, number.statistic) == (DATA, "mean")
            and number.dataset in have
        ]
        if values:
            key = (printed.table, printed.quantity, "mean", SHARED, "", printed.method)
            averages.append(PaperNumber(*key, float(np.mean(values))))
    return averages


def _summary_block(tidy: pd.DataFrame, titles: dict[str, str]) -> Block:
    """How far ours are from the paper's: table by table, scores choice by choice."""
    printed = tidy[tidy["kind"] == DATA]
    rows = []
    groups = printed.groupby(["table", "quantity", "statistic", "choice"], sort=False)
    for (table, quantity, statistic, choice), group in groups:
        if statistic != "mean" and choice != "oracle":
            continue
        difference = group["difference"].dropna()
        rows.append(
            Row(
                [
                    *words(
                        f"{table}: {titles[str(table)]}",
                        _quantity(str(quantity)) + _STATISTICS[str(statistic)],
                        CHOICES[str(choice)].short if choice in CHOICES else "any",
                    ),
                    count_cell(len(group)),
                    count_cell(len(difference)),
                    number_cell(difference.mean(), "{:+.2f}"),
                    number_cell(difference.abs().mean(), "{:.2f}"),
                ]
            )
        )
    columns = ["Table", "Quantity", "Choice", "Numbers", "Compared"]
    return Block([*columns, "Mean difference", "Mean absolute difference"], rows, "Summary")


def _quantity(name: str) -> str:
    return METRICS[name].short if name in METRICS else name.removeprefix("n_")


def _cell_blocks(tidy: pd.DataFrame, suite: Suite, titles: dict[str, str]) -> list[Block]:
    """Datasets x methods of every quantity of a table of which we have any number."""
    blocks = []
    tidy = tidy[(tidy["statistic"] == "mean") & (tidy["method"] != "")]
    tidy = tidy[tidy["choice"].isin(["", "oracle"])]
    for (table, quantity), group in tidy.groupby(["table", "quantity"], sort=False):
        if group["ours"].isna().all():
            continue
        methods = list(dict.fromkeys(group["method"]))
        rows = []
        for (kind, dataset), row in group.groupby(["kind", "dataset"], sort=False):
            shown = {cell.method: _cell(cell) for cell in tuples(row)}
            name = str(dataset) or _KINDS[str(kind)]
            cells = [shown.get(method, Cell("n/a")) for method in methods]
            rows.append(Row([*words(name), *cells], str(kind)))
        title = f"Table {table}: {titles[str(table)]}"
        several = tidy.loc[tidy["table"] == table, "quantity"].nunique() > 1
        title += f", {_quantity(str(quantity))}" if several else ""
        blocks.append(Block(["Dataset", *(suite.title(name) for name in methods)], rows, title))
    return blocks


def _cell(cell: Any) -> Cell:
    if not np.isfinite(cell.ours):
        return Cell(f"{cell.paper:.2f} → n/a ({cell.status})")
    if cell.status != "ok":
        return Cell(f"{cell.paper:.2f} → {cell.ours:.2f}* ({cell.reason})")
    text = f"{cell.paper:.2f} → {cell.ours:.2f} ({cell.difference:+.2f})"
    return Cell(text, float(cell.difference))


def _flaw_block(paper: Paper) -> Block:
    """Where the paper contradicts itself."""
    rows = []
    for flaw in paper.content["known_inconsistencies"]:
        where = [flaw.get(key) for key in ("table", "dataset", "method", "metric")]
        where += [*flaw.get("tables", []), *flaw.get("methods", [])]
        printed = flaw.get("printed", flaw.get("text", ", ".join(flaw.get("datasets", []))))
        place = ", ".join(_quantity(name) for name in where if name) or "text"
        kind = flaw["kind"].replace("_", " ")
        rows.append(Row(words(kind, place, _plain(printed), _plain(flaw.get("computed", "–")))))
    columns = ["Flaw", "Where", "Printed", "Computed from its numbers"]
    return Block(columns, rows, "Where the paper contradicts itself")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_quantity(key)} {number}" for key, number in value.items())
    if isinstance(value, list):
        return " and ".join(str(number) for number in value)
    return "nothing" if value is None else str(value)
