"""FSPCA: optimality where it is guaranteed, PCA as a special case and the reference outputs."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from blufs import FSPCA
from tests.helpers.method_data import blobs, reference


def variance_of(X: np.ndarray, support, m: int) -> float:
    """Largest variance of m components on the features in ``support``."""
    covariance = np.cov(X[:, list(support)], rowvar=False).reshape(len(support), -1)
    return float(np.linalg.eigvalsh(covariance)[::-1][:m].sum())


@pytest.mark.parametrize("shape", [(60, 12), (20, 50)])
def test_all_features_give_pca(shape):
    X = blobs(*shape)
    fitted = FSPCA(shape[1], n_components=4).fit(X)
    pca = PCA(4, svd_solver="full").fit(X)
    assert fitted.explained_variance_ == pytest.approx(pca.explained_variance_.sum())
    ratio = pca.explained_variance_ratio_.sum()
    assert fitted.explained_variance_ratio_ == pytest.approx(ratio)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("s", [3, 4])
def test_support_is_optimal_for_data_of_low_rank(seed, s):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 9))
    fitted = FSPCA(s, n_components=3).fit(X)
    best = max(variance_of(X, support, 3) for support in combinations(range(9), s))
    assert fitted.explained_variance_ == pytest.approx(best)


@pytest.mark.parametrize("shape", [(60, 40), (25, 80)])
@pytest.mark.parametrize("s", [5, 12, 30])
def test_constraints_hold_and_variance_never_falls(shape, s):
    X = blobs(*shape)
    fitted = FSPCA(s, n_components=4).fit(X)
    W = fitted.coef_
    assert set(np.flatnonzero(np.abs(W).sum(axis=1))) <= set(np.flatnonzero(fitted.support_))
    np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-10)
    assert np.diff(fitted.objective_history_).min(initial=0) >= -1e-12
    achieved = np.trace(W.T @ np.cov(X, rowvar=False) @ W)
    assert fitted.explained_variance_ == pytest.approx(achieved)
    support = np.flatnonzero(fitted.support_)
    assert fitted.explained_variance_ == pytest.approx(variance_of(X, support, 4))


def test_no_more_components_than_features_or_rank():
    X = blobs(60, 12)
    assert FSPCA(2, n_components=8).fit(X).coef_.shape == (12, 2)
    low_rank = X[:, :3] @ np.random.default_rng(0).standard_normal((3, 12))
    assert FSPCA(6, n_components=8).fit(low_rank).coef_.shape == (12, 3)


def test_duplicate_features():
    X = np.repeat(blobs(30, 6), 3, axis=1)
    fitted = FSPCA(9, n_components=5).fit(X)
    np.testing.assert_allclose(fitted.coef_.T @ fitted.coef_, np.eye(5), atol=1e-8)


@pytest.mark.parametrize(("name", "s"), [("FSPCA", 100), ("FSPCA-k50", 50), ("FSPCA-k20", 20)])
def test_reference_support_and_variance(name, s):
    X, expected = reference(name)
    fitted = FSPCA(s, n_components=20).fit(X)
    assert np.flatnonzero(fitted.support_).tolist() == expected["selected_sorted"]
    assert fitted.explained_variance_ratio_ == pytest.approx(expected["explained"], rel=1e-12)
