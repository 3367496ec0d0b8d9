"""Neighbours: exact ones against direct computations, those of many samples nearly all of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from blufs import BLUFS, SampleGraph
from blufs._numerics import neighbors
from blufs._numerics.neighbors import (
    mean_distance,
    nearest_by_index,
    nearest_by_products,
    nearest_neighbors,
    neighbor_distances,
    neighbors_of_many,
    smallest_per_row,
    squared_distance_blocks,
    uses_index,
)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((50, 4))


needs_faiss = pytest.mark.skipif(
    not neighbors.find_spec("faiss"), reason="faiss is missing: pip install 'blufs[index]'"
)


def clustered(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return 3 * rng.standard_normal((10, d))[rng.integers(10, size=n)] + rng.standard_normal((n, d))


def uniform(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(1).random((n, d))


def recall(found: np.ndarray, exact: np.ndarray) -> float:
    pairs = zip(found, exact, strict=True)
    return float(np.mean([len(set(a) & set(b)) / len(b) for a, b in pairs]))


@needs_faiss
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("make", [clustered, uniform])
@pytest.mark.parametrize("d", [4, 20])
def test_nearly_all_neighbors_are_found(make, d, offset):
    X = make(4000, d) + offset
    indices, distances, mean = neighbors_of_many(X, 10)
    exact, exact_distances, exact_mean = nearest_neighbors(X, 10)
    assert recall(indices, exact) >= 0.99
    same = indices == exact
    np.testing.assert_allclose(distances[same], exact_distances[same], rtol=1e-6)
    assert mean == pytest.approx(exact_mean, rel=5e-3)


@needs_faiss
def test_the_result_is_the_same_every_time_and_on_two_threads():
    X = clustered(4000, 12)
    with threadpool_limits(1):
        first = neighbors_of_many(X, 10)
        again = neighbors_of_many(X, 10)
    with threadpool_limits(2):
        parallel = neighbors_of_many(X, 10)
    for other in (again, parallel):
        np.testing.assert_array_equal(other[0], first[0])
        np.testing.assert_array_equal(other[1], first[1])
        assert other[2] == first[2]


@needs_faiss
def test_no_sample_is_its_own_neighbor_even_among_duplicates():
    X = np.repeat(np.eye(8), 30, axis=0)
    indices, distances, _ = neighbors_of_many(X, 3)
    assert not (indices == np.arange(240)[:, None]).any()
    assert all(len(set(row)) == 3 for row in indices)
    np.testing.assert_array_equal(distances, 0)


@needs_faiss
def test_more_neighbors_than_a_cell_holds_and_few_samples():
    X = uniform(40, 3)
    np.testing.assert_array_equal(neighbors_of_many(X, 30)[0], nearest_neighbors(X, 30)[0])
    np.testing.assert_array_equal(neighbors_of_many(X[:4], 3)[0], nearest_neighbors(X[:4], 3)[0])


def test_the_choice_depends_on_the_number_of_samples_and_is_an_attribute(monkeypatch):
    X = clustered(300, 5)
    assert SampleGraph.from_data(X, 5).neighbor_search == "exact"
    assert SampleGraph(SampleGraph.from_data(X, 5).similarity).neighbor_search == "given"
    monkeypatch.setattr(neighbors, "EXACT_UP_TO", 299)
    monkeypatch.setattr(neighbors, "find_spec", lambda name: None)
    assert SampleGraph.from_data(X, 5).neighbor_search == "exact"  # the fallback
    assert not uses_index(sp.csr_array(X))


@needs_faiss
def test_beyond_that_number_a_fit_uses_the_index_without_being_asked(monkeypatch):
    X = clustered(300, 12)
    selector = BLUFS(4, n_clusters=3, scaling="center+unit")
    exact = selector.fit(X).support_
    calls = []
    search = neighbors.neighbors_of_many
    monkeypatch.setattr(neighbors, "EXACT_UP_TO", 299)
    monkeypatch.setattr(
        "blufs._numerics.graph.neighbors_of_many", lambda *a: calls.append(a) or search(*a)
    )
    assert SampleGraph.from_data(X, 5).neighbor_search == "index"
    np.testing.assert_array_equal(selector.fit(X).support_, exact)
    assert len(calls) == 2


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("make", [clustered, uniform])
def test_without_the_index_products_find_the_exact_neighbors(make, offset, monkeypatch):
    monkeypatch.setattr(neighbors, "find_spec", lambda name: None)
    X = make(900, 12) + offset
    indices, distances, _ = neighbors_of_many(X, 10)
    exact, exact_distances, _ = nearest_neighbors(X, 10)
    np.testing.assert_array_equal(indices, exact)
    np.testing.assert_allclose(distances, exact_distances, rtol=1e-6)
    nearest = nearest_by_products(X, 10)
    assert recall(nearest, exact) >= 0.999


@needs_faiss
@pytest.mark.parametrize(("make", "by_products"), [(clustered, False), (uniform, True)])
def test_products_replace_the_index_where_it_would_look_at_most_cells(
    make, by_products, monkeypatch
):
    calls = []
    monkeypatch.setattr(
        neighbors,
        "nearest_by_products",
        lambda X, k: calls.append(k) or nearest_by_products(X, k),
    )
    X = make(6000, 30)
    found = nearest_by_index(X, 10)
    assert bool(calls) == by_products
    assert recall(found, nearest_neighbors(X, 10)[0]) >= 0.98


def test_the_mean_distance_does_not_depend_on_the_blocks(monkeypatch):
    X = clustered(60, 4)
    monkeypatch.setattr(neighbors, "_PAIRS", 200_000)
    wide = np.hstack([X, np.zeros((60, 100))])
    assert mean_distance(X) == mean_distance(X)
    assert mean_distance(wide) == pytest.approx(nearest_neighbors(X, 5)[2], rel=1e-2)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [3, 17, 40, 130, 1000])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_they_are_the_first_of_the_sorted_row(n, k, ties):
    k = min(k, n)
    rng = np.random.default_rng(n + k)
    D = rng.integers(4, size=(25, n)).astype(float) if ties else rng.random((25, n))
    D[3, n // 2] = np.inf
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    positions, values = smallest_per_row(D, k)
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(values, np.take_along_axis(D, order, axis=1))


def test_distances_in_blocks_equal_scipy(X, monkeypatch):
    monkeypatch.setattr("blufs._numerics.matrix.rows.BLOCK_ENTRIES", 7 * len(X))
    D = np.vstack([block for _, block in squared_distance_blocks(X)])
    np.testing.assert_allclose(D, cdist(X, X, "sqeuclidean"), atol=1e-12)


def test_neighbors_equal_scikit_learn(X):
    indices, distances, mean = nearest_neighbors(X, 6)
    expected, positions = NearestNeighbors(n_neighbors=6).fit(X).kneighbors()
    np.testing.assert_array_equal(indices, positions)
    np.testing.assert_allclose(distances, expected**2, atol=1e-12)
    assert mean == pytest.approx(cdist(X, X).mean())


def exact_neighbors(X: np.ndarray, k: int) -> np.ndarray:
    """Neighbours of the stored values, distances in extended precision, ties by index."""
    X = X.astype(np.longdouble)
    D = np.array([((X - x) ** 2).sum(axis=1) for x in X])
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0, 1e2, 1e4, 1e6, 1e7, 1e8, 1e9, 1e10, 1e12])
@pytest.mark.parametrize("columns", [slice(None), slice(0, 1)])
def test_neighbors_of_offset_data_are_exact(dtype, offset, columns):
    X = np.random.default_rng(0).standard_normal((150, 8))
    X[:, columns] += offset
    X = X.astype(dtype)
    indices, distances, _ = nearest_neighbors(X, 7)
    np.testing.assert_array_equal(indices, exact_neighbors(X, 7))
    difference = X[:, None].astype(np.longdouble) - X[indices]
    np.testing.assert_allclose(distances, np.sum(difference**2, axis=2), rtol=1e-5)


def test_neighbors_are_exact_where_products_of_samples_lose_all_digits():
    """A column of times in which a few are missing and stand as 0: no shift helps."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((150, 8))
    X[:, 0] = np.where(rng.random(150) < 0.05, 0, 1.7e9 + X[:, 0])
    np.testing.assert_array_equal(nearest_neighbors(X, 7)[0], exact_neighbors(X, 7))


@pytest.mark.parametrize("offset", [0.0, 1.7e9])
def test_ties_of_whole_numbers_go_to_the_smaller_index_whatever_the_offset(offset):
    X = np.random.default_rng(2).integers(0, 3, (80, 4)).astype(float)
    np.testing.assert_array_equal(nearest_neighbors(X + offset, 9)[0], exact_neighbors(X, 9))


def test_distances_to_given_neighbors_equal_scipy(X):
    indices = np.random.default_rng(0).integers(len(X), size=(len(X), 3))
    expected = np.take_along_axis(cdist(X, X, "sqeuclidean"), indices, axis=1)
    np.testing.assert_allclose(neighbor_distances(X, indices), expected, atol=1e-12)


def test_ties_and_duplicates_go_to_the_smaller_index():
    X = np.array([[0.0], [1.0], [-1.0], [0.0], [1.0]])
    indices, distances, _ = nearest_neighbors(X, 2)
    assert indices.tolist() == [[3, 1], [4, 0], [0, 3], [0, 1], [1, 0]]
    assert distances.tolist() == [[0, 1], [0, 1], [1, 1], [0, 1], [0, 1]]
