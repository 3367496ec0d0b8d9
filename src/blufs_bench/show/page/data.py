"""The numbers of the page as one block of JSON: what its selectors, tables and pictures show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any

import pandas as pd
from markupsafe import Markup

from blufs_bench.compare.comparison import Comparison, View, domain_of
from blufs_bench.compare.means import chosen_scores, curve_scores
from blufs_bench.compare.measures import stabilities
from blufs_bench.compare.selections import agreement, selections_of_choice
from blufs_bench.compare.tests import MIN_DATASETS, MIN_METHODS, critical_difference
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    EVERYWHERE,
    METHOD_UNDER_STUDY,
    RANDOM_FEATURES,
    SCORES,
    STATUSES,
    UNSEEN,
    domain_title,
    metric_words,
)
from blufs_bench.show.leaderboard import (
    DASH,
    behind_column,
    gain_column,
    leaderboard,
    name_column,
    number,
    number_column,
    seconds_cell,
    share_columns,
    values_column,
    whiskers,
    wins_column,
)
from blufs_bench.show.page.content import why_missing
from blufs_bench.show.tables.table import Block, Cell, Row, tuples

#: What the page knows of a method in a view, in this order.
COLUMNS = (
    *("place", "mean", "gain", "low", "high", "wins", "ties", "losses"),
    *("rank", "n_imputed", "seconds", "behind", "share"),
)
#: Columns of the matrix under the answer beside methods without a place and that under study, and
#: most datasets as its rows where all data are of one kind.
_LEADING, _MOST_ROWS = 8, 12


def page_data(
    results: SuiteResults,
    suite: Suite,
    comparison: Comparison,
    recipes: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Everything that the page shows by itself, JSON-able.

    ``recipes`` are how the methods are used, see :func:`blufs_bench.show.page.recipe.recipe`.
    """
    about = {
        name: {
            "title": suite.title(name),
            "verified": None,
            **suite.about.get(name, {}),
        }
        for name in (*suite.methods, *suite.controls)
    }
    cells = chosen_scores(results, suite, metrics=comparison.metrics)
    cells = cells[cells["method"].isin(list(suite.methods))]
    default = selections_of_choice(results, "default")
    default = default[(default["status"] == "ok") & default["dataset"].isin(comparison.datasets)]
    selected = _selected(default, suite)
    views: dict[str, Any] = {}
    for view in comparison.views():
        scores = views.setdefault(view.metric, {}).setdefault(view.choice, {})
        scores.setdefault(view.score, {})[view.domain] = _view(
            view, comparison.seconds(view.domain), suite.significance_level
        )
    return {
        "significanceLevel": suite.significance_level,
        "byLabels": comparison.by_labels,
        "columns": list(COLUMNS),
        "special": {"study": METHOD_UNDER_STUDY, "random": RANDOM_FEATURES, "all": ALL_FEATURES},
        "metrics": {key: metric_words(key) for key in views},
        "choices": {key: CHOICES[key].title for key in comparison.choices},
        "scores": {key: SCORES[key] for key in comparison.scores},
        "domains": {key: domain_title(key) for key in comparison.domains},
        "members": comparison.domains,
        "methods": {name: {**about[name], "use": recipes.get(name)} for name in suite.methods},
        "controls": {name: about[name] for name in suite.controls},
        "extras": {} if comparison.by_labels else _extras(results, suite, comparison.datasets),
        "datasets": {name: _dataset(results, name) for name in comparison.datasets},
        "views": views,
        "cells": _cells(comparison),
        "curves": _curves(results, suite, comparison),
        "rooms": _rooms(comparison) if suite.controls else {},
        "seconds": _seconds(default),
        "matrix": {"leading": _LEADING, "rows": _MOST_ROWS},
        "selected": selected,
        "names": _names(results, selected),
        "settings": _settings(cells),
        "problems": _problems(cells),
    }


