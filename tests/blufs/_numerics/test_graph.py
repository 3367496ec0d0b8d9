"""Neighbour graphs, Laplacians and leading eigenvectors against direct computations."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from blufs._numerics.eigen import fix_signs
from blufs._numerics.graph import SampleGraph, adaptive_neighbors, laplacian, neighbor_matrix
from blufs._numerics.neighbors import nearest_neighbors


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((50, 4))


def two_clusters(n: int = 30) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.vstack([rng.standard_normal((n, 3)), rng.standard_normal((n, 3)) + 100])


def test_heat_kernel_graph_entry_by_entry(X):
    k = 5
    D = cdist(X, X)
    width = D.mean()
    nearest = np.argsort(D + np.diag(np.full(len(X), np.inf)), axis=1)[:, :k]
    expected = np.zeros_like(D)
    for i, row in enumerate(nearest):
        for j in row:
            expected[i, j] = expected[j, i] = np.exp(-(D[i, j] ** 2) / (2 * width**2))
    graph = SampleGraph.from_data(X, k)
    np.testing.assert_allclose(graph.similarity.toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(graph.degree, expected.sum(axis=1))
    root = 1 / np.sqrt(expected.sum(axis=1))
    np.testing.assert_allclose(
        graph.normalized.toarray(), root[:, None] * expected * root[None, :], atol=1e-12
    )


def test_duplicates_keep_k_neighbors_and_no_self_loop():
    X = np.repeat(np.random.default_rng(0).standard_normal((6, 3)), 5, axis=0)
    graph = SampleGraph.from_data(X, 4)
    assert graph.similarity.diagonal().max() == 0
    assert (graph.similarity > 0).sum(axis=1).min() >= 4
    assert graph.n_components == 6
    assert np.isfinite(graph.normalized.toarray()).all()


def test_all_samples_equal_has_width_zero():
    graph = SampleGraph.from_data(np.ones((5, 2)), 2)
    assert set(graph.similarity.data) == {1.0}


def test_adaptive_neighbors_solve_their_quadratic_program(X):
    k = 4
    indices, distances, _ = nearest_neighbors(X[:12], k + 1)
    A, mean_regularization = adaptive_neighbors(indices, distances)
    regularization = (k * distances[:, k] - distances[:, :k].sum(axis=1)) / 2
    assert mean_regularization == pytest.approx(regularization.mean())
    np.testing.assert_allclose(A.sum(axis=1), 1)
    D = cdist(X[:12], X[:12], "sqeuclidean")
    for i in range(12):
        others = np.delete(np.arange(12), i)
        costs, r = D[i, others], regularization[i]
        solution = minimize(
            lambda a, costs=costs, r=r: costs @ a + r * a @ a,
            np.full(11, 1 / 11),
            jac=lambda a, costs=costs, r=r: costs + 2 * r * a,
            bounds=[(0, 1)] * 11,
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(A.toarray()[i, others], solution.x, atol=1e-6)


def test_adaptive_neighbors_of_a_lattice_are_equal_weights():
    indices = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    A, regularization = adaptive_neighbors(indices, np.full((4, 3), 2.0))
    assert regularization == 0
    np.testing.assert_allclose(A.toarray()[0], [0, 0.5, 0.5, 0])


def test_the_only_neighbor_of_two_samples_has_weight_one():
    A, regularization = adaptive_neighbors(np.array([[1], [0]]), np.array([[4.0], [4.0]]))
    assert A.toarray().tolist() == [[0, 1], [1, 0]]
    assert regularization == 0


def test_laplacian_identity_for_an_asymmetric_graph(X):
    rng = np.random.default_rng(2)
    W = sp.csr_array(rng.random((50, 50)) * (rng.random((50, 50)) < 0.2))
    Y = rng.standard_normal((50, 3))
    L = laplacian(W)
    pairs = (cdist(Y, Y, "sqeuclidean") * W.toarray()).sum()
    assert 2 * np.trace(Y.T @ (L @ Y)) == pytest.approx(pairs)
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    assert np.linalg.eigvalsh(L.toarray()).min() > -1e-12


@pytest.mark.parametrize("n", [60, 500])
def test_leading_eigenvectors_equal_dense_ones(n):
    graph = SampleGraph.from_data(np.random.default_rng(0).standard_normal((n, 3)), 8)
    assert graph.n_components == 1
    values, vectors = graph.leading_eigenvectors(6)
    expected, reference = np.linalg.eigh(graph.normalized.toarray())
    np.testing.assert_allclose(values, expected[::-1][:6], atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-8)
    np.testing.assert_allclose(vectors, fix_signs(reference[:, ::-1][:, :6]), atol=1e-6)


def test_leading_eigenvectors_of_a_disconnected_graph_are_the_components():
    graph = SampleGraph.from_data(two_clusters(), 5)
    assert graph.n_components == 2
    values, vectors = graph.leading_eigenvectors(5)
    np.testing.assert_allclose(values[:2], 1)
    root = np.sqrt(graph.degree)
    for part in range(2):
        expected = np.where(graph.components == part, root, 0)
        np.testing.assert_allclose(vectors[:, part], expected / np.linalg.norm(expected))
    np.testing.assert_allclose(graph.normalized @ vectors, vectors * values, atol=1e-8)
    with pytest.warns(UserWarning, match="2 connected components"):
        graph.warn_if_disconnected()


def test_isolated_sample_stays_finite():
    S = np.zeros((5, 5))
    S[:4, :4] = 1 - np.eye(4)
    graph = SampleGraph(S)
    assert graph.n_components == 2
    assert np.isfinite(graph.normalized.toarray()).all()
    values, vectors = graph.leading_eigenvectors(3)
    assert np.isfinite(vectors).all()
    assert values[0] == pytest.approx(1)
    assert np.abs(vectors[4, 0]) == 0


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "square"),
        (np.array([[0, -1.0], [-1, 0]]), "negative"),
        (np.array([[0, 1.0], [0.5, 0]]), "symmetric"),
        (np.array([[0, np.nan], [np.nan, 0]]), "NaN"),
        (np.zeros((3, 3)), "must have edges"),
        (np.ones(4), "square"),
        ("S", "got str"),
        (np.ones((2, 2)) * 1j, "of numbers, got ndarray"),
    ],
)
def test_coerce_rejects_what_is_no_graph(matrix, message):
    with pytest.raises(ValueError, match=message):
        SampleGraph.coerce(matrix)


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        (np.ones((3, 3, 3)), "square matrix of numbers"),
        (np.ones((3, 4)), "square, got shape"),
        ("abc", "square matrix of numbers"),
        (None, "square matrix of numbers"),
    ],
)
def test_what_is_no_square_matrix_is_no_graph(similarity, message):
    with pytest.raises(ValueError, match=message):
        SampleGraph(similarity)


def test_a_graph_of_data_checks_the_data(X):
    for bad in (np.where(X > 1, np.nan, X), X[:, 0], X[:1], [["a", "b"]] * 4):
        with pytest.raises(ValueError, match=r"NaN|2D array|minimum of 2|convert string"):
            SampleGraph.from_data(bad)
    expected = SampleGraph.from_data(X, 5).similarity.toarray()
    for same in (X.tolist(), pd.DataFrame(X)):
        found = SampleGraph.from_data(same, np.uint64(5)).similarity
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="n_neighbors == 0, must be >= 1"):
        SampleGraph.from_data(X, 0)


def test_neighbor_matrix_places_values():
    matrix = neighbor_matrix(np.array([[2, 1], [0, 2], [1, 0]]), np.arange(6.0).reshape(3, 2))
    assert matrix.toarray().tolist() == [[0, 1, 0], [2, 0, 3], [5, 4, 0]]
