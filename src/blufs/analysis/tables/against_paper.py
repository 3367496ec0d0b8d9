"""The paper against ours: every number that it prints, ours, and the difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs.analysis.paper import Paper
from blufs.analysis.summaries import chosen_scores
from blufs.analysis.tables.table import Block, Table, records, unmarked
from blufs.analysis.tables.variants import variants
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import CHOICES

#: Paper's table -> how it is called, and quantities of it that are shown as a block.
_TITLES = {
    "I": "Datasets",
    "II": "ACC",
    "III": "NMI",
    "V": "Ablation",
    "VI": "Pixels",
    "VII": "Classification",
    "VIII": "Running time in s",
}
_SHOWN = [("II", "clustering_acc"), ("III", "nmi"), ("V", "clustering_acc"), ("V", "nmi")]
_SHOWN += [("VI", "clustering_acc"), ("VI", "nmi")]
_SHOWN += [("VII", "knn_accuracy"), ("VIII", "seconds")]

#: Tables whose numbers do not depend on the choice of settings, or use the default.
_WITHOUT_CHOICE = ("I", "VIII")

_SAME = "Average, same datasets"


def paper_vs_ours(results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """One row per printed number and choice of settings; percentages as in the paper."""
    ours = _Ours(results, suite, paper)
    rows: list[dict[str, Any]] = []
    for number in paper.numbers() + _same_dataset_averages(paper, ours):
        choices = [""] if number["table"] in _WITHOUT_CHOICE else CHOICES
        rows.extend(
            number | {"choice": choice} | ours.look_up(number, choice) for choice in choices
        )
    tidy = pd.DataFrame(rows)
    tidy["difference"] = (tidy["ours"] - tidy["paper"]).where(tidy["status"] == "ok")
    names = ["table", "quantity", "dataset", "method", "choice", "paper", "ours", "difference"]
    tidy = tidy[[*names, "status", "reason"]]
    blocks = [_summary_block(tidy), *_cell_blocks(tidy, suite), _flaw_block(paper)]
    notes = [
        "Paper → ours (difference), percentages in points, with the oracle's settings as papers "
        "do; the CSV file has every choice",
        "The paper does not print its settings, seeds and starting values",
    ]
    if not set(paper.datasets) & set(suite.datasets):
        notes.append("None of the paper's real datasets is in this suite")
        blocks = [_flaw_block(paper)]
    return Table("paper_vs_ours", "The paper against ours", tidy, blocks, notes)


class _Ours:
    """Our value for a number of the paper."""

    def __init__(self, results: SuiteResults, suite: Suite, paper: Paper):
        self.results, self.suite, self.paper = results, suite, paper
        key = ["dataset", "method", "choice", "metric"]
        pixels = paper.content["pixels"]
        self.picked = chosen_scores(results, suite).set_index(key)
        self.at_pixels = chosen_scores(results, suite, s=pixels["s"]).set_index(key)
        self.by_label = {suite.title(method): method for method in variants(suite)}

    def look_up(self, number: dict[str, Any], choice: str) -> dict[str, Any]:
        """``ours``, ``status`` and ``reason``."""
        dataset, method = number["dataset"], number["method"]
        if dataset not in ("Average", _SAME) and dataset not in self.suite.datasets:
            return _nothing("skipped", f"{dataset} is not in this suite")
        if number["table"] == "I":
            return self._size(dataset, number["quantity"])
        if number["table"] in ("V", "VI"):
            method = self.by_label.get(method, method)
        if number["table"] == "VIII":
            return self._seconds(dataset, method)
        if dataset in ("Average", _SAME):
            return self._average(method, choice, number["quantity"], dataset == _SAME)
        metric, _, what = number["quantity"].partition("_")
        cells = self.at_pixels if number["table"] == "VI" else self.picked
        if (dataset, method, choice, metric) not in cells.index:
            return _nothing("skipped", f"{method} is not in this suite")
        cell: Any = cells.xs((dataset, method, choice, metric))
        if cell["status"] != "ok":
            return _nothing(cell["status"], cell["reason"])
        value = float(cell["s"]) if what == "s" else 100 * cell["std" if what == "std" else "mean"]
        return {"ours": value, "status": "ok", "reason": ""}

    def datasets_with(self, method: str, choice: str, metric: str) -> dict[str, float]:
        """Dataset of the paper -> our mean, where there is one."""
        keys = {name: (name, method, choice, metric) for name in self.paper.datasets}
        means = {n: self.picked["mean"].get(key, np.nan) for n, key in keys.items()}
        return {name: float(mean) for name, mean in means.items() if np.isfinite(mean)}

    def _average(self, method: str, choice: str, metric: str, same: bool) -> dict[str, Any]:
        means = self.datasets_with(method, choice, metric)
        if not means:
            return _nothing("missing", f"no {metric} of {method}")
        average = {"ours": 100 * float(np.mean(list(means.values()))), "status": "ok", "reason": ""}
        wanted = self.datasets_with(method, "oracle", metric) if same else self.paper.datasets
        if set(means) == set(wanted):
            return average
        reason = f"{len(means)} of {len(wanted)} datasets"
        return average | {"status": "incomplete", "reason": reason}

    def _size(self, dataset: str, quantity: str) -> dict[str, Any]:
        card = self.results.cards.get(dataset, {"status": "missing", "reason": "no card"})
        if card["status"] != "ok":
            return _nothing(card["status"], card["reason"])
        return {"ours": float(card[quantity]), "status": "ok", "reason": ""}

    def _seconds(self, dataset: str, method: str) -> dict[str, Any]:
        rows = self.results.timing
        rows = rows[(rows["dataset"] == dataset) & (rows["method"] == method)]
        rows = rows[rows["s"] == rows["s"].max()]
        failed = rows[rows["status"] != "ok"]
        if rows.empty:
            return _nothing("skipped", f"{method} was not timed on {dataset}")
        if len(failed):
            return _nothing(failed["status"].iloc[0], "")
        return {"ours": float(rows["seconds"].mean()), "status": "ok", "reason": ""}


def _nothing(status: str, reason: str) -> dict[str, Any]:
    return {"ours": np.nan, "status": status, "reason": reason}


def _same_dataset_averages(paper: Paper, ours: _Ours) -> list[dict[str, Any]]:
    """Averages of the paper's cells over the datasets that we have, per method."""
    numbers = pd.DataFrame(paper.numbers())
    cells = numbers[numbers["quantity"].isin(["clustering_acc", "nmi", "knn_accuracy"])]
    cells = cells[cells["table"].isin(["II", "III", "VII"]) & (cells["dataset"] != "Average")]
    averages = []
    for (table, quantity, method), column in cells.groupby(
        ["table", "quantity", "method"], sort=False
    ):
        have = ours.datasets_with(str(method), "oracle", str(quantity))
        shared = column[column["dataset"].isin(list(have))]
        if len(shared):
            key = {"table": table, "quantity": quantity, "dataset": _SAME, "method": method}
            averages.append(key | {"paper": float(shared["paper"].mean())})
    return averages


