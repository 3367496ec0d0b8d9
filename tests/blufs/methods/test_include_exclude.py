"""Features that must be chosen, and features that must not: for every method."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from benchmarks.evidence.w_step_rules import best_on
from blufs import BLUFS, FSCA, AllFeatures, BlindSearch, BLUFSVariant, MaxVariance, PivotedQR
from blufs._numerics.units import Units
from tests.blufs.methods.test_contract import DATA, METHODS, SELECTING, selector
from tests.helpers.solver_problems import random_w_problem

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
    "ignore:n_neighbors=10 is not below:UserWarning",
)
INCLUDED, EXCLUDED = [11, 2], [0, 7]


@pytest.fixture(scope="module")
def wine():
    return DATA["wine"]


@pytest.mark.parametrize("s", [2, 4])
@pytest.mark.parametrize("name", SELECTING)
def test_included_are_chosen_and_first_excluded_never_and_last(name, s, wine):
    fitted = selector(name, s, include=INCLUDED, exclude=EXCLUDED).fit(wine)
    assert fitted.support_.sum() == s
    assert set(np.argsort(fitted.ranking_)[:2]) == set(INCLUDED)
    assert set(np.argsort(fitted.ranking_)[-2:]) == set(EXCLUDED)
    assert sorted(fitted.ranking_) == list(range(1, wine.shape[1] + 1))
    path = selector(name, include=INCLUDED, exclude=EXCLUDED).select_path(wine, [s])
    assert set(path[s].ranked[:s]) == set(np.flatnonzero(fitted.support_))


@pytest.mark.parametrize("name", METHODS)
def test_an_empty_list_changes_nothing(name, wine):
    plain = selector(name, 4).fit(wine)
    for empty in ([], np.zeros(wine.shape[1], bool)):
        fitted = selector(name, 4, include=empty, exclude=empty).fit(wine)
        np.testing.assert_array_equal(fitted.scores_, plain.scores_)
        np.testing.assert_array_equal(fitted.ranking_, plain.ranking_)


@pytest.mark.parametrize("name", [n for n in SELECTING if n != "RandomFeatures"])
def test_excluding_is_leaving_the_column_out(name, wine):
    others = np.delete(np.arange(wine.shape[1]), EXCLUDED)
    fitted = selector(name, 4, exclude=EXCLUDED).fit(wine)
    without = selector(name, 4).fit(wine[:, others])
    np.testing.assert_array_equal(np.flatnonzero(fitted.support_), others[without.support_])
    np.testing.assert_array_equal(fitted.scores_[others], without.scores_)


@pytest.mark.parametrize("name", [n for n in SELECTING if get_tags(selector(n)).input_tags.sparse])
def test_sparse_data_gives_what_dense_data_gives(name):
    X = np.random.default_rng(0).poisson(0.7, (60, 15)).astype(float)
    fits = [
        selector(name, 5, include=[3, 9], exclude=[0, 1]).fit(data).support_
        for data in (X, sp.csr_array(X))
    ]
    np.testing.assert_array_equal(*fits)


def test_positions_names_and_masks_are_the_same(wine):
    frame = load_wine(as_frame=True).data
    mask = np.zeros(13, bool)
    mask[INCLUDED] = True
    names = list(frame.columns[INCLUDED])
    supports = [
        BLUFS(5, n_clusters=3, include=include).fit(frame).support_
        for include in (
            *(INCLUDED, names, pd.Index(names), mask, pd.Series(mask), np.array(names)),
            *(mask.tolist(), mask.astype(object), pd.Series(mask, index=frame.columns)[::-1]),
        )
    ]
    for support in supports[1:]:
        np.testing.assert_array_equal(support, supports[0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"include": [1, 2], "exclude": [2]}, "include and exclude both have 2"),
        ({"include": [1, 2, 3, 4]}, "n_features_to_select=3 is below .* include, 4"),
        ({"exclude": list(range(11))}, "n_features_to_select=3, but exclude leaves 2 of 13"),
        ({"include": [13]}, "include has 13, but the 13 features of X have the positions 0 to 12"),
        ({"exclude": [-1]}, "exclude has -1"),
        ({"include": ["alcohol"]}, "include names features, but X has no names"),
        ({"include": [1.5]}, "include must have positions, names or truth values"),
        ({"include": [True, 5]}, "truth values of features, all of one kind; got True, 5"),
        ({"include": np.ones(4, bool)}, "include is a mask of 4 values, X has 13 features"),
        ({"exclude": [0, 1] * 6 + [0]}, "13 values that are 0 or 1: a mask needs truth values"),
        ({"exclude": np.array([[1]])}, "exclude must be a list"),
        ({"exclude": {2, 3}}, "exclude must be a list of features, got set"),
        ({"exclude": pd.DataFrame({"a": [1]})}, "exclude must be a list of features, got DataF"),
        ({"include": np.ma.masked_array([1, 2], [0, 1])}, "include has masked values"),
        ({"include": [10**30]}, "include has 10{30}, but the 13 features"),
        ({"exclude": 3}, "exclude"),
        ({"exclude": "alcohol"}, "exclude"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message, wine):
    with pytest.raises(ValueError, match=message):
        MaxVariance(3, **parameters).fit(wine)


def test_numbers_of_any_type_are_positions(wine):
    wanted = MaxVariance(3, include=[1, 2]).fit(wine).support_
    for given in (np.array([1, 2], object), pd.Series([1, 2], dtype="Int64"), np.uint8([2, 1])):
        np.testing.assert_array_equal(MaxVariance(3, include=given).fit(wine).support_, wanted)


def test_positions_among_names_are_no_names():
    frame = load_wine(as_frame=True).data.rename(columns={"ash": "1"})
    with pytest.raises(ValueError, match="all of one kind; got 1, 'alcohol'"):
        MaxVariance(3, include=[1, "alcohol"]).fit(frame)


def test_unknown_names_are_told_with_the_nearest_one():
    frame = load_wine(as_frame=True).data
    with pytest.raises(ValueError, match=r"does not have: 'alcohl'; did you mean 'alcohol'\?"):
        BLUFS(3, include=["alcohl"]).fit(frame)
    with pytest.raises(ValueError, match="include and exclude both have 'alcohol'"):
        BLUFS(3, include=["alcohol"], exclude=["alcohol", "hue"]).fit(frame)


def test_counts_refer_to_the_features_that_are_left(wine):
    assert MaxVariance(exclude=[0, 1, 2]).fit(wine).n_features_to_select_ == 5
    assert MaxVariance(0.5, exclude=[0, 1, 2]).fit(wine).n_features_to_select_ == 5
    assert MaxVariance(include=list(range(9))).fit(wine).n_features_to_select_ == 9
    assert AllFeatures(exclude=[0, 5]).fit(wine).get_support(indices=True).tolist() == [
        *(1, 2, 3, 4),
        *range(6, 13),
    ]


@pytest.mark.parametrize("cls", [BLUFS, FSCA, PivotedQR, MaxVariance])
def test_a_constant_feature_can_be_included(cls, wine):
    X = np.hstack([np.ones((len(wine), 2)), wine])
    for s in (1, 2, 4):
        fitted = cls(s, include=[0] if s == 1 else [0, 5]).fit(X)
        assert fitted.support_[0]
        assert fitted.support_.sum() == s
        assert not fitted.support_[1]
    auto = BLUFS("auto", n_clusters=3, include=[0]).fit(X)
    assert auto.support_.sum() == auto.n_features_to_select_
    assert auto.support_[0]


def test_everything_that_is_left_constant_is_refused(wine):
    X = np.hstack([np.ones((len(wine), 2)), wine])
    with pytest.raises(ValueError, match="all features that exclude leaves are constant"):
        MaxVariance(1, exclude=list(range(2, 15))).fit(X)


def test_copies_can_be_included(wine):
    X = np.hstack([wine, wine[:, :3]])
    for cls in (BLUFS, FSCA, PivotedQR):
        fitted = cls(5, include=[0, 13, 14]).fit(X)
        assert fitted.support_[[0, 13, 14]].all()
        assert fitted.support_.sum() == 5


@pytest.mark.parametrize("constraint", ["every", "final", "none"])
def test_variants_of_blufs_include_too(constraint, wine):
    fitted = BLUFSVariant(4, n_clusters=3, include=INCLUDED, constraint=constraint).fit(wine)
    assert fitted.support_[INCLUDED].all()
    if constraint != "none":
        np.testing.assert_array_equal(fitted.coef_.any(axis=1), fitted.support_)


@pytest.mark.parametrize("cls", [FSCA, PivotedQR])
def test_greedy_methods_choose_the_others_given_the_included(cls, wine):
    """The next feature is that with the best criterion on what the included leave unexplained."""
    X = (wine - wine.mean(axis=0)) / wine.std(axis=0)
    order = list(np.argsort(cls(5, include=INCLUDED).fit(X).ranking_)[:5])
    assert set(order[:2]) == set(INCLUDED)
    for count in (2, 3, 4):
        S = X[:, order[:count]]
        E = X - S @ np.linalg.lstsq(S, X, rcond=None)[0]
        norms = np.sum(E**2, axis=0)
        gain = norms if cls is PivotedQR else np.sum((E.T @ E) ** 2, axis=0) / np.maximum(norms, 1)
        gain[order[:count]] = -1
        assert int(np.argmax(gain)) == order[count]


def test_the_support_search_finds_the_best_support_with_the_included():
    """Among all supports that have them, by exhaustive search; and it never loses them."""
    hits, count = 0, 100
    for seed in range(count):
        problem = random_w_problem(seed)
        d, s = len(problem.H), max(2, problem.s)
        included = np.random.default_rng(seed).choice(d, min(2, s), replace=False)
        problem.units = Units.single(d, included)
        T = problem.search.start(s).chosen
        assert set(included) <= set(T)
        old = np.zeros((s, problem.Y.shape[1]))
        found = problem.search.improve(T, problem.data.columns(T), old).support
        assert set(included) <= set(found)
        rest = np.setdiff1d(np.arange(d), included)
        best = min(
            best_on(problem.H, problem.B, np.array([*included, *others]))
            for others in combinations(rest, s - len(included))
        )
        hits += best_on(problem.H, problem.B, found) <= best * (1 - 1e-9)
    assert hits >= 0.95 * count


def test_blufs_extends_a_panel_by_what_it_does_not_have(wine):
    """With a weak ridge, near copies of included features gain nothing and are left."""
    plain = BLUFS(3, n_clusters=3, lam=1e-3).fit(wine)
    best = np.flatnonzero(plain.support_)
    noise = 1e-3 * np.random.default_rng(0).standard_normal((len(wine), 3))
    X = np.hstack([wine, wine[:, best] + noise])
    fitted = BLUFS(6, n_clusters=3, lam=1e-3, include=[13, 14, 15]).fit(X)
    assert fitted.support_[[13, 14, 15]].all()
    assert not fitted.support_[best].any()


def test_included_count_towards_auto(wine):
    X = np.hstack([wine, np.random.default_rng(0).standard_normal((len(wine), 100))])
    plain = BLUFS("auto", n_clusters=3).fit(X).n_features_to_select_
    noise = list(range(14, 14 + plain))
    more = BLUFS("auto", n_clusters=3, include=noise).fit(X)
    assert more.n_features_to_select_ > plain
    assert more.support_[noise].all()
    assert more.support_[:13].any()


def test_shared_starts_depend_on_what_is_excluded(wine):
    shared = BLUFS(n_clusters=3, exclude=[1]).precompute(wine)
    fitted = BLUFS(3, n_clusters=3, include=[4], exclude=[1]).fit(wine, precomputed=shared)
    again = BLUFS(3, n_clusters=3, include=[4], exclude=[1]).fit(wine)
    np.testing.assert_array_equal(fitted.coef_, again.coef_)
    with pytest.raises(ValueError, match=r"made with exclude=\[1\], but BLUFS has exclude=\[2\]"):
        BLUFS(3, n_clusters=3, exclude=[2]).fit(wine, precomputed=shared)


def test_in_pipelines_and_searches():
    data = load_wine(as_frame=True)
    pipeline = make_pipeline(
        StandardScaler().set_output(transform="pandas"),
        MaxVariance(3, include=["hue"]),
        KNeighborsClassifier(),
    )
    grid = {"maxvariance__include": [["hue"], ["alcohol", "proline"]]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(data.data, data.target)
    chosen = search.best_estimator_[:-1].get_feature_names_out()
    assert set(search.best_params_["maxvariance__include"]) <= set(chosen)
    assert len(chosen) == 3
    blind = BlindSearch(
        BLUFS(4, n_clusters=3, include=["hue"], exclude=["ash"]), {"lam": [1.0]}
    ).fit(data.data)
    names = blind.get_feature_names_out()
    assert "hue" in names
    assert "ash" not in names
    assert all(10 in row["features"] and 2 not in row["features"] for row in blind.results_)


def test_a_mask_with_other_names_than_the_features_is_refused():
    frame = load_wine(as_frame=True).data
    mask = pd.Series(True, index=[*frame.columns[:-1], "other"])
    with pytest.raises(ValueError, match="exclude is a mask whose index does not name"):
        BLUFS(3, exclude=mask).fit(frame)
