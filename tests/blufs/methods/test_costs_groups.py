"""Features that cost something, and features that go together."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blufs import (
    BLUFS,
    FSCA,
    BlindSearch,
    BLUFSVariant,
    GeneBasis,
    LapScore,
    PivotedQR,
    StabilitySelector,
    path,
)
from tests.blufs.methods.test_contract import DATA

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:the neighbour graph has:UserWarning"
)
GROUPS = ["a", "b", "b", "c", "a", "d", "c", "c", "e", "f", "g", "g", "h"]
COSTS = np.array([1.5, 0.3, 2.0, 0.7, 4.0, 1.1, 0.9, 2.5, 0.4, 3.0, 1.0, 0.6, 1.9])
MAKERS = {
    "BLUFS": lambda s=None, **given: BLUFS(s, n_clusters=3, **given),
    "BLUFS final": lambda s=None, **given: BLUFSVariant(
        s, n_clusters=3, constraint="final", **given
    ),
    "FSCA": lambda s=None, **given: FSCA(s, scaling="standard", **given),
    "PivotedQR": lambda s=None, **given: PivotedQR(s, scaling="standard", **given),
    "GeneBasis": GeneBasis,
}
each_method = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture(scope="module")
def wine():
    X = DATA["wine"]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def groups_of(features) -> list[str]:
    return [GROUPS[j] for j in features]


@each_method
@pytest.mark.parametrize("s", [1, 4, 12])
def test_costs_of_one_and_groups_of_one_change_nothing(make, s, wine):
    plain = make(s).fit(wine)
    for given in ({"costs": np.ones(13)}, {"groups": list(range(13))}):
        fitted = make(s, **given).fit(wine)
        np.testing.assert_array_equal(fitted.ranking_, plain.ranking_)
        np.testing.assert_array_equal(fitted.scores_, plain.scores_)
        assert fitted.n_features_to_select_ == s


@each_method
def test_groups_are_chosen_whole_and_counted(make, wine):
    found = make(groups=GROUPS).select_path(wine, [1, 3, 5])
    for s in (1, 3, 5):
        fitted = make(s, groups=GROUPS).fit(wine)
        chosen = set(groups_of(fitted.indices_))
        assert len(chosen) == s
        assert sorted(fitted.indices_) == [j for j in range(13) if GROUPS[j] in chosen]
        assert fitted.n_features_to_select_ == fitted.support_.sum() == len(fitted.indices_)
        # In the ranking the features of a group stand together.
        order = groups_of(np.argsort(fitted.ranking_))
        assert sum(a != b for a, b in pairwise(order)) == 8 - 1
        np.testing.assert_array_equal(found[s].selected, fitted.indices_)


@each_method
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_budget_is_kept_and_spent(make, groups, wine):
    labels = list(range(13)) if groups is None else groups
    cost_of = pd.Series(COSTS).groupby(labels).sum()
    budgets = [2.5, 5, 9.0, 14.25]
    found = make(costs=COSTS, groups=groups).select_path(wine, budgets)
    for budget in budgets:
        fitted = make(budget, costs=COSTS, groups=groups).fit(wine)
        spent = COSTS[fitted.support_].sum()
        assert spent <= budget + 1e-9
        others = [
            unit for unit in cost_of.index if unit not in {labels[j] for j in fitted.indices_}
        ]
        assert cost_of[others].min() > budget - spent
        assert sorted(fitted.ranking_) == list(range(1, 14))
        np.testing.assert_array_equal(found[budget].selected, fitted.indices_)


@each_method
def test_included_take_their_groups_along_and_their_share_of_the_budget(make, wine):
    fitted = make(3, groups=GROUPS, include=[3], exclude=[1, 2]).fit(wine)
    assert set(fitted.indices_[:3]) == {3, 6, 7}
    assert set(np.argsort(fitted.ranking_)[-2:]) == {1, 2}
    assert len(set(groups_of(fitted.indices_))) == 3
    fitted = make(4.6, costs=COSTS, include=[4], exclude=[1]).fit(wine)
    assert fitted.indices_[0] == 4
    assert fitted.indices_[1:].tolist() in ([8], [11])  # what 0.6 buys, but for the excluded one
    exactly = make(COSTS[[4, 2]].sum(), costs=COSTS, include=[4, 2]).fit(wine)
    assert set(exactly.indices_) == {2, 4}


@each_method
def test_half_is_the_default(make, wine):
    assert COSTS[make(costs=COSTS).fit(wine).support_].sum() <= COSTS.sum() / 2
    assert len(set(groups_of(make(groups=GROUPS).fit(wine).indices_))) == 4
    assert len(set(groups_of(make(0.25, groups=GROUPS).fit(wine).indices_))) == 2
    assert make(costs=COSTS, include=range(12)).fit(wine).support_.sum() == 12


@each_method
def test_sums_that_round_do_not_matter(make, wine):
    fitted = make(0.3, costs=np.full(13, 0.1)).fit(wine)  # 0.1 + 0.1 + 0.1 > 0.3
    np.testing.assert_array_equal(fitted.support_, make(3).fit(wine).support_)


@each_method
def test_of_two_copies_the_cheap_one_is_bought(make, wine):
    X = np.hstack([wine, wine])
    costs = np.r_[np.full(13, 3.0), np.ones(13)]
    fitted = make(4, costs=costs).fit(X)
    np.testing.assert_array_equal(
        fitted.support_, np.r_[np.zeros(13, bool), make(4).fit(wine).support_]
    )


@each_method
def test_constant_columns_stay_with_their_group_and_are_paid_for(make, wine):
    X = np.hstack([wine[:, :6], np.ones((len(wine), 2))])
    fitted = make(2, groups=[0, 1, 2, 3, 4, 5, 0, 9], include=[0]).fit(X)
    assert fitted.support_[[0, 6]].all()
    assert fitted.support_.sum() == 3
    paid = make(6, groups=[0, 1, 2, 3, 4, 5, 0, 9], costs=[1.0] * 6 + [4.5, 0.5], include=[0])
    assert set(paid.fit(X).indices_) == {0, 6}
    # A group of which nothing varies is not bought, but counts if it must be chosen.
    assert not make(8, costs=[1.0] * 8).fit(X).support_[[6, 7]].any()
    forced = make(3, costs=[1.0] * 6 + [2.0, 2.0], include=[7]).fit(X)
    assert forced.support_[7]
    assert forced.support_.sum() == 2
    assert make(8, groups=list("abcdefgh")).fit(X).support_.all()


def left_over(X: np.ndarray, features) -> float:
    chosen = X[:, list(features)]
    return float(np.sum((X - chosen @ np.linalg.lstsq(chosen, X, rcond=None)[0]) ** 2))


@pytest.mark.parametrize("shape", [(60, 12), (10, 16)])
@pytest.mark.parametrize("seed", range(3))
def test_every_step_of_fsca_is_the_best_per_cost_by_brute_force(shape, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape) @ (
        rng.standard_normal((shape[1], shape[1])) * 0.8 ** np.arange(shape[1])
    )
    X -= X.mean(axis=0)
    labels, costs = rng.integers(7, size=shape[1]), rng.uniform(0.5, 3, shape[1])
    fitted = FSCA(6.0, groups=labels, costs=costs).fit(X)
    chosen = list(dict.fromkeys(labels[fitted.indices_].tolist()))
    price, total = np.bincount(labels, costs, 7), np.sum(X**2)
    for step, unit in enumerate(chosen):
        before = np.flatnonzero(np.isin(labels, chosen[:step]))
        spent = price[chosen[:step]].sum()
        now = left_over(X, before) if step else total
        rates = {
            j: (now - left_over(X, [*before, *np.flatnonzero(labels == j)])) / price[j]
            for j in set(labels) - set(chosen[:step])
            if price[j] <= 6 - spent
        }
        assert rates[unit] >= max(rates.values()) * (1 - 1e-8)
        score = fitted.scores_[labels == unit]
        np.testing.assert_allclose(score, rates[unit] * price[unit] / total, atol=1e-9)
    share = 1 - left_over(X, fitted.indices_) / total
    assert fitted.explained_variance_ratio_[-1] == pytest.approx(share, abs=1e-9)
    assert len(fitted.explained_variance_ratio_) == len(chosen)


def test_pivots_of_groups_are_those_with_the_largest_part_left(wine):
    fitted = PivotedQR(4, groups=GROUPS).fit(wine)
    chosen = list(dict.fromkeys(groups_of(fitted.indices_)))
    for step, unit in enumerate(chosen):
        before = [j for j in range(13) if GROUPS[j] in chosen[:step]]
        E = wine - wine[:, before] @ np.linalg.lstsq(wine[:, before], wine, rcond=None)[0]
        norms = pd.Series(np.sum(E**2, axis=0)).groupby(GROUPS).sum().drop(chosen[:step])
        assert norms.idxmax() == unit


def test_one_hot_columns_which_span_each_other_are_a_group():
    """Three indicators of one attribute sum to one: together they have two dimensions."""
    rng = np.random.default_rng(0)
    one_hot = np.eye(3)[rng.integers(3, size=90)]
    X = np.hstack([one_hot, rng.standard_normal((90, 4))])
    labels = [0, 0, 0, 1, 2, 3, 4]
    for make in (FSCA, PivotedQR, lambda s, **given: BLUFS(s, n_clusters=2, lam=0, **given)):
        fitted = make(5, groups=labels).fit(X)
        assert fitted.support_.all()
        assert make(2, groups=labels, include=[1]).fit(X).support_[:3].all()


@pytest.mark.parametrize("seed", range(4))
def test_planted_groups_and_bargains_are_found(seed):
    """Three clusters that two groups of weak columns tell apart together, among groups of noise."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    signal = np.repeat(centers[rng.integers(3, size=150)], 3, axis=1)
    X = np.hstack([signal, rng.standard_normal((150, 24))])
    X[:, :6] += rng.standard_normal((150, 6))
    order = rng.permutation(30)
    labels = (np.arange(30) // 3)[order]
    fitted = BLUFS(2, n_clusters=3, groups=labels).fit(X[:, order])
    assert set(labels[fitted.support_]) == {0, 1}
    # Of each feature there is a cheap copy: with money for six of these they are what is bought.
    twice = np.hstack([X, X])
    costs = np.r_[np.full(30, 5.0), np.ones(30)]
    bargains = BLUFS(6, n_clusters=3, costs=costs).fit(twice)
    assert set(bargains.indices_) == set(range(30, 36))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("feedback", [0, 0.25])
def test_the_objective_never_rises(seed, feedback):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 8)) @ rng.standard_normal((8, 30)) + rng.standard_normal((50, 30))
    labels, costs = rng.integers(15, size=30), rng.uniform(0.2, 3, 30)
    for given in ({"groups": labels}, {"costs": costs}, {"groups": labels, "costs": costs}):
        fitted = BLUFSVariant(9, n_clusters=3, feedback=feedback, tol=1e-8, **given).fit(X)
        history = fitted.objective_history_
        assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()
        np.testing.assert_array_equal(fitted.coef_.any(axis=1), fitted.support_)


