"""Shrinkage: against a fine search."""

import numpy as np
import pytest

from blufs.methods.bsufs import EXPONENTS, shrink, shrinkage_threshold


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("weight", [0.01, 0.3, 2.0])
def test_no_point_of_a_fine_grid_is_better(p, weight):
    a = np.linspace(-4, 4, 161)

    def value(x, center):
        return weight * np.where(x != 0, np.abs(x) ** p, 0) + (x - center) ** 2 / 2

    x = shrink(a, weight, p)
    grid = np.linspace(-4.5, 4.5, 18_001)
    best = value(grid[:, None], a).min(axis=0)
    assert (value(x, a) <= best + 1e-9).all()
    np.testing.assert_allclose(value(x, a), best, atol=1e-4)


@pytest.mark.parametrize("p", EXPONENTS)
def test_zero_up_to_the_threshold_and_odd_beyond(p):
    threshold = shrinkage_threshold(0.5, p)
    inside, outside = np.array([0.999, 0.2, 0]) * threshold, np.array([1.001, 3.0]) * threshold
    assert (shrink(inside, 0.5, p) == 0).all()
    assert (shrink(outside, 0.5, p) > 0).all()
    np.testing.assert_array_equal(shrink(-outside, 0.5, p), -shrink(outside, 0.5, p))


@pytest.mark.parametrize("p", EXPONENTS)
def test_a_huge_weight_leaves_nothing(p):
    assert not shrink(np.array([-1.0, 0, 2]), 1e200, p).any()


def test_no_weight_changes_nothing():
    np.testing.assert_array_equal(shrink(np.array([-1.0, 0, 2]), 0.0, 2 / 3), [-1.0, 0, 2])
