"""Selected sets of features: which stand for a choice, how redundant, alike and stable they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from blufs.stability import stability_index
from blufs_bench.results.suite import SuiteResults
from blufs_bench.results.vocabulary import CHOICES

_KEY = ["dataset", "method", "setting", "s", "fit_seed"]
#: Number of features of the paper's heat maps of correlations, where one s must do.
TYPICAL_S = 10


def selections_of_choice(
    results: SuiteResults, choice: str, *, reported: bool = False
) -> pd.DataFrame:
    """The selections of one choice: one row per dataset, method, s and fit seed.

    A choice by the labels is the one for clustering accuracy; the others do not depend on a metric.

    Parameters
    ----------
    reported : only at the s that stands for the choice in the tables
    """
    scores = results.scores[results.scores["choice"] == choice]
    if CHOICES[choice].uses_labels:
        scores = scores[scores["metric"] == "clustering_acc"]
    if reported:
        scores = scores[scores["is_reported_s"]]
    rows = scores[_KEY].drop_duplicates().merge(results.selections, on=_KEY, how="inner")
    return rows.drop_duplicates(["dataset", "method", "s", "fit_seed"], ignore_index=True)


def feature_name(card: Mapping[str, Any], feature: int) -> str:
    """What a feature is called: its name in the file, else its number from 0."""
    names = card.get("feature_names")
    return str(names[feature]) if names else f"feature {feature}"


def columns(X: Any, features: Sequence[int]) -> np.ndarray:
    """Some columns of X (dense or sparse) as a dense array."""
    selected = X[:, np.asarray(features, dtype=int)]
    return selected.toarray() if hasattr(selected, "toarray") else np.asarray(selected)


def absolute_correlation(X: Any, features: Sequence[int]) -> np.ndarray:
    """|correlation| of the selected features, shape (k, k); 0 for constant ones, 1 with itself."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.abs(np.corrcoef(columns(X, features), rowvar=False))
    found = np.nan_to_num(np.atleast_2d(found))
    np.fill_diagonal(found, 1.0)
    return found


def redundancy(X: Any, features: Sequence[int]) -> float:
    """Mean absolute correlation of the pairs of selected features.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    features : column indices; constant columns have no correlation and are passed over

    Returns
    -------
    float, NaN if fewer than two varying features are selected
    """
    selected = columns(X, features)
    varying = selected[:, np.ptp(selected, axis=0) > 0] if selected.size else selected
    if varying.shape[1] < 2:
        return float("nan")
    found = absolute_correlation(varying, range(varying.shape[1]))
    return float(found[np.triu_indices_from(found, 1)].mean())


def jaccard(first: Sequence[int], second: Sequence[int]) -> float:
    """Share of the features of either selection that are in both; NaN if both are empty."""
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one | other else float("nan")


def jaccard_by_chance(k: int, n_features: int) -> float:
    """What to expect of two random selections of k among d features, to first order: k / (2d - k).

    Their overlap is k^2 / d on average, and their union 2k less the overlap.
    """
    return k / (2 * n_features - k)


def agreement(
    results: SuiteResults, datasets: Sequence[str], methods: Sequence[str]
) -> pd.DataFrame:
    """How much alike the methods select with their default setting, at the reported s.

    Returns
    -------
    frame with a row per dataset and ordered pair of different methods that have a selection:
    dataset, method, other, s, jaccard (mean over the fits of both), chance
    """
    rows = selections_of_choice(results, "default", reported=True)
    rows = rows[(rows["status"] == "ok") & rows["method"].isin(list(methods))]
    found = []
    for dataset in datasets:
        here = rows[rows["dataset"] == dataset]
        sets = {name: list(group["features"]) for name, group in here.groupby("method")}
        sizes = here.groupby("method")["s"].first()
        for method, other in product(methods, repeat=2):
            if method == other or method not in sets or other not in sets:
                continue
            values = [jaccard(a, b) for a in sets[method] for b in sets[other]]
            d, s = results.cards[dataset]["n_features"], int(sizes[method])
            key = {"dataset": dataset, "method": method, "other": other, "s": s}
            chance = jaccard_by_chance(s, d)
            found.append(key | {"jaccard": float(np.mean(values)), "chance": chance})
    names = ["dataset", "method", "other", "s", "jaccard", "chance"]
    return pd.DataFrame(found, columns=names)


def nogueira_index(selections: Sequence[Collection[int]], n_features: int) -> float:
    """Stability of selections of d features, see :func:`blufs.stability.stability_index`."""
    return stability_index(_indicator(selections, n_features))


def kuncheva_index(selections: Sequence[Collection[int]], n_features: int) -> float:
    """Mean over all pairs of (r d - k^2) / (k (d - k)), r = number of common features (2007).

    All selections must have the same size k; NaN for fewer than two of them or if k is 0 or d.
    """
    sets = [set(selection) for selection in selections]
    sizes = {len(selection) for selection in sets}
    if len(sizes) > 1:
        raise ValueError(f"Kuncheva's index needs selections of one size, got {sorted(sizes)}")
    k = sizes.pop() if sizes else 0
    if len(sets) < 2 or k in (0, n_features):
        return float("nan")
    common = [len(a & b) for a, b in combinations(sets, 2)]
    return float((np.mean(common) * n_features - k**2) / (k * (n_features - k)))


def _indicator(selections: Sequence[Collection[int]], n_features: int) -> np.ndarray:
    chosen = np.zeros((len(selections), n_features))
    for row, selection in zip(chosen, selections, strict=True):
        row[np.asarray(list(selection), dtype=int)] = 1
    return chosen