def test_no_admissible_swap_of_blufs_lowers_its_objective(wine):
    """With the labels and the graph that it found, by solving for W from scratch."""
    fitted = BLUFSVariant(7, n_clusters=3, costs=COSTS, groups=GROUPS, beta=0, tol=1e-10).fit(wine)
    X = wine / np.linalg.norm(wine, axis=0)
    assert fitted.scaling_ == "center+unit"

    def reached(features) -> float:
        A = X[:, features]
        B = A.T @ fitted.embedding_
        return -np.sum(B * np.linalg.solve(A.T @ A + 3.0 * np.eye(len(features)), B))

    own = set(groups_of(fitted.indices_))
    best = reached(np.flatnonzero(fitted.support_))
    for size in range(1, 8):
        for units in combinations(sorted(set(GROUPS)), size):
            features = [j for j in range(13) if GROUPS[j] in units]
            if COSTS[features].sum() <= 7 and len(set(units) - own) == 1 >= len(own - set(units)):
                assert reached(features) >= best - 1e-6


@pytest.mark.parametrize("cls", [BLUFS, FSCA, PivotedQR])
def test_sparse_data_give_what_dense_data_give(cls):
    X = np.random.default_rng(0).poisson(0.7, (60, 15)).astype(float)
    labels, costs = np.arange(15) // 2, 1.0 + np.arange(15) % 4
    for given in ({"groups": labels}, {"costs": costs}, {"groups": labels, "costs": costs}):
        fits = [cls(4, **given).fit(data).support_ for data in (X, sp.csr_array(X))]
        np.testing.assert_array_equal(*fits)


