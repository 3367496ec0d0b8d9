"""SPCAFS: special cases, invariances and the reference outputs."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from blufs import SPCAFS
from tests.helpers.method_data import blobs, reference


@pytest.mark.parametrize("shape", [(60, 12), (30, 90)])
def test_without_penalty_scores_are_pca_loadings(shape):
    X = blobs(*shape)
    fitted = SPCAFS(5, gamma=0, n_components=4, scaling="none").fit(X)
    loadings = PCA(4, svd_solver="full").fit(X).components_
    np.testing.assert_allclose(fitted.scores_, np.sum(loadings**2, axis=0), atol=1e-10)


@pytest.mark.parametrize("p", [1.0, 0.5])
@pytest.mark.parametrize("shape", [(60, 12), (30, 400)])
def test_objective_is_what_it_says_and_falls(shape, p):
    X = blobs(*shape)
    fitted = SPCAFS(5, gamma=2.0, n_components=3, p=p, scaling="none").fit(X)
    W, centered = fitted.coef_, X - X.mean(axis=0)
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-8)
    objective = -np.sum((centered @ W) ** 2) + 2 * np.sum(np.linalg.norm(W, axis=1) ** p)
    assert fitted.objective_history_[-1] == pytest.approx(objective)
    assert np.diff(fitted.objective_history_).max() <= 1e-8 * abs(objective)


def test_large_penalty_leaves_as_many_features_as_components():
    fitted = SPCAFS(4, gamma=1e3, n_components=4).fit(blobs(60, 12))
    assert np.sum(fitted.scores_ > 1e-6) == 4


def test_scaled_scores_do_not_depend_on_units():
    X = blobs(60, 12)
    units = np.logspace(-3, 3, 12)
    first, second = (SPCAFS(5, gamma=0.5, n_clusters=3).fit(data) for data in (X, X * units + 5))
    np.testing.assert_allclose(first.scores_, second.scores_, atol=1e-7)


def test_few_features_many_samples_and_the_other_way_round_agree():
    """The factored form (2 n < d) and the dense one solve the same problem."""
    X = blobs(30, 400)
    padded = np.vstack([X, np.tile(X.mean(axis=0), (200, 1))])
    parameters = {"gamma": 1.0, "n_components": 3, "scaling": "none", "tol": 1e-10}
    wide, tall = (SPCAFS(5, **parameters).fit(data) for data in (X, padded))
    np.testing.assert_allclose(wide.scores_, tall.scores_, atol=1e-6)


def test_reference_order():
    X, expected = reference("SPCAFS")
    # The reference stops at an absolute change of 1e-6 at objective values near -76529; the last
    # changes are 8e-5 and 9e-7.
    fitted = SPCAFS(100, gamma=1, n_components=20, scaling="none", tol=1e-10).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"][:100])
    np.testing.assert_allclose(fitted.objective_history_, expected["objective"], rtol=1e-11)


@pytest.mark.slow
def test_reference_order_with_heavy_penalty():
    X, expected = reference("SPCAFS-g100")
    fitted = SPCAFS(100, gamma=100, n_components=20, scaling="none", tol=0).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"][:100])
    np.testing.assert_allclose(fitted.objective_history_, expected["objective"], rtol=1e-8)
