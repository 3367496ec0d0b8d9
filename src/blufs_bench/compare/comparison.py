"""The comparison of the methods of a suite: computed once, written once, read by all that show it.

A view is one comparison: of one metric, choice, kind of score and domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare import sentence
from blufs_bench.compare.headroom import headroom, shares, without_room
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
from blufs_bench.compare.tests import TIE_DECIMALS, complete_block, one_per_study, rank_tests
from blufs_bench.files.atomic import read_json
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    CRITERIA,
    DOMAINS,
    EVERYWHERE,
    METHOD_UNDER_STUDY,
    METRICS,
    OTHER,
    RANDOM_FEATURES,
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
    content : JSON-able: ``datasets``, ``n_studies``, ``left_out``, ``has_random``, ``note``,
        ``methods`` (a record each, best mean first), ``controls`` (the same of those that see the
        labels), ``no_room`` (datasets without headroom), ``pairs`` (each once), ``bayes``, ``s``
        (the numbers of features), ``answer`` and ``caveats``
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

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """What a leaderboard shows: the methods, best mean first, then the controls."""
        return {**self.content["methods"], **self.content["controls"]}

    def standings(self) -> pd.DataFrame:
        """See :func:`blufs_bench.compare.pairs.standings`; ``share`` with a control."""
        methods = self.content["methods"]
        table = pd.DataFrame(list(methods.values()), index=list(methods))
        return table.astype({"place": "Int64"}) if len(table) else table

    def controls(self) -> pd.DataFrame:
        """The same of the controls, which have no place."""
        controls = self.content["controls"]
        return pd.DataFrame(list(controls.values()), index=list(controls))

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

    @property
    def studies(self) -> dict[str, str]:
        """Dataset -> its study; the datasets of one study are not independent."""
        return self.content["studies"]

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

    def headroom(self, metric: str, choice: str, score: str = "reported") -> pd.DataFrame:
        """See :func:`blufs_bench.compare.headroom.headroom`; empty without a control."""
        rooms = self.content["headroom"].get(metric, {}).get(choice, {}).get(score, {})
        names = ["random", "supervised", "spread", "room", "has_room"]
        return pd.DataFrame(list(rooms.values()), index=list(rooms), columns=names)

    def matrix(self, metric: str, choice: str, score: str = "reported") -> pd.DataFrame:
        """Scores of shape (datasets, methods), NaN where there is none."""
        values = self.content["means"].get(metric, {}).get(choice, {}).get(score)
        names = {"index": self.datasets, "columns": self.content["methods"]}
        return pd.DataFrame(np.nan if values is None else values, **names, dtype=float)


def compare_methods(results: SuiteResults, suite: Suite) -> Comparison:
    """Compare the methods of a suite.

    The content of what is returned: ``suite`` (what was compared), ``by_labels``, ``metrics``,
    ``choices``, ``scores``, ``datasets``, ``studies``: dataset -> study, ``domains``, ``methods``;
    ``means``: metric -> choice -> kind of score -> rows of the matrix; ``headroom`` likewise ->
    dataset; ``seconds``: domain -> method;
    ``comparisons``: metric -> choice -> tests of the ranks; ``standing`` of BLUFS likewise;
    ``verdict`` in words; ``views``: metric -> choice -> kind of score -> domain -> :func:`view`;
    ``problems``.
    """
    measured = measured_metrics(results, suite.datasets)
    known = set(results.scores["metric"].unique())
    metrics = measured or [key for key in CRITERIA if key in known]
    cells = chosen_scores(results, suite, metrics=metrics)
    cells = cells[cells["method"].isin(list(suite.methods))]
    all_curves = curve_scores(results, metrics)
    curves = all_curves[all_curves["method"].isin(list(suite.methods))]
    # Controls are kept apart from here on: no matrix of methods has a column of theirs.
    control_suite = replace(suite, methods=suite.controls, ablation=())
    control_cells = chosen_scores(results, control_suite, metrics=metrics)
    control_curves = all_curves[all_curves["method"].isin(list(suite.controls))]
    datasets = list(dict.fromkeys(cells["dataset"]))
    made = set(cells.loc[cells["mean"].notna(), "choice"])
    has_curve = any(len(s) > 1 for s in s_of_datasets(curves).values())
    domains = _domains(results, cells[cells["mean"].notna()], datasets)
    studies = {name: results.cards.get(name, {}).get("study") or name for name in datasets}
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
    tests = _each(ranked, lambda _, scores: rank_tests(scores, suite.significance_level, studies))
    standing = _each(ranked, lambda names, scores: standing_of(scores, tests[names[0]][names[1]]))
    means: dict[str, Any] = {}
    views: dict[str, Any] = {}
    rooms: dict[str, Any] = {}
    leaders: dict[tuple[str, str, str], list[list[str]]] = {}
    for metric, choice, score in product(metrics, choices, kinds):
        matrix = matrices[metric, choice, score]
        means.setdefault(metric, {}).setdefault(choice, {})[score] = _rows(matrix)
        scored = cells if score == "reported" else curves
        scored = scored[(scored["metric"] == metric) & (scored["choice"] == choice)]
        controls = (
            score_matrix(control_cells, metric, choice, suite.controls)
            if score == "reported"
            else area_matrix(control_curves, metric, choice, datasets, suite.controls)
        )
        # Labels are no way to what has nothing to do with them.
        reach = (
            controls if metric in CRITERIA or METRICS[metric].by_labels else controls.iloc[:, :0]
        )
        room = _rooms(matrix, reach, scored)
        rooms.setdefault(metric, {}).setdefault(choice, {})[score] = {
            str(name): {**row, "has_room": bool(row["has_room"])}
            for name, row in room.to_dict("index").items()
        }
        for domain, names in domains.items():
            part = matrix.loc[names]
            if part.notna().any(axis=None):
                # The Bayesian test, which takes ten times as long as all others, stands once.
                with_bayes = score == "reported" and domain == EVERYWHERE
                beside = controls.reindex(names)
                found = view(
                    part, with_bayes=with_bayes, controls=beside, rooms=room, studies=studies
                )
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
                    no_room=[results.dataset_title(name) for name in found["no_room"]],
                )
                where = views.setdefault(metric, {}).setdefault(choice, {})
                where.setdefault(score, {})[domain] = found
    return Comparison(
        {
            "suite": asdict(suite),
            "by_labels": bool(measured),
            "metrics": metrics,
            "choices": choices,
            "scores": kinds,
            "datasets": datasets,
            "studies": studies,
            "domains": domains,
            "methods": list(suite.methods),
            "means": means,
            "headroom": rooms,
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
    nothing |= {"headroom": {}, "studies": {}}
    nothing |= {"comparisons": {}, "standing": {}, "views": {}, "by_labels": False}
    verdict = f"**No verdict**: the comparison of the methods failed: {why}"
    return Comparison(nothing | {"verdict": verdict, "problems": [f"statistics: {why}"]})


def view(
    matrix: pd.DataFrame,
    *,
    with_bayes: bool = True,
    controls: pd.DataFrame | None = None,
    rooms: pd.DataFrame | None = None,
    studies: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a score matrix says; a pair is listed once, the better method first or not.

    Parameters
    ----------
    controls : scores of the controls, of shape (datasets, controls)
    rooms : what :func:`blufs_bench.compare.headroom.headroom` says of the datasets
    studies : dataset -> study; tests count a study once
    """
    found, table = compared(matrix), standings(matrix, studies)
    beside = pd.DataFrame()
    if controls is not None and rooms is not None and found.has_random:
        table["share"] = shares(found.scores, rooms)
        beside = _beside(matrix, controls, rooms, studies)
    place = {method: position for position, method in enumerate(table.index)}
    both = pairs(matrix, studies)
    once = both[both["method"].map(place) < both["other"].map(place)]
    return {
        "datasets": list(found.scores.index),
        "n_studies": len(one_per_study(found.scores, studies)),
        "left_out": found.left_out,
        "has_random": found.has_random,
        "note": "" if found.has_random else NO_RANDOM,
        "methods": {str(name): _record(row) for name, row in table.iterrows()},
        "controls": {str(name): _record(row) for name, row in beside.iterrows()},
        "no_room": [] if rooms is None else without_room(rooms, list(found.scores.index)),
        "pairs": [_record(row) for _, row in once[_PAIR].iterrows()],
        "bayes": bayes(matrix, studies) if with_bayes else {},
    }