def _summary_block(tidy: pd.DataFrame) -> Block:
    """How far ours are from the paper's: table by table, scores choice by choice."""
    cells = tidy[~tidy["dataset"].isin(["Average", _SAME])]
    rows = []
    for (table, quantity, choice), group in cells.groupby(
        ["table", "quantity", "choice"], sort=False
    ):
        if str(quantity).endswith(("_std", "_s")) and choice != "oracle":
            continue
        difference = group["difference"].dropna()
        some = len(difference) > 0
        rows.append(
            {
                "Table": f"{table}: {_TITLES[str(table)]}",
                "Quantity": quantity,
                "Choice": CHOICES[str(choice)].short if choice in CHOICES else "n/a",
                "Numbers": str(len(group)),
                "Compared": str(len(difference)),
                "Mean difference": f"{difference.mean():+.2f}" if some else "n/a",
                "Mean absolute difference": f"{difference.abs().mean():.2f}" if some else "n/a",
            }
        )
    return unmarked(pd.DataFrame(rows), "Summary")


def _cell_blocks(tidy: pd.DataFrame, suite: Suite) -> list[Block]:
    """Datasets x methods of every table of which we have any number."""
    blocks = []
    for table, quantity in _SHOWN:
        choice = "" if table in _WITHOUT_CHOICE else "oracle"
        chosen = tidy[(tidy["table"] == table) & (tidy["quantity"] == quantity)]
        chosen = chosen[chosen["choice"] == choice]
        if chosen["ours"].isna().all():
            continue
        texts = chosen.assign(text=[_text(cell) for cell in records(chosen)])
        shown = texts.pivot(index="dataset", columns="method", values="text")
        shown = shown.reindex(
            index=list(dict.fromkeys(texts["dataset"])),
            columns=list(dict.fromkeys(texts["method"])),
        ).fillna("n/a")
        shown = shown.rename(columns=suite.title).rename_axis(columns=None)
        shown.insert(0, "Dataset", shown.index)
        title = f"Table {table}: {_TITLES[table]}"
        title += f", {quantity.upper()}" if table in ("V", "VI") else ""
        blocks.append(unmarked(shown.reset_index(drop=True), title))
    return blocks


def _text(cell: Any) -> str:
    if not np.isfinite(cell.ours):
        return f"{cell.paper:.2f} → n/a ({cell.status})"
    if cell.status != "ok":
        return f"{cell.paper:.2f} → {cell.ours:.2f}* ({cell.reason})"
    return f"{cell.paper:.2f} → {cell.ours:.2f} ({cell.difference:+.2f})"


def _flaw_block(paper: Paper) -> Block:
    """Where the paper contradicts itself."""
    rows = []
    for flaw in paper.content["known_inconsistencies"]:
        where = [flaw.get(key) for key in ("table", "dataset", "method", "metric")]
        where += [*flaw.get("tables", []), *flaw.get("methods", [])]
        printed = flaw.get("printed", flaw.get("text", ", ".join(flaw.get("datasets", []))))
        rows.append(
            {
                "Flaw": flaw["kind"].replace("_", " "),
                "Where": ", ".join(name for name in where if name),
                "Printed": _plain(printed),
                "Computed from its numbers": _plain(flaw.get("computed", "")),
            }
        )
    return unmarked(pd.DataFrame(rows), "Where the paper contradicts itself")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {number}" for key, number in value.items())
    if isinstance(value, list):
        return " and ".join(str(number) for number in value)
    return "nothing" if value is None else str(value)