@dataclass(frozen=True)
class Board:
    """What readers without JavaScript see of the view that the page opens with.

    Attributes
    ----------
    methods : names, one per row of ``block``
    block : the leaderboard
    whiskers : method -> where its gain stands, see :func:`blufs_bench.show.leaderboard.whiskers`
    matrix : gains of the leading methods by kind of data, or by dataset where there is one kind;
        None where this would say no more than the leaderboard
    controls : those of the methods that see the labels
    """

    methods: list[str]
    block: Block
    whiskers: dict[str, list[float]]
    matrix: Block | None
    controls: list[str]
    study: str = METHOD_UNDER_STUDY


def first_board(data: Mapping[str, Any], key: Mapping[str, str]) -> Board:
    """The leaderboard and the matrix of one view of the page's data."""

    def records(metric: str, domain: str = key["domain"]) -> dict[str, dict[str, Any]]:
        choices = data["views"][metric].get(key["choice"], {})
        view = choices.get(key["score"], {}).get(domain)
        rows = (
            dict(zip(view["methods"], view["rows"], strict=True)) | view["controls"] if view else {}
        )
        return {name: dict(zip(COLUMNS, row, strict=True)) for name, row in rows.items()}

    shown, methods = {**data["methods"], **data["controls"]}, records(key["metric"])
    view = data["views"][key["metric"]][key["choice"]][key["score"]][key["domain"]]
    columns = [
        number_column("Place", "place", "{:.0f}"),
        name_column(lambda name: shown[name]["title"]),
    ]
    if view["hasRandom"]:
        columns.append(gain_column("Gain over random", stars=True))
    for metric, (_, short) in data["metrics"].items():
        means = {name: row["mean"] for name, row in records(metric).items()}
        columns.append(values_column(short, means, "{:.1f}", scale=100))
    if view["hasRandom"]:
        columns.append(wins_column("W / T / L"))
    columns += [behind_column("Behind best"), *share_columns(methods)]
    columns += [values_column(title, values, "{:.2f}") for title, values in data["extras"].items()]
    columns.append(("Seconds", lambda _, row: seconds_cell(row["seconds"])))
    columns.append(("Code", lambda name, _: Cell((shown[name]["verified"] or [DASH])[0])))
    matrix = None
    if view["hasRandom"]:
        rows = {
            f"{data['domains'][domain]} ({len(names)})": {
                name: row["gain"] for name, row in records(key["metric"], domain).items()
            }
            for domain, names in data["members"].items()
            if domain not in (EVERYWHERE, UNSEEN)
        }
        placed = {name: row for name, row in methods.items() if name in data["methods"]}
        matrix = _matrix(data, placed, rows or _gains_by_dataset(data, key))
    controls = list(data["controls"])
    return Board(list(methods), leaderboard(methods, columns), whiskers(methods), matrix, controls)


def _gains_by_dataset(
    data: Mapping[str, Any], key: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Title of a dataset -> method -> points above random features; a gap counts as these."""
    cells = data["cells"][key["metric"]][key["choice"]][key["score"]]
    with_random = {name: row for name, row in cells.items() if RANDOM_FEATURES in row}
    if len(with_random) > _MOST_ROWS:
        return {}
    return {
        data["datasets"][name]["title"]: {
            method: 100 * (row.get(method, row[RANDOM_FEATURES]) - row[RANDOM_FEATURES])
            for method in data["methods"]
        }
        for name, row in with_random.items()
    }


def _matrix(
    data: Mapping[str, Any],
    methods: Mapping[str, Mapping[str, Any]],
    rows: Mapping[str, Mapping[str, float | None]],
) -> Block | None:
    """Kinds of data in rows, methods in columns: the best, that under study and those unplaced."""
    shown = [
        name
        for name, row in methods.items()
        if name != RANDOM_FEATURES
        and (name == METHOD_UNDER_STUDY or (row["place"] or 0) <= _LEADING)
    ]
    known = [name for name in shown if any(row.get(name) is not None for row in rows.values())]
    if len(rows) < 2 or not known:
        return None
    lines = [
        Row([Cell(title), *(number(gains.get(name), "{:+.1f}") for name in known)])
        for title, gains in rows.items()
    ]
    return Block(["", *(data["methods"][name]["title"] for name in known)], lines)


def as_script(data: Mapping[str, Any]) -> Markup:
    """The block as text that may stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " "))


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
_ROUNDED = {"mean": _share, **dict.fromkeys(("gain", "low", "high", "behind"), _as_shown)}


