"""Statistical tests of several methods over several datasets (Demšar, JMLR 7, 2006).

Everything here works on a score matrix: a frame with one row per dataset and one column per
method, larger is better, NaN where a method has no result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scikit_posthocs
from scipy import stats

#: Fewest methods and datasets for which the Friedman test is defined.
MIN_METHODS, MIN_DATASETS = 3, 2

#: Scores closer than this are ties; sums in another order differ by less.
TIE_DECIMALS = 10

#: Most differences of which the signs are counted; more are tested by the normal approximation.
_MOST_FOR_EXACT = 50

#: Of fewer values a bootstrap interval of 95 % is nothing but the least and the largest of them.
MIN_FOR_INTERVAL = 4
#: Resamples of a bootstrap, and means that are resampled together, so that memory stays small.
_N_RESAMPLES, _BATCH = 2000, 1000


class Complete(NamedTuple):
    """The part of a score matrix without gaps, and what was left out to get there."""

    scores: pd.DataFrame
    left_out_datasets: list[str]
    left_out_methods: list[str]


def complete_block(scores: pd.DataFrame) -> Complete:
    """Largest sensible part of ``scores`` without NaN.

    Methods that miss more than half of the datasets (of those on which any method has a score) are
    left out, then the datasets on which a remaining method has no score.
    """
    reached = scores.dropna(how="all")
    kept = reached.loc[:, reached.isna().mean() <= 0.5] if len(reached) else reached.iloc[:, :0]
    block = kept.dropna()
    return Complete(
        block,
        [name for name in scores.index if name not in block.index],
        [name for name in scores.columns if name not in block.columns],
    )


def one_per_study(scores: pd.DataFrame, studies: Mapping[str, str] | None) -> pd.DataFrame:
    """The mean over the datasets of each study, which are not independent: a test counts them once.

    A row has the name of the study's first dataset. A dataset that ``studies`` does not know is
    alone in its study.
    """
    rows = _rows_of_studies(list(scores.index), studies)
    if len(rows) == len(scores):
        return scores
    values = scores.to_numpy(dtype=float)
    means = np.array([values[of_study].mean(axis=0) for of_study in rows])
    return pd.DataFrame(means, [scores.index[found[0]] for found in rows], scores.columns)


def _rows_of_studies(datasets: Sequence[Any], studies: Mapping[str, str] | None) -> list[list[int]]:
    """The positions of the datasets of every study, in the order of the first of each."""
    rows: dict[Any, list[int]] = {}
    for position, name in enumerate(datasets):
        rows.setdefault((studies or {}).get(name, name), []).append(position)
    return list(rows.values())


def ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Rank of every method on every dataset, 1 is best, ties share the mean rank."""
    return scores.round(TIE_DECIMALS).rank(axis=1, ascending=False, method="average")


def average_ranks(scores: pd.DataFrame) -> pd.Series:
    """Mean rank of every method over the datasets, in the order of the columns."""
    return ranks(scores).mean()


def friedman(scores: pd.DataFrame) -> dict[str, float]:
    """Friedman's test that all methods are equal.

    Returns
    -------
    dict with ``chi2`` and ``p_value`` (corrected for ties, by SciPy), ``chi2_uncorrected`` =
    12 N / (k (k + 1)) * (sum_j R_j^2 - k (k + 1)^2 / 4) as in Demšar's text, and Iman and
    Davenport's ``f`` = (N - 1) chi2 / (N (k - 1) - chi2) of the latter with its ``f_p_value``.
    All are NaN, p-values 1, when no method differs from another anywhere.
    """
    n, k = scores.shape
    if k < MIN_METHODS or n < MIN_DATASETS:
        raise ValueError(
            f"Friedman's test needs {MIN_METHODS} methods and {MIN_DATASETS} datasets, "
            f"got {k} and {n}"
        )
    rank = ranks(scores)
    if (rank.nunique(axis=1) == 1).all():
        nothing = float("nan")
        return {
            "chi2": nothing,
            "p_value": 1.0,
            "chi2_uncorrected": 0.0,
            "f": 0.0,
            "f_p_value": 1.0,
        }
    chi2, p_value = stats.friedmanchisquare(*rank.to_numpy().T)
    mean = rank.mean().to_numpy()
    plain = 12 * n / (k * (k + 1)) * (np.sum(mean**2) - k * (k + 1) ** 2 / 4)
    rest = n * (k - 1) - plain
    f = (n - 1) * plain / rest if rest > 1e-12 else np.inf
    return {
        "chi2": float(chi2),
        "p_value": float(p_value),
        "chi2_uncorrected": float(plain),
        "f": float(f),
        "f_p_value": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    }


