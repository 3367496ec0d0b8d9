"""Units: what is chosen as one, and what a budget buys."""

from itertools import combinations

import numpy as np
import pytest

from blufs._numerics.units import Units, ratio_traces


def random_units(rng: np.random.Generator, d: int) -> Units:
    labels = list(rng.integers(rng.integers(2, d + 1), size=d))
    labels = np.array([list(dict.fromkeys(labels)).index(label) for label in labels])
    return Units(labels, rng.uniform(0.5, 4, labels.max() + 1), np.empty(0, dtype=int))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_traces_are_those_of_the_inverse(k):
    rng = np.random.default_rng(k)
    A, R = rng.standard_normal((6, 9, k)), rng.standard_normal((6, k, 3))
    S, F = A.swapaxes(1, 2) @ A, R @ R.swapaxes(1, 2)
    expected = np.trace(np.linalg.solve(S, F), axis1=1, axis2=2)
    np.testing.assert_allclose(ratio_traces(S, F, np.zeros((6, k))), expected, rtol=1e-9)


def test_a_redundant_feature_of_a_unit_gains_nothing():
    rng = np.random.default_rng(0)
    A, Y = rng.standard_normal((9, 3)), rng.standard_normal((9, 2))
    A = np.column_stack([A[:, 0], A[:, 1], A[:, 0] - A[:, 1], A[:, 2]])
    R = A.T @ Y
    found = ratio_traces((A.T @ A)[None], (R @ R.T)[None], np.full((1, 4), 1e-10))
    expected = np.linalg.norm(A @ np.linalg.lstsq(A, Y, rcond=None)[0]) ** 2
    np.testing.assert_allclose(found, [expected], rtol=1e-9)


def test_features_sizes_and_sums_agree_with_the_labels():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        units, values = random_units(rng, 12), rng.standard_normal(12)
        u = len(units.costs)
        members = [np.flatnonzero(units.labels == unit).tolist() for unit in range(u)]
        some = rng.permutation(u)[: rng.integers(1, u + 1)]
        assert units.features(some).tolist() == [j for unit in some for j in members[unit]]
        np.testing.assert_allclose(units.sums(values), [values[m].sum() for m in members])
        found = {
            int(unit): own.tolist()
            for of_size, features in units.by_size
            for unit, own in zip(of_size, features, strict=True)
        }
        assert found == dict(enumerate(members))


def test_a_part_has_the_units_in_the_order_of_its_features():
    units = Units(np.array([0, 1, 0, 2, 1]), np.array([3.0, 5.0, 7.0]), np.array([1]))
    part = units.part(np.array([3, 1, 4]))
    assert part.labels.tolist() == [0, 1, 1]
    assert part.costs.tolist() == [7, 5]
    assert part.included.tolist() == [1]


def test_no_set_that_the_budget_buys_has_more_features_than_the_bound():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        units = random_units(rng, 7)
        u, budget = len(units.costs), rng.uniform(units.costs.min(), units.costs.sum())
        sets = [list(c) for k in range(1, u + 1) for c in combinations(range(u), k)]
        most = max(units.sizes[c].sum() for c in sets if units.cost(np.array(c)) <= budget)
        assert most <= units.most_features(budget) <= 7
    assert [Units.single(9).most_features(s) for s in range(1, 10)] == list(range(1, 10))


def test_what_is_bought_first_is_best_and_the_rest_is_what_still_fits():
    units = Units(np.arange(4), np.array([3.0, 1.0, 4.0, 2.0]), np.empty(0, dtype=int))
    assert units.bought(np.array([9.0, 1.0, 8.0, 7.0]), 6).tolist() == [0, 3, 1]
    assert units.can_be_chosen(2.5).tolist() == [False, True, False, True]
    held = Units(np.arange(4), units.costs, np.array([0]))
    assert held.can_be_chosen(5).tolist() == [True, True, False, True]
