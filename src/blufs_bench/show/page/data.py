"""The numbers of the page as one block of JSON: what its selectors, tables and pictures show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd
from markupsafe import Markup

from blufs_bench.compare.answer import NOTHING, QUESTION
from blufs_bench.compare.selections import agreement, feature_name, selections_of_choice
from blufs_bench.compare.statistics import MIN_DATASETS, MIN_METHODS, critical_difference
from blufs_bench.compare.views import SCORES, Views, domain_title, fit_seconds, metric_words
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    METHOD_UNDER_STUDY,
    RANDOM_FEATURES,
    STATUSES,
)
from blufs_bench.show.page.content import why_missing
from blufs_bench.show.tables.stability import indices
from blufs_bench.show.tables.table import tuples

#: What the page knows of a method in a view, in this order.
COLUMNS = (
    *("place", "mean", "gain", "low", "high", "wins", "ties", "losses"),
    *("rank", "common_rank", "n_imputed", "seconds"),
)
#: How many of the selected features of a dataset and method the page shows: pixels, or names.
_PIXELS, _FEATURES = 100, 20


def page_data(
    results: SuiteResults, suite: Suite, views_json: Mapping[str, Any], alpha: float = 0.05
) -> dict[str, Any]:
    """Everything that the page shows by itself, JSON-able.

    ``views_json`` is what :func:`blufs_bench.compare.views.compare_views` made, with answers.
    """
    views = Views(results, suite)
    seconds = {d: _seconds(results, names) for d, names in views.domains.items()}
    about = {name: suite.about.get(name, {}) for name in suite.methods}
    return {
        "question": QUESTION,
        "alpha": alpha,
        "byLabels": views.by_labels,
        "columns": list(COLUMNS),
        "special": {"study": METHOD_UNDER_STUDY, "random": RANDOM_FEATURES, "all": ALL_FEATURES},
        "metrics": {key: metric_words(key) for key in views_json},
        "choices": {key: CHOICES[key].title for key in views.choices},
        "scores": {key: SCORES[key] for key in views.scores},
        "domains": {key: domain_title(key) for key in views.domains},
        "methods": {name: {"title": suite.title(name), **about[name]} for name in suite.methods},
        "extras": _extras(views),
        "datasets": {name: _dataset(views, name) for name in views.datasets},
        "views": {
            metric: {
                choice: {
                    score: {
                        d: _view(view, seconds.get(d, {}), alpha) for d, view in domains.items()
                    }
                    for score, domains in scores.items()
                }
                for choice, scores in choices.items()
            }
            for metric, choices in views_json.items()
        },
        "cells": _cells(views),
        "curves": _curves(views),
        "selected": _selected(results, views.datasets, suite),
        "settings": _settings(views),
        "problems": _problems(views),
    }


def first_view(data: Mapping[str, Any]) -> dict[str, str] | None:
    """The view that the page opens with; None if there is nothing to compare."""
    for metric, choices in data["views"].items():
        for choice in ("default", *choices):
            if choice in choices:
                score, domains = next(iter(choices[choice].items()))
                return {
                    "metric": metric,
                    "choice": choice,
                    "score": score,
                    "domain": next(iter(domains)),
                }
    return None


def first_answer(data: Mapping[str, Any]) -> str:
    """The sentence of the view that the page opens with."""
    key = first_view(data)
    if key is None:
        return NOTHING
    return find_view(data, key)["answer"]


def find_view(data: Mapping[str, Any], key: Mapping[str, str]) -> Any:
    """The view of a metric, choice, kind of score and domain."""
    return data["views"][key["metric"]][key["choice"]][key["score"]][key["domain"]]


def as_script(data: Mapping[str, Any]) -> Markup:
    """The block as text that may stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " "))


def _seconds(results: SuiteResults, datasets: list[str]) -> dict[str, float]:
    return {str(name): float(value) for name, value in fit_seconds(results, datasets).items()}


def _number(value: Any, digits: int = 4) -> float | None:
    return None if value is None or pd.isna(value) else round(float(value), digits)


def _as_shown(value: Any, digits: int = 4, scale: float = 1) -> float | None:
    """The number with few digits, but so many that its ``scale`` times is shown as it should be.

    The page shows one decimal. Rounded twice, 0.47154 would be 47.1 %.
    """
    if value is None or pd.isna(value):
        return None
    shorter = (round(float(value), count) for count in range(digits, 18))
    return next(number for number in shorter if f"{scale * number:.1f}" == f"{scale * value:.1f}")


def _share(value: Any) -> float | None:
    """A score, which is shown in percent."""
    return _as_shown(value, scale=100)


#: How the columns are rounded that are shown with one decimal.
_ROUNDED = {"mean": _share, "gain": _as_shown, "low": _as_shown, "high": _as_shown}


def _view(view: Mapping[str, Any], seconds: Mapping[str, float], alpha: float) -> dict[str, Any]:
    """One view with lists instead of records: names are written once, not thousands of times."""
    names = list(view["methods"])
    n_ranked = sum(row["rank"] is not None for row in view["methods"].values())
    rows = [row | {"seconds": seconds.get(name)} for name, row in view["methods"].items()]
    return {
        "answer": view["answer"],
        "note": view["note"],
        "hasRandom": view["has_random"],
        "n": len(view["datasets"]),
        "cd": _critical_difference(n_ranked, len(view["datasets"]), alpha),
        "leftOut": view["left_out"],
        "methods": names,
        "rows": [
            [_ROUNDED.get(column, _number)(row.get(column)) for column in COLUMNS] for row in rows
        ],
        "pairs": _pairs(view["pairs"], names),
        "bayes": {
            name: [_number(chances[key], 2) for key in ("better", "equal", "worse")]
            for name, chances in view["bayes"].items()
        },
    }


