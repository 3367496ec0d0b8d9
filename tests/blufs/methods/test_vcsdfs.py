"""VCSDFS: descent, stationarity, a dense transcription and the reference output."""

import numpy as np
import pytest

from blufs import VCSDFS
from tests.helpers.method_data import blobs, reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def positive(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).gamma(1.0, size=(n, d))


def dense_objective(X, W, rho: float) -> float:
    distance = np.linalg.norm(X @ X.T - X @ W @ W.T @ X.T) ** 2
    products = W @ W.T
    return distance / 2 + rho * (products.sum() - np.trace(products))


@pytest.mark.parametrize("shape", [(40, 12), (15, 60)])
@pytest.mark.parametrize("rho", [0.0, 0.1, 5.0])
def test_agrees_with_a_dense_transcription_and_never_rises(shape, rho):
    X = positive(*shape)
    d, k = shape[1], 4
    W = np.random.default_rng(1).random((d, k))
    fitted = VCSDFS(k, rho=rho, scaling="none", init=W, max_iter=20, tol=0).fit(X)
    unit = np.linalg.norm(X, 2)
    Z, weight = X / unit, rho / d
    G = Z.T @ Z
    for _ in range(20):
        above = G @ G @ W + weight * W
        below = G @ W @ W.T @ G @ W + weight * np.ones((d, d)) @ W
        W = W * (above / below) ** 0.25
    np.testing.assert_allclose(fitted.coef_, W, rtol=1e-8)
    assert fitted.objective_history_[-1] == pytest.approx(dense_objective(Z, W, weight))
    assert np.diff(fitted.objective_history_).max() <= 1e-12


def test_the_limit_is_stationary():
    """Of positive entries the gradient vanishes; at zero it does not point downhill."""
    X = positive(30, 6)
    fitted = VCSDFS(2, rho=0.5, scaling="none", max_iter=20_000, tol=0, random_state=0).fit(X)
    W, weight = fitted.coef_, 0.5 / 6
    Z = X / np.linalg.norm(X, 2)
    G = Z.T @ Z
    gradient = 2 * (G @ W @ W.T @ G @ W - G @ G @ W + weight * (W.sum(axis=0) - W))
    np.testing.assert_allclose(gradient[W > 1e-3], 0, atol=1e-5)
    assert gradient.min() > -1e-5


def test_one_width_gives_one_ranking_and_width_s_a_fit_for_each():
    X = blobs(60, 12)
    nested = VCSDFS(n_components=6, random_state=0).select_path(X, [2, 4])
    np.testing.assert_array_equal(nested[2].scores, nested[4].scores)
    apart = VCSDFS(random_state=0).select_path(X, [2, 4])
    assert apart[2].per_feature["coef_"].shape == (12, 2)
    assert apart[4].per_feature["coef_"].shape == (12, 4)


def test_negative_data_and_a_bad_start_are_refused_in_words():
    X = blobs(60, 12)
    with pytest.raises(ValueError, match=r'non-negative data.*scaling="minmax"'):
        VCSDFS(3, scaling="none").fit(X)
    for wrong in (np.ones((12, 2)), np.full((12, 3), np.nan)):
        with pytest.raises(ValueError, match=r"init must be non-negative and of shape \(12, 3\)"):
            VCSDFS(3, init=wrong).fit(X)


def test_reference_order_of_all_features():
    X, expected = reference("VCSDFS")
    start = np.random.default_rng(3).random((1024, 100))
    unit = np.linalg.norm(X, 2) ** 4
    fitted = VCSDFS(100, rho=1024 / unit, scaling="none", init=start, max_iter=30, tol=0).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), expected["ranking"])
    np.testing.assert_allclose(fitted.scores_**2, expected["score"], rtol=1e-10)
    np.testing.assert_allclose(fitted.objective_history_ * unit, expected["objective"], rtol=1e-8)
