"""The projection onto the simplex is optimal, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from blufs._numerics.projections import maximize_on_stiefel, polar_factor, project_rows_to_simplex


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


def problem(d: int, m: int, seed: int):
    rng = np.random.default_rng(seed)
    R = rng.standard_normal((d, d))
    W = np.linalg.qr(rng.standard_normal((d, m)))[0]
    return R @ R.T / d, rng.standard_normal((d, m)), W


def value(A, B, W) -> float:
    return float(np.trace(W.T @ A @ W) + 2 * np.sum(W * B))


@pytest.mark.parametrize("rank", [2, 4])
def test_polar_factor_is_the_nearest_orthonormal_matrix(rank):
    rng = np.random.default_rng(0)
    M = rng.standard_normal((20, rank)) @ rng.standard_normal((rank, 4))
    Q = polar_factor(M)
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-10)
    # <Q, M> is largest where it equals the sum of the singular values.
    assert np.sum(Q * M) == pytest.approx(np.linalg.svd(M, compute_uv=False).sum())


@pytest.mark.parametrize("seed", range(4))
def test_value_never_falls_and_the_limit_is_stationary(seed):
    A, B, W = problem(15, 3, seed)
    values = [value(A, B, W)]
    for _ in range(50):
        W = maximize_on_stiefel(A.__matmul__, B, W, max_iter=1)
        values.append(value(A, B, W))
    assert np.diff(values).min() >= -1e-12 * abs(values[-1])
    W = maximize_on_stiefel(A.__matmul__, B, W, tol=1e-12, max_iter=100_000)
    gradient = A @ W + B
    np.testing.assert_allclose(gradient, W @ (W.T @ gradient), atol=1e-8)
    np.testing.assert_allclose(W.T @ gradient, gradient.T @ W, atol=1e-8)


def test_without_a_linear_term_it_finds_the_leading_eigenvectors():
    A, B, W = problem(12, 3, 0)
    W = maximize_on_stiefel(A.__matmul__, 0 * B, W, tol=1e-12, max_iter=100_000)
    assert value(A, 0 * B, W) == pytest.approx(np.linalg.eigvalsh(A)[-3:].sum())
