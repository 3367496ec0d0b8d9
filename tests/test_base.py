"""The base class: ranking, constants, paths and messages, on tiny selectors made for it."""

import numpy as np
import pytest

from blufs.base import BaseSelector, GraphSelector, Solution, check_n_clusters
from blufs.numerics.graph import SampleGraph


class ByVariance(BaseSelector):
    """Rank by variance; remembers what it was given."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _precompute(self, X):
        return {"shape": X.shape}

    def _rank(self, X, precomputed):
        self.seen_ = (X.shape, precomputed)
        weights = np.column_stack([X[0], X[1]])
        return Solution(
            scores=X.var(axis=0),
            n_iter=3,
            converged=False,
            objective_history=np.array([2.0, 1.0]),
            per_feature={"weights_": weights},
            fitted={"answer_": 42},
        )


class PerSize(BaseSelector):
    """A method whose solution depends on s: starts counting at feature s."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _solve(self, X, s_values, precomputed):
        self.asked_ = s_values
        d = X.shape[1]
        return {s: Solution(np.zeros(d), order=np.roll(np.arange(d), -s)) for s in s_values}


class OnGraph(GraphSelector):
    def __init__(self, n_features_to_select=None, n_neighbors=3):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors

    def _rank(self, X, precomputed):
        return Solution(np.full(X.shape[1], self._graph(X, precomputed).degree.sum()))


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((10, 5)) * [1, 81, 3, 27, 9]


def test_order_is_descending_and_ties_go_to_the_smaller_index():
    assert Solution(np.array([1.0, 3.0, 2.0, 3.0])).ranked.tolist() == [1, 3, 2, 0]
    given = np.array([2, 0, 1])
    assert Solution(np.zeros(3), order=given).ranked is given


def test_fit_publishes_everything(X):
    fitted = ByVariance(2).fit(X)
    assert fitted.ranking_.tolist() == [5, 1, 4, 2, 3]
    assert fitted.support_.tolist() == [False, True, False, True, False]
    assert (fitted.n_iter_, fitted.converged_, fitted.answer_) == (3, False, 42)
    assert fitted.objective_history_.tolist() == [2.0, 1.0]
    assert fitted.weights_.shape == (5, 2)


def test_constant_features_are_hidden_from_the_method_and_come_last(X):
    X = np.insert(X, [0, 3], [[8.0, -1.0]], axis=1)
    fitted = ByVariance(2).fit(X)
    assert fitted.seen_[0] == (10, 5)
    assert fitted.ranking_.tolist() == [6, 5, 1, 4, 7, 2, 3]
    assert fitted.scores_[0] == fitted.scores_[4] == fitted.scores_.min()
    assert fitted.weights_.shape == (7, 2)
    assert fitted.weights_[[0, 4]].tolist() == [[0, 0], [0, 0]]
    assert ByVariance().precompute(X) == {"shape": (10, 5)}


def test_asking_for_constant_features_too(X):
    X = np.insert(X, [0, 0, 5], 1.0, axis=1)
    path = PerSize().select_path(X, [4, 7, 8])
    assert [len(path[s].ranked) for s in (4, 7, 8)] == [8, 8, 8]
    assert path[8].ranked[-3:].tolist() == [0, 1, 7]
    assert PerSize(7).fit(X).support_.sum() == 7


def test_path_is_sorted_and_without_repeats(X):
    selector = PerSize()
    path = selector.select_path(X, [4, 2, 4])
    assert selector.asked_ == [2, 4]
    assert path[2].ranked[0] == 2
    assert path[4].ranked[0] == 4


def test_precomputed_reaches_the_method(X):
    token = object()
    assert ByVariance(2).fit(X, precomputed=token).seen_[1] is token


@pytest.mark.parametrize(("wanted", "count"), [(None, 2), (0.2, 1), (0.99, 4), (0.01, 1), (5, 5)])
def test_number_of_features(X, wanted, count):
    assert ByVariance(wanted).fit(X).support_.sum() == count


def test_numpy_integers_are_numbers(X):
    assert ByVariance(np.int64(3)).fit(X).support_.sum() == 3


@pytest.mark.parametrize("wrong", [0, -2, 1.0, True, "3"])
def test_wrong_numbers_of_features(X, wrong):
    with pytest.raises(ValueError, match=r"n_features_to_select|number of features"):
        ByVariance(wrong).fit(X)
    with pytest.raises(ValueError, match="positive integer"):
        ByVariance().select_path(X, [wrong])


def test_too_many_features_names_both_numbers(X):
    with pytest.raises(
        ValueError, match="n_features_to_select=6 is above the number of features, 5"
    ):
        ByVariance(6).fit(X)


def test_neither_rank_nor_solve(X):
    class Empty(BaseSelector):
        n_features_to_select = None

    with pytest.raises(NotImplementedError, match="Empty implements neither"):
        Empty().fit(X)


def test_graph_of_another_size_is_refused(X):
    graph = SampleGraph.from_data(X, 3)
    expected = OnGraph().fit(X).scores_
    np.testing.assert_array_equal(OnGraph().fit(X, precomputed=graph).scores_, expected)
    as_matrix = graph.similarity.toarray()
    np.testing.assert_allclose(OnGraph().fit(X, precomputed=as_matrix).scores_, expected)
    with pytest.raises(ValueError, match="10 samples, X has 9"):
        OnGraph().fit(X[:9], precomputed=graph)


def test_check_n_clusters():
    check_n_clusters(5, 5)
    with pytest.raises(ValueError, match=r"n_clusters=6 is above n_samples=5"):
        check_n_clusters(6, 5)
