"""Choosing without labels."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from blufs import BLUFS, DSCOFS, MCFS, AllFeatures, BlindSearch, LapScore, SampleGraph
from blufs.metrics import graph_cohesion, label_free_criteria
from blufs.search import DEFAULT_CRITERION, choose_blind
from tests.helpers.beyond_memory import KINDS, beyond_memory


@pytest.fixture(scope="module")
def blobs():
    """120 samples in 4 well separated clusters of two features, and 10 features of noise."""
    X, y = make_blobs(120, 2, centers=[[-9, -9], [-9, 9], [9, -9], [9, 9]], random_state=0)
    return np.hstack([X, np.random.default_rng(0).standard_normal((120, 10))]), y


def test_cohesion_is_the_trace_of_the_scaled_indicators():
    rng = np.random.default_rng(0)
    graph = SampleGraph.from_data(rng.standard_normal((30, 2)), 4)
    labels = rng.integers(3, size=30)
    E = np.eye(3)[labels] / np.sqrt(np.bincount(labels))
    expected = np.trace(E.T @ graph.normalized.toarray() @ E) / 3
    assert graph_cohesion(graph, labels) == pytest.approx(expected)
    gaps = np.array([10, 20, 40])[labels]
    assert graph_cohesion(graph, gaps) == pytest.approx(expected)


def test_cohesion_is_one_where_nothing_is_cut():
    block = np.ones((4, 4)) - np.eye(4)
    graph = SampleGraph(sp.block_diag([block, block], format="csr"))
    assert graph_cohesion(graph, np.repeat([0, 1], 4)) == pytest.approx(1)
    assert graph_cohesion(graph, np.tile([0, 1], 4)) < 0.5


def test_criteria_prefer_the_true_clusters(blobs):
    X, y = blobs
    graph = SampleGraph.from_data(X, 10)
    true = label_free_criteria(X, graph, [y, y])
    shuffled = label_free_criteria(X, graph, [np.random.default_rng(0).permutation(y)])
    assert DEFAULT_CRITERION in true
    assert all(true[name] > shuffled[name] + 0.1 for name in true)


def test_choose_blind_takes_the_best_row_and_the_first_on_ties():
    rows = [{"s": s, "criterion_cohesion": v} for s, v in enumerate([0.2, np.nan, 0.9, 0.9])]
    assert choose_blind(rows, "cohesion") is rows[2]
    plain = [{"cohesion": 1.0}, {"cohesion": 2.0}]
    assert choose_blind(plain, "cohesion") is plain[1]
    with pytest.raises(KeyError, match="silhouette"):
        choose_blind(rows, "silhouette")
    with pytest.raises(ValueError, match="no row"):
        choose_blind([])
    with pytest.raises(ValueError, match="no row"):
        choose_blind([{"cohesion": np.nan}], "cohesion")


def test_choose_blind_stays_with_the_default_unless_the_gain_is_clear():
    rows = [{"cohesion": value} for value in (0.50, 0.53, 0.60)]
    for margin, expected in ((0.0, rows[2]), (0.09, rows[2]), (0.1, rows[0]), (1.0, rows[0])):
        found = choose_blind(rows, "cohesion", default_rows=rows[:1], margin=margin)
        assert found is expected
    assert choose_blind(rows, "cohesion", default_rows=rows[:2], margin=0.1) is rows[1]
    unknown = [{"cohesion": np.nan}]
    assert choose_blind(unknown + rows, "cohesion", default_rows=unknown, margin=1.0) is rows[2]


def test_blind_search_keeps_what_it_found(blobs):
    X, _ = blobs
    grid = {"alpha": [0.01, 10.0], "lam": [0.01, 3.0]}
    search = BlindSearch(BLUFS(6, n_clusters=4), grid, margin=0.0, n_runs=2).fit(X)
    # Three other combinations and the estimator's own.
    assert len(search.results_) == 4
    best = max(search.results_, key=lambda row: row[DEFAULT_CRITERION])
    assert search.best_params_ == {**best["params"], "n_features_to_select": 6}
    assert set(np.flatnonzero(search.get_support())) == set(best["features"])
    assert {0, 1} <= set(best["features"])
    assert search.n_clusters_ == 4


def test_blind_search_warns_of_raw_intensities_once():
    rng = np.random.default_rng(0)
    X = np.exp(rng.normal(5, 1.2, (60, 50)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        BlindSearch(BLUFS(5, n_clusters=3), {"lam": [1.0], "alpha": [3.0]}, n_runs=1).fit(X)
    assert [str(one.message)[:37] for one in caught] == ["the values look like raw intensities:"]


def test_blind_search_never_leaves_the_default_for_a_huge_margin(blobs):
    X, _ = blobs
    search = BlindSearch(BLUFS(2, n_clusters=4), {"lam": [1e3]}, margin=2.0).fit(X)
    assert search.best_params_ == {"n_features_to_select": 2}
    np.testing.assert_array_equal(search.get_support(), BLUFS(2, n_clusters=4).fit(X).support_)


def test_blind_search_works_for_any_method_and_parameter(blobs):
    X, _ = blobs
    search = BlindSearch(LapScore(2), {"n_neighbors": [5, 10]}, n_clusters=4, n_runs=1).fit(X)
    assert [row["params"] for row in search.results_] == [{}, {"n_neighbors": 5}]
    assert search.transform(X).shape == (120, 2)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"estimator": BLUFS(13)}, ValueError, "above the number of features, 12"),
        ({"param_grid": {"nope": [1]}}, ValueError, "Invalid parameter 'nope'"),
        ({"param_grid": {"lam": 3}}, TypeError, "needs to be a list"),
        ({"param_grid": {"lam": []}}, ValueError, "non-empty"),
        ({"param_grid": {"lam": [1.0, -1.0]}}, ValueError, "'lam' parameter of BLUFS"),
        (
            {"param_grid": {"n_features_to_select": [2]}},
            ValueError,
            "does not compare numbers of features",
        ),
        ({"estimator": AllFeatures(), "param_grid": {}}, ValueError, "AllFeatures has no"),
        ({"estimator": BLUFS}, ValueError, "'estimator' parameter of BlindSearch"),
        ({"estimator": SelectKBest(k=2)}, ValueError, "'estimator' parameter of BlindSearch"),
        ({"n_runs": 0}, ValueError, "'n_runs' parameter of BlindSearch"),
        ({"n_clusters": 121}, ValueError, "n_clusters=121 is above n_samples=120"),
    ],
)
def test_blind_search_says_what_is_wrong_before_it_searches(blobs, changes, error, message):
    model = BLUFS(2, n_clusters=4)
    search = BlindSearch(**({"estimator": model, "param_grid": {"lam": [1.0]}} | changes))
    with pytest.raises(error, match=message):
        search.fit(blobs[0])


def test_blind_search_refuses_columns_of_one_name_and_missing_values(blobs):
    search = BlindSearch(MCFS(2, n_clusters=4), {})
    frame = pd.DataFrame(blobs[0], columns=list("aabcdefghijk"))
    with pytest.raises(ValueError, match="several columns named a"):
        search.fit(frame)
    with pytest.raises(ValueError, match="NaN"):
        search.fit(np.where(blobs[0] > 9, np.nan, blobs[0]))


@pytest.mark.parametrize("exponent", [-900, 900])
def test_blind_search_near_the_ends_of_the_numbers(blobs, exponent):
    search = BlindSearch(LapScore(2), {"n_neighbors": [5]}, n_runs=1)
    plain = clone(search).fit(blobs[0])
    extreme = search.fit(np.ldexp(blobs[0], exponent))
    assert extreme.n_clusters_ == plain.n_clusters_
    np.testing.assert_array_equal(extreme.get_support(), plain.get_support())


@parametrize_with_checks([BlindSearch(BLUFS(n_clusters=2), {"lam": [1.0]}, n_runs=1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:the neighbour graph has:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_blind_search_takes_what_its_estimator_takes(blobs, kind, tmp_path):
    X, _ = blobs
    search = BlindSearch(BLUFS(2, n_clusters=4), {"lam": [1.0]}, n_runs=1)
    plain = clone(search).fit(X)
    found = search.fit(beyond_memory(kind, X, tmp_path))
    assert found.best_params_ == plain.best_params_
    np.testing.assert_array_equal(found.get_support(), plain.get_support())
    for one, other in zip(found.results_, plain.results_, strict=True):
        assert one["principal_cohesion"] == pytest.approx(other["principal_cohesion"])
    chosen = found.transform(beyond_memory(kind, X, tmp_path))
    assert hasattr(chosen, "compute") == kind.endswith("dask")


def test_one_cluster_tells_nothing(blobs):
    with pytest.warns(UserWarning, match="n_clusters=1: all samples are one cluster"):
        BlindSearch(BLUFS(2, n_clusters=4), {}, n_clusters=1, n_runs=1).fit(blobs[0])


def test_a_criterion_that_compares_all_samples_needs_them_in_memory(blobs, tmp_path):
    search = BlindSearch(BLUFS(2, n_clusters=4), {}, criterion="cohesion")
    with pytest.raises(ValueError, match='criterion="principal_cohesion"'):
        search.fit(beyond_memory("hdf5", blobs[0], tmp_path))


def test_blind_search_over_parameters_that_are_arrays(blobs):
    start = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 2)))[0]
    model = DSCOFS(2, n_clusters=4, n_components=2, start=start)
    search = BlindSearch(model, {"start": [start, "pca"]}, n_runs=1).fit(blobs[0])
    assert [row["is_default"] for row in search.results_] == [True, False]


def test_blind_search_in_a_pipeline_with_names_and_clones(blobs):
    X = pd.DataFrame(blobs[0], columns=[f"f{i}" for i in range(12)])
    search = BlindSearch(BLUFS(2, n_clusters=4), {"lam": [1.0]}, n_runs=1)
    assert clone(search).get_params()["estimator__n_clusters"] == 4
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), search).fit(X)
    assert pipeline.transform(X).shape == (120, 2)
    assert list(search.get_feature_names_out()) == list(X.columns[search.get_support()])


def test_features_are_counted_before_the_search_where_nobody_says(blobs):
    X, _ = blobs
    estimator = BLUFS("auto", n_clusters=4)
    search = BlindSearch(estimator, {"lam": [1.0, 10.0]}).fit(X)
    counted = estimator.fit(X).n_features_to_select_
    assert search.best_params_["n_features_to_select"] == counted
    assert search.get_support().sum() == counted
