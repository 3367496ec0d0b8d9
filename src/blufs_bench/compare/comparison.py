"""The comparison of the methods of a suite: computed once, written once, read by all that show it.

A view is one comparison: of one metric, choice, kind of score and domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare import sentence
from blufs_bench.compare.means import (
    area_matrix,
    chosen_scores,
    curve_scores,
    fit_seconds,
    measured_metrics,
    s_of_datasets,
    score_matrix,
)
from blufs_bench.compare.pairs import NO_RANDOM, bayes, compared, pairs, standings
from blufs_bench.compare.tests import TIE_DECIMALS, complete_block, rank_tests
from blufs_bench.datasets.definitions import DEFAULT_DOMAIN
from blufs_bench.files.atomic import read_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    CRITERIA,
    DOMAINS,
    EVERYWHERE,
    METHOD_UNDER_STUDY,
    SCORES,
    UNSEEN,
)

#: Columns that hold whole numbers.
_COUNTS = ("place", "n_datasets", "n_imputed", "n_common", "wins", "ties", "losses")
_PAIR = ["method", "other", "difference", "wins", "ties", "losses", "p_value"]


@dataclass(frozen=True)
class View:
    """One comparison of all methods.

    Attributes
    ----------
    content : JSON-able: ``datasets``, ``left_out``, ``has_random``, ``note``, ``methods`` (a record
        each, best mean first), ``pairs`` (each once), ``bayes``, ``s`` (the numbers of features),
        ``answer`` and ``caveats``
    """

    metric: str
    choice: str
    score: str
    domain: str
    content: Mapping[str, Any]

    @property
    def key(self) -> dict[str, str]:
        names = ("metric", "choice", "score", "domain")
        return {name: getattr(self, name) for name in names}

    @property
    def is_main(self) -> bool:
        """Whether it is at the reported s over all datasets."""
        return self.score == "reported" and self.domain == EVERYWHERE

    @property
    def n_datasets(self) -> int:
        return len(self.content["datasets"])

    def standings(self) -> pd.DataFrame:
        """See :func:`blufs_bench.compare.pairs.standings`."""
        methods = self.content["methods"]
        table = pd.DataFrame(list(methods.values()), index=list(methods))
        return table.astype({"place": "Int64"}) if len(table) else table

    def pairs(self) -> pd.DataFrame:
        """Every pair of methods from both sides; see :func:`blufs_bench.compare.pairs.pairs`."""
        once = pd.DataFrame(self.content["pairs"], columns=_PAIR)
        turned = once.rename(
            columns={"method": "other", "other": "method", "wins": "losses", "losses": "wins"}
        ).assign(difference=0.0 - once["difference"])
        return pd.concat([once, turned[_PAIR]], ignore_index=True)


@dataclass(frozen=True)
class Comparison:
    """All views of a suite, the tests of the ranks, and the verdict.

    Where nothing was measured by classes, the label-free criteria take the place of the metrics;
    the datasets of the ablation do not count, because the views do not show them.

    Attributes
    ----------
    content : what ``statistics.json`` holds; see :func:`compare_methods`
    """

    content: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> Comparison:
        return cls(read_json(path))

    @property
    def metrics(self) -> list[str]:
        return self.content["metrics"]

    @property
    def choices(self) -> list[str]:
        """The choices that were made."""
        return self.content["choices"]

    @property
    def scores(self) -> list[str]:
        """The kinds of scores; a curve of one point has no area."""
        return self.content["scores"]

    @property
    def datasets(self) -> list[str]:
        """The compared datasets."""
        return self.content["datasets"]

    @property
    def domains(self) -> dict[str, list[str]]:
        """Domain -> its datasets with a score; all first, the others if there are several."""
        return self.content["domains"]

    @property
    def by_labels(self) -> bool:
        return self.content["by_labels"]

    @property
    def verdict(self) -> str:
        """In words, as Markdown."""
        return self.content["verdict"]

    @property
    def tests(self) -> dict[str, dict[str, Any]]:
        """metric -> choice -> :func:`blufs_bench.compare.tests.rank_tests`."""
        return self.content["comparisons"]

    @property
    def problems(self) -> list[str]:
        """Why there is no comparison, if it failed."""
        return self.content["problems"]

    def seconds(self, domain: str = EVERYWHERE) -> dict[str, float]:
        """Method -> seconds of a selection, see :func:`blufs_bench.compare.means.fit_seconds`."""
        return self.content["seconds"].get(domain, {})

    def views(self) -> Iterator[View]:
        """Every view with a score in it."""
        for metric, choices in self.content["views"].items():
            for choice, scores in choices.items():
                for score, domains in scores.items():
                    for domain, content in domains.items():
                        yield View(metric, choice, score, domain, content)

    def view(
        self, metric: str, choice: str, score: str = "reported", domain: str = EVERYWHERE
    ) -> View | None:
        """One view; None if there is no score in it."""
        choices = self.content["views"].get(metric, {})
        content = choices.get(choice, {}).get(score, {}).get(domain)
        return None if content is None else View(metric, choice, score, domain, content)

    def first_view(self) -> View | None:
        """The view that comes first wherever one is shown; None if there is nothing to compare.

        With default settings, over all s, and on the data on which no default was picked, where
        there are such.
        """
        for metric, choices in self.content["views"].items():
            for choice in ("default", *choices):
                if choice in choices:
                    score, domains = next(iter(choices[choice].items()))
                    domain = UNSEEN if UNSEEN in domains else next(iter(domains))
                    return View(metric, choice, score, domain, domains[domain])
        return None

    def matrix(self, metric: str, choice: str, score: str = "reported") -> pd.DataFrame:
        """Scores of shape (datasets, methods), NaN where there is none."""
        values = self.content["means"].get(metric, {}).get(choice, {}).get(score)
        names = {"index": self.datasets, "columns": self.content["methods"]}
        return pd.DataFrame(np.nan if values is None else values, **names, dtype=float)


def compare_methods(results: SuiteResults, suite: Suite) -> Comparison:
    """Compare the methods of a suite.

    The content of what is returned: ``suite`` (what was compared), ``alpha``, ``by_labels``,
    ``metrics``, ``choices``, ``scores``, ``datasets``, ``domains``, ``methods``; ``means``: metric
    -> choice -> kind of score -> rows of the matrix; ``seconds``: domain -> method;
    ``comparisons``: metric -> choice -> tests of the ranks; ``standing`` of BLUFS likewise;
    ``verdict`` in words; ``views``: metric -> choice -> kind of score -> domain -> :func:`view`;
    ``problems``.
    """
    measured = measured_metrics(results, suite.datasets)
    known = set(results.scores["metric"].unique())
    metrics = measured or [key for key in CRITERIA if key in known]
    cells = chosen_scores(results, suite, metrics=metrics)
    cells = cells[cells["method"].isin(list(suite.methods))]
    curves = curve_scores(results, metrics)
    curves = curves[curves["method"].isin(list(suite.methods))]
    datasets = list(dict.fromkeys(cells["dataset"]))
    made = set(cells.loc[cells["mean"].notna(), "choice"])
    has_curve = any(len(s) > 1 for s in s_of_datasets(curves).values())
    domains = _domains(results, cells[cells["mean"].notna()], datasets)
    choices = [choice for choice in CHOICES if choice in made]
    kinds = list(SCORES) if has_curve else ["reported"]
    matrices = {
        (metric, choice, score): score_matrix(cells, metric, choice, suite.methods)
        if score == "reported"
        else area_matrix(curves, metric, choice, datasets, suite.methods)
        for metric, choice, score in product(metrics, CHOICES, kinds)
    }
    ranked = {
        metric: {c: matrices[metric, c, "reported"][suite.ranked_methods] for c in CHOICES}
        for metric in measured
    }
    tests = _each(ranked, lambda _, scores: rank_tests(scores, suite.significance_level))
    standing = _each(ranked, lambda names, scores: standing_of(scores, tests[names[0]][names[1]]))
    means: dict[str, Any] = {}
    views: dict[str, Any] = {}
    leaders: dict[tuple[str, str, str], list[list[str]]] = {}
    for metric, choice, score in product(metrics, choices, kinds):
        matrix = matrices[metric, choice, score]
        means.setdefault(metric, {}).setdefault(choice, {})[score] = _rows(matrix)
        for domain, names in domains.items():
            part = matrix.loc[names]
            if part.notna().any(axis=None):
                # The Bayesian test, which takes ten times as long as all others, stands once.
                with_bayes = score == "reported" and domain == EVERYWHERE
                found = view(part, with_bayes=with_bayes)
                key = {"metric": metric, "choice": choice, "score": score, "domain": domain}
                here = curves[(curves["metric"] == metric) & (curves["choice"] == choice)]
                here = here[here["dataset"].isin(names)]
                found["s"] = _numbers_of_features(here, cells, key)
                if (metric, choice, domain) not in leaders:
                    leaders[metric, choice, domain] = _leaders(here, names, suite.methods)
                found["answer"] = sentence.answer(found, suite, **key)
                found["caveats"] = sentence.caveats(
                    found,
                    suite,
                    leaders[metric, choice, domain],
                    metric=metric,
                    far_apart=_far_apart(results, names),
                )
                where = views.setdefault(metric, {}).setdefault(choice, {})
                where.setdefault(score, {})[domain] = found
    return Comparison(
        {
            "suite": asdict(suite),
            "alpha": suite.significance_level,
            "by_labels": bool(measured),
            "metrics": metrics,
            "choices": choices,
            "scores": kinds,
            "datasets": datasets,
            "domains": domains,
            "methods": list(suite.methods),
            "means": means,
            "seconds": {
                domain: {str(name): float(value) for name, value in of_domain.items()}
                for domain, names in domains.items()
                for of_domain in [fit_seconds(results, names)]
            },
            "comparisons": tests,
            "standing": standing,
            "verdict": sentence.verdict(standing, results, suite),
            "views": views,
            "problems": [],
        }
    )


def no_comparison(why: str) -> Comparison:
    """What stands in the place of a comparison that failed."""
    nothing: dict[str, Any] = {"metrics": [], "choices": [], "scores": [], "datasets": []}
    nothing |= {"domains": {EVERYWHERE: []}, "methods": [], "means": {}, "seconds": {}}
    nothing |= {"comparisons": {}, "standing": {}, "views": {}, "by_labels": False}
    verdict = f"**No verdict**: the comparison of the methods failed: {why}"
    return Comparison(nothing | {"verdict": verdict, "problems": [f"statistics: {why}"]})


def view(matrix: pd.DataFrame, *, with_bayes: bool = True) -> dict[str, Any]:
    """What a score matrix says; a pair is listed once, the better method first or not."""
    found, table = compared(matrix), standings(matrix)
    place = {method: position for position, method in enumerate(table.index)}
    both = pairs(matrix)
    once = both[both["method"].map(place) < both["other"].map(place)]
    return {
        "datasets": list(found.scores.index),
        "left_out": found.left_out,
        "has_random": found.has_random,
        "note": "" if found.has_random else NO_RANDOM,
        "methods": {str(name): _record(row) for name, row in table.iterrows()},
        "pairs": [_record(row) for _, row in once[_PAIR].iterrows()],
        "bayes": bayes(matrix) if with_bayes else {},
    }


def standing_of(scores: pd.DataFrame, tested: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where BLUFS stands among the methods; None if it has no scores to compare.

    Returns
    -------
    dict with ``rank`` (average), ``place`` (by average rank, 1 is best), ``shared`` (if another
    method has the same place), ``n_methods``, ``n_datasets``, ``best_rival`` (the other method with
    the best average rank), ``rival_rank``, ``mean_difference`` to it over the datasets, ``wins``
    (datasets on which BLUFS is strictly best), ``losses`` (the others -> best method and its lead)
    and ``distinct_from`` (methods that Nemenyi's test tells from BLUFS).
    """
    block = complete_block(scores).scores
    if METHOD_UNDER_STUDY not in block.columns or block.empty or block.shape[1] < 2:
        return None
    ranks = pd.Series(tested["average_ranks"])
    others = ranks.drop(METHOD_UNDER_STUDY)
    rival = str(others.idxmin())
    lead = block.drop(columns=METHOD_UNDER_STUDY).sub(block[METHOD_UNDER_STUDY], axis=0)
    losses = {
        str(dataset): [str(row.idxmax()), float(row.max())]
        for dataset, row in lead.iterrows()
        if row.max() >= 0
    }
    p_values = (tested["nemenyi"] or {}).get(METHOD_UNDER_STUDY, {})
    return {
        "rank": float(ranks[METHOD_UNDER_STUDY]),
        "place": int((others < ranks[METHOD_UNDER_STUDY]).sum()) + 1,
        "shared": bool((others == ranks[METHOD_UNDER_STUDY]).any()),
        "n_methods": block.shape[1],
        "n_datasets": len(block),
        "best_rival": rival,
        "rival_rank": float(others[rival]),
        "mean_difference": float((block[METHOD_UNDER_STUDY] - block[rival]).mean()),
        "wins": [str(name) for name in block.index if name not in losses],
        "losses": losses,
        "distinct_from": [
            m for m, p in p_values.items() if p < tested["alpha"] and m != METHOD_UNDER_STUDY
        ],
    }