def _rooms(matrix: pd.DataFrame, controls: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """The headroom of every dataset, by the first control; ``scores`` have a column ``std``."""
    nothing = pd.Series(np.nan, index=matrix.index)
    random = matrix.get(RANDOM_FEATURES, nothing)
    spread = scores[scores["method"] == RANDOM_FEATURES].groupby("dataset")["std"].mean()
    control = controls.iloc[:, 0] if controls.shape[1] else nothing
    return headroom(random, spread.reindex(matrix.index), control.reindex(matrix.index))


def _beside(
    matrix: pd.DataFrame,
    controls: pd.DataFrame,
    rooms: pd.DataFrame,
    studies: Mapping[str, str] | None,
) -> pd.DataFrame:
    """A record of every control, as the methods have it but for places and ranks."""
    alone = []
    for name in controls.columns[controls.notna().any()]:
        both = matrix[[RANDOM_FEATURES]].assign(**{str(name): controls[name]})
        table = standings(both, studies).assign(share=shares(compared(both).scores, rooms))
        alone.append(table.loc[[name]])
    unranked = ["place", "rank", "common_rank", "behind"]
    return pd.concat(alone).assign(**dict.fromkeys(unranked)) if alone else pd.DataFrame()


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
            method
            for method, p in p_values.items()
            if p < tested["significance_level"] and method != METHOD_UNDER_STUDY
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
    return results.cards.get(dataset, {}).get("domain") or OTHER


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