def _view(compared: View, seconds: Mapping[str, float], alpha: float) -> dict[str, Any]:
    """One view with lists instead of records: names are written once, not thousands of times."""
    view = compared.content
    names = list(view["methods"])
    n_ranked = sum(row["rank"] is not None for row in view["methods"].values())
    rows = [row | {"seconds": seconds.get(name)} for name, row in view["methods"].items()]
    return {
        "answer": view["answer"],
        "caveats": view["caveats"],
        "note": view["note"],
        "hasRandom": view["has_random"],
        "n": len(view["datasets"]),
        "studies": view["n_studies"],
        "cd": _critical_difference(n_ranked, view["n_studies"], alpha),
        "leftOut": view["left_out"],
        "methods": names,
        "rows": [_row(row) for row in rows],
        "controls": {name: _row(row) for name, row in view.get("controls", {}).items()},
        "pairs": _pairs(view["pairs"], names),
        "bayes": {
            name: [_number(chances[key], 2) for key in ("better", "equal", "worse")]
            for name, chances in view["bayes"].items()
        },
    }


def _row(row: Mapping[str, Any]) -> list[float | None]:
    return [_ROUNDED.get(column, _number)(row.get(column)) for column in COLUMNS]


def _rooms(comparison: Comparison) -> dict[str, Any]:
    """metric -> choice -> score -> dataset -> points of headroom, and whether they count."""
    found: dict[str, Any] = {}
    for view in comparison.views():
        if view.domain == EVERYWHERE:
            rooms = comparison.headroom(view.metric, view.choice, view.score)
            where = found.setdefault(view.metric, {}).setdefault(view.choice, {})
            where[view.score] = {
                row.Index: [_number(row.room), row.has_room] for row in rooms.itertuples()
            }
    return found


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


def _dataset(results: SuiteResults, name: str) -> dict[str, Any]:
    card = results.cards.get(name, {})
    return {
        "title": results.dataset_title(name),
        "study": card.get("study") or name,
        "missing": why_missing(name, card),
        "domain": domain_of(results, name),
        "domainTitle": domain_title(domain_of(results, name)),
        "samples": card.get("n_samples"),
        "features": card.get("n_features"),
        "classes": card.get("n_classes"),
        "clusters": card.get("n_clusters"),
        "sparse": bool(card.get("sparse")),
        "transform": card.get("transformed") or card.get("transform") or "none",
        "image": card.get("image_shape"),
        "order": card.get("image_order", "C"),
    }


def _cells(comparison: Comparison) -> dict[str, Any]:
    """metric -> choice -> score -> dataset -> method -> value, where there is one."""
    found: dict[str, Any] = {}
    for view in comparison.views():
        if view.domain == EVERYWHERE:
            matrix = comparison.matrix(view.metric, view.choice, view.score)
            where = found.setdefault(view.metric, {}).setdefault(view.choice, {})
            where[view.score] = {
                dataset: {str(m): _share(v) for m, v in matrix.loc[dataset].dropna().items()}
                for dataset in comparison.domains[EVERYWHERE]
            }
    return found


