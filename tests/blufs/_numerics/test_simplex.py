"""The projection onto the simplex is optimal, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from blufs._numerics.projections import minimize_quadratic_on_simplex, project_rows_to_simplex


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(-1e6, 1e6),
    )
)
def test_projection_meets_the_optimality_conditions(V):
    P = project_rows_to_simplex(V)
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)
    # p = max(v - theta, 0) with one theta per row: v - p is theta where p > 0 and at most theta
    # elsewhere.
    scale = 1e-9 * (1 + np.abs(V).max())
    for v, p in zip(V, P, strict=True):
        theta = (v - p)[p > 0]
        assert np.ptp(theta) <= scale
        assert (v[p == 0] <= theta.max() + scale).all()


def test_points_of_the_simplex_stay():
    P = np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(project_rows_to_simplex(P), P, atol=1e-15)


def test_hand_computed():
    V = np.array([[2.0, 0.0, -1.0], [0.5, 0.5, 0.5], [0.9, 0.6, -3.0]])
    expected = [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.65, 0.35, 0]]
    np.testing.assert_allclose(project_rows_to_simplex(V), expected)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_quadratic_minimum_meets_the_optimality_conditions(scale):
    rng = np.random.default_rng(0)
    B = rng.standard_normal((60, 40)) * np.geomspace(1, 1e-3, 40)
    H, f = B.T @ B + 1e-4 * np.eye(40), scale * rng.random(40)
    v = minimize_quadratic_on_simplex(H, f, np.ones(40, dtype=bool))
    assert v.min() >= 0
    assert v.sum() == pytest.approx(1)
    # The gradient is the same on the positive entries and nowhere smaller.
    gradient = H @ v - f
    mu = gradient[v > 0].mean()
    np.testing.assert_allclose(gradient[v > 0], mu, atol=1e-9 * scale)
    assert gradient.min() >= mu - 1e-9 * scale
    if scale == 100:
        assert 0 < np.count_nonzero(v) < 40


def test_quadratic_minimum_does_not_hang_on_the_guess_of_free_entries():
    rng = np.random.default_rng(1)
    B, f = rng.standard_normal((12, 8)), 5 * rng.random(8)
    H = B.T @ B
    expected = minimize_quadratic_on_simplex(H, f, np.ones(8, dtype=bool))
    for first in range(8):
        v = minimize_quadratic_on_simplex(H, f, np.arange(8) == first)
        np.testing.assert_allclose(v, expected, atol=1e-12)


def test_quadratic_minimum_gives_up_on_an_indefinite_matrix():
    H = np.diag([1.0, -1.0])
    assert minimize_quadratic_on_simplex(H, np.zeros(2), np.ones(2, dtype=bool)) is None
