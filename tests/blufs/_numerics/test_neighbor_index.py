"""Neighbours from the index: nearly all of the exact ones, the same every time, by themselves."""

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from blufs import BLUFS, SampleGraph
from blufs._numerics import neighbors as neighbor_index
from blufs._numerics.neighbors import (
    mean_distance,
    nearest_by_index,
    nearest_by_products,
    nearest_neighbors,
    neighbors_of_many,
    uses_index,
)

needs_faiss = pytest.mark.skipif(
    not neighbor_index.find_spec("faiss"), reason="faiss is missing: pip install 'blufs[index]'"
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
    monkeypatch.setattr(neighbor_index, "EXACT_UP_TO", 299)
    monkeypatch.setattr(neighbor_index, "find_spec", lambda name: None)
    assert SampleGraph.from_data(X, 5).neighbor_search == "exact"  # the fallback
    assert not uses_index(sp.csr_array(X))


@needs_faiss
def test_beyond_that_number_a_fit_uses_the_index_without_being_asked(monkeypatch):
    X = clustered(300, 12)
    exact = BLUFS(4, n_clusters=3).fit(X).support_
    calls = []
    search = neighbor_index.neighbors_of_many
    monkeypatch.setattr(neighbor_index, "EXACT_UP_TO", 299)
    monkeypatch.setattr(
        "blufs._numerics.graph.neighbors_of_many", lambda *a: calls.append(a) or search(*a)
    )
    assert SampleGraph.from_data(X, 5).neighbor_search == "index"
    np.testing.assert_array_equal(BLUFS(4, n_clusters=3).fit(X).support_, exact)
    assert len(calls) == 2


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("make", [clustered, uniform])
def test_without_the_index_products_find_the_exact_neighbors(make, offset, monkeypatch):
    monkeypatch.setattr(neighbor_index, "find_spec", lambda name: None)
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
        neighbor_index,
        "nearest_by_products",
        lambda X, k: calls.append(k) or nearest_by_products(X, k),
    )
    X = make(6000, 30)
    found = nearest_by_index(X, 10)
    assert bool(calls) == by_products
    assert recall(found, nearest_neighbors(X, 10)[0]) >= 0.98


def test_the_mean_distance_does_not_depend_on_the_blocks(monkeypatch):
    X = clustered(60, 4)
    monkeypatch.setattr(neighbor_index, "_PAIRS", 200_000)
    wide = np.hstack([X, np.zeros((60, 100))])
    assert mean_distance(X) == mean_distance(X)
    assert mean_distance(wide) == pytest.approx(nearest_neighbors(X, 5)[2], rel=1e-2)
