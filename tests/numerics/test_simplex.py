"""The projection onto the simplex is optimal, row by row."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from blufs.numerics.simplex import project_rows_to_simplex


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
