"""The base class: ranking, constants, paths and messages, on tiny selectors made for it."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from blufs._numerics.graph import SampleGraph
from blufs.base import BaseSelector, Precomputed, Solution


class ByVariance(BaseSelector):
    """Rank by variance; tells what it was given."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _precompute(self, X):
        return {"shape": X.shape}

    def _rank(self, X, precomputed):
        weights = np.column_stack([X[0], X[1]])
        return Solution(
            scores=X.var(axis=0),
            n_iter=3,
            converged=False,
            objective_history=np.array([2.0, 1.0]),
            per_feature={"coef_": weights},
            fitted={"answer_": 42, "seen_": (X.shape, precomputed)},
        )


class PerSize(BaseSelector):
    """A method whose solution depends on s: starts counting at feature s."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _solve(self, X, s_values, precomputed):
        d, asked = X.shape[1], {"asked_": s_values}
        return {
            s: Solution(np.zeros(d), order=np.roll(np.arange(d), -s), fitted=asked)
            for s in s_values
        }


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
    assert fitted.coef_.shape == (5, 2)


def test_constant_features_are_hidden_from_the_method_and_come_last(X):
    X = np.insert(X, [0, 3], [[8.0, -1.0]], axis=1)
    fitted = ByVariance(2).fit(X)
    assert fitted.seen_[0] == (10, 5)
    assert fitted.ranking_.tolist() == [6, 5, 1, 4, 7, 2, 3]
    assert fitted.scores_[0] == fitted.scores_[4] == fitted.scores_.min()
    assert fitted.coef_.shape == (7, 2)
    assert fitted.coef_[[0, 4]].tolist() == [[0, 0], [0, 0]]
    assert ByVariance().precompute(X).value == {"shape": (10, 5)}


def test_asking_for_constant_features_too(X):
    X = np.insert(X, [0, 0, 5], 1.0, axis=1)
    path = PerSize().select_path(X, [4, 7, 8])
    assert [len(path[s].ranked) for s in (4, 7, 8)] == [8, 8, 8]
    assert path[8].ranked[-3:].tolist() == [0, 1, 7]
    assert PerSize(7).fit(X).support_.sum() == 7


def test_what_does_not_converge_is_said_once_at_the_line_of_the_user(X):
    for call in (lambda: ByVariance(2).fit(X), lambda: ByVariance().select_path(X, [1, 2, 3])):
        with pytest.warns(ConvergenceWarning, match="^ByVariance did not converge; ") as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


def test_path_is_sorted_and_without_repeats(X):
    selector = PerSize()
    path = selector.select_path(X, [4, 2, 4])
    assert path[2].fitted["asked_"] == [2, 4]
    assert path[2].ranked[0] == 2
    assert path[4].ranked[0] == 4


def test_precomputed_reaches_the_method(X):
    shared = ByVariance(2).precompute(X)
    assert ByVariance(2).fit(X, precomputed=shared).seen_[1] is shared.value


class Shifted(ByVariance):
    """A method with a parameter that the shared part depends on, and one that it does not."""

    tuned_parameters = ("power",)

    def __init__(self, n_features_to_select=None, width=1, power=1.0):
        self.n_features_to_select = n_features_to_select
        self.width = width
        self.power = power


def test_precomputed_for_something_else_is_refused_by_name(X):
    shared = Shifted().precompute(X)
    assert isinstance(shared, Precomputed)
    Shifted(3, power=2.0).fit(X, precomputed=shared)
    for other, message in (
        (X[:, :4], r"shape \(10, 5\), X has \(10, 4\)"),
        (X[:9], r"shape \(10, 5\), X has \(9, 5\)"),
        (X + 1, "other data of the same shape"),
    ):
        with pytest.raises(ValueError, match=message):
            Shifted(2).fit(other, precomputed=shared)
    with pytest.raises(ValueError, match="made with width=1, but Shifted has width=2"):
        Shifted(2, width=2).fit(X, precomputed=shared)
    with pytest.raises(ValueError, match="made by Shifted"):
        ByVariance(2).fit(X, precomputed=shared)
    with pytest.raises(ValueError, match="got SampleGraph; ByVariance takes no neighbour graph"):
        ByVariance(2).fit(X, precomputed=SampleGraph.from_data(X, 3))


def test_columns_of_one_name_and_masked_values_are_refused(X):
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="several columns named b"):
        ByVariance(2).fit(pd.DataFrame(X, columns=list("abbcd")))
    with pytest.raises(ValueError, match="ByVariance does not take masked values"):
        ByVariance(2).fit(np.ma.masked_greater(X, 1))
    assert ByVariance(2).fit(np.ma.masked_array(X)).support_.sum() == 2


@pytest.mark.parametrize(
    ("sizes", "message"), [(3, "must be a list of numbers of features, got 3"), ([], "is empty")]
)
def test_what_is_no_list_of_sizes_is_refused(X, sizes, message):
    with pytest.raises(ValueError, match=message):
        ByVariance().select_path(X, sizes)


class Given(ByVariance):
    """Finds what it is given."""

    def __init__(self, n_features_to_select=None, found=None):
        self.n_features_to_select = n_features_to_select
        self.found = found

    def _solve(self, X, s_values, precomputed):
        return self.found


@pytest.mark.parametrize(
    ("found", "error", "message"),
    [
        ({}, TypeError, "must give a Solution"),
        ({2: np.ones(5)}, TypeError, "must give a Solution"),
        ({2: Solution([1.0] * 5)}, TypeError, "must give a Solution"),
        ({2: Solution(np.ones(5) * 1j)}, TypeError, "an array of real scores"),
        ({2: Solution(np.ones(5), order=np.arange(5.0))}, ValueError, "each of 5 features once"),
        ({2: Solution(np.ones(5), per_feature=3)}, TypeError, "per_feature and fitted as dicts"),
        (
            {2: Solution(np.ones(5), per_feature={"coef_": np.ones(4)})},
            ValueError,
            "gave coef_ in per_feature, which must be an array whose first axis has the 5 features",
        ),
        ({2: Solution(np.ones(5), fitted={"support_": 0})}, ValueError, "attribute 'support_'"),
        ({2: Solution(np.ones(5), fitted={"fit": 0})}, ValueError, "attribute 'fit': a name must"),
        ({2: Solution(np.ones(4))}, ValueError, r"scores of shape \(4,\) for 5 features"),
        ({2: Solution(np.ones(5), order=np.arange(3))}, ValueError, "each of 5 features once"),
        ({2: Solution(np.ones(5), order=np.zeros(5, int))}, ValueError, "each of 5 features once"),
        ({2: Solution(np.full(5, np.nan))}, FloatingPointError, "NaN or infinite"),
    ],
)
def test_what_a_method_of_ones_own_finds_is_checked(X, found, error, message):
    with pytest.raises(error, match=rf"Given .*{message}"):
        Given(2, found).fit(X)
    with pytest.raises(error, match=rf"Given .*{message}"):
        Given(2, found).fit(np.insert(X, 1, 7.0, axis=1))


class Weighted(ByVariance):
    """A method with parameters that are numbers."""

    _parameter_constraints: ClassVar[dict] = {
        **ByVariance._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_features_to_select=None, alpha=1.0, n_clusters=2):
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.n_clusters = n_clusters


def test_parameters_that_overflow_or_are_truth_values_are_named(X):
    Weighted(2, alpha=1e100).fit(X)
    for wrong in (1e308, 10**400, 1e-300, np.float32(1e38) * 10):
        with pytest.raises(ValueError, match="'alpha' parameter of Weighted must"):
            Weighted(2, alpha=wrong).fit(X)
    for wrong in (True, np.True_):
        with pytest.raises(ValueError, match="'n_clusters' parameter"):
            Weighted(2, n_clusters=wrong).fit(X)


@pytest.mark.parametrize(
    ("wanted", "count"), [(None, 2), (0.2, 1), (0.99, 4), (0.01, 1), (5, 5), (np.float32(0.6), 3)]
)
def test_number_of_features(X, wanted, count):
    assert ByVariance(wanted).fit(X).support_.sum() == count


def test_neither_rank_nor_solve(X):
    class Empty(BaseSelector):
        n_features_to_select = None

    with pytest.raises(NotImplementedError, match="Empty implements neither"):
        Empty().fit(X)