def test_values_by_name_and_by_position_are_the_same():
    frame = load_wine(as_frame=True).data
    names = list(frame)
    shuffled = np.random.default_rng(0).permutation(13)
    costs = [
        *(COSTS, COSTS.tolist(), pd.Series(COSTS)),
        dict(zip(names, COSTS, strict=True)),
        pd.Series(COSTS, index=names).iloc[shuffled],
    ]
    supports = [FSCA(6, costs=given).fit(frame).support_ for given in costs]
    several = {name: label for name, label in zip(names, GROUPS, strict=True) if label in "abcg"}
    groups = [
        *(GROUPS, np.array(GROUPS), pd.Categorical(GROUPS), [ord(label) for label in GROUPS]),
        *(several, pd.Series(GROUPS, index=names).iloc[shuffled]),
    ]
    by_group = [FSCA(3, groups=given).fit(frame).support_ for given in groups]
    for same in (supports, by_group):
        for support in same[1:]:
            np.testing.assert_array_equal(support, same[0])


@pytest.mark.parametrize(
    ("s", "given", "message"),
    [
        (3, {"costs": [1, 2]}, "costs has 2 values, X has 13 features: give one for each"),
        (3, {"costs": np.ones((13, 1))}, r"costs has shape \(13, 1\), X has 13 features"),
        (3, {"costs": [1] * 12 + [0]}, "costs must be positive finite numbers, got 0"),
        (3, {"costs": [1] * 12 + [-2.5]}, "positive finite numbers, got -2.5"),
        (3, {"costs": [1] * 12 + [np.nan]}, "positive finite numbers, got nan"),
        (3, {"costs": [1] * 12 + [np.inf]}, "positive finite numbers, got inf"),
        (3, {"costs": ["cheap"] * 13}, "positive finite numbers, got 'cheap'"),
        (3, {"costs": [True] * 13}, "positive finite numbers, got True"),
        (3, {"costs": {"hue": 1}}, "costs names features, but X has no names"),
        (3, {"costs": {0: 1}}, "costs must have names of features as keys"),
        (3, {"costs": 2.0}, "costs"),
        (0.2, {"costs": COSTS}, "budget that buys nothing: the cheapest costs 0.3"),
        (0.39, {"costs": COSTS, "exclude": [1]}, "buys nothing: the cheapest costs 0.4"),
        (
            5,
            {"costs": COSTS, "include": [4, 9]},
            "=5.* is below what the features in include cost, 7",
        ),
        (-1, {"costs": COSTS}, "a budget where features have costs: a positive number, got -1"),
        (np.nan, {"costs": COSTS}, "a positive number, got nan"),
        (True, {"costs": COSTS}, "a positive number, got True"),
        ("auto", {"costs": COSTS}, "n_features_to_select='auto' does not look at costs"),
        (2.5, {}, "n_features_to_select"),
        (10**400, {"costs": COSTS}, "a positive number, got 10000"),
        (3, {"costs": np.ma.masked_array(COSTS, COSTS > 1)}, "costs has masked values"),
        (3, {"groups": [1, 2]}, "groups has 2 values, X has 13 features"),
        (3, {"groups": [(1,), (1, 2)] + [(3,)] * 11}, "groups must be one value per feature"),
        (3, {"groups": [None, *GROUPS[1:]]}, "groups has no label at 0"),
        (3, {"groups": [*range(12), np.nan]}, "groups has no label at 12"),
        (3, {"groups": [pd.NA, *GROUPS[1:]]}, "groups has no label at 0"),
        (3, {"groups": [{}] * 13}, "groups must have one label per feature"),
        (3, {"groups": {"hue": "a"}}, "groups names features, but X has no names"),
        (9, {"groups": GROUPS}, "n_features_to_select=9 is above the number of groups, 8"),
        (7, {"groups": GROUPS, "exclude": [0, 4, 8]}, "=7, but exclude leaves 6 of 8 groups"),
        (1, {"groups": GROUPS, "include": [0, 1]}, "is below the number of groups in include, 2"),
        (2.0, {"groups": GROUPS}, "n_features_to_select"),
        (3, {"groups": GROUPS, "exclude": [0]}, "exclude has 0, but not all of the group"),
        (
            3,
            {"groups": GROUPS, "include": [0], "exclude": [0, 4]},
            "include and exclude both have 0, 4",
        ),
    ],
)
def test_what_cannot_be_is_refused(s, given, message, wine):
    with pytest.raises(ValueError, match=message):
        BLUFS(s, n_clusters=3, **given).fit(wine)