def _domains(
    results: SuiteResults, scored: pd.DataFrame, datasets: Sequence[str]
) -> dict[str, list[str]]:
    reached = [name for name in datasets if name in set(scored["dataset"])]
    unseen = [name for name in reached if results.cards.get(name, {}).get("role") != "develop"]
    whole = {EVERYWHERE: reached}
    if 0 < len(unseen) < len(reached):
        whole[UNSEEN] = unseen
    found: dict[str, list[str]] = {}
    for key in DOMAINS:
        here = [name for name in reached if domain_of(results, name) == key]
        found |= {key: here} if here else {}
    return whole | (found if len(found) > 1 else {})


def _numbers_of_features(
    curves: pd.DataFrame, cells: pd.DataFrame, key: Mapping[str, str]
) -> list[int]:
    """The numbers of features of a view: those of its curves, or those that are reported."""
    rows = curves
    if key["score"] == "reported":
        wanted = (cells["metric"] == key["metric"]) & (cells["choice"] == key["choice"])
        rows = cells[wanted & cells["dataset"].isin(set(curves["dataset"]))].dropna(subset="mean")
    return sorted({int(s) for s in rows.loc[rows["method"] != ALL_FEATURES, "s"]})


def _leaders(
    curves: pd.DataFrame, datasets: Sequence[str], methods: Sequence[str]
) -> list[list[str]]:
    """Who has the best mean with the fewest and with the most features of every dataset."""
    selecting = curves[curves["method"] != ALL_FEATURES]
    by_dataset = selecting.groupby("dataset")["s"]
    found = []
    for ends in (by_dataset.min(), by_dataset.max()):
        rows = selecting[selecting["s"] == selecting["dataset"].map(ends)]
        matrix = rows.pivot(index="dataset", columns="method", values="mean")
        mean = compared(matrix.reindex(index=list(datasets), columns=list(methods))).ranked.mean()
        mean = mean.round(TIE_DECIMALS)
        found.append([str(name) for name in mean.index[mean == mean.max()]])
    return found


