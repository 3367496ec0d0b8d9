"""What the report says about cells and datasets, as plain data for its template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import CHOICES, METRICS

CELL = ["dataset", "method", "choice", "metric", "s"]


@dataclass(frozen=True)
class Outcomes:
    """How many cells ran, and what became of the others.

    Attributes
    ----------
    counts : status -> number of cells; ``missing`` are those without a row
    problems : one row per dataset, status and reason, with the methods and the number of cells
    """

    counts: dict[str, int]
    problems: pd.DataFrame

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def succeeded(self) -> int:
        return self.counts.get("ok", 0)


def outcomes(results: SuiteResults, suite: Suite) -> Outcomes:
    """Count the cells (dataset, method, choice, metric, s) of a suite by status."""
    cells = results.scores.drop_duplicates([*CELL, "status"])[[*CELL, "status", "reason"]]
    # A cell with a failed repetition is a failed cell.
    cells = cells.sort_values("status", key=lambda status: status == "ok", kind="stable")
    cells = cells.drop_duplicates(CELL)
    absent = _absent_pairs(cells, suite)
    counts = {str(status): int(n) for status, n in cells["status"].value_counts().items()}
    if absent:
        counts["missing"] = len(absent)
    missing = pd.DataFrame(
        [(*pair, "missing", "no row in the results") for pair in absent],
        columns=["dataset", "method", "status", "reason"],
    )
    failed = pd.concat([cells[cells["status"] != "ok"], missing], ignore_index=True)
    problems = failed.groupby(["dataset", "status", "reason"], sort=False).agg(
        methods=("method", lambda names: _joined(names, suite)), cells=("method", "size")
    )
    return Outcomes(counts, problems.reset_index())


def search_counts(results: SuiteResults) -> dict[str, int]:
    """Cells of the search (every setting, s and seed that was tried) by status."""
    return {str(status): int(n) for status, n in results.screened["status"].value_counts().items()}


def _joined(names: pd.Series, suite: Suite) -> str:
    """The methods of a problem, in the order of the suite."""
    everything = dict.fromkeys([*suite.methods, *suite.ablation])
    hit = [suite.title(method) for method in everything if method in set(names)]
    return "all methods" if len(hit) == len(everything) else ", ".join(hit)


def _absent_pairs(cells: pd.DataFrame, suite: Suite) -> list[tuple[str, str]]:
    """Datasets and methods that the suite asks for and that left no row at all."""
    there = set(zip(cells["dataset"], cells["method"], strict=True))
    wanted = [(dataset, method) for dataset in suite.datasets for method in suite.methods]
    return [pair for pair in wanted if pair not in there]


@dataclass(frozen=True)
class DatasetSection:
    """Section of one dataset: its facts, notes and scores (Markdown table)."""

    name: str
    label: str
    facts: dict[str, str]
    notes: list[str]
    scores: str


def dataset_sections(results: SuiteResults, suite: Suite) -> list[DatasetSection]:
    """One section per dataset of the suite."""
    rows = results.scores
    rows = rows[(rows["status"] == "ok") & rows["is_reported_s"]]
    means = {
        name: here.groupby(["method", "choice", "metric"]).agg(
            value=("value", "mean"), s=("s", "first")
        )
        for name, here in rows.groupby("dataset")
    }
    return [_section(results, suite, name, means.get(name)) for name in suite.datasets]


def _section(
    results: SuiteResults, suite: Suite, name: str, means: pd.DataFrame | None
) -> DatasetSection:
    card = results.cards.get(name, {"status": "unavailable", "reason": "no card was written"})
    notes = list(card.get("notes") or [])
    if card["status"] != "ok":
        notes.insert(0, f"Not available: {card['reason']}")
    return DatasetSection(
        name=name,
        label=results.dataset_title(name),
        facts=_facts(card),
        notes=notes,
        scores="" if means is None else _score_table(suite, means),
    )


def _facts(card: dict[str, Any]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for key, label in (
        ("n_samples", "Samples"),
        ("n_features", "Features"),
        ("n_classes", "Classes"),
        ("n_constant", "Constant features"),
        ("n_duplicate_samples", "Duplicate samples"),
        ("origin", "Origin"),
        ("terms", "Terms"),
    ):
        if card.get(key) is not None:
            facts[label] = str(card[key])
    counts = card.get("class_counts") or []
    if counts:
        facts["Samples per class"] = f"{min(counts)} to {max(counts)}"
    if card.get("image_shape"):
        facts["Images"] = " x ".join(map(str, card["image_shape"]))
    return facts


def _score_table(suite: Suite, means: pd.DataFrame) -> str:
    """Markdown table: a row per method, ACC and NMI under every choice with the chosen s."""
    columns = [(metric, choice) for metric in ("clustering_acc", "nmi") for choice in CHOICES]
    columns = [
        (metric, choice)
        for metric, choice in columns
        if any(key[1:] == (choice, metric) for key in means.index)
    ]
    short = {"oracle_equal_budget": "equal budget"}
    names = [f"{METRICS[metric].short}, {short.get(choice, choice)}" for metric, choice in columns]
    table = []
    for method in dict.fromkeys([*suite.methods, *suite.ablation]):
        if method not in means.index.get_level_values("method"):
            continue
        cells = [_cell(means, (method, choice, metric)) for metric, choice in columns]
        table.append([suite.title(method), *cells])
    frame = pd.DataFrame(table, columns=["Method", *names])
    return frame.to_markdown(index=False, disable_numparse=True)


def _cell(means: pd.DataFrame, key: tuple[str, str, str]) -> str:
    if key not in means.index:
        return "–"
    value, s = means.to_numpy()[means.index.get_loc(key)]
    return f"{100 * value:.2f} ({s:.0f})"


def choice_words() -> dict[str, str]:
    """What the choices are called, for the legend of the report."""
    return {choice: CHOICES[choice].title for choice in CHOICES}
