"""Read what is kept of a finished suite under docs/results/<suite>/."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.harness import ROOT
from blufs_bench.datasets.definitions import dataset_definitions

FOLDER = ROOT / "docs" / "results"
DATASETS = ROOT / "data" / "datasets.yaml"


class Kept:
    """The kept files of one suite: statistics and tables."""

    def __init__(self, folder: Path):
        self.folder, self.suite = folder, folder.name

    @cached_property
    def statistics(self) -> dict[str, Any]:
        return json.loads((self.folder / "statistics.json").read_text(encoding="utf-8"))

    @property
    def note(self) -> str:
        """What a reader must know of this run alone, from note.md; it goes with the run."""
        path = self.folder / "note.md"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    def table(self, name: str) -> pd.DataFrame:
        """A table in its long form; without rows if it is not kept."""
        path = self.folder / "tables" / f"{name}.csv"
        if not path.exists():
            return pd.DataFrame()
        return pd.read_csv(path, keep_default_na=False, na_values=[""])

    def view(self, metric: str, choice: str, domain: str = "all") -> dict[str, Any] | None:
        """The comparison of the methods at the reported s, None if there is none."""
        by_choice = self.statistics["views"].get(metric, {})
        return by_choice.get(choice, {}).get("reported", {}).get(domain)

    def domains(self, metric: str, choice: str) -> list[str]:
        """The domains that are compared, without the one that stands for all."""
        found = self.statistics["views"].get(metric, {}).get(choice, {}).get("reported", {})
        return [name for name in found if name != "all"]

    def title(self, name: str) -> str:
        """The title that the run had for a method, or that of a dataset of the project."""
        return self._titles.get(name, name)

    @cached_property
    def _titles(self) -> dict[str, str]:
        titles = {name: known["title"] for name, known in dataset_definitions(DATASETS).items()}
        path = self.folder / "provenance.json"
        if path.exists():
            methods = json.loads(path.read_text(encoding="utf-8"))["config"]["methods"]
            titles |= {
                name: own["title"] for name, own in methods.items() if own and "title" in own
            }
        return titles

    def metrics(self) -> list[str]:
        return list(self.statistics["views"])

    def scores(self, metric: str, choice: str) -> pd.DataFrame:
        """Mean scores of shape (datasets, methods), NaN where there is none."""
        table = self.table(metric)
        if table.empty:
            return table
        rows = table[(table["kind"] == "data") & (table["choice"] == choice)]
        return rows.pivot(index="dataset", columns="method", values="mean")


def kept_suites(folder: Path = FOLDER) -> list[Kept]:
    return [Kept(path.parent) for path in sorted(folder.glob("*/statistics.json"))]


def kept_suite(name: str) -> Kept | None:
    return next((kept for kept in kept_suites() if kept.suite == name), None)
