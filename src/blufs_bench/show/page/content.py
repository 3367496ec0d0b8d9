"""What the report says about cells and datasets, as plain data for its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from blufs_bench.results import outcomes as outcomes_of
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import DOMAINS, STATUSES


@dataclass(frozen=True)
class Outcomes:
    """How many cells ran, and what became of the others.

    Attributes
    ----------
    counts : status -> number of cells; ``missing`` are datasets and methods without a row
    problems : one record per dataset, status and reason, with the methods and the number of cells
    """

    counts: dict[str, int]
    problems: list[dict[str, Any]]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def succeeded(self) -> int:
        return self.counts.get("ok", 0)

    @property
    def available(self) -> int:
        """Cells of the datasets that are there."""
        return self.total - self.counts.get("unavailable", 0)

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The problems of datasets that are there."""
        return [problem for problem in self.problems if problem["status"] != "unavailable"]


def outcomes(results: SuiteResults, suite: Suite) -> Outcomes:
    """Count the cells (dataset, method, s, repetition) of a suite by status."""
    cells = outcomes_of.cells(results.scores)
    counts = _counted(cells["status"])
    problems: list[dict[Any, Any]] = outcomes_of.problems(results.scores).to_dict("records")
    for dataset, method in _absent_pairs(cells, suite):
        counts["missing"] = counts.get("missing", 0) + 1
        reason = "no row in the results"
        problem = {"dataset": dataset, "status": "missing", "reason": reason}
        problems.append(problem | {"methods": [method], "cells": 1})
    shown = [
        problem
        | {
            "dataset": results.dataset_title(problem["dataset"]),
            "methods": _joined(problem["methods"], suite),
            "what": STATUSES[problem["status"]].title,
        }
        for problem in problems
    ]
    return Outcomes(counts, shown)


def unavailable(results: SuiteResults, suite: Suite) -> list[dict[str, str]]:
    """The datasets that are not here, each once with its reason."""
    reasons = {name: why_missing(name, results.cards.get(name, {})) for name in suite.datasets}
    return [
        {"title": results.dataset_title(name), "reason": reason}
        for name, reason in reasons.items()
        if reason is not None
    ]


def why_missing(name: str, card: Mapping[str, Any]) -> str | None:
    """Why a dataset is not available, without its own name in front; None if it is."""
    if card.get("status", "ok") == "ok":
        return None
    reason: str = card["reason"].removeprefix("dataset ").removeprefix(f"{name}: ")
    return reason


def unlabelled(results: SuiteResults, suite: Suite) -> list[dict[str, str]]:
    """The datasets without labels, which scores by the classes leave out."""
    names = [name for name in suite.datasets if not results.is_labelled(name)]
    return [{"name": name, "title": results.dataset_title(name)} for name in names]


def screened_counts(results: SuiteResults) -> dict[str, int]:
    """How many screened selections (setting, s and fit seed) have which status, without those of
    data that are not here."""
    counts = _counted(results.screened["status"])
    return {status: count for status, count in counts.items() if status != "unavailable"}


def _counted(statuses: pd.Series) -> dict[str, int]:
    return {str(status): int(n) for status, n in statuses.value_counts().items()}


def _joined(names: Sequence[str], suite: Suite) -> str:
    """The methods of a problem, in the order of the suite."""
    everything = dict.fromkeys([*suite.methods, *suite.ablation])
    hit = [suite.title(method) for method in everything if method in set(names)]
    return "all methods" if len(hit) == len(everything) > 1 else ", ".join(hit)


def _absent_pairs(cells: pd.DataFrame, suite: Suite) -> list[tuple[str, str]]:
    """Datasets and methods that the suite asks for and that left no row at all."""
    there = set(zip(cells["dataset"], cells["method"], strict=True))
    wanted = [(dataset, method) for dataset in suite.datasets for method in suite.methods]
    return [pair for pair in wanted if pair not in there]


@dataclass(frozen=True)
class DatasetSection:
    """Section of one dataset: its facts and notes."""

    name: str
    title: str
    facts: dict[str, str]
    notes: list[str]


def dataset_sections(results: SuiteResults, suite: Suite) -> list[DatasetSection]:
    """One section per dataset of the suite."""
    return [_section(results, name) for name in suite.datasets]


def _section(results: SuiteResults, name: str) -> DatasetSection:
    card = results.cards.get(name, {"status": "unavailable", "reason": "no card was written"})
    notes = list(card.get("notes") or [])
    if card["status"] != "ok":
        notes.insert(0, f"Not available: {why_missing(name, card)}")
    return DatasetSection(name, results.dataset_title(name), _facts(card), notes)


def _facts(card: dict[str, Any]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for key, title in (
        ("domain", "Domain"),
        ("n_samples", "Samples"),
        ("n_features", "Features"),
        ("n_classes", "Classes"),
        ("n_constant", "Constant features"),
        ("n_duplicate_samples", "Duplicate samples"),
        ("origin", "Origin"),
        ("terms", "Terms"),
    ):
        if card.get(key) not in (None, ""):
            facts[title] = DOMAINS.get(card[key], card[key]) if key == "domain" else str(card[key])
    if not card.get("labelled", True):
        facts["Labels"] = "none"
        facts["Clusters"] = str(card.get("n_clusters") or "estimated")
    counts = card.get("class_counts") or []
    if counts:
        facts["Samples per class"] = f"{min(counts)} to {max(counts)}"
    if card.get("image_shape"):
        facts["Images"] = " x ".join(map(str, card["image_shape"]))
    return facts
