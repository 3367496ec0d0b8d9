"""What a selection is worth: gains over random features, and methods compared pair by pair.

Everything here works on a score matrix: a frame with one row per dataset and one column per method,
scores between 0 and 1, larger is better, NaN where a method has no result. Gains are in points,
hundredths of the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from blufs.analysis.statistics import TIE_DECIMALS, bootstrap_interval, wilcoxon_holm

#: Differences up to this many points are of no practical importance.
ROPE_POINTS = 1.0
#: Draws of the Bayesian test, enough for two digits of a probability.
_N_DRAWS = 2000


@dataclass(frozen=True)
class Imputed:
    """A score matrix without gaps, and where the gaps were."""

    scores: pd.DataFrame
    was_missing: pd.DataFrame


def impute_by_random(scores: pd.DataFrame, random: str) -> Imputed:
    """Give a method that has no result on a dataset the score of random features there.

    A method that fails helps its user as much as features drawn at random. Datasets on which random
    features have no score themselves are left out.
    """
    reached = scores[scores[random].notna()]
    missing = reached.isna()
    filled = reached.apply(lambda column: column.fillna(reached[random]))
    return Imputed(filled, missing)


def win_tie_loss(first: pd.Series, second: pd.Series) -> tuple[int, int, int]:
    """On how many datasets the first is better, equal and worse; gaps of either do not count."""
    difference = (first - second).dropna().round(TIE_DECIMALS)
    return int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())


def gains_over(scores: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Gain of every other method over the reference, best first.

    Returns
    -------
    frame indexed by method: ``gain`` (mean over the datasets that both have), ``low`` and ``high``
    (95 % bootstrap interval over the datasets), ``wins``, ``ties``, ``losses``, ``n_datasets``
    """
    rows = {}
    for method in scores.columns.drop(reference):
        difference = 100 * (scores[method] - scores[reference]).dropna()
        low, high = bootstrap_interval(difference.to_numpy())
        wins, ties, losses = win_tie_loss(scores[method], scores[reference])
        rows[method] = {
            "gain": float(difference.mean()),
            "low": float(low),
            "high": float(high),
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "n_datasets": len(difference),
        }
    columns = ["gain", "low", "high", "wins", "ties", "losses", "n_datasets"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return frame.sort_values("gain", ascending=False, kind="stable")


def pairwise(scores: pd.DataFrame) -> pd.DataFrame:
    """All ordered pairs of methods: what a multi-comparison matrix shows.

    Returns
    -------
    frame with ``method``, ``other``, ``difference`` (mean, in points), ``wins``, ``ties``,
    ``losses`` and ``p_value`` (Wilcoxon with Holm's correction over all pairs); every pair is
    compared on the datasets on which no method of the matrix has a gap
    """
    block = scores.dropna()
    p_values = wilcoxon_holm(block) if len(block) > 1 else None
    values = block.to_numpy()
    gap = values[:, :, None] - values[:, None, :]
    sign = np.sign(gap.round(TIE_DECIMALS))
    wins, ties, losses = ((sign == side).sum(axis=0) for side in (1, 0, -1))
    rows = [
        {
            "method": method,
            "other": other,
            "difference": 100 * float(gap[:, i, j].mean()),
            "wins": int(wins[i, j]),
            "ties": int(ties[i, j]),
            "losses": int(losses[i, j]),
            "p_value": float("nan") if p_values is None else p_values.loc[method, other],
        }
        for i, method in enumerate(block.columns)
        for j, other in enumerate(block.columns)
        if i != j and len(block)
    ]
    columns = ["method", "other", "difference", "wins", "ties", "losses", "p_value"]
    return pd.DataFrame(rows, columns=columns)


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


def area_under_curve(s_values: Sequence[float], values: Sequence[float]) -> float:
    """Mean height of the curve of scores over s, by the trapezoidal rule; NaN without a value.

    One number for all s, so that no s has to be picked: the area divided by the range of s.
    """
    order = np.argsort(s_values)
    s, v = np.asarray(s_values, dtype=float)[order], np.asarray(values, dtype=float)[order]
    known = np.isfinite(v)
    s, v = s[known], v[known]
    if len(s) < 2:
        return float(v[0]) if len(v) else float("nan")
    return float(np.trapezoid(v, s) / (s[-1] - s[0]))
