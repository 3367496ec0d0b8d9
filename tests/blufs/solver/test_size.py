"""The number of features that the gains of the pursuit ask for."""

from __future__ import annotations

import numpy as np
import pytest

from blufs.solver.pursuit import count_features, most_features


def test_falling_gains_end_where_the_formula_says():
    """For g_m = q^m the rule is q^m (1 - q) < share (1 - q^m): a closed form."""
    q, share = 0.9, 0.01
    gains = q ** np.arange(100)
    expected = np.ceil(np.log(share / (1 - q + share)) / np.log(q))
    assert count_features(gains, share) == expected


def test_features_that_gain_nothing_are_left_out():
    assert count_features(np.array([5.0, 3.0, 1.0, 0.0, 0.0])) == 3
    assert count_features(np.array([2.0])) == 1
    assert count_features(np.zeros(4)) == 1


def test_gains_that_never_fall_end_at_the_most_features():
    assert count_features(np.ones(500), 0.05) == 20
    assert most_features(500, 0.05) == 21
    assert most_features(7) == 7


@pytest.mark.parametrize("seed", range(20))
def test_longer_pursuits_and_other_units_change_nothing(seed):
    gains = np.sort(np.random.default_rng(seed).exponential(size=400) ** 2)[::-1]
    s = count_features(gains)
    assert count_features(gains[: most_features(400)]) == s
    assert count_features(gains * 1e12) == s
    shares = [count_features(gains, share) for share in (0.005, 0.01, 0.02, 0.05)]
    assert shares == sorted(shares, reverse=True)
