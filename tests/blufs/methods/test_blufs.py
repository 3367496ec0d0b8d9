"""The BLUFS estimator: contract, invariances, special cases."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from blufs import BLUFS, BLUFSVariant, SampleGraph
from blufs._numerics.matrix.scaling import scale_features
from blufs_bench.selectors import is_random


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data[:200]
    return X[:, X.std(axis=0) > 0]


def chosen(selector, X):
    return set(np.flatnonzero(selector.fit(X).support_))


@parametrize_with_checks(
    [
        BLUFSVariant(n_clusters=2, constraint="final", init="random"),
        BLUFSVariant(clustering_level=False, y_solver="penalty"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_fitted_attributes_are_feasible(digits):
    n, d = digits.shape
    selector = BLUFS(12, n_clusters=10).fit(digits)
    assert selector.coef_.shape == (d, 10)
    np.testing.assert_array_equal(np.linalg.norm(selector.coef_, axis=1) > 0, selector.support_)
    assert selector.support_.sum() == 12
    np.testing.assert_allclose(selector.embedding_.T @ selector.embedding_, np.eye(10), atol=1e-8)
    P = selector.graph_
    assert P.shape == (n, n)
    assert P.data.min() >= 0
    np.testing.assert_allclose(P.sum(axis=0), np.ones(n))
    assert (np.diff(P.tocsc().indptr) <= 10).all()
    np.testing.assert_allclose(selector.scores_, np.linalg.norm(selector.coef_, axis=1))
    assert sorted(selector.ranking_) == list(range(1, d + 1))
    one_round = BLUFSVariant(12, n_clusters=10, feedback=0).fit(digits)
    assert len(one_round.objective_history_) == one_round.n_iter_ + 1


def test_units_of_the_features_do_not_matter_at_equal_norm(digits):
    selector = BLUFS(10, n_clusters=10, scaling="center+unit")
    units = np.random.default_rng(0).uniform(0.1, 100, digits.shape[1])
    assert chosen(selector, digits * units + 3) == chosen(selector, digits)


def test_all_features_without_graph_is_ridge_regression(digits):
    d = digits.shape[1]
    selector = BLUFSVariant(
        d, n_clusters=4, beta=0, lam=0.3, tau=1e-9, max_iter=0, init="spectral", similarity="data"
    )
    with pytest.warns(ConvergenceWarning):
        selector.fit(digits)
    A = scale_features(digits, "center+unit")
    graph = SampleGraph.from_data(A, 10)
    Y = graph.leading_eigenvectors(4)[1]
    ridge = np.linalg.solve(A.T @ A + 0.3 * np.eye(d), A.T @ Y)
    np.testing.assert_allclose(selector.coef_, ridge, atol=1e-7)


def test_graph_learning_off_makes_mu_irrelevant(digits):
    # The tolerance is relative to an objective that contains mu ||P||^2: stop by max_iter instead.
    selector = BLUFS(8, n_clusters=5, beta=0, tol=0, max_iter=5)
    fits = []
    for mu in (1e-3, 10):
        with pytest.warns(ConvergenceWarning):
            fits.append(selector.set_params(mu=mu).fit(digits).coef_)
    np.testing.assert_allclose(fits[0], fits[1], atol=1e-10)


def test_clustering_level_off_ignores_alpha_and_the_similarity(digits):
    fits = [
        BLUFSVariant(8, n_clusters=5, alpha=alpha, clustering_level=False).fit(digits)
        for alpha in (0.01, 100)
    ]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    # With Z = XW and no similarity the best Y is the polar factor of Z (tau is small).
    Z = scale_features(digits, "center+unit") @ fits[0].coef_
    U, _, Vt = np.linalg.svd(Z, full_matrices=False)
    best = np.sum((Z - U @ Vt) ** 2)
    assert np.sum((Z - fits[0].embedding_) ** 2) == pytest.approx(best, rel=1e-2)


def test_constraint_final_thresholds_what_constraint_none_ranks(digits):
    none = BLUFSVariant(7, n_clusters=5, constraint="none").fit(digits)
    final = BLUFSVariant(7, n_clusters=5, constraint="final").fit(digits)
    assert np.count_nonzero(none.scores_) == digits.shape[1]
    np.testing.assert_array_equal(none.support_, final.support_)
    np.testing.assert_array_equal(final.coef_, np.where(final.support_[:, None], none.coef_, 0))


def test_holding_the_constraint_gives_a_lower_objective_than_the_final_threshold(digits):
    """The claim behind ``constraint="every"``, with W re-solved on the support for both."""
    A = scale_features(digits, "center+unit")
    graph = SampleGraph.from_data(A, 10)
    weights = {"alpha": 1, "beta": 0, "lam": 1, "mu": 0}

    def objective(constraint):
        selector = BLUFSVariant(7, n_clusters=5, constraint=constraint, **weights)
        selector.fit(digits, precomputed=graph)
        chosen, Y = A[:, selector.support_], selector.embedding_
        W = np.linalg.solve(chosen.T @ chosen + np.eye(7), chosen.T @ Y)
        return np.sum((chosen @ W - Y) ** 2) + np.sum(W**2) - np.sum(Y * (graph.normalized @ Y))

    assert objective("every") < objective("final") - 0.1


def test_random_start_depends_on_the_seed_and_only_then(digits):
    assert not is_random(BLUFS)
    assert not is_random(BLUFSVariant())
    assert is_random(BLUFSVariant(init="random"))

    def coef(init, seed):
        return BLUFSVariant(8, n_clusters=5, init=init, random_state=seed).fit(digits).coef_

    np.testing.assert_array_equal(coef("random", 0), coef("random", 0))
    assert not np.array_equal(coef("random", 0), coef("random", 1))
    np.testing.assert_array_equal(coef("relaxed", 0), coef("relaxed", 1))


def test_precomputed_graph_and_start(digits):
    plain = BLUFS(9, n_clusters=10).fit(digits)
    shared = BLUFS(n_clusters=10, alpha=50).precompute(digits)
    np.testing.assert_array_equal(
        BLUFS(9, n_clusters=10).fit(digits, precomputed=shared).coef_, plain.coef_
    )
    graph = shared.value.graph
    for given in (graph, graph.similarity, graph.similarity.toarray()):
        fitted = BLUFS(9, n_clusters=10).fit(digits, precomputed=given)
        np.testing.assert_allclose(fitted.coef_, plain.coef_, atol=1e-8)
    with pytest.raises(ValueError, match="200 samples"):
        BLUFS(9, n_clusters=10).fit(digits[:50], precomputed=graph)
    with pytest.raises(ValueError, match="n_clusters=4"):
        BLUFS(9, n_clusters=4).fit(digits, precomputed=shared)


def test_isolated_samples_and_duplicates_stay_finite():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 6))
    similarity = np.zeros((30, 30))
    similarity[:5, :5] = 1 - np.eye(5)
    isolated = BLUFS(3, n_clusters=2).fit(X, precomputed=sp.csr_array(similarity))
    assert np.isfinite(isolated.coef_).all()
    twice = np.hstack([X, X[:, :3], np.ones((30, 1))])
    selector = BLUFS(9, n_clusters=2, scaling="none", lam=0).fit(twice * 1e6)
    assert np.isfinite(selector.coef_).all()
    assert not selector.support_[9]


def test_number_of_clusters_is_counted_where_they_are_apart():
    centers = 20 * np.random.default_rng(0).standard_normal((5, 8))
    X, _ = make_blobs(300, centers=centers, random_state=0)
    selector = BLUFS(4, n_clusters="auto").fit(X)
    assert selector.n_clusters_ == 5
    assert selector.coef_.shape == (8, 5)
    shared = BLUFS(n_clusters="auto").precompute(X)
    again = BLUFS(4, n_clusters="auto").fit(X, precomputed=shared)
    np.testing.assert_array_equal(again.coef_, selector.coef_)


def test_auto_is_the_scaling_that_it_names(digits):
    """Also where the graph is given: then the scaling is that of the features alone."""
    rng = np.random.default_rng(0)
    one_unit = rng.standard_normal((60, 40)) * rng.uniform(0.5, 2, 40)
    strokes = np.where(digits > 8, digits, 0)
    for X in (digits, strokes, one_unit):
        auto = BLUFS(8, n_clusters=5).fit(X)
        named = BLUFS(8, n_clusters=5, scaling=auto.scaling_).fit(X)
        np.testing.assert_array_equal(auto.coef_, named.coef_)
        graph = SampleGraph.from_data(X, 10)
        auto, named = (clone(each).fit(X, precomputed=graph) for each in (auto, named))
        np.testing.assert_array_equal(auto.coef_, named.coef_)


def test_the_evidence_for_numbers_of_clusters_is_kept_where_they_are_counted():
    X, _ = make_blobs(200, 10, centers=4, random_state=0)
    counted = BLUFS(4, n_clusters="auto").fit(X)
    assert next(iter(counted.cluster_evidence_)) == counted.n_clusters_ == 4
    assert BLUFS(4, n_clusters=4).fit(X).cluster_evidence_ == {}


@pytest.mark.parametrize("constraint", ["every", "none"])
def test_number_of_features_is_counted(digits, constraint):
    """Counting changes nothing but s, and constant features do not count."""
    auto = BLUFSVariant("auto", n_clusters=5, constraint=constraint).fit(digits)
    s = auto.n_features_to_select_
    assert s == auto.support_.sum()
    assert 5 < s < digits.shape[1]
    fixed = BLUFSVariant(s, n_clusters=5, constraint=constraint).fit(digits)
    np.testing.assert_array_equal(auto.ranking_, fixed.ranking_)
    np.testing.assert_array_equal(auto.coef_, fixed.coef_)
    assert (auto.explain(digits)["status"] == "chosen").sum() == s
    with_constants = np.hstack([np.ones((len(digits), 50)), 1e6 * digits])
    more = BLUFSVariant("auto", n_clusters=5, constraint=constraint).fit(with_constants)
    np.testing.assert_array_equal(np.flatnonzero(more.support_) - 50, np.flatnonzero(auto.support_))


def planted(c, informative, n_features, *, apart, units):
    """c clusters in a few features among noise, each feature in a unit of its own."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, n_features))
    centers = apart * rng.standard_normal((c, informative))
    X[:, :informative] += centers[rng.integers(c, size=300)]
    return X * 10 ** rng.uniform(-units, units, n_features)


