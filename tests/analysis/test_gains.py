"""Gains over random features and comparisons pair by pair, on matrices with known answers."""

import numpy as np
import pandas as pd
import pytest

from blufs.analysis.gains import (
    area_under_curve,
    bayesian_comparison,
    gains_over,
    impute_by_random,
    pairwise,
    win_tie_loss,
)

SCORES = pd.DataFrame(
    {
        "Random": [0.5, 0.4, 0.6, 0.7],
        "Good": [0.6, 0.5, 0.7, 0.8],
        "Mixed": [0.5, 0.3, np.nan, 0.9],
    },
    index=["a", "b", "c", "d"],
)


def test_a_gain_is_a_mean_difference_in_points_with_its_wins():
    gains = gains_over(SCORES, "Random")
    assert list(gains.index) == ["Good", "Mixed"]
    good, mixed = gains.loc["Good"], gains.loc["Mixed"]
    assert good["gain"] == pytest.approx(10)
    assert (good["low"], good["high"]) == (pytest.approx(10), pytest.approx(10))
    assert tuple(good[["wins", "ties", "losses"]]) == (4, 0, 0)
    assert mixed["gain"] == pytest.approx(100 * (0 - 0.1 + 0.2) / 3)
    assert mixed["low"] < mixed["gain"] < mixed["high"]
    assert tuple(mixed[["wins", "ties", "losses", "n_datasets"]]) == (1, 1, 1, 3)


def test_a_missing_score_counts_as_random_features_and_is_marked():
    filled = impute_by_random(SCORES, "Random")
    assert filled.scores.loc["c", "Mixed"] == 0.6
    assert filled.was_missing.to_numpy().sum() == 1
    assert filled.was_missing.loc["c", "Mixed"]
    without = SCORES.assign(Random=[0.5, np.nan, 0.6, 0.7])
    assert list(impute_by_random(without, "Random").scores.index) == ["a", "c", "d"]


def test_scores_that_differ_by_rounding_are_ties():
    first = pd.Series([0.1 + 0.2, 0.5])
    assert win_tie_loss(first, pd.Series([0.3, 0.4])) == (1, 1, 0)


def test_every_pair_is_seen_from_both_sides():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.random((12, 3)), columns=list("xyz"))
    pairs = pairwise(scores).set_index(["method", "other"])
    assert len(pairs) == 6
    for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
        one, other = pairs.loc[(a, b)], pairs.loc[(b, a)]
        assert one["difference"] == pytest.approx(-other["difference"])
        assert (one["wins"], one["losses"]) == (other["losses"], other["wins"])
        assert one["p_value"] == other["p_value"]


def test_the_bayesian_test_knows_better_from_practically_equal():
    rng = np.random.default_rng(1)
    base = pd.Series(rng.random(20))
    clear = bayesian_comparison(base + 0.05, base)
    assert clear["better"] > 0.99
    same = bayesian_comparison(base + 0.002, base)
    assert same["equal"] > 0.99
    assert sum(same.values()) == pytest.approx(1)
    assert bayesian_comparison(base[:1], base[:1]) is None


def test_the_area_is_the_mean_height_of_the_curve():
    assert area_under_curve([10, 20, 40], [0.2, 0.4, 0.4]) == pytest.approx((3 + 8) / 30)
    assert area_under_curve([40, 10, 20], [0.4, 0.2, 0.4]) == pytest.approx(11 / 30)
    assert area_under_curve([5], [0.7]) == 0.7
    assert np.isnan(area_under_curve([5, 6], [np.nan, np.nan]))
