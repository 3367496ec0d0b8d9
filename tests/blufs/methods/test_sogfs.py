"""SOGFS: the graph it ends with, its embedding, and the reference outputs."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning

from blufs import SOGFS
from blufs._numerics.graph import SampleGraph, laplacian
from blufs.methods import sogfs
from blufs.methods.sogfs import graph_embedding
from tests.helpers.method_data import blobs, reference


@pytest.mark.parametrize("shape", [(60, 12), (24, 70)])
def test_graph_has_the_wanted_components(shape):
    X = blobs(*shape)
    fitted = SOGFS(5, n_clusters=3, n_neighbors=5).fit(X)
    assert fitted.converged_
    assert connected_components(fitted.graph_)[0] == 3
    S = fitted.graph_
    assert abs(S - S.T).max() == 0
    assert S.sum() == pytest.approx(len(X))
    assert S.min() >= 0
    W = fitted.coef_
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-8)


def test_history_holds_the_objective_of_the_last_graph():
    X = blobs(60, 12)
    fitted = SOGFS(5, gamma=0.1, n_clusters=3, n_neighbors=5, scaling="none").fit(X)
    W = fitted.coef_
    smooth = np.trace(W.T @ X.T @ (laplacian(fitted.graph_) @ X) @ W)
    objective = smooth + 0.1 * np.linalg.norm(W, axis=1).sum()
    assert fitted.objective_history_[-1] == pytest.approx(objective)
    assert len(fitted.objective_history_) == fitted.n_iter_ + 1


def test_embedding_equals_lapack_on_a_connected_graph():
    X = np.random.default_rng(0).standard_normal((70, 3))
    L = laplacian(SampleGraph.from_data(X, 8).similarity)
    F = graph_embedding(L, np.zeros(70, dtype=int), 4)
    expected = np.linalg.eigh(L.toarray())[1][:, :4]
    np.testing.assert_allclose(F @ F.T, expected @ expected.T, atol=1e-8)


@pytest.mark.parametrize("find", [sogfs._by_lanczos, sogfs._by_factorization])
def test_sparse_eigensolvers_equal_lapack(find):
    X = np.random.default_rng(0).standard_normal((400, 3))
    L = laplacian(SampleGraph.from_data(X, 12).similarity)
    null = np.full((400, 1), 1 / 20)
    F = find(L, null, 2 * L.diagonal().max(), 4)
    values, vectors = np.linalg.eigh(L.toarray())
    assert values[1] > 1e-6 * values[-1]
    np.testing.assert_allclose(F @ F.T, vectors[:, 1:5] @ vectors[:, 1:5].T, atol=1e-8)


def test_embedding_with_more_components_than_clusters_is_the_mean_over_all_choices():
    parts = np.repeat(np.arange(5), [3, 4, 5, 6, 2])
    F = graph_embedding(laplacian(SampleGraph(np.zeros((20, 20))).similarity), parts, 2)
    basis = np.eye(5)[parts] / np.sqrt(np.bincount(parts))[parts][:, None]
    rng = np.random.default_rng(0)
    mean = np.zeros((20, 20))
    for _ in range(4000):
        G = basis @ np.linalg.qr(rng.standard_normal((5, 2)))[0]
        mean += np.sum((G[:, None] - G[None]) ** 2, axis=2) / 4000
    distances = np.sum((F[:, None] - F[None]) ** 2, axis=2)
    np.testing.assert_allclose(distances, mean, atol=0.02)


def test_fewer_clusters_than_components_runs_to_the_end_and_says_so():
    X = np.vstack([blobs(20, 5, seed) + 100 * seed for seed in range(4)])
    with pytest.warns(ConvergenceWarning, match="max_iter=50"):
        fitted = SOGFS(3, n_clusters=2, n_neighbors=3).fit(X)
    assert fitted.n_iter_ == 50


def test_three_samples_are_needed():
    with pytest.raises(ValueError, match="at least 3 samples"):
        SOGFS(1, n_clusters=2, n_neighbors=1).fit(np.array([[0.0, 1.0], [1.0, 3.0]]))


def test_one_graph_update_equals_the_plain_formulas():
    """One outer iteration with dense matrices and full eigendecompositions."""
    X, k, c, gamma = blobs(30, 8, seed=5), 4, 3, 0.05
    Xs = (X - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    D = np.sum((Xs[:, None] - Xs[None]) ** 2, axis=2)
    neighbors = np.argsort(D, axis=1)[:, 1 : k + 2]
    e = np.take_along_axis(D, neighbors, axis=1)
    total = k * e[:, k] - e[:, :k].sum(axis=1)
    A = np.zeros((30, 30))
    np.put_along_axis(A, neighbors[:, :k], (e[:, [k]] - e[:, :k]) / total[:, None], axis=1)
    r = total.mean() / 2
    W, F = _w_step(Xs, A, gamma, c), np.linalg.eigh(_dense_laplacian(A))[1][:, :c]
    P = Xs @ W
    dx, df = (np.sum((Z[:, None] - Z[None]) ** 2, axis=2) for Z in (P, F))
    A = np.zeros((30, 30))
    for i in range(30):
        N = neighbors[i, :k]
        A[i, N] = _simplex(-(dx + r * df)[i, N] / (2 * r))
    W = _w_step(Xs, A, gamma, c)
    with pytest.warns(ConvergenceWarning):
        fitted = SOGFS(3, gamma=gamma, n_clusters=c, n_neighbors=k, max_iter=1).fit(X)
    np.testing.assert_allclose(fitted.graph_.toarray(), (A + A.T) / 2, atol=1e-7)
    np.testing.assert_allclose(fitted.scores_, np.sum(W**2, axis=1), atol=1e-5)


@pytest.mark.slow
def test_reference_order():
    X, expected = reference("SOGFS-g0.001-k10-c")
    fitted = SOGFS(100, gamma=1e-3, n_clusters=20, n_neighbors=10).fit(X)
    assert fitted.n_iter_ == expected["iters"]
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"][:100])
    np.testing.assert_allclose(fitted.scores_, expected["score"], atol=1e-8)


def _dense_laplacian(A: np.ndarray) -> np.ndarray:
    A = (A + A.T) / 2
    return np.diag(A.sum(axis=1)) - A


def _simplex(v: np.ndarray) -> np.ndarray:
    u = np.sort(v)[::-1]
    thetas = (np.cumsum(u) - 1) / np.arange(1, len(u) + 1)
    return np.maximum(v - thetas[np.flatnonzero(u > thetas)[-1]], 0)


def _w_step(X: np.ndarray, A: np.ndarray, gamma: float, m: int) -> np.ndarray:
    M = X.T @ _dense_laplacian(A) @ X
    q, previous = np.ones(X.shape[1]), np.inf
    for _ in range(100):
        W = np.linalg.eigh(M + gamma * np.diag(q))[1][:, :m]
        norms = np.linalg.norm(W, axis=1)
        q = 0.5 / np.sqrt(norms**2 + np.finfo(float).eps)
        objective = np.trace(W.T @ M @ W) + gamma * norms.sum()
        if abs(objective - previous) < 1e-6:
            break
        previous = objective
    return W
