"""UDFS: its Laplacian, more features than samples, and the reference outputs."""

import numpy as np
import pytest

from blufs import UDFS
from blufs._numerics.neighbors import nearest_neighbors
from blufs.methods import udfs
from blufs.methods.udfs import discriminative_laplacian
from tests.helpers.method_data import blobs, reference


@pytest.mark.parametrize("k", [1, 4])
def test_laplacian_term_by_term(k, monkeypatch):
    monkeypatch.setattr(udfs, "_BLOCK_ENTRIES", 7 * (k + 1) * 12)
    X, lam = blobs(40, 12), 0.7
    expected = np.zeros((40, 40))
    H = np.eye(k + 1) - 1 / (k + 1)
    for i, neighbors in enumerate(nearest_neighbors(X, k)[0]):
        members = [i, *neighbors]
        Z = H @ X[members]
        expected[np.ix_(members, members)] += H @ np.linalg.inv(Z @ Z.T + lam * np.eye(k + 1)) @ H
    L = discriminative_laplacian(X, k, lam).toarray()
    np.testing.assert_allclose(L, expected, atol=1e-12)
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    assert np.linalg.eigvalsh(L).min() > -1e-12


@pytest.mark.parametrize("shape", [(60, 12), (30, 90)])
@pytest.mark.parametrize("gamma", [1e-3, 0.1, 10.0])
def test_objective_is_what_it_says_and_falls(shape, gamma):
    X = blobs(*shape)
    fitted = UDFS(5, gamma=gamma, n_clusters=3).fit(X)
    W = fitted.coef_
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-8)
    L = discriminative_laplacian(X, 5, 1.0)
    objective = np.trace(W.T @ X.T @ (L @ X) @ W) + gamma * np.linalg.norm(W, axis=1).sum()
    assert fitted.objective_history_[-1] == pytest.approx(objective, rel=1e-6)
    assert np.diff(fitted.objective_history_).max() <= 1e-6 * max(1, gamma)


def test_wide_data_are_no_worse_than_from_random_starts():
    """With d > n any null space basis may start the iteration; ours is the mean over all."""
    X, gamma, m = blobs(20, 60, seed=3), 0.1, 3
    fitted = UDFS(5, gamma=gamma, n_clusters=m).fit(X)
    A = X.T @ (discriminative_laplacian(X, 5, 1.0) @ X)
    null = np.linalg.eigh(A)[1][:, :40]
    rng = np.random.default_rng(0)
    objectives = []
    for _ in range(10):
        W = null @ np.linalg.qr(rng.standard_normal((40, m)))[0]
        for _ in range(19):
            q = 0.5 / np.sqrt(np.sum(W**2, axis=1) + np.finfo(float).eps)
            W = np.linalg.eigh(A + gamma * np.diag(q))[1][:, :m]
        objectives.append(np.trace(W.T @ A @ W) + gamma * np.linalg.norm(W, axis=1).sum())
    assert fitted.objective_history_[-1] <= np.median(objectives)


def test_tolerance_stops_early():
    X = blobs(60, 12)
    fixed, stopped = UDFS(5, n_clusters=3).fit(X), UDFS(5, n_clusters=3, tol=1e-3).fit(X)
    assert fixed.n_iter_ == 20
    assert stopped.n_iter_ < 20
    assert stopped.converged_


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("UDFS-k5-c", {"gamma": 0.1, "lam": 1.0, "n_clusters": 20, "n_neighbors": 5}),
        ("UDFS", {"gamma": 1e-5, "lam": 1e-5, "n_clusters": 2, "n_neighbors": 1}),
    ],
)
def test_reference_order(name, parameters):
    X, expected = reference(name)
    fitted = UDFS(100, **parameters).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"][:100])
    # The reference adds eps inside the square root of the penalty.
    np.testing.assert_allclose(fitted.objective_history_, expected["objective"], rtol=1e-3)


def test_a_lam_that_is_lost_is_named_and_one_that_is_not_is_the_limit():
    X = blobs(60, 12)
    limit, lost = UDFS(4, lam=1e-9, n_clusters=3), UDFS(2, lam=1e-99, n_clusters=2)
    expected = limit.fit(X).support_
    np.testing.assert_array_equal(limit.set_params(lam=1e-99).fit(X).support_, expected)
    with pytest.raises(ValueError, match="lam=1e-99 is lost"):
        lost.fit(X[:, :3])  # fewer features than neighbours: their scatter has no inverse


@pytest.mark.parametrize("factor", [1e30, 1e50])
def test_large_values_make_lam_negligible(factor):
    X = blobs(60, 12)
    fitted = UDFS(4, n_clusters=3).fit(factor * X)
    np.testing.assert_array_equal(fitted.support_, UDFS(4, lam=1e-9, n_clusters=3).fit(X).support_)
