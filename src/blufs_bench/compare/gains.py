"""What a selection is worth: gains over random features, and methods compared pair by pair.

Everything here works on a score matrix: a frame with one row per dataset and one column per method,
scores between 0 and 1, larger is better, NaN where a method has no result. Gains are in points,
hundredths of the score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from blufs_bench.compare.statistics import TIE_DECIMALS, bootstrap_interval, wilcoxon_holm

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
    return Imputed(reached.mask(missing, reached[random], axis=0), missing)


def gains_over(scores: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Gain of every other method over the reference, best first.

    Returns
    -------
    frame indexed by method: ``gain`` (mean over the datasets that both have), ``low`` and ``high``
    (95 % bootstrap interval over the datasets), ``wins``, ``ties``, ``losses``, ``n_datasets``
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
    # Methods with equally many datasets are resampled together.
    for n in count.unique():
        alike = count.index[count == n]
        known = np.array([difference[method].dropna() for method in alike])
        frame.loc[alike, "low"], frame.loc[alike, "high"] = bootstrap_interval(known)
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
