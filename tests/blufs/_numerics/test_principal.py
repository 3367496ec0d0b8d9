"""Principal vectors of the scaled data."""

from __future__ import annotations

import numpy as np
import pytest

from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.chunked import as_row_chunks
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


@pytest.mark.parametrize("scaling", ["center", "center+unit"])
@pytest.mark.parametrize(("d", "passes"), [(40, 3), (150, 6)])
def test_of_data_in_blocks_they_are_those_in_memory(d, passes, scaling):
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, d)) * np.logspace(0, 2, d)
    X[:, :9] += 30 * rng.standard_normal((5, 9))[rng.integers(5, size=len(X))]
    wanted = principal_vectors(scaled_data(X, scaling), 6)
    chunks = as_row_chunks(da.from_array(X, chunks=(90, d)))
    data, before = scaled_data(chunks, scaling), chunks.passes
    found = principal_vectors(data, 6)
    assert chunks.passes - before == passes
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-11)