def nemenyi(scores: pd.DataFrame) -> pd.DataFrame:
    """P-values of Nemenyi's test for every pair of methods, shape (k, k)."""
    return scikit_posthocs.posthoc_nemenyi_friedman(ranks(scores))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Difference of average ranks above which two methods differ by Nemenyi's test.

    CD = q sqrt(k (k + 1) / (6 N)), q = quantile of the studentised range / sqrt 2.
    """
    q = _range_quantile(n_methods, alpha) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


@cache
def _range_quantile(n_methods: int, alpha: float) -> float:
    """Upper quantile of the studentised range of infinitely many degrees of freedom (slow)."""
    return float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf))


def wilcoxon_holm(scores: pd.DataFrame) -> pd.DataFrame:
    """P-values of Wilcoxon's signed-rank test for every pair, corrected by Holm, shape (k, k).

    Zero differences are split between both sides, as Demšar does.
    """
    methods = list(scores.columns)
    values = scores.to_numpy(dtype=float)
    rows, columns = np.triu_indices(len(methods), k=1)
    table = np.ones((len(methods), len(methods)))
    table[rows, columns] = holm(signed_rank_tests(values[:, rows] - values[:, columns]))
    table[columns, rows] = table[rows, columns]
    return pd.DataFrame(table, index=methods, columns=methods)


def holm(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
    """P-values corrected by Holm's step-down rule: max over the smaller ones of (m - rank + 1) p.

    The function of statsmodels collects garbage at every call, which takes longer than all tests.
    """
    raw = np.asarray(p_values, dtype=float)
    order = np.argsort(raw, kind="stable")
    stepped = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    corrected = np.empty_like(raw)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def signed_rank_tests(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of Wilcoxon's signed-rank test, one per column of an (n, m) array.

    Up to 50 rows they are exact, with ties and zeros too: given the ranks, every pattern of signs
    is equally likely, and the number of patterns that give a sum is the coefficient of the
    polynomial prod_i (1 + x^(2 r_i)). SciPy draws up all 2^n patterns, which takes a thousand times
    as long, or takes the normal approximation. Zeros are split between both sides: they have no
    sign to turn.
    """
    differences = np.round(differences, TIE_DECIMALS)
    if len(differences) > _MOST_FOR_EXACT:
        differs = differences.any(axis=0)
        p_values = np.ones(differences.shape[1])
        tested = stats.wilcoxon(differences[:, differs], zero_method="zsplit", axis=0)
        p_values[differs] = tested.pvalue
        return p_values
    doubled = np.round(2 * stats.rankdata(np.abs(differences), axis=0)).astype(int)
    return np.array(
        [
            _two_sided(ranks[d != 0], d[d != 0] > 0)
            for ranks, d in zip(doubled.T, differences.T, strict=True)
        ]
    )


def _two_sided(ranks: np.ndarray, is_positive: np.ndarray) -> float:
    """Probability of a sum of positive ranks (whole numbers) as far from the middle or farther."""
    patterns = np.ones(1)
    for rank in ranks:
        longer = np.zeros(len(patterns) + rank)
        longer[: len(patterns)] += patterns
        longer[rank:] += patterns
        patterns = longer
    positive = ranks[is_positive].sum()
    smaller = min(positive, ranks.sum() - positive)
    return float(min(1.0, 2 * patterns[: smaller + 1].sum() / patterns.sum()))


def cliques(mean_ranks: pd.Series, p_values: pd.DataFrame, alpha: float = 0.05) -> list[list[str]]:
    """Maximal runs of methods, best rank first, in which no pair differs at level ``alpha``."""
    order = list(mean_ranks.sort_values(kind="stable").index)
    runs: list[list[str]] = []
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and (p_values.loc[order[end], order[start:end]] >= alpha).all():
            end += 1
        if end - start > 1 and end > last_end:
            runs.append(order[start:end])
            last_end = end
    return runs