def _pairs(pairs: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list]:
    """The methods that are paired, and difference, wins, losses and p of the first with the second,
    the first with the third, ..., the second with the third, ...; what is left are ties. One list
    of numbers: brackets around thousands of pairs would be a good part of the page."""
    found = {(pair["method"], pair["other"]): pair for pair in pairs}
    paired = [name for name in names if any(name in key for key in found)]
    return {
        "methods": [names.index(name) for name in paired],
        "values": [
            number
            for pair in (found[key] for key in combinations(paired, 2))
            for number in (
                *(_as_shown(pair["difference"], 2), pair["wins"], pair["losses"]),
                _number(pair["p_value"]),
            )
        ],
    }


def _critical_difference(n_methods: int, n_datasets: int, alpha: float) -> float | None:
    """By Nemenyi's test; None where it is not defined."""
    if n_methods < MIN_METHODS or n_datasets < MIN_DATASETS:
        return None
    return _number(critical_difference(n_methods, n_datasets, alpha))


def _dataset(views: Views, name: str) -> dict[str, Any]:
    card = views.results.cards.get(name, {})
    return {
        "title": views.results.dataset_title(name),
        "missing": why_missing(name, card),
        "domain": views.domain_of(name),
        "domainTitle": domain_title(views.domain_of(name)),
        "samples": card.get("n_samples"),
        "features": card.get("n_features"),
        "classes": card.get("n_classes"),
        "transform": card.get("transformed") or card.get("transform") or "none",
        "image": card.get("image_shape"),
        "order": card.get("image_order", "C"),
    }


def _cells(views: Views) -> dict[str, Any]:
    """metric -> choice -> score -> dataset -> method -> value, where there is one."""
    found: dict[str, Any] = {}
    for key in views.keys():  # noqa: SIM118
        if key.domain == "all":
            matrix = views.matrix(key)
            where = found.setdefault(key.metric, {}).setdefault(key.choice, {})
            where[key.score] = {
                str(dataset): {str(m): _share(v) for m, v in row.dropna().items()}
                for dataset, row in matrix.iterrows()
            }
    return found


def _curves(views: Views) -> dict[str, Any]:
    """metric -> choice -> dataset -> method -> [[s, mean], ...].

    All features and random features have the standard deviation too: they are drawn as bands.
    """
    found: dict[str, Any] = {}
    for row in tuples(views.curves.sort_values("s", kind="stable")):
        if row.dataset in views.datasets:
            where = found.setdefault(row.metric, {}).setdefault(row.choice, {})
            points = where.setdefault(row.dataset, {}).setdefault(row.method, [])
            spread = [_number(row.std)] if row.method in (ALL_FEATURES, RANDOM_FEATURES) else []
            points.append([int(row.s), _share(row.mean), *spread])
    return found


def _selected(results: SuiteResults, datasets: list[str], suite: Suite) -> dict[str, Any]:
    """dataset -> method -> the features that it takes first, by number and, if known, by name."""
    rows = selections_of_choice(results, "default", reported=True)
    rows = rows[(rows["status"] == "ok") & rows["method"].isin(suite.ranked_methods)]
    rows = rows[rows["method"] != RANDOM_FEATURES].drop_duplicates(["dataset", "method"])
    found: dict[str, Any] = {}
    for row in tuples(rows[rows["dataset"].isin(datasets)]):
        card = results.cards.get(row.dataset, {})
        shown = _PIXELS if card.get("image_shape") else _FEATURES
        features = [int(feature) for feature in row.features][:shown]
        names = [feature_name(card, feature) for feature in features[:_FEATURES]]
        found.setdefault(row.dataset, {})[row.method] = {
            "s": int(row.s),
            "features": features,
            "names": names if card.get("feature_names") else None,
        }
    return found


def _settings(views: Views) -> dict[str, Any]:
    """method -> choice without labels -> dataset -> its setting."""
    rows = views.cells[views.cells["choice"].isin(["default", "blind"])]
    rows = rows[rows["status"] == "ok"]
    found: dict[str, Any] = {}
    for row in tuples(rows.drop_duplicates(["dataset", "method", "choice"])):
        found.setdefault(row.method, {}).setdefault(row.choice, {})[row.dataset] = row.setting
    return found


def _problems(views: Views) -> dict[str, Any]:
    """dataset -> method -> why it has no score, where the data are there."""
    rows = views.cells[~views.cells["status"].isin(["ok", "missing", "unavailable"])]
    found: dict[str, Any] = {}
    for row in tuples(rows.drop_duplicates(["dataset", "method"])):
        why = STATUSES[row.status].title
        found.setdefault(row.dataset, {})[row.method] = f"{why}: {row.reason}"
    return found


def _extras(views: Views) -> dict[str, dict[str, float | None]]:
    """Columns of the leaderboard of a suite without labels: title -> method -> mean."""
    if views.by_labels:
        return {}
    pairs = agreement(views.results, views.datasets, views.suite.ranked_methods)
    stable = indices(views.results, views.suite)
    columns = {
        "Stability": stable.groupby("method")["mean"].mean(),
        "Agreement": pairs.groupby("method")["jaccard"].mean(),
    }
    return {
        title: {str(method): _number(value, 3) for method, value in column.items()}
        for title, column in columns.items()
        if column.notna().any()
    }
