"""Counting clusters by the eigenvalues of the principal graph."""

from __future__ import annotations

import numpy as np
import pytest

from blufs.numerics.principal import widest_gap


@pytest.mark.parametrize("c", [2, 3, 7, 19, 29])
def test_a_clear_gap_is_found_whatever_was_thought_before(c):
    values = np.concatenate([np.ones(c), np.full(31 - c, 0.2)])
    assert widest_gap(values) == c
    assert widest_gap(values, spread=np.inf) == c


def test_equal_gaps_leave_the_likely_number():
    assert widest_gap(np.linspace(1, 0, 31), likely=6) == 6
    assert widest_gap(np.linspace(1, 0, 5), likely=6) == 4


def test_a_gap_wins_if_it_is_wider_by_more_than_the_weight():
    """At c = 2 the weight is exp(-(log(1 / 5) / 1.5)^2 / 2) of that at c = 10."""
    weight = np.exp(-0.5 * (np.log(5) / 1.5) ** 2)
    for wide, expected in ((0.98, 10), (1.02, 2)):
        gaps = np.zeros(30)
        gaps[1], gaps[9] = wide * 0.3 / weight, 0.3
        values = 1 - np.concatenate([[0], np.cumsum(gaps)])
        assert widest_gap(values, likely=10, spread=1.5) == expected