def bootstrap_interval(
    values: np.ndarray,
    *,
    datasets: Sequence[Any] | None = None,
    studies: Mapping[str, str] | None = None,
) -> tuple[Any, Any]:
    """Percentile bootstrap interval of 95 % of the mean over the last axis.

    Parameters
    ----------
    values : ndarray of shape (..., n)
    datasets, studies : the n datasets, if it is over them, and dataset -> study: studies are drawn,
        with all their datasets

    Returns
    -------
    low, high : of shape (...); NaN if n < 2. The same values give the same interval, whatever else
        is in the array.
    """
    values = np.asarray(values, dtype=float)
    if values.shape[-1] < 2:
        nothing = np.full(values.shape[:-1], np.nan)
        return nothing, nothing
    rows = _rows_of_studies(range(values.shape[-1]) if datasets is None else datasets, studies)
    n = len(rows)
    if n < 2:
        return bootstrap_interval(np.empty((*values.shape[:-1], 1)))
    study_of = np.empty(values.shape[-1], dtype=int)
    for study, positions in enumerate(rows):
        study_of[positions] = study
    drawn = np.random.default_rng(0).integers(n, size=(_N_RESAMPLES, n))
    # How often each value is drawn: the mean of a resample is a product with these.
    counts = np.stack([np.bincount(row, minlength=n) for row in drawn], axis=1)[study_of]
    sizes = counts.sum(axis=0)
    tails = [50 * (1 - 0.95), 50 * (1 + 0.95)]
    flat = values.reshape(-1, values.shape[-1])
    parts = [
        np.percentile(flat[at : at + _BATCH] @ counts / sizes, tails, axis=1)
        for at in range(0, len(flat), _BATCH)
    ]
    low, high = np.concatenate(parts, axis=1) if parts else np.empty((2, 0))
    shape = values.shape[:-1]
    return low.reshape(shape)[()], high.reshape(shape)[()]


def rank_tests(
    scores: pd.DataFrame, alpha: float = 0.05, studies: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Every test above on the complete part of ``scores``, ready to be written as JSON.

    Datasets of one study count once, with their mean score. Tests that are not defined for so few
    methods or studies are None, and ``notes`` says why.
    """
    whole, left_out_datasets, left_out_methods = complete_block(scores)
    block = one_per_study(whole, studies)
    n, k = block.shape
    summary: dict[str, Any] = {
        "significance_level": alpha,
        "datasets": list(whole.index),
        "n_studies": n,
        "methods": list(block.columns),
        "left_out_datasets": left_out_datasets,
        "left_out_methods": left_out_methods,
        "average_ranks": average_ranks(block).to_dict() if n else {},
        "friedman": None,
        "critical_difference": None,
        "nemenyi": None,
        "cliques": [],
        "wilcoxon_holm": None,
        "notes": _notes(n, k, alpha, left_out_datasets, left_out_methods),
    }
    if n < len(whole):
        summary["notes"].append(
            f"{len(whole)} datasets come from {n} studies: those of one study count once, with "
            "their mean score"
        )
    if n >= MIN_DATASETS and k >= 2:
        summary["wilcoxon_holm"] = wilcoxon_holm(block).to_dict()
    if n >= MIN_DATASETS and k >= MIN_METHODS:
        p_values = nemenyi(block)
        summary["friedman"] = {
            key: value if np.isfinite(value) else None for key, value in friedman(block).items()
        }
        summary["critical_difference"] = critical_difference(k, n, alpha)
        summary["nemenyi"] = p_values.to_dict()
        summary["cliques"] = cliques(average_ranks(block), p_values, alpha)
    return summary


def _notes(n, k, alpha, left_out_datasets, left_out_methods) -> list[str]:
    notes = []
    if left_out_methods:
        notes.append(f"no score on most datasets: {', '.join(left_out_methods)}")
    if left_out_datasets:
        notes.append(f"not every method has a score: {', '.join(left_out_datasets)}")
    if n < MIN_DATASETS or k < MIN_METHODS:
        notes.append(
            f"{k} methods on {n} datasets: Friedman's test needs {MIN_METHODS} and {MIN_DATASETS}"
        )
    elif critical_difference(k, n, alpha) >= k - 1:
        notes.append(
            f"{n} datasets are too few for Nemenyi's test to tell any two of {k} methods apart "
            "(the critical difference is above the largest possible difference of ranks)"
        )
    smallest = 2 * 0.5**n * k * (k - 1) / 2
    if n >= MIN_DATASETS and k >= 2 and smallest >= alpha:
        notes.append(
            f"{n} datasets are too few for Wilcoxon's test with Holm's correction over "
            f"{k * (k - 1) // 2} pairs to reach {alpha:g}: the smallest possible p-value is "
            f"{min(smallest, 1.0):.3g}"
        )
    return notes
