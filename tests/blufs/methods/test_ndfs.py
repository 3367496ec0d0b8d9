"""NDFS: both forms of the regression, a dense transcription and the reference output."""

import numpy as np
import pytest

from blufs import NDFS, SampleGraph
from blufs._numerics.graph import adaptive_neighbors
from blufs._numerics.neighbors import nearest_neighbors
from blufs.methods.ndfs import ReweightedRidge, indicators, solve
from tests.helpers.method_data import blobs, fixture, reference

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:the neighbour graph has:UserWarning"
)
EPS = np.finfo(float).eps


@pytest.mark.parametrize("shape", [(40, 12), (15, 60)])
def test_regression_solves_its_normal_equations(shape):
    rng = np.random.default_rng(0)
    X, F, q = rng.standard_normal(shape), rng.random((shape[0], 3)), rng.uniform(0.1, 9, shape[1])
    W = ReweightedRidge(X).solve(F, q)
    np.testing.assert_allclose(X.T @ (X @ W - F) + q[:, None] * W, 0, atol=1e-10)


@pytest.mark.parametrize("shape", [(40, 12), (24, 70)])
def test_agrees_with_a_dense_transcription(shape):
    X = blobs(*shape)
    alpha, beta, gamma = 0.5, 0.3, 100.0
    graph = SampleGraph.from_data(X, 6)
    start = indicators(np.arange(shape[0]) % 3)
    L = np.eye(shape[0]) - graph.normalized.toarray()
    F, D = start, np.eye(shape[1])
    for _ in range(4):
        G = np.linalg.inv(X.T @ X + beta * D)
        W = G @ X.T @ F
        D = np.diag(1 / (2 * np.sqrt(np.sum(W**2, axis=1) + EPS)))
        M = L + alpha * (np.eye(shape[0]) - X @ G @ X.T)
        F = F * (gamma * F + EPS) / np.maximum(M @ F + gamma * F @ F.T @ F + EPS, EPS)
        F = F / np.linalg.norm(F, axis=0)
    found, history, _ = solve(
        X, graph, start, np.ones(shape[1]), weights=(alpha, beta, gamma), max_iter=4, tol=0
    )
    np.testing.assert_allclose(found, W, atol=1e-8)
    penalty = beta * np.linalg.norm(W, axis=1).sum()
    objective = np.trace(F.T @ L @ F) + alpha * (np.sum((X @ W - F) ** 2) + penalty)
    objective += gamma / 4 * np.sum((F.T @ F - np.eye(3)) ** 2)
    assert history[-1] == pytest.approx(objective)


def test_with_fixed_clusters_the_reweighted_regression_is_stationary():
    """With alpha = 0 and orthogonal indicators F hardly moves: W meets the l2,1 conditions."""
    X = blobs(60, 12)
    F = indicators(np.arange(60) % 3) / np.sqrt(20)
    graph = SampleGraph(np.zeros((60, 60)))
    W, _, _ = solve(X, graph, F, np.ones(12), weights=(0.0, 0.2, 1e12), max_iter=3000, tol=0)
    norms = np.linalg.norm(W, axis=1)
    gradient = 2 * X.T @ (X @ W - F)
    kept = norms > 1e-4
    assert kept.any()
    np.testing.assert_allclose(gradient[kept], -0.2 * W[kept] / norms[kept, None], atol=1e-3)
    assert np.linalg.norm(gradient[~kept], axis=1).max(initial=0) <= 0.2 * 1.01


def test_given_labels_replace_the_clustering_and_the_seed():
    X = blobs(60, 12)
    labels = np.repeat(["a", "b", "c"], 20)
    first, second = (NDFS(4, labels=labels, random_state=seed).fit(X) for seed in (0, 1))
    np.testing.assert_array_equal(first.scores_, second.scores_)
    assert not first._is_random
    assert NDFS()._is_random
    with pytest.raises(ValueError, match=r"labels must have shape \(60,\), got \(59,\)"):
        NDFS(4, labels=labels[1:]).fit(X)
    for wrong in (np.nan, None):
        with pytest.raises(ValueError, match="labels has missing values"):
            NDFS(4, labels=[wrong, *labels[1:]] if wrong is None else np.full(60, wrong)).fit(X)


def test_unit_scaled_scores_do_not_depend_on_units():
    X = np.abs(blobs(60, 12))
    graph = SampleGraph.from_data(X, 10)
    units = np.logspace(-2, 2, 12)
    first, second = (
        NDFS(4, n_clusters=3, random_state=0).fit(data, precomputed=graph)
        for data in (X, X * units)
    )
    np.testing.assert_allclose(first.scores_, second.scores_, rtol=1e-6)


def test_reference_order():
    X, expected = reference("NDFS")
    indices, distances, _ = nearest_neighbors(X, 6)
    directed, _ = adaptive_neighbors(indices, distances)
    start = indicators(np.load(fixture("ndfs_labels0_COIL20.npy")))
    # The public code starts from W = 0, where the weights of the rows are largest.
    W, _, _ = solve(
        X,
        SampleGraph((directed + directed.T) / 2),
        start,
        np.full(1024, 1 / (2 * np.sqrt(EPS))),
        weights=(0.1, 1, 1000),
        max_iter=5,
        tol=0,
    )
    norms = np.sum(W**2, axis=1)
    np.testing.assert_array_equal(np.argsort(-norms, kind="stable")[:100], expected["ranking"])
    np.testing.assert_allclose(norms, expected["row_norm_sq"], rtol=1e-9)
