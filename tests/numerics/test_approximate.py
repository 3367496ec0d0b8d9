"""The approximate neighbour graph: what is made of the index's answer, and the index itself."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from blufs import BLUFS, SampleGraph
from blufs.numerics.approximate import _mean_distance, approximate_graph, approximate_neighbors
from blufs.numerics.data import ScaledData
from blufs.numerics.graph import nearest_neighbors
from blufs.numerics.principal import principal_graph, principal_vectors


class ExactIndex:
    """Stands in for pynndescent's index, whose compilation takes most of a minute."""

    def __init__(self, X, n_neighbors, random_state, n_jobs):
        distances = ((X[:, None] - X) ** 2).sum(axis=2)
        # Samples first where distances are equal, but duplicates in order of their index.
        self.neighbor_graph = [np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]]


@pytest.fixture
def exact_index(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=ExactIndex))


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((60, 4))


def test_from_an_exact_index_the_neighbors_are_exact(exact_index, X):
    indices, distances, mean = approximate_neighbors(X, 5)
    expected, expected_distances, expected_mean = nearest_neighbors(X, 5)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(distances, expected_distances, atol=1e-12)
    assert mean == pytest.approx(expected_mean, rel=5e-3)


def test_no_sample_is_its_own_neighbor_even_among_duplicates(exact_index):
    X = np.repeat(np.eye(3), 4, axis=0)
    indices, distances, _ = approximate_neighbors(X, 3)
    assert not (indices == np.arange(12)[:, None]).any()
    np.testing.assert_array_equal(distances, 0)
    assert all(len(set(row)) == 3 for row in indices)


def test_gaps_in_the_answer_are_filled_exactly(exact_index, X, monkeypatch):
    answer = ExactIndex(X, 11, 0, 1).neighbor_graph[0]
    answer[3, 4:] = -1
    index = SimpleNamespace(neighbor_graph=[answer])
    monkeypatch.setattr("pynndescent.NNDescent", lambda *_, **__: index)
    np.testing.assert_array_equal(approximate_neighbors(X, 5)[0], nearest_neighbors(X, 5)[0])


def test_too_many_neighbors_are_clipped(exact_index, X):
    with pytest.warns(UserWarning, match="using 59"):
        indices, _, _ = approximate_neighbors(X, 60)
    assert indices.shape == (60, 59)


def test_the_graph_of_the_data_equals_the_exact_one(exact_index, X, monkeypatch):
    mean_distance = nearest_neighbors(X, 5)[2]
    monkeypatch.setattr("blufs.numerics.approximate._mean_distance", lambda *_: mean_distance)
    found = approximate_graph(X, 5).similarity
    np.testing.assert_allclose(found.toarray(), SampleGraph.from_data(X, 5).similarity.toarray())


def test_the_graph_of_principal_coordinates_is_the_one_that_blufs_makes(exact_index, X):
    exact = principal_graph(principal_vectors(ScaledData(X, "center+unit"), 4)[1], 10)
    found = approximate_graph(X, n_components=4)
    assert ((found.similarity > 0) != (exact.similarity > 0)).nnz == 0
    np.testing.assert_allclose(found.similarity.toarray(), exact.similarity.toarray(), rtol=0.02)
    selected = BLUFS(2, n_clusters=2).fit(X, precomputed=found).support_
    np.testing.assert_array_equal(selected, BLUFS(2, n_clusters=2).fit(X).support_)


def test_the_mean_distance_does_not_depend_on_the_blocks(X, monkeypatch):
    monkeypatch.setattr("blufs.numerics.approximate._PAIRS", 200_000)
    assert _mean_distance(X, 0) == _mean_distance(X, 0)
    wide = np.hstack([X, np.zeros((60, 100))])
    assert _mean_distance(wide, 0) == pytest.approx(nearest_neighbors(X, 5)[2], rel=1e-2)


def test_without_pynndescent_the_error_says_what_to_do(monkeypatch, X):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"blufs\[approx\].*SampleGraph\.from_data"):
        approximate_neighbors(X, 5)


@pytest.mark.slow
def test_the_index_finds_nearly_all_neighbors_and_the_same_every_time():
    pytest.importorskip("pynndescent")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10, 20))[rng.integers(10, size=4000)] + rng.standard_normal((4000, 20))
    found = approximate_neighbors(X, 10)[0]
    exact = nearest_neighbors(X, 10)[0]
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, exact, strict=True)])
    assert recall > 0.97
    np.testing.assert_array_equal(found, approximate_neighbors(X, 10)[0])
