"""Principal vectors, and counting clusters by the eigenvalues of the principal graph."""

from __future__ import annotations

import numpy as np
import pytest

from blufs._numerics.matrix import scaled_data
from blufs._numerics.principal import _krylov_basis, principal_vectors, widest_gap


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


@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-12), (np.float32, 1e-6)])
def test_products_of_the_krylov_basis_are_made_of_neighboring_blocks(dtype, error):
    data = scaled_data(np.random.default_rng(0).standard_normal((300, 40)).astype(dtype), "center")
    Q, inner = _krylov_basis(data, 6)
    np.testing.assert_allclose(Q.T @ Q, np.eye(30), atol=1e-12)
    projected = data.correlate(Q)
    np.testing.assert_allclose(inner, projected.T @ projected, atol=error * inner.max())


def test_no_more_principal_vectors_than_the_rank():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 3)) @ rng.standard_normal((3, 30))
    squares, vectors = principal_vectors(scaled_data(X, "center"), 8)
    assert vectors.shape == (400, 3)
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:3] ** 2
    np.testing.assert_allclose(squares / squares[0], exact / exact[0], rtol=1e-12)
