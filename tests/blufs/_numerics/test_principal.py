"""Principal vectors of the scaled data."""

from __future__ import annotations

import numpy as np
import pytest

from blufs._numerics.matrix import scaled_data
from blufs._numerics.principal import _krylov_basis, principal_vectors


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
