"""Which methods to try first, from the kept results: the table of docs/choosing.md.

For a kind of data, the methods within a point of the best one, by clustering and by k-NN accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from benchmarks.harness import markdown
from benchmarks.publish.kept import Kept, kept_suite
from blufs_bench.compare.comparison import domain_of
from blufs_bench.compare.means import area_matrix, curve_scores, labelled_datasets
from blufs_bench.compare.pairs import ROPE_POINTS, standings
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    DOMAINS,
    EVERYWHERE,
    OTHER,
    RANDOM_FEATURES,
    domain_title,
)

SUITE, CHOICE = "wide", "default"
#: What one wants of the features -> the metric that measures it.
GOALS = {"clusters": "clustering_acc", "a classifier": "knn_accuracy"}
#: Fewest datasets to say anything of a kind of data.
MIN_DATASETS = 3
#: Samples below which a dataset is small.
FEW_SAMPLES = 100


@cache
def evidence() -> Kept | None:
    """The kept suite that the advice stands on."""
    return kept_suite(SUITE)


def kinds(kept: Kept) -> dict[str, list[str]]:
    """Kind of data -> its datasets, where there are enough of them."""
    cards = kept.results.cards
    names = labelled_datasets(kept.results, kept.suite)
    found = {
        domain_title(EVERYWHERE): names,
        "No default was picked on them": [d for d in names if cards[d].get("role") != "develop"],
        f"Fewer than {FEW_SAMPLES} samples": [d for d in names if _samples(cards[d]) < FEW_SAMPLES],
    }
    for key, title in DOMAINS.items():
        found[title] = [d for d in names if domain_of(kept.results, d) == key != OTHER]
    return {title: part for title, part in found.items() if len(part) >= MIN_DATASETS}


def _samples(card: Mapping[str, Any]) -> float:
    return card.get("n_samples") or float("inf")


def gains(kept: Kept, metric: str, datasets: Sequence[str]) -> pd.Series:
    """Method -> points above random features over some datasets, best first."""
    curves = curves_of(metric)
    matrix = area_matrix(curves, metric, CHOICE, datasets, kept.suite.methods)
    return standings(matrix)["gain"].fillna(0.0)


@cache
def curves_of(metric: str) -> pd.DataFrame:
    """The curves of the kept suite; a comparison of everything would take minutes."""
    kept = evidence()
    return pd.DataFrame() if kept is None else curve_scores(kept.results, [metric])


def winners(found: Mapping[str, float]) -> list[str]:
    """The methods within a point of the best; none if random features are among them."""
    ranked = {name: gain for name, gain in found.items() if name != ALL_FEATURES}
    first = [name for name in ranked if ranked[name] >= max(ranked.values()) - ROPE_POINTS]
    return [] if RANDOM_FEATURES in first else first


def table() -> str:
    """Kinds of data, and the methods that come first there by each goal."""
    kept = evidence()
    if kept is None:
        return "The results of the suite `wide` are not here."
    rows = []
    for title, names in kinds(kept).items():
        found = {goal: gains(kept, metric, names) for goal, metric in GOALS.items()}
        cells = [_named(kept, of_goal, winners(of_goal)) for of_goal in found.values()]
        whole = " / ".join(f"{of_goal[ALL_FEATURES]:+.1f}" for of_goal in found.values())
        rows.append([title, len(names), *cells, whole])
    header = ["your data", "sets", *(f"for {goal}" for goal in GOALS), "all features"]
    return markdown(header, rows)


def _named(kept: Kept, found: pd.Series, names: Sequence[str]) -> str:
    """The winners with their gains, and who follows, if that is better than random features."""
    if not names:
        return "none: random features do as well"
    rest = [name for name in found.index if name not in (*names, ALL_FEATURES, RANDOM_FEATURES)]
    told = [f"**{kept.title(name)}** {found[name]:+.1f}" for name in names]
    told += [f"then {kept.title(name)} {found[name]:+.1f}" for name in rest[:1] if found[name] > 0]
    return ", ".join(told)


TABLES = {"advice": table}