def test_names_that_are_not_there_are_told():
    frame = load_wine(as_frame=True).data
    with pytest.raises(ValueError, match=r"groups has names .*: 'hues'; did you mean 'hue'\?"):
        FSCA(3, groups={"hues": 1}).fit(frame)
    with pytest.raises(ValueError, match="not say what these features cost: 'malic_acid', 'ash'"):
        FSCA(3, costs={"alcohol": 1.0}).fit(frame)
    with pytest.raises(ValueError, match="exclude has 'alcohol', but not all of the group"):
        FSCA(3, groups=GROUPS, exclude=["alcohol"]).fit(frame)


def test_a_budget_that_only_constant_features_fit_is_refused(wine):
    X = np.hstack([np.ones((len(wine), 1)), wine])
    with pytest.raises(ValueError, match="buys no feature that varies: the cheapest costs 5"):
        FSCA(2, costs=[1.0] + [5.0] * 13).fit(X)


def test_methods_that_only_rank_do_not_take_them(wine):
    with pytest.raises(TypeError, match="'groups'"):
        LapScore(3, groups=GROUPS)
    with pytest.raises(ValueError, match="Invalid parameter 'costs' for estimator LapScore"):
        LapScore(3).set_params(costs=COSTS)


def test_auto_counts_groups(wine):
    fitted = BLUFS("auto", n_clusters=3, groups=GROUPS).fit(wine)
    chosen = set(groups_of(fitted.indices_))
    assert sorted(fitted.indices_) == [j for j in range(13) if GROUPS[j] in chosen]
    again = BLUFS(len(chosen), n_clusters=3, groups=GROUPS).fit(wine)
    np.testing.assert_array_equal(again.support_, fitted.support_)


