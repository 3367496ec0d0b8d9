"""What a selection is worth: gains over random features, and methods compared pair by pair.

Everything here works on a score matrix: a frame with one row per dataset and one column per method,
scores between 0 and 1, larger is better, NaN where a method has no result. Gains are in points,
hundredths of the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from blufs_bench.compare.tests import (
    TIE_DECIMALS,
    average_ranks,
    bootstrap_interval,
    complete_block,
    holm,
    one_per_study,
    signed_rank_tests,
    wilcoxon_holm,
)
from blufs_bench.results.vocabulary import ALL_FEATURES, METHOD_UNDER_STUDY, RANDOM_FEATURES

NO_RANDOM = (
    f"{RANDOM_FEATURES} has no score here, so that no gain over random features can be given; add "
    "it to the methods of the suite"
)
#: Fewest datasets for the Bayesian test: below them it says what the prior says.
MIN_FOR_BAYES = 5
#: Columns of a gain, absent where there are no random features.
GAIN_COLUMNS = ("gain", "low", "high", "wins", "ties", "losses")
#: Differences up to this many points are of no practical importance.
ROPE_POINTS = 1.0
#: Draws of the Bayesian test, enough for two digits of a probability.
_N_DRAWS = 2000


def gains_over(
    scores: pd.DataFrame, reference: str, studies: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Gain of every other method over the reference, best first.

    Returns
    -------
    frame indexed by method: ``gain`` (mean over the datasets that both have), ``low`` and ``high``
    (95 % bootstrap interval, in which the datasets of a study are drawn together), ``wins``,
    ``ties``, ``losses``, ``n_datasets``
    """
    others = scores.drop(columns=reference)
    difference = 100 * others.sub(scores[reference], axis=0)
    count = difference.notna().sum()
    sign = np.sign(difference.round(TIE_DECIMALS))
    frame = pd.DataFrame(
        {
            "gain": difference.mean(),
            "low": np.nan,
            "high": np.nan,
            "wins": (sign > 0).sum(),
            "ties": (sign == 0).sum(),
            "losses": (sign < 0).sum(),
            "n_datasets": count,
        }
    )
    # Methods on the same datasets are resampled together.
    has = difference.notna()
    for pattern in dict.fromkeys(tuple(has[method]) for method in has):
        alike = [method for method in has if tuple(has[method]) == pattern]
        known = difference.loc[list(pattern), alike]
        frame.loc[alike, "low"], frame.loc[alike, "high"] = bootstrap_interval(
            known.to_numpy().T, datasets=list(known.index), studies=studies
        )
    return frame.sort_values("gain", ascending=False, kind="stable")


def pairwise(scores: pd.DataFrame, studies: Mapping[str, str] | None = None) -> pd.DataFrame:
    """All ordered pairs of methods: what a multi-comparison matrix shows.

    Returns
    -------
    frame with ``method``, ``other``, ``difference`` (mean, in points), ``wins``, ``ties``,
    ``losses`` and ``p_value`` (Wilcoxon over the studies, with Holm's correction over all pairs);
    every pair is compared on the datasets on which no method of the matrix has a gap
    """
    block = scores.dropna()
    tested = one_per_study(block, studies)
    p_values = wilcoxon_holm(tested) if len(tested) > 1 else None
    values = block.to_numpy()
    gap = values[:, :, None] - values[:, None, :]
    sign = np.sign(gap.round(TIE_DECIMALS))
    wins, ties, losses = ((sign == side).sum(axis=0) for side in (1, 0, -1))
    i, j = np.nonzero(~np.eye(values.shape[1], dtype=bool) & bool(len(block)))
    names = block.columns.to_numpy(dtype=object)
    return pd.DataFrame(
        {
            "method": names[i],
            "other": names[j],
            "difference": 100 * gap[:, i, j].sum(axis=0) / max(1, len(block)),
            "wins": wins[i, j],
            "ties": ties[i, j],
            "losses": losses[i, j],
            "p_value": np.nan if p_values is None else p_values.to_numpy()[i, j],
        }
    )


