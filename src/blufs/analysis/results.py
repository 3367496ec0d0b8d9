"""The result files of one suite, loaded on first use, and what the suite asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: The ways to choose the settings of a method, in the order in which they are shown.
CHOICES = ("oracle", "oracle_budget", "default", "blind")

CHOICE_LABELS = {
    "oracle": "Oracle (best by the labels)",
    "oracle_budget": "Oracle on an equal budget of settings",
    "default": "Default setting",
    "blind": "Chosen without labels",
}

#: The same where room is scarce.
CHOICE_HEADINGS = {
    "oracle": "Oracle",
    "oracle_budget": "Oracle, equal budget",
    "default": "Default",
    "blind": "Blind",
}

#: Metric -> the name it is printed under.
METRIC_LABELS = {"acc": "ACC", "nmi": "NMI", "accuracy": "Classification accuracy"}

#: The method that uses all features; shown, but never marked as best nor ranked.
BASELINE = "Baseline"

#: The method under study.
PROPOSED = "BLUFS"


@dataclass(frozen=True)
class Suite:
    """What a suite compares, in the order of its tables.

    Attributes
    ----------
    methods : names of the compared methods
    ablation : names of the degenerate variants of BLUFS
    labels : name of a method or variant -> the name it is shown under
    s_values : numbers of selected features
    alpha : level of the statistical tests
    """

    name: str
    datasets: Sequence[str]
    methods: Sequence[str]
    ablation: Sequence[str] = ()
    labels: dict[str, str] = field(default_factory=dict)
    s_values: Sequence[int] = ()
    alpha: float = 0.05

    def label(self, method: str) -> str:
        """Name under which a method is shown."""
        return self.labels.get(method, method)

    @property
    def ranked_methods(self) -> list[str]:
        """The compared methods without the baseline."""
        return [method for method in self.methods if method != BASELINE]


@dataclass(frozen=True)
class Results:
    """Frames and dataset cards under ``folder``; every file is read when it is first asked for."""

    folder: Path

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row per dataset, method, choice, metric, s and seed: the final evaluation."""
        return self._frame("results")

    @cached_property
    def grid(self) -> pd.DataFrame:
        """One row per dataset, method, setting, s and fit seed: the search."""
        return self._frame("grid")

    @cached_property
    def selections(self) -> pd.DataFrame:
        """Selected features and convergence of the finally evaluated fits."""
        return self._frame("selections")

    @cached_property
    def timing(self) -> pd.DataFrame:
        """Seconds of ``fit``, one row per dataset, method, s and repeat."""
        return self._frame("timing")

    @cached_property
    def stability(self) -> pd.DataFrame:
        """Selected features on resampled data, one row per dataset, method, s and resample."""
        return self._frame("stability")

    @cached_property
    def cards(self) -> dict[str, dict[str, Any]]:
        """Dataset name -> its card, by name."""
        paths = sorted(self.folder.glob("data/*/card.json"))
        return {path.parent.name: json.loads(path.read_text()) for path in paths}

    def data(self, dataset: str) -> tuple[np.ndarray, np.ndarray]:
        """Prepared data of shape (n, d) and labels of shape (n,) of a dataset."""
        with np.load(self.folder / "data" / dataset / "dataset.npz", allow_pickle=False) as file:
            return file["X"], file["y"]

    def dataset_label(self, dataset: str) -> str:
        """Name under which a dataset is shown."""
        return self.cards.get(dataset, {}).get("label") or dataset

    def compared_datasets(self, names: Sequence[str]) -> list[str]:
        """The datasets that averages and ranks are taken over: those that were measured.

        Datasets made of known real features and noise are for looking at what is selected, not for
        clustering; they count only if there are no others.
        """
        measured = [name for name in names if not self.cards.get(name, {}).get("real_features")]
        return measured or list(names)

    def _frame(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder / f"{name}.parquet")


def load_results(folder: str | Path) -> Results:
    """The results of the suite in ``folder`` (``results/<suite>``)."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"no results in {folder}: run the suite first")
    return Results(folder)
