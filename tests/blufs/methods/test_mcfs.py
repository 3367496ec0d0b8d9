"""MCFS: the embedding, the lasso path and the reference outputs."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import lars_path_gram

from blufs import MCFS, SampleGraph
from blufs.methods.mcfs.estimator import spectral_embedding
from blufs.methods.mcfs.lasso_path import _entry, lasso_path_at_sizes, ridge_gram_rows
from tests.helpers.method_data import blobs, reference


def correlated(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (0.5 * rng.standard_normal((d, d)) + np.eye(d))
    return X, rng.standard_normal(n)


@pytest.mark.parametrize("shape", [(60, 15), (30, 50)])
@pytest.mark.parametrize("seed", range(4))
def test_path_meets_the_lasso_conditions(shape, seed):
    X, y = correlated(*shape, seed)
    d = X.shape[1]
    gram_row = ridge_gram_rows(X, 1e-3)
    path = lasso_path_at_sizes(gram_row, X.T @ y, range(1, d))
    gram = X.T @ X + 1e-3 * np.eye(d)
    for s, coefficients in path.items():
        active = coefficients != 0
        assert active.sum() == s
        gradient = X.T @ y - gram @ coefficients
        level = np.abs(gradient).max()
        np.testing.assert_allclose(
            gradient[active], level * np.sign(coefficients[active]), rtol=1e-5
        )


@pytest.mark.parametrize("seed", range(4))
def test_path_equals_scikit_learn(seed):
    X, y = correlated(60, 15, seed)
    gram = X.T @ X + 1e-3 * np.eye(15)
    knots = lars_path_gram(X.T @ y, gram, n_samples=60, method="lasso", max_iter=500)[2]
    sizes = np.sum(np.abs(knots) > 1e-12, axis=0)
    path = lasso_path_at_sizes(gram.__getitem__, X.T @ y, range(1, 15))
    for s, coefficients in path.items():
        expected = knots[:, np.flatnonzero(sizes >= s)[0]]
        np.testing.assert_allclose(coefficients, expected, atol=1e-9)


def test_end_of_the_path_is_least_squares():
    X, y = correlated(60, 10, 0)
    X[:, 9] = X[:, 8]
    # Collinear without a ridge: only nine features can be active.
    end = lasso_path_at_sizes(ridge_gram_rows(X, 0.0), X.T @ y, [10])[10]
    assert np.count_nonzero(end) == 9
    np.testing.assert_allclose(X.T @ (y - X @ end), 0, atol=1e-9)


def test_equal_features_enter_the_path_together():
    X, y = correlated(40, 8, 1)
    X[:, 1:5] = X[:, [0]]  # five in all, of which two are asked for
    y = X[:, 0] + 0.1 * y
    coefficients = lasso_path_at_sizes(ridge_gram_rows(X, 1e-3), X.T @ y, [2])[2]
    np.testing.assert_allclose(coefficients[1:5], coefficients[0], rtol=1e-6)
    assert coefficients[0] > 0


def test_a_dropped_feature_does_not_come_back_at_once():
    residual, slopes = np.array([1.0, 0.2]), np.array([1 - 1e-12, 0.1])
    neither = np.zeros(2, dtype=bool)
    step, entering = _entry(residual, slopes, 1.0, neither, dropped=0)
    assert entering == 1
    assert step == pytest.approx((1 - 0.2) / (1 - 0.1))


def test_rows_on_demand_equal_the_whole_gram_matrix(monkeypatch):
    X, _ = correlated(20, 12, 0)
    whole = ridge_gram_rows(X, 0.5)
    monkeypatch.setattr("blufs.methods.mcfs.lasso_path._WHOLE_GRAM_UP_TO", 5)
    single = ridge_gram_rows(X, 0.5)
    for feature in range(12):
        np.testing.assert_allclose(single(feature), whole(feature), atol=1e-12)


def test_embedding_solves_the_generalised_eigenproblem():
    graph = SampleGraph.from_data(np.random.default_rng(0).standard_normal((80, 3)), 10)
    Y = spectral_embedding(graph, 4)
    values = graph.leading_eigenvectors(5)[0][1:]
    D = graph.degree[:, None]
    np.testing.assert_allclose(graph.similarity @ Y, D * Y * values, atol=1e-7)
    np.testing.assert_allclose(graph.degree @ Y, 0, atol=1e-7)


def test_embedding_of_a_disconnected_graph_separates_the_components():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((20, 3)) + 50 * part for part in range(3)])
    graph = SampleGraph.from_data(X, 6)
    assert graph.n_components == 3
    Y = spectral_embedding(graph, 4)
    assert Y.shape == (60, 4)
    np.testing.assert_allclose(Y.T @ (graph.degree[:, None] * Y), np.eye(4), atol=1e-7)
    indicators = graph.components[:, None] == np.arange(3)
    np.testing.assert_array_equal(Y[:, :3] > 0, indicators)
    np.testing.assert_allclose(np.ptp(Y[:20, :3], axis=0), 0, atol=1e-9)
    assert spectral_embedding(graph, 2).shape == (60, 2)


def test_the_order_of_samples_does_not_matter_where_the_graph_falls_apart():
    X = make_blobs(450, 40, centers=5, cluster_std=0.5, random_state=0)[0]
    assert SampleGraph.from_data(X, 10).n_components == 5
    for n_clusters in (3, 5, 8):
        fits = []
        for first in (0, 1, 2, 3, 150, 449):
            moved = np.r_[X[[first]], np.delete(X, first, axis=0)]
            with pytest.warns(UserWarning, match="5 connected components"):
                fits.append(MCFS(5, n_clusters=n_clusters).fit(moved).scores_)
        np.testing.assert_allclose(fits, np.broadcast_to(fits[0], (6, 40)), atol=1e-9)


def test_finds_the_features_that_carry_the_clusters():
    with pytest.warns(UserWarning, match="3 connected components"):
        fitted = MCFS(6, n_clusters=2, n_neighbors=15).fit(blobs(n=90, d=12, seed=2))
    assert np.sum(fitted.support_[:6]) >= 5
    np.testing.assert_allclose(np.linalg.norm(fitted.coef_, axis=0), 1)
    np.testing.assert_array_equal(fitted.scores_, np.abs(fitted.coef_).max(axis=1))


def test_reference_order_on_a_connected_graph():
    X, expected = reference("MCFS-k10-c", "warpAR10P")
    fitted = MCFS(100, n_clusters=10, n_neighbors=10).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"])


@pytest.mark.filterwarnings("ignore:the neighbour graph has:UserWarning")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("MCFS-k10-c", {"n_clusters": 20}), ("MCFS", {"n_clusters": 5, "n_neighbors": 5})],
)
def test_reference_quality_where_the_embedding_is_not_unique(name, parameters):
    """COIL20 falls into several components: compare how well the features explain the embedding."""
    X, expected = reference(name)
    fitted = MCFS(100, **parameters).fit(X)
    graph = SampleGraph.from_data(X, fitted.n_neighbors)
    Y = spectral_embedding(graph, fitted.n_clusters)

    def unexplained(features) -> float:
        coefficients = np.linalg.lstsq(X[:, features], Y, rcond=None)[0]
        residual = np.sum((Y - X[:, features] @ coefficients) ** 2, axis=0)
        return float(np.mean(residual / np.sum(Y**2, axis=0)))

    ours = unexplained(np.flatnonzero(fitted.support_))
    assert ours <= 1.02 * unexplained(expected["ranking"])