def bayesian_comparison(
    first: pd.Series, second: pd.Series, *, rope_points: float = ROPE_POINTS
) -> dict[str, float] | None:
    """Probabilities that the first is better, both are practically equal, and the second is better.

    Bayesian signed-rank test (Benavoli et al., ICML 2014) over the datasets that both have, with a
    region of practical equivalence; None for fewer than two datasets.
    """
    from baycomp import SignedRankTest

    both = pd.concat([first, second], axis=1).dropna().to_numpy()
    if len(both) < 2:
        return None
    second_better, equal, first_better = SignedRankTest.probs(
        both[:, 1], both[:, 0], rope=rope_points / 100, nsamples=_N_DRAWS, random_state=0
    )
    return {
        "better": float(first_better),
        "equal": float(equal),
        "worse": float(second_better),
    }


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

    With random features, a method without a score counts as random features there: one that fails
    helps its user as much as features drawn at random. Without them, only datasets count on which
    every method has a score.
    """
    has_random = RANDOM_FEATURES in matrix and bool(matrix[RANDOM_FEATURES].notna().any())
    if has_random:
        reached = matrix[matrix[RANDOM_FEATURES].notna()]
        n_imputed = reached.isna().sum()
        scores = reached.mask(reached.isna(), reached[RANDOM_FEATURES], axis=0)
    else:
        scores = complete_block(matrix).scores
        n_imputed = pd.Series(0, index=scores.columns)
    names = [*matrix.index, *matrix.columns]
    left_out = [name for name in names if name not in {*scores.index, *scores.columns}]
    return Compared(scores, n_imputed.astype(int), has_random, left_out)


def distances(matrix: pd.DataFrame) -> pd.DataFrame:
    """Points that every ranked method is behind the best one of each dataset (its improvability).

    Shape (datasets, methods); 0 for the best. A gap counts as random features.
    """
    ranked = compared(matrix).ranked
    return 100 * ranked.rsub(ranked.max(axis=1), axis=0)


def rival_tests(
    matrix: pd.DataFrame, method: str, studies: Mapping[str, str] | None = None
) -> pd.Series:
    """P-values of one method against every other, by Holm over these comparisons alone.

    The family of the question whether this method beats its rivals; :func:`pairwise` corrects over
    all pairs, which is stricter. NaN for fewer than two studies.
    """
    scores = one_per_study(compared(matrix).ranked, studies)
    others = scores.drop(columns=method)
    if len(scores) < 2:
        return pd.Series(np.nan, index=others.columns)
    differences = others.rsub(scores[method], axis=0).to_numpy()
    return pd.Series(holm(signed_rank_tests(differences)), index=others.columns)


def standings(matrix: pd.DataFrame, studies: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Every method of a matrix, best mean first.

    Returns
    -------
    frame indexed by method: ``place`` (by the mean, 1 is best, ties share it; missing for all
    features), ``mean`` (over the compared datasets), ``n_datasets``, ``n_imputed``, ``rank``
    (average, gaps counted as random features), ``common_rank`` (average over the ``n_common``
    datasets on which every method has a score), ``behind`` (mean of :func:`distances`) and, with
    random features, the columns of :data:`GAIN_COLUMNS` in points
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
            "behind": distances(matrix).mean() if len(ranked) else None,
        },
        index=scores.columns,
    )
    if found.has_random:
        gains = gains_over(scores, RANDOM_FEATURES, studies)[list(GAIN_COLUMNS)]
        table = table.join(gains)
    return table.sort_values("mean", ascending=False, kind="stable")


def pairs(matrix: pd.DataFrame, studies: Mapping[str, str] | None = None) -> pd.DataFrame:
    """All ordered pairs of ranked methods, see :func:`pairwise`.

    Without rows for fewer than two datasets: a pair on one of them is two scores and no comparison.
    """
    ranked = compared(matrix).ranked
    return pairwise(ranked if len(ranked) > 1 else ranked.iloc[:0], studies)


def bayes(
    matrix: pd.DataFrame, studies: Mapping[str, str] | None = None
) -> dict[str, dict[str, float]]:
    """Other method -> probabilities that BLUFS is better, practically equal and worse.

    Empty for fewer studies than :data:`MIN_FOR_BAYES`.
    """
    scores = one_per_study(compared(matrix).scores, studies)
    if METHOD_UNDER_STUDY not in scores or len(scores) < MIN_FOR_BAYES:
        return {}
    found = {
        method: bayesian_comparison(scores[METHOD_UNDER_STUDY], scores[method])
        for method in scores.columns.drop(METHOD_UNDER_STUDY)
    }
    return {method: chances for method, chances in found.items() if chances}
