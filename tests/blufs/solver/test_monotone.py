"""No block raises the objective, and every iterate is feasible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import loadmat

from blufs import BLUFS
from blufs.solver.model import value
from blufs.solver.sweeps import (
    minimize,
    search_w,
    solve_w,
    update_graph,
    update_weights,
    update_y,
)
from tests.helpers.real_data import real_file
from tests.helpers.solver_problems import random_problem


def squared_change(new, old, d):
    """Squared norm of the change of (P, W, Y)."""
    W = np.zeros((2, d, new.W.shape[1]))
    W[0, new.support], W[1, old.support] = new.W, old.W
    P = [state.P.matrix().toarray() for state in (new, old)]
    return sum(np.sum((a - b) ** 2) for a, b in (P, W, (new.Y, old.Y)))


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.sampled_from(["polar", "penalty"]))
def test_every_block_decreases_the_objective_by_its_proximal_term(seed, y_solver):
    problem, state = random_problem(seed, y_solver)
    n, d = problem.data.shape
    s, tau, k = len(state.support), problem.weights.tau, state.P.p.shape[1]
    for sweep in range(3):
        for block in (
            update_graph,
            update_weights,
            search_w if sweep == 0 else solve_w,
            update_y,
        ):
            new = block(problem, state)
            decrease = value(problem, state) - value(problem, new)
            # Lemma 1 of the paper, up to rounding.
            slack = 1e-9 * max(1, abs(value(problem, state)))
            assert decrease >= tau * squared_change(new, state, d) - slack
            state = new
        assert np.abs(state.Y.T @ state.Y - np.eye(state.Y.shape[1])).max() < 1e-8
        assert state.P.p.min() >= 0
        assert state.P.p.shape == (n, k)
        assert all(
            len(set(row[p > 0])) == (p > 0).sum()
            for row, p in zip(state.P.neighbors, state.P.p, strict=True)
        )
        np.testing.assert_allclose(state.P.p.sum(axis=1), np.ones(n), atol=1e-12)
        assert len(set(state.support)) == s == len(state.W)


@pytest.mark.parametrize("seed", range(20))
def test_history_is_the_objective_and_never_rises(seed):
    problem, state = random_problem(seed)
    result = minimize(problem, state, max_iter=30, tol=1e-8)
    assert result.history[0] == value(problem, state)
    assert result.history[-1] == value(problem, result.state)
    assert np.diff(result.history).max() <= 1e-9 * np.abs(result.history).max()


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_extreme_scales_stay_finite_and_monotone(scale):
    X = np.random.default_rng(0).standard_normal((30, 8)) * scale
    for scaling in ("none", "center+unit"):
        for weight in (1e-4, 1e3):
            selector = BLUFS(3, n_clusters=2, alpha=weight, beta=weight, lam=weight, mu=weight)
            history = selector.set_params(scaling=scaling).fit(X).objective_history_
            assert np.isfinite(history).all()
            assert np.diff(history).max(initial=0) <= 1e-9 * np.abs(history).max()


@pytest.mark.parametrize(
    "name",
    ["jaffe_213n_676d_10c", "warpAR10P", "Isolet", "COIL20", "pie", "GLIOMA", "arcene"],
)
def test_objective_never_rises_on_real_data(name):
    X = np.asarray(loadmat(real_file(f"{name}.mat"))["X"], dtype=float)
    selector = BLUFS(20, n_clusters=10, max_iter=6, tol=0)
    with pytest.warns(match="did not converge"):
        history = selector.fit(X).objective_history_
    assert np.diff(history).max() <= 1e-9 * np.abs(history).max()
    assert np.count_nonzero(np.linalg.norm(selector.coef_, axis=1)) == 20