def _far_apart(results: SuiteResults, datasets: Sequence[str]) -> list[str]:
    """Titles of the datasets whose features differ in scale by orders of magnitude."""
    ratios = {name: results.cards.get(name, {}).get("scale_ratio") or 1 for name in datasets}
    found = [name for name, ratio in ratios.items() if ratio >= sentence.FAR_APART]
    return [results.dataset_title(name) for name in found]


def domain_of(results: SuiteResults, dataset: str) -> str:
    return results.cards.get(dataset, {}).get("domain") or DEFAULT_DOMAIN


def _each(matrices: Mapping[str, Mapping[str, pd.DataFrame]], make: Any) -> dict[str, Any]:
    """``make((metric, choice), scores)`` of every matrix."""
    return {
        metric: {choice: make((metric, choice), scores) for choice, scores in choices.items()}
        for metric, choices in matrices.items()
    }


def _rows(matrix: pd.DataFrame) -> list[list[float | None]]:
    return [
        [None if np.isnan(value) else float(value) for value in row] for row in matrix.to_numpy()
    ]


def _record(row: pd.Series) -> dict[str, Any]:
    """A row with None for what is missing, whole numbers whole."""
    return {str(key): _plain(str(key), value) for key, value in row.items()}


def _plain(name: str, value: Any) -> str | int | float | None:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return None
    return int(value) if name in _COUNTS else float(value)
