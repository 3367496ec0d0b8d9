"""What a score matrix says: who gains how much over random features, and who beats whom.

A matrix has one row per dataset and one column per method, NaN where a method has no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from blufs_bench.compare.gains import bayesian_comparison, gains_over, impute_by_random, pairwise
from blufs_bench.compare.statistics import TIE_DECIMALS, average_ranks, complete_block
from blufs_bench.results.vocabulary import ALL_FEATURES, METHOD_UNDER_STUDY, RANDOM_FEATURES

NO_RANDOM = (
    f"{RANDOM_FEATURES} has no score here, so that no gain over random features can be given; add "
    "it to the methods of the suite"
)
#: Fewest datasets for the Bayesian test: below them it says what the prior says.
MIN_FOR_BAYES = 5
#: Columns of a gain, absent where there are no random features.
GAIN_COLUMNS = ("gain", "low", "high", "wins", "ties", "losses")
#: Columns that hold whole numbers.
_COUNTS = ("place", "n_datasets", "n_imputed", "n_common", "wins", "ties", "losses")


@dataclass(frozen=True)
class Compared:
    """Scores without gaps, as they are compared.

    Attributes
    ----------
    scores : of shape (datasets, methods), without NaN
    n_imputed : method -> on how many of the datasets it counts as random features
    has_random : whether random features are among the methods and have scores
    left_out : datasets and methods of the matrix that are not in ``scores``
    """

    scores: pd.DataFrame
    n_imputed: pd.Series
    has_random: bool
    left_out: list[str]

    @property
    def ranked(self) -> pd.DataFrame:
        """The same without the method that keeps all features."""
        return self.scores.drop(columns=ALL_FEATURES, errors="ignore")


def compared(matrix: pd.DataFrame) -> Compared:
    """The part of a matrix on which methods can be compared.

    With random features, a method without a score counts as random features there; without them,
    only datasets count on which every method has a score.
    """
    has_random = RANDOM_FEATURES in matrix and bool(matrix[RANDOM_FEATURES].notna().any())
    if has_random:
        imputed = impute_by_random(matrix, RANDOM_FEATURES)
        scores, n_imputed = imputed.scores, imputed.was_missing.sum()
    else:
        scores = complete_block(matrix).scores
        n_imputed = pd.Series(0, index=scores.columns)
    names = [*matrix.index, *matrix.columns]
    left_out = [name for name in names if name not in {*scores.index, *scores.columns}]
    return Compared(scores, n_imputed.astype(int), has_random, left_out)


def standings(matrix: pd.DataFrame) -> pd.DataFrame:
    """Every method of a matrix, best mean first.

    Returns
    -------
    frame indexed by method: ``place`` (by the mean, 1 is best, ties share it; missing for all
    features), ``mean`` (over the compared datasets), ``n_datasets``, ``n_imputed``, ``rank``
    (average, gaps counted as random features), ``common_rank`` (average over the ``n_common``
    datasets on which every method has a score) and, with random features, the columns of
    :data:`GAIN_COLUMNS` in points
    """
    found = compared(matrix)
    scores, ranked = found.scores, found.ranked
    common = complete_block(matrix.drop(columns=ALL_FEATURES, errors="ignore")).scores
    mean = scores.mean()
    table = pd.DataFrame(
        {
            "place": mean[ranked.columns]
            .round(TIE_DECIMALS)
            .rank(ascending=False, method="min")
            .astype("Int64"),
            "mean": mean,
            "n_datasets": len(scores),
            "n_imputed": found.n_imputed,
            "rank": average_ranks(ranked) if len(ranked) else None,
            "common_rank": average_ranks(common) if len(common) else None,
            "n_common": len(common),
        },
        index=scores.columns,
    )
    if found.has_random:
        gains = gains_over(scores, RANDOM_FEATURES)[list(GAIN_COLUMNS)]
        table = table.join(gains)
    return table.sort_values("mean", ascending=False, kind="stable")


def pairs(matrix: pd.DataFrame) -> pd.DataFrame:
    """All ordered pairs of ranked methods, see :func:`blufs_bench.compare.gains.pairwise`.

    Without rows for fewer than two datasets: a pair on one of them is two scores and no comparison.
    """
    ranked = compared(matrix).ranked
    return pairwise(ranked if len(ranked) > 1 else ranked.iloc[:0])


def listed_once(both: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """The pairs whose method comes before the other one in ``order``: the rest says the same."""
    place = {method: position for position, method in enumerate(order)}
    return both[both["method"].map(place) < both["other"].map(place)]


def bayes(matrix: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Other method -> probabilities that BLUFS is better, practically equal and worse.

    Empty for fewer datasets than :data:`MIN_FOR_BAYES`.
    """
    scores = compared(matrix).scores
    if METHOD_UNDER_STUDY not in scores or len(scores) < MIN_FOR_BAYES:
        return {}
    found = {
        method: bayesian_comparison(scores[METHOD_UNDER_STUDY], scores[method])
        for method in scores.columns.drop(METHOD_UNDER_STUDY)
    }
    return {method: chances for method, chances in found.items() if chances}


def as_json(matrix: pd.DataFrame, *, with_bayes: bool = True) -> dict[str, Any]:
    """Everything above, JSON-able; a pair is listed once, the better method first or not.

    ``with_bayes=False`` leaves out the test that takes ten times as long as all others.
    """
    found, table = compared(matrix), standings(matrix)
    once = listed_once(pairs(matrix), list(table.index))
    names = ["method", "other", "difference", "wins", "ties", "losses", "p_value"]
    return {
        "datasets": list(found.scores.index),
        "left_out": found.left_out,
        "has_random": found.has_random,
        "note": "" if found.has_random else NO_RANDOM,
        "methods": {str(name): _record(row) for name, row in table.iterrows()},
        "pairs": [_record(row) for _, row in once[names].iterrows()],
        "bayes": bayes(matrix) if with_bayes else {},
    }


def _record(row: pd.Series) -> dict[str, Any]:
    """A row with None for what is missing, whole numbers whole."""
    return {str(key): _plain(str(key), value) for key, value in row.items()}


def _plain(name: str, value: Any) -> str | int | float | None:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return None
    # More digits would be most of the file, and say nothing.
    return int(value) if name in _COUNTS else float(f"{value:.8g}")
