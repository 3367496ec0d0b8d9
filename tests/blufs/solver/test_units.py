"""Groups and costs in the search for the support: against exhaustive search on small problems."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.evidence.w_step_rules import best_on
from blufs._numerics.units import Units
from blufs.solver import w_block
from blufs.solver.exchange import Tableau, _swaps_for, swap_gains
from tests.helpers.solver_problems import random_w_problem

KINDS = ("groups", "costs", "both")


def problem_with_units(seed: int, kind: str, n_included: int = 0):
    """A problem of up to 10 features, its units and a budget that buys the included ones."""
    problem, rng = random_w_problem(seed), np.random.default_rng(seed)
    d = len(problem.H)
    labels = np.arange(d) if kind == "costs" else rng.integers(max(3, 2 * d // 3), size=d)
    labels = np.array([list(dict.fromkeys(labels.tolist())).index(label) for label in labels])
    u = labels.max() + 1
    costs = np.ones(u) if kind == "groups" else 10 ** rng.uniform(-1, 1, u)
    included = rng.choice(u, n_included, replace=False)
    problem.units = Units(labels, costs, included)
    least = max(costs.min(), costs[included].sum())
    budget = rng.integers(least, u) if kind == "groups" else rng.uniform(least, costs.sum())
    return problem, float(budget)


def value(problem, units) -> float:
    return best_on(problem.H, problem.B, problem.units.features(np.array(units)))


def searched(problem, budget: float) -> list[int]:
    """Units of the library's support: pursuit, then exchange. Whole ones, within the budget."""
    start = problem.search.start(budget)
    old = np.zeros((len(start.chosen), problem.Y.shape[1]))
    support, A, W, _ = problem.search.improve(start.chosen, start.A.copy(), old, s=budget)
    units = np.unique(problem.units.labels[support])
    assert sorted(support) == sorted(problem.units.features(units))
    assert problem.units.cost(units) <= budget
    assert set(problem.units.included) <= set(units)
    np.testing.assert_array_equal(A, problem.data.columns(support))
    H, B = problem.H[np.ix_(support, support)], problem.B[support]
    np.testing.assert_allclose(W, np.linalg.solve(H, B), rtol=1e-6, atol=1e-9)
    return units.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_each_choice_of_the_pursuit_gains_most_per_cost_by_brute_force(kind):
    for seed in range(40):
        problem, budget = problem_with_units(seed, kind)
        units, found = problem.units, problem.search.start(budget)
        chosen = list(dict.fromkeys(units.labels[found.chosen].tolist()))
        assert found.chosen.tolist() == units.features(np.array(chosen)).tolist()
        for step in range(len(chosen) + 1):
            before, left = chosen[:step], budget - units.costs[chosen[:step]].sum()
            fitting = [j for j in range(len(units.costs)) if j not in before]
            fitting = [j for j in fitting if units.costs[j] <= left]
            if step == len(chosen):
                assert not fitting
                break
            now = value(problem, before) if before else 0.0
            rates = {j: (now - value(problem, [*before, j])) / units.costs[j] for j in fitting}
            assert rates[chosen[step]] >= max(rates.values()) * (1 - 1e-9)
            gained = rates[chosen[step]] * units.costs[chosen[step]]
            assert found.gains[step] == pytest.approx(gained, rel=1e-6, abs=1e-10)


def test_with_equal_costs_the_first_groups_are_the_pursuit_for_fewer():
    problem, _ = problem_with_units(4, "groups")
    full = problem.search.start(4)
    for m in (1, 2, 3):
        alone, first = problem.search.start(m), full.first(m)
        np.testing.assert_array_equal(alone.chosen, first.chosen)
        np.testing.assert_array_equal(alone.A, first.A)


@pytest.mark.parametrize(("kind", "share"), [("groups", 0.98), ("costs", 0.94), ("both", 0.95)])
@pytest.mark.parametrize("n_included", [0, 1])
def test_the_search_mostly_finds_the_best_admissible_support(kind, share, n_included):
    """And always one that no admissible addition or swap of one unit improves."""
    hits, count = 0, 100
    for seed in range(count):
        problem, budget = problem_with_units(seed, kind, n_included)
        costs, included = problem.units.costs, set(problem.units.included)
        every = range(len(costs))
        sets = [set(c) for k in range(1, len(costs) + 1) for c in combinations(every, k)]
        sets = [c for c in sets if included <= c and costs[list(c)].sum() <= budget]
        found = set(searched(problem, budget))
        reached = value(problem, sorted(found))
        near = [c for c in sets if len(c - found) == 1 and len(found - c) <= 1]
        for neighbor in near:
            assert reached <= value(problem, sorted(neighbor)) * (1 - 1e-6), (seed, neighbor)
        hits += reached <= min(value(problem, sorted(c)) for c in sets) * (1 - 1e-9)
    assert hits >= share * count


def test_swap_gains_of_groups_are_exact_and_no_other_swap_is_allowed():
    for seed in range(10):
        problem, budget = problem_with_units(seed, "both")
        units = problem.units
        chosen = units.bought(-units.costs, budget)
        held = Units(units.labels, units.costs, chosen[:1])
        table = Tableau(problem.H, problem.B, units.features(chosen), held, budget)
        gains, inside, outside = swap_gains(table)
        before = value(problem, inside)
        for row, i in enumerate(inside):
            for column, j in enumerate(outside):
                swapped = [j, *(k for k in inside if k != i)]
                if i == chosen[0] or units.cost(np.array(swapped)) > budget:
                    assert gains[row, column] == -np.inf
                else:
                    gain = before - value(problem, swapped)
                    assert gains[row, column] == pytest.approx(gain, abs=1e-8)


def test_the_rule_for_groups_is_that_for_single_features():
    problem = random_w_problem(3)
    table = Tableau(problem.H, problem.B, np.array([0, 2, 5]))
    gains, inside, outside = swap_gains(table)
    by_groups = np.array([_swaps_for(table, i)[outside] for i in inside])
    np.testing.assert_allclose(gains, by_groups, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_pool_never_makes_the_support_worse_nor_inadmissible(kind, monkeypatch):
    monkeypatch.setattr(w_block, "POOL_SIZE", 3)
    monkeypatch.setattr(w_block, "POOL_FEATURES", 2)
    for seed in range(40):
        problem, budget = problem_with_units(seed, kind, 1)
        start = problem.search.start(budget).chosen
        before = best_on(problem.H, problem.B, start)
        assert value(problem, searched(problem, budget)) <= before + 1e-9 * abs(before)
