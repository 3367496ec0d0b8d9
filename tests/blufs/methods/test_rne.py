"""RNE: reconstruction weights, the multiplicative updates and the published result."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning

from blufs import RNE
from blufs.base import MethodLimitError
from blufs.methods import rne
from blufs.methods.rne import MultiplicativeUpdates, Residuals, reconstruction_weights
from tests.helpers.method_data import blobs, fixture, reference


def test_weights_solve_the_constrained_least_squares():
    X = np.random.default_rng(0).standard_normal((30, 8))
    V = reconstruction_weights(X, 4).toarray()
    np.testing.assert_allclose(V.sum(axis=1), 1)
    assert (V != 0).sum(axis=1).tolist() == [4] * 30
    for i in range(30):
        neighbors = np.flatnonzero(V[i])
        # Optimality under sum(v) = 1: the gradient is the same for all neighbours.
        gradient = X[neighbors] @ (V[i] @ X - X[i])
        np.testing.assert_allclose(gradient, gradient.mean(), atol=1e-8)


@pytest.mark.parametrize("n_neighbors", [3, 12])
def test_weights_stay_finite_on_duplicates(n_neighbors):
    X = np.repeat(np.random.default_rng(0).random((5, 6)), 4, axis=0)
    V = reconstruction_weights(X, n_neighbors).toarray()
    np.testing.assert_allclose(V.sum(axis=1), 1)
    assert np.abs(V).max() < 10


@pytest.mark.parametrize("n", [8, 40])
def test_updates_are_the_formula(n):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n, 20))
    H, attract, repel = (rng.random((20, 3)) for _ in range(3))
    updated = MultiplicativeUpdates(Residuals.from_matrix(A), 5.0).run(
        H.T, attract.T, repel.T, 2.0, 1
    )
    G = A.T @ A
    H = H / np.linalg.norm(H, axis=0)
    above = 5 * H + attract + 2 * np.where(G < 0, -G, 0) @ H
    below = 5 * H @ H.T @ H + repel + 2 * np.where(G > 0, G, 0) @ H
    # With few samples one of the products is in single precision.
    rounding = 1e-6 if n == 8 else 1e-10
    np.testing.assert_allclose(updated.T, H * np.sqrt(above / below), rtol=rounding)


def test_single_precision_with_few_samples_changes_no_feature(monkeypatch):
    X = blobs(24, 70)
    single = RNE(10, random_state=0).fit(X)

    def in_double(A):
        G = A.T @ A
        return Residuals(A, None, (np.maximum(G, 0), np.maximum(-G, 0)))

    assert Residuals.from_matrix(X).absolute.dtype == np.float32
    monkeypatch.setattr(Residuals, "from_matrix", staticmethod(in_double))
    double = RNE(10, random_state=0).fit(X)
    np.testing.assert_array_equal(single.ranking_, double.ranking_)
    np.testing.assert_allclose(single.scores_, double.scores_, atol=1e-4)


def test_sparse_products_give_the_dense_result(monkeypatch):
    X, _ = make_blobs(60, centers=4, n_features=40, cluster_std=3, random_state=0)
    sparse = RNE(8, random_state=0).fit(X)
    entries = np.mean(sparse.coef_ > rne._NEGLIGIBLE)
    monkeypatch.setattr(rne, "_SPARSE_BELOW", 2 * entries)
    more_sparse = RNE(8, random_state=0).fit(X)
    monkeypatch.setattr(rne, "_SPARSE_BELOW", -1)
    dense = RNE(8, random_state=0).fit(X)
    np.testing.assert_allclose(more_sparse.scores_, dense.scores_, atol=1e-9)
    np.testing.assert_array_equal(
        more_sparse.ranking_[dense.support_], dense.ranking_[dense.support_]
    )


def test_embedding_is_nearly_orthonormal_and_objective_falls():
    X, _ = make_blobs(80, centers=4, n_features=30, cluster_std=2, random_state=0)
    selector = RNE(5, random_state=0).fit(X)
    H = selector.coef_
    assert H.min() >= 0
    np.testing.assert_allclose(H.T @ H, np.eye(5), atol=0.05)
    assert selector.n_iter_ == 50
    assert selector.objective_history_[-1] < 0.01 * selector.objective_history_[0]
    np.testing.assert_allclose(selector.scores_, np.linalg.norm(H, axis=1))


def test_the_two_conventions_of_the_residual_differ():
    X = load_wine().data
    H = np.random.default_rng(0).random((13, 4))
    fits = [RNE(4, init=H, transpose_weights=flag).fit(X).scores_ for flag in (True, False)]
    assert np.abs(fits[0] - fits[1]).max() > 1e-3


def test_tolerance_stops_early_and_warns_when_not_met():
    X = load_wine().data
    assert RNE(4, tol=0.5, random_state=0).fit(X).n_iter_ < 50
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        RNE(4, tol=1e-12, max_iter=2, random_state=0).fit(X)


def test_bad_init_and_too_many_features_are_named(monkeypatch):
    X = load_wine().data
    with pytest.raises(ValueError, match=r"shape \(13, 4\), got shape \(13, 3\)"):
        RNE(4, init=np.ones((13, 3))).fit(X)
    monkeypatch.setattr(rne, "MAX_FEATURES", 12)
    with pytest.raises(MethodLimitError, match="at most 12 features, got 13"):
        RNE(4).fit(X)


@pytest.mark.slow
def test_agrees_with_the_reference_on_coil20():
    X, expected = reference("RNE")
    start = np.load(fixture("rne_H0_COIL20_m100.npz"))["H"].astype(float)
    selector = RNE(100, n_neighbors=5, init=start).fit(X)
    assert np.argsort(selector.ranking_)[:100].tolist() == expected["ranking"]
    np.testing.assert_allclose(selector.objective_history_[1:], expected["objective"], rtol=1e-5)
