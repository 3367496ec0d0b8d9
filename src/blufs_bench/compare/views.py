"""The views of a suite: one comparison per metric, choice, kind of score and domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from blufs_bench.compare.comparison import as_json
from blufs_bench.compare.curves import area_matrix, curve_scores, s_of_datasets
from blufs_bench.compare.selections import selections_of_choice
from blufs_bench.compare.summaries import chosen_scores, measured_metrics, score_matrix
from blufs_bench.datasets.domains import DEFAULT_DOMAIN, DOMAINS
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, METRICS

#: The domain that stands for all of them.
EVERYWHERE = "all"
#: What a score is: at the s that is reported, or the mean height of the curve over s.
SCORES = {"reported": "Reported s", "area": "Area under the curve"}


@dataclass(frozen=True)
class ViewKey:
    """What one view shows."""

    metric: str
    choice: str
    score: str
    domain: str = EVERYWHERE


class Views:
    """All score matrices of a suite, made when they are asked for.

    Where nothing was measured by classes, the label-free criteria take the place of the metrics;
    the datasets of the ablation do not count, because the views do not show them.
    """

    def __init__(self, results: SuiteResults, suite: Suite) -> None:
        self.results, self.suite = results, suite
        measured = measured_metrics(results, suite.datasets)
        self.by_labels = bool(measured)
        self.metrics = measured or [
            key for key in CRITERIA if key in set(results.scores["metric"].unique())
        ]
        self._matrices: dict[tuple[str, str, str], pd.DataFrame] = {}

    @cached_property
    def choices(self) -> list[str]:
        """The choices that were made."""
        made = set(self.cells.loc[self.cells["mean"].notna(), "choice"])
        return [choice for choice in CHOICES if choice in made]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Scores at the reported s."""
        cells = chosen_scores(self.results, self.suite, metrics=self.metrics)
        return cells[cells["method"].isin(list(self.suite.methods))]

    @cached_property
    def curves(self) -> pd.DataFrame:
        """Scores at every s."""
        curves = curve_scores(self.results, self.metrics)
        return curves[curves["method"].isin(list(self.suite.methods))]

    @cached_property
    def datasets(self) -> list[str]:
        """The compared datasets."""
        return list(dict.fromkeys(self.cells["dataset"]))

    @cached_property
    def domains(self) -> dict[str, list[str]]:
        """Domain -> its datasets with a score; all first, the others if there are several."""
        scored = self.cells.loc[self.cells["mean"].notna(), "dataset"]
        reached = [name for name in self.datasets if name in set(scored)]
        found: dict[str, list[str]] = {}
        for key in DOMAINS:
            here = [name for name in reached if self.domain_of(name) == key]
            found |= {key: here} if here else {}
        return {EVERYWHERE: reached} | (found if len(found) > 1 else {})

    @cached_property
    def scores(self) -> list[str]:
        """The kinds of scores; a curve of one point has no area."""
        has_curve = any(len(s) > 1 for s in s_of_datasets(self.curves).values())
        return list(SCORES) if has_curve else ["reported"]

    def domain_of(self, dataset: str) -> str:
        return self.results.cards.get(dataset, {}).get("domain") or DEFAULT_DOMAIN

    def keys(self) -> Iterator[ViewKey]:
        """Every view with a score in it."""
        for names in product(self.metrics, self.choices, self.scores, self.domains):
            key = ViewKey(*names)
            if self.matrix(key).notna().any(axis=None):
                yield key

    def matrix(self, key: ViewKey) -> pd.DataFrame:
        """Scores of shape (datasets, methods), NaN where there is none."""
        matrix = self._whole(key.metric, key.choice, key.score)
        return matrix.loc[self.domains[key.domain]]

    def _whole(self, metric: str, choice: str, score: str) -> pd.DataFrame:
        """Scores on the datasets of every domain, made once."""
        name = (metric, choice, score)
        if name not in self._matrices:
            methods = list(self.suite.methods)
            self._matrices[name] = (
                score_matrix(self.cells, metric, choice, methods)
                if score == "reported"
                else area_matrix(self.curves, metric, choice, self.datasets, methods)
            )
        return self._matrices[name]


def metric_words(metric: str) -> tuple[str, str]:
    """Title and short name of a metric or a label-free criterion."""
    if metric in METRICS:
        return METRICS[metric].title, METRICS[metric].short
    return CRITERIA[metric].title, CRITERIA[metric].title


def view_title(key: ViewKey) -> str:
    """Metric and choice of a view, for the title of a table."""
    return f"{metric_words(key.metric)[0]}, {CHOICES[key.choice].title.lower()}"


def counted(n: int, noun: str) -> str:
    """How many of something, such as "1 dataset" and "2 datasets"."""
    return f"{n} {noun}{'s' * (n != 1)}"


def domain_title(domain: str) -> str:
    return "All datasets" if domain == EVERYWHERE else DOMAINS[domain]


def fit_seconds(results: SuiteResults, datasets: Sequence[str]) -> pd.Series:
    """Method -> seconds of a selection with the default setting: the median over the datasets.

    The time on a dataset is the median over its s and fit seeds.
    """
    rows = selections_of_choice(results, "default")
    rows = rows[(rows["status"] == "ok") & rows["dataset"].isin(list(datasets))]
    each = rows.groupby(["method", "dataset"])["fit_seconds"].median()
    return each.groupby("method").median()


def compare_views(views: Views) -> dict[str, Any]:
    """metric -> choice -> score -> domain -> :func:`blufs_bench.compare.comparison.as_json`.

    The Bayesian test stands at the reported s over all datasets, as in the table of the pairs.
    """
    found: dict[str, Any] = {}
    for key in views.keys():  # noqa: SIM118
        parts = found.setdefault(key.metric, {}).setdefault(key.choice, {})
        with_bayes = key.score == "reported" and key.domain == EVERYWHERE
        view = as_json(views.matrix(key), with_bayes=with_bayes)
        parts.setdefault(key.score, {})[key.domain] = view
    return found