def test_explained_tables_and_pipelines_know_them():
    data = load_wine(as_frame=True).data
    selector = FSCA(3, groups=dict(zip(data, GROUPS, strict=True)), include=["ash"])
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), selector)
    names = list(pipeline.fit(data).get_feature_names_out())
    assert {"malic_acid", "ash"} < set(names)
    table = pipeline[-1].explain(
        StandardScaler().set_output(transform="pandas").fit_transform(data)
    )
    assert table.index[table["status"] == "included"].tolist() == ["malic_acid", "ash"]
    assert set(table.index[table["status"] == "chosen"]) == set(names) - {"malic_acid", "ash"}


def test_searches_paths_and_stability_respect_them(wine):
    frame = pd.DataFrame(wine, columns=load_wine().feature_names)
    by_name = dict(zip(frame, COSTS, strict=True))
    estimator = BLUFS(5.0, n_clusters=3, costs=by_name)
    search = BlindSearch(estimator, {"lam": [1.0, 10.0]}).fit(frame)
    assert all(COSTS[row["features"]].sum() <= 5 for row in search.results_)
    assert COSTS[search.get_support()].sum() <= search.best_params_["n_features_to_select"] == 5
    grouped = BLUFS("auto", n_clusters=3, groups=dict(zip(frame, GROUPS, strict=True)))
    search = BlindSearch(grouped, {"lam": [1.0]}).fit(frame)
    n_groups = len(set(groups_of(grouped.fit(frame).indices_)))
    assert search.best_params_["n_features_to_select"] == n_groups

    table = path(estimator, frame, n_resamples=2)
    spent = [
        COSTS[[frame.columns.get_loc(name) for name in row]].sum() for row in table["features"]
    ]
    assert (np.array(spent) <= table["s"] + 1e-9).all()
    assert len(table["features"].iloc[-1]) == 13
    table = path(FSCA(groups=GROUPS), wine, n_resamples=2)
    assert table["s"].max() == 7  # of eight groups

    stable = StabilitySelector(FSCA(3, groups=GROUPS), n_resamples=6).fit(wine)
    for label in set(GROUPS):
        own = [j for j in range(13) if GROUPS[j] == label]
        assert len(set(stable.frequencies_[own])) == 1
        assert stable.support_[own].all() or not stable.support_[own].any()


def test_a_series_that_names_a_feature_twice_is_refused():
    frame = load_wine(as_frame=True).data
    names = ["hue", "hue", *frame.columns[2:]]
    for given in ({"costs": pd.Series(COSTS, index=names)}, {"groups": pd.Series(GROUPS, names)}):
        with pytest.raises(ValueError, match="names features several times: 'hue'"):
            FSCA(3, **given).fit(frame)