def _curves(results: SuiteResults, suite: Suite, comparison: Comparison) -> dict[str, Any]:
    """metric -> choice -> dataset -> method -> [[s, mean], ...].

    All features and random features have the standard deviation too: they are drawn as bands.
    """
    curves = curve_scores(results, comparison.metrics)
    shown = curves["method"].isin(suite.methods) & curves["dataset"].isin(comparison.datasets)
    found: dict[str, Any] = {}
    for row in tuples(curves[shown].sort_values("s", kind="stable")):
        where = found.setdefault(row.metric, {}).setdefault(row.choice, {})
        points = where.setdefault(row.dataset, {}).setdefault(row.method, [])
        spread = [_number(row.std)] if row.method in (ALL_FEATURES, RANDOM_FEATURES) else []
        points.append([int(row.s), _share(row.mean), *spread])
    return found


def _selected(rows: pd.DataFrame, suite: Suite) -> dict[str, Any]:
    """dataset -> method -> [[s, features], ...] of the default setting, best first, by number.

    Of the first fit seed. Features are None where they are the first s of the largest selection, as
    they are for every method that ranks.
    """
    wanted = [name for name in suite.ranked_methods if name != RANDOM_FEATURES]
    rows = rows[rows["method"].isin(wanted)].sort_values(["s", "fit_seed"], kind="stable")
    rows = rows.drop_duplicates(["dataset", "method", "s"])
    found: dict[str, Any] = {}
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        chosen = [(int(row.s), [int(f) for f in row.features]) for row in tuples(group)]
        most = chosen[-1][1]
        found.setdefault(str(dataset), {})[str(method)] = [
            [s, None if features == most[:s] and features is not most else features]
            for s, features in chosen
        ]
    return found


def _names(results: SuiteResults, selected: Mapping[str, Any]) -> dict[str, Any]:
    """dataset -> number -> name of every feature that is chosen, where the file has names."""
    found: dict[str, Any] = {}
    for dataset, chosen in selected.items():
        names = results.cards.get(dataset, {}).get("feature_names")
        if names:
            used = {f for rows in chosen.values() for _, features in rows for f in features or ()}
            found[dataset] = {feature: str(names[feature]) for feature in sorted(used)}
    return found


def _seconds(rows: pd.DataFrame) -> dict[str, Any]:
    """dataset -> method -> seconds of a selection with the default setting."""
    found: dict[str, Any] = {}
    medians = rows.groupby(["dataset", "method"])["fit_seconds"].median()
    for row in tuples(medians.reset_index()):
        found.setdefault(row.dataset, {})[row.method] = _number(row.fit_seconds)
    return found


def _settings(cells: pd.DataFrame) -> dict[str, Any]:
    """method -> choice without labels -> dataset -> its setting."""
    rows = cells[cells["choice"].isin(["default", "blind"])]
    rows = rows[rows["status"] == "ok"]
    found: dict[str, Any] = {}
    for row in tuples(rows.drop_duplicates(["dataset", "method", "choice"])):
        found.setdefault(row.method, {}).setdefault(row.choice, {})[row.dataset] = row.setting
    return found


def _problems(cells: pd.DataFrame) -> dict[str, Any]:
    """dataset -> method -> why it has no score, where the data are there."""
    rows = cells[~cells["status"].isin(["ok", "missing", "unavailable"])]
    found: dict[str, Any] = {}
    for row in tuples(rows.drop_duplicates(["dataset", "method"])):
        why = STATUSES[row.status].title
        found.setdefault(row.dataset, {})[row.method] = f"{why}: {row.reason}"
    return found


def _extras(
    results: SuiteResults, suite: Suite, datasets: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """Columns of the leaderboard of a suite without labels: title -> method -> mean."""
    pairs = agreement(results, datasets, suite.ranked_methods)
    columns = {
        "Stability": stabilities(results, suite).groupby("method")["mean"].mean(),
        "Agreement": pairs.groupby("method")["jaccard"].mean(),
    }
    return {
        title: {str(method): _number(value, 3) for method, value in column.items()}
        for title, column in columns.items()
        if column.notna().any()
    }
