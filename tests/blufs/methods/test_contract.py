"""What every method promises, checked for every registered one."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import parametrize_with_checks

from blufs._numerics.graph import SampleGraph
from blufs.base import Solution
from blufs_bench.method_names import CONTROLS, known_methods
from blufs_bench.registry import method_class
from blufs_bench.selectors import make_selector
from tests.helpers.method_data import blobs, documented_to_depend_on, small_datasets

METHODS = tuple(name for name in known_methods() if name not in CONTROLS)
SELECTING = tuple(name for name in METHODS if not method_class(name).keeps_all_features)
DATA = small_datasets()
#: Fewer repetitions where a method's defaults take long; nothing here depends on them.
CHEAPER = {
    "RNE": {"max_iter": 5, "n_updates": 10},
    "BLFSE": {"n_base": 3, "kmeans_restarts": 2},
}
OFFSETS_MATTER = documented_to_depend_on("a constant added to a feature")
UNIT_MATTERS = documented_to_depend_on("X times a number")
FEATURE_ORDER_MATTERS = documented_to_depend_on("order of features")

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
    "ignore:n_neighbors=10 is not below:UserWarning",
)


def selector(name: str, s: int | float | str | None = None, **parameters):
    """The method ``name`` for s features and three clusters, with a fixed seed if it takes one."""
    cls = method_class(name)
    accepted = cls().get_params()
    wanted = {"n_features_to_select": s, "n_clusters": 3, "random_state": 0}
    wanted |= CHEAPER.get(name, {}) | parameters
    return make_selector(cls, {key: value for key, value in wanted.items() if key in accepted})


def with_parameter(parameter: str) -> list[str]:
    return [name for name in METHODS if parameter in method_class(name)().get_params()]


def selected(name: str, X, s: int) -> set[int]:
    return set(np.flatnonzero(selector(name, s).fit(X).support_))


@parametrize_with_checks([method_class(name)(**CHEAPER.get(name, {})) for name in METHODS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", [n for n in SELECTING if n != "BLUFS"])
def test_says_that_it_does_not_count_features(name):
    with pytest.raises(InvalidParameterError, match=r"n_features_to_select.*Got 'auto'"):
        selector(name, "auto").fit(next(iter(DATA.values())))


@pytest.mark.parametrize("dataset", DATA)
@pytest.mark.parametrize("name", SELECTING)
def test_selects_the_right_number_and_ranks_all(name, dataset):
    X = DATA[dataset]
    d = X.shape[1]
    fitted = selector(name, 3).fit(X)
    assert fitted.support_.sum() == 3
    assert sorted(fitted.ranking_) == list(range(1, d + 1))
    assert set(np.flatnonzero(fitted.support_)) == set(np.argsort(fitted.ranking_)[:3])
    assert np.isfinite(fitted.scores_).all()
    assert fitted.scores_.shape == (d,)
    np.testing.assert_array_equal(fitted.transform(X), X[:, fitted.support_])


def test_all_features_keeps_everything_and_is_the_baseline():
    assert selector("AllFeatures").fit(DATA["wine"]).support_.all()
    assert method_class("Baseline") is method_class("AllFeatures")
    assert set(METHODS) - set(SELECTING) == {"AllFeatures"}


def test_which_methods_depend_on_offsets_by_definition():
    assert {"MCFS", "RNE", "BLFSE", "BLSFS", "NDFS"} == OFFSETS_MATTER
    for name in OFFSETS_MATTER:
        assert selected(name, DATA["wine"] + 1e3, 4) != selected(name, DATA["wine"], 4)


@pytest.mark.parametrize("exponent", [60, 90, -60, -100])
@pytest.mark.parametrize("name", SELECTING)
def test_single_precision_near_its_ends(name, exponent):
    X = DATA["blobs"].astype(np.float32)
    extreme = selected(name, np.ldexp(X, exponent), 4)
    assert extreme == selected(name, np.ldexp(X.astype(np.float64), exponent), 4)


@pytest.mark.parametrize("name", SELECTING)
def test_one_huge_feature_is_scaled_or_named(name):
    X = DATA["blobs"]
    huge = X * np.where(np.arange(12) == 2, 2.0**950, 1)
    # The graph of NDFS compares samples as they are.
    if name != "NDFS" and getattr(method_class(name)(), "scaling", "none") != "none":
        assert selected(name, huge, 4) == selected(name, X, 4)
    else:
        with pytest.raises(ValueError, match="the range of X is too wide"):
            selected(name, huge, 4)


@pytest.mark.parametrize("name", SELECTING)
def test_all_samples_but_one_equal(name):
    X = np.tile(np.arange(6.0), (40, 1))
    X[7] = [5, 1, 2, 9, -3, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = selector(name, 3).fit(X)
    assert np.isfinite(fitted.scores_).all()
    # Features 1 and 2 are constant.
    assert set(fitted.ranking_[[1, 2]]) == {5, 6}


@pytest.mark.parametrize("name", [name for name in SELECTING if name != "SOGFS"])
def test_two_samples(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = selector(name, 2, n_clusters=2).fit(np.array([[1.0, 2, 3], [2, 3, 5]]))
    assert np.isfinite(fitted.scores_).all()


ON_GRAPHS = [name for name in SELECTING if method_class(name).takes_graph]


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_a_disconnected_graph_is_warned_about(name):
    X = np.vstack([blobs(30, 6, 1), blobs(30, 6, 2) + 1e3])
    similarity = np.kron(np.eye(2), np.ones((30, 30))) - np.eye(60)
    with pytest.warns(UserWarning, match="2 connected components"):
        selector(name, 3).fit(X, precomputed=similarity)


@pytest.mark.parametrize("case", ["isolated", "ones", "complete"])
@pytest.mark.parametrize("name", ON_GRAPHS)
def test_degenerate_graphs_give_finite_scores(name, case):
    X = blobs()
    graph = np.ones((60, 60))
    if case == "complete":
        graph -= np.eye(60)
    if case == "isolated":
        graph = SampleGraph.from_data(X, 10).similarity.toarray()
        graph[3] = graph[:, 3] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = selector(name, 3).fit(X, precomputed=graph)
    assert np.isfinite(fitted.scores_).all()
    assert fitted.support_.sum() == 3


@pytest.mark.parametrize("name", SELECTING)
def test_precomputed_of_other_data_names_both_shapes(name):
    X = blobs()
    shared = selector(name).precompute(X)
    for other in (X[:, :9], X[:50]):
        with pytest.raises(ValueError, match=rf"\(60, 12\), X has \({len(other)}, "):
            selector(name, 3).fit(other, precomputed=shared)
    if name not in ON_GRAPHS:
        with pytest.raises(ValueError, match=f"{name} takes no neighbour graph"):
            selector(name, 3).fit(X, precomputed=SampleGraph.from_data(X, 5))


@pytest.mark.parametrize("name", SELECTING)
def test_constant_features_come_last(name):
    X = np.insert(blobs(), [0, 5], 7.0, axis=1)
    constant = np.flatnonzero(X.std(axis=0) == 0)
    fitted = selector(name, X.shape[1] - 2).fit(X)
    assert not fitted.support_[constant].any()
    assert set(fitted.ranking_[constant]) == {X.shape[1] - 1, X.shape[1]}
    # Without them the same features are chosen.
    without = np.delete(X, constant, axis=1)
    expected = np.delete(np.arange(X.shape[1]), constant)[selector(name, 4).fit(without).support_]
    assert selected(name, X, 4) == set(expected)


@pytest.mark.parametrize("name", SELECTING)
def test_bad_numbers_of_features(name):
    X = DATA["iris"]
    with pytest.raises(ValueError, match=r"=9 .* 4"):
        selector(name, 9).fit(X)
    for wrong in (0, -1, True, 1.5, "many"):
        with pytest.raises(ValueError, match=r"n_features_to_select|number of features"):
            selector(name, wrong).fit(X)
        with pytest.raises(ValueError, match="number of features"):
            selector(name).select_path(X, [2, wrong])
    with pytest.raises(ValueError, match=r"=5 .* 4"):
        selector(name).select_path(X, [5])


@pytest.mark.parametrize("name", SELECTING)
def test_fraction_and_default_number_of_features(name):
    X = DATA["blobs"]
    assert selector(name, 0.25).fit(X).support_.sum() == 3
    assert selector(name, None).fit(X).support_.sum() == 6


@pytest.mark.parametrize("name", METHODS)
def test_no_variance_is_named(name):
    with pytest.raises(ValueError, match="no variance"):
        selector(name, 1).fit(np.full((20, 3), 2.5))


@pytest.mark.parametrize("name", with_parameter("n_neighbors"))
def test_too_many_neighbors_are_clipped_with_a_warning(name):
    X = blobs(n=20)
    with pytest.warns(UserWarning, match="n_neighbors=50"):
        fitted = selector(name, 3, n_neighbors=50).fit(X)
    assert fitted.support_.sum() == 3


@pytest.mark.parametrize("name", with_parameter("n_clusters"))
def test_more_clusters_than_samples(name):
    with pytest.raises(ValueError, match=r"n_clusters=21 .*n_samples=20"):
        selector(name, 3, n_clusters=21).fit(blobs(n=20))


@pytest.mark.parametrize("name", SELECTING)
def test_pandas_in_pandas_out(name):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(DATA["blobs"], columns=[f"feature {j}" for j in range(12)])
    fitted = selector(name, 3).set_output(transform="pandas").fit(frame)
    chosen = [f"feature {j}" for j in np.flatnonzero(fitted.support_)]
    assert list(fitted.get_feature_names_out()) == chosen
    pd.testing.assert_frame_equal(fitted.transform(frame), frame[chosen])


@pytest.mark.parametrize("dataset", ["wine", "wide"])
@pytest.mark.parametrize("name", SELECTING)
def test_path_equals_single_fits_whatever_the_other_sizes(name, dataset):
    X = DATA[dataset]
    path = selector(name).select_path(X, [6, 2, 4])
    assert sorted(path) == [2, 4, 6]
    alone = selector(name).select_path(X, [4])[4]
    _assert_same(path[4], alone)
    fitted = selector(name, 4).fit(X)
    np.testing.assert_array_equal(fitted.scores_, alone.scores)
    assert set(np.flatnonzero(fitted.support_)) == set(alone.ranked[:4])


@pytest.mark.parametrize("name", SELECTING)
def test_precomputed_changes_nothing(name):
    X = DATA["wine"]
    model = selector(name, 4)
    shared = model.precompute(X)
    np.testing.assert_array_equal(
        selector(name, 4).fit(X, precomputed=shared).scores_, selector(name, 4).fit(X).scores_
    )
    weights = {"gamma", "alpha", "beta", "lam", "eta", "rho", "row_penalty", "row_coupling"}
    tuned = weights & set(type(model).tuned_parameters)
    for parameter in sorted(tuned & set(model.get_params())):
        other = selector(name, 4, **{parameter: 10 * getattr(model, parameter)})
        with_shared = other.fit(X, precomputed=shared).scores_
        np.testing.assert_array_equal(with_shared, other.fit(X).scores_)


@pytest.mark.parametrize("name", with_parameter("max_iter"))
def test_too_few_iterations_warn(name):
    if name == "UDFS":
        pytest.skip("takes a fixed number of steps by default")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = selector(name, 3, max_iter=1).fit(DATA["wide"])
    warned = [warning for warning in caught if warning.category is ConvergenceWarning]
    assert len(warned) == (not fitted.converged_)
    assert all(f"{name} did not converge within max_iter=1" in str(w.message) for w in warned)
    assert {warning.filename for warning in caught} <= {__file__}


def _assert_same(first: Solution, second: Solution) -> None:
    np.testing.assert_array_equal(first.scores, second.scores)
    np.testing.assert_array_equal(first.ranked, second.ranked)


@pytest.mark.parametrize("name", with_parameter("verbose"))
def test_verbose_prints_every_iteration_and_changes_nothing(name, capsys):
    X = DATA["wine"]
    silent = selector(name, 4).fit(X)
    assert capsys.readouterr().out == ""
    talking = selector(name, 4, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == talking.n_iter_
    assert all(line.startswith(f"[{name}] iteration ") for line in lines)
    assert f"objective {talking.objective_history_[-1]:.6g}," in lines[-1]
    np.testing.assert_array_equal(talking.scores_, silent.scores_)
    shared = selector(name).precompute(X)
    assert selector(name, 4, verbose=2).fit(X, precomputed=shared).support_.sum() == 4