TEXTBOOK = {
    "iris": (lambda: load_iris().data, 3),
    "wine": (lambda: load_wine().data, 3),
    "digits": (lambda: load_digits().data, 10),
    "breast cancer": (lambda: load_breast_cancer().data, 2),
    **{
        f"planted, {apart} apart": (partial(planted, 4, 10, 100, apart=apart, units=0), 4)
        for apart in (1, 2, 4)
    },
    "mixed units": (partial(planted, 3, 8, 30, apart=3, units=2), 3),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_counts_on_textbook_data_are_right_or_say_that_they_are_not_sure(name):
    load, c = TEXTBOOK[name]
    X = load()
    X = np.ascontiguousarray(X[:, np.ptp(X, axis=0) > 0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        counted = BLUFS("auto", n_clusters="auto").fit(X)
    said = [str(one.message) for one in caught]
    unsure = any("is a guess: no number of clusters stands out" in one for one in said)
    assert unsure == (name in {"iris", "wine", "breast cancer"})
    assert unsure or abs(counted.n_clusters_ - c) <= 0.1 * c
    assert len(counted.cluster_evidence_) > 3
    everything = any(f'"auto" keeps all {X.shape[1]}' in one for one in said)
    assert everything == (counted.n_features_to_select_ == X.shape[1])
    if name.startswith(("planted", "mixed")):
        n_informative = 10 if name.startswith("planted") else 8
        chosen = counted.get_support(indices=True)
        assert np.count_nonzero(chosen < n_informative) >= n_informative - 1
        assert len(chosen) <= 1.5 * n_informative


def test_more_clusters_and_weaker_ridge_ask_for_no_fewer_features(digits):
    counts = [BLUFS("auto", n_clusters=c).fit(digits).n_features_to_select_ for c in (2, 5, 10)]
    assert counts == sorted(counts)
    path = BLUFS("auto", n_clusters=5).select_path(digits, [3, 8])
    assert [np.count_nonzero(path[s].scores) for s in (3, 8)] == [3, 8]


def test_the_variant_with_its_defaults_is_blufs(digits):
    ours, theirs = (cls("auto", n_clusters=5).fit(digits) for cls in (BLUFS, BLUFSVariant))
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    fixed = set(BLUFSVariant().get_params()) - set(BLUFS().get_params())
    for name in fixed & set(dir(BLUFS)):
        assert getattr(BLUFS, name) == getattr(BLUFSVariant(), name)


@pytest.mark.parametrize("beta", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("how", [{"max_iter": 0}, {"constraint": "none"}])
def test_gains_without_a_search_are_those_of_the_residual(digits, beta, how):
    """``||x_j' (Y - M X W)||^2 / H_jj`` with ``M = I + 2 beta L_P``, all made of fitted arrays."""
    selector = BLUFSVariant(7, n_clusters=5, scaling="center+unit", beta=beta, feedback=0, **how)
    shared = selector.precompute(digits)
    with warnings.catch_warnings(action="ignore"):
        selector.fit(digits, precomputed=shared)
    X = scale_features(digits, "center+unit")
    P = selector.graph_.toarray()
    L = np.diag((P + P.T).sum(axis=0) / 2) - (P + P.T) / 2
    residual = selector.embedding_ - (np.eye(len(X)) + 2 * beta * L) @ (X @ selector.coef_)
    diagonal = shared.value.diagonal(beta, selector.lam, selector.tau)
    expected = np.sum((X.T @ residual) ** 2, axis=1) / diagonal
    others = selector.coef_.all(axis=1) if "constraint" in how else ~selector.support_
    np.testing.assert_allclose(selector.gains_[others], expected[others], rtol=1e-6, atol=1e-12)


def test_gain_of_a_chosen_feature_is_what_dropping_it_costs(digits):
    """For given P and Y: W is solved anew without the feature, and the block's value compared."""
    lam, tau, beta = 0.5, 1e-9, 2.0
    selector = BLUFSVariant(7, n_clusters=5, scaling="center+unit", lam=lam, tau=tau, beta=beta)
    selector.fit(digits)
    X, Y = scale_features(digits, "center+unit"), selector.embedding_
    P = selector.graph_.toarray()
    M = np.eye(len(X)) + beta * (np.diag((P + P.T).sum(axis=0)) - (P + P.T))

    def explained(features):
        A = X[:, features]
        B = A.T @ Y
        return np.sum(B * np.linalg.solve(A.T @ M @ A + lam * np.eye(len(features)), B))

    chosen = selector.get_support(indices=True)
    lost = [explained(chosen) - explained(np.delete(chosen, i)) for i in range(7)]
    np.testing.assert_allclose(selector.gains_[chosen], lost, rtol=1e-5)


def test_learned_neighbours_are_nearer_in_the_projected_space(digits):
    """The mean distance along the graph, weighted by it, for the same W."""
    selector = BLUFSVariant(12, n_clusters=5, scaling="center+unit", feedback=0).fit(digits)
    Z = scale_features(digits, "center+unit") @ selector.coef_
    V = ((Z[:, None] - Z) ** 2).sum(axis=2)
    learned = np.sum(selector.graph_.multiply(V))
    kept = selector.set_params(learn_neighbors=False).fit(digits).graph_
    nearest = np.sort(V + np.where(np.eye(len(V)), np.inf, 0), axis=0)[:10].mean(axis=0).sum()
    assert learned < 0.8 * np.sum(kept.multiply(V))
    assert learned == pytest.approx(nearest, rel=0.1)


def test_explain_says_why_for_every_feature():
    rng = np.random.default_rng(0)
    blobs, _ = make_blobs(200, 3, centers=4, random_state=0)
    copy = blobs[:, :1] + 0.01 * rng.standard_normal((200, 1))
    X = np.hstack([blobs, copy, rng.standard_normal((200, 2)), np.ones((200, 1))])
    X = pd.DataFrame(X, columns=["a", "b", "c", "a again", "noise", "more noise", "constant"])
    selector = BLUFS(3, n_clusters=4).fit(X)
    table = selector.explain(X)
    assert list(table.index) == list(X.columns)
    assert (table["status"] == "chosen").sum() == 3
    twin = "a again" if selector.support_[0] else "a"
    assert table.loc[twin, "status"] == "redundant"
    assert table.loc[twin, "most_similar"] == ({"a", "a again"} - {twin}).pop()
    assert table.loc[twin, "correlation"] > 0.99
    assert list(table.loc[["noise", "more noise"], "status"]) == ["low score", "low score"]
    assert table.loc["constant", "status"] == "constant"
    assert table["gain"].isna().sum() == 1
    assert table["gain"][selector.support_].min() > table["gain"][["noise", "more noise"]].max()
    other = "a" if twin == "a again" else "a again"
    assert table.loc[other, "explained"] < 0.5 < 0.99 < table.loc[twin, "explained"]


def test_the_papers_model_is_one_name_away(digits):
    selector = BLUFS.paper(8, n_clusters=5, random_state=0, lam=2.0)
    wanted = {"similarity": "data", "scaling": "unit", "init": "random", "y_solver": "penalty"}
    assert wanted.items() <= selector.get_params().items()
    assert selector.lam == 2.0
    assert is_random(selector)
    assert selector.fit(digits).support_.sum() == 8


def test_informative_features_are_found():
    rng = np.random.default_rng(0)
    blobs, _ = make_blobs(300, 4, centers=5, random_state=0)
    X = np.hstack([rng.standard_normal((300, 6)), blobs])
    assert chosen(BLUFS(4, n_clusters=5, lam=10), X) == {6, 7, 8, 9}
