"""Read what is kept of a finished suite under docs/results/<suite>/."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.harness import ROOT
from blufs_bench.compare.comparison import Comparison, View, compare_methods
from blufs_bench.compare.paper import load_paper
from blufs_bench.files.atomic import read_json
from blufs_bench.results.suite import Suite, SuiteResults, load
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.table import Table

FOLDER = ROOT / "docs" / "results"


class Kept:
    """One kept suite: its results and the comparison of its methods."""

    def __init__(self, folder: Path):
        self.folder, self.name = folder, folder.name

    @cached_property
    def results(self) -> SuiteResults:
        return load(self.folder)

    @cached_property
    def suite(self) -> Suite:
        return Suite(**read_json(self.folder / "suite.json"))

    @cached_property
    def comparison(self) -> Comparison:
        return compare_methods(self.results, self.suite)

    @property
    def note(self) -> str:
        """What a reader must know of this run alone, from note.md; it goes with the run."""
        path = self.folder / "note.md"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    def table(self, name: str) -> Table:
        paper = load_paper(ROOT / "data" / "paper_results.yaml")
        return build_table(name, self.results, self.suite, paper, self.comparison)

    def view(self, metric: str, choice: str, domain: str = "all") -> View | None:
        """The comparison of the methods at the reported s, None if there is none."""
        return self.comparison.view(metric, choice, domain=domain)

    def methods(self, metric: str, choice: str) -> dict[str, dict[str, Any]]:
        """Method -> what the view of all datasets knows of it, best first."""
        view = self.view(metric, choice)
        return view.content["methods"] if view else {}

    def title(self, name: str) -> str:
        """The title of a method or a dataset."""
        known = name in self.suite.methods or name in self.suite.titles
        return self.suite.title(name) if known else self.results.dataset_title(name)

    def scores(self, metric: str, choice: str) -> pd.DataFrame:
        """Mean scores of shape (datasets, methods), NaN where there is none."""
        return self.comparison.matrix(metric, choice)


def kept_suites(folder: Path = FOLDER) -> list[Kept]:
    return [Kept(path.parent) for path in sorted(folder.glob("*/suite.json"))]


def kept_suite(name: str) -> Kept | None:
    return next((kept for kept in kept_suites() if kept.name == name), None)
