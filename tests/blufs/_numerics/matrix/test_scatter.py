"""The scatter matrix, formed or applied, against a dense one."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs._numerics.matrix import scatter as module
from blufs._numerics.matrix.scatter import Scatter

SHAPES = [(40, 12), (12, 30)]


def data(shape) -> np.ndarray:
    return np.random.default_rng(0).gamma(1.0, size=shape)


@pytest.fixture(params=["as it is", "never formed"])
def forms(request, monkeypatch):
    if request.param == "never formed":
        monkeypatch.setattr(module, "_MAX_FORMED", 0)


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_columns_and_norms_are_those_of_the_dense_matrix(shape, relative):
    X = data(shape)
    Z = X - X.mean(axis=0)
    Z /= np.linalg.norm(Z, 2) if relative else np.abs(Z).max()
    A = Z.T @ Z
    scatter = Scatter.of(X, "none", relative=relative)
    V = np.random.default_rng(1).standard_normal((shape[1], 3))
    np.testing.assert_allclose(scatter.times(V), A @ V, atol=1e-12)
    np.testing.assert_allclose(scatter.columns([5, 2]), A[:, [5, 2]], atol=1e-12)
    diagonal, norms = scatter.diagonal_and_squared_norms()
    np.testing.assert_allclose(diagonal, np.diag(A), atol=1e-12)
    np.testing.assert_allclose(norms, np.sum(A**2, axis=0), atol=1e-12)


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize("dense_up_to", [0, 800])
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenpairs_and_no_more_than_the_rank(shape, dense_up_to, monkeypatch):
    monkeypatch.setattr(module, "_DENSE_UP_TO", dense_up_to)
    X = data(shape)
    A = np.cov(X, rowvar=False)
    A /= np.linalg.eigvalsh(A)[-1]
    scatter = Scatter.of(X, "none", relative=True)
    for count in (3, 12):
        values, vectors = scatter.leading_eigenpairs(count)
        m = min(count, shape[0] - 1)
        assert vectors.shape == (shape[1], m)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1][:m], atol=1e-10)
        np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-8)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(m), atol=1e-8)


def test_the_scaling_of_sparse_data_may_be_auto():
    X = data((40, 12))
    found, wanted = (
        Scatter.of(kind(X), "auto").columns([3, 1]) for kind in (sp.csr_array, np.array)
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
