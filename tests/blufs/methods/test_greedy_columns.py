"""FSCA and PivotedQR: greedy choice by brute force, exhaustion of the rank, reference outputs."""

import numpy as np
import pytest
from scipy.linalg import qr

from blufs import FSCA, MaxVariance, PivotedQR
from tests.helpers.method_data import blobs, reference


def correlated(n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ (rng.standard_normal((d, d)) * 0.9 ** np.arange(d)) + 5


def unexplained(X: np.ndarray, features) -> float:
    """Squared norm that a least-squares fit on the features leaves of the centred data."""
    Z = X - X.mean(axis=0)
    chosen = Z[:, list(features)]
    return float(np.sum((Z - chosen @ np.linalg.lstsq(chosen, Z, rcond=None)[0]) ** 2))


@pytest.mark.parametrize("shape", [(40, 12), (12, 30)])
@pytest.mark.parametrize("seed", range(3))
def test_every_step_of_fsca_is_the_best_by_brute_force(shape, seed):
    X = correlated(*shape, seed)
    s = min(shape) - 2
    fitted = FSCA(s).fit(X)
    order = np.argsort(fitted.ranking_)[:s]
    total = np.sum((X - X.mean(axis=0)) ** 2)
    before = total
    for step, feature in enumerate(order):
        others = [j for j in range(shape[1]) if j not in order[:step]]
        left = {j: unexplained(X, [*order[:step], j]) for j in others}
        assert left[feature] == pytest.approx(min(left.values()), rel=1e-8)
        gain = (before - left[feature]) / total
        assert fitted.scores_[feature] == pytest.approx(gain, abs=1e-9)
        before = left[feature]
    assert fitted.explained_variance_ratio_[-1] == pytest.approx(1 - before / total)


@pytest.mark.parametrize("shape", [(40, 12), (12, 30)])
def test_scores_of_the_others_are_what_they_would_explain_next(shape):
    X = correlated(*shape, 0)
    fitted = FSCA(4).fit(X)
    chosen, total = np.flatnonzero(fitted.support_), np.sum((X - X.mean(axis=0)) ** 2)
    for feature in np.flatnonzero(~fitted.support_):
        gain = (unexplained(X, chosen) - unexplained(X, [*chosen, feature])) / total
        assert fitted.scores_[feature] == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("shape", [(60, 25), (20, 50)])
@pytest.mark.parametrize("seed", range(3))
def test_pivots_are_those_of_lapack(shape, seed):
    X = correlated(*shape, seed)
    s = min(shape[0] - 1, shape[1])
    pivots = qr(X - X.mean(axis=0), mode="r", pivoting=True)[1]
    fitted = PivotedQR(s).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:s], pivots[:s])


@pytest.mark.parametrize("method", [FSCA, PivotedQR])
def test_once_the_rank_is_used_up_the_rest_is_ordered_by_variance(method):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 12))
    fitted = method(8).fit(X)
    order = np.argsort(fitted.ranking_)
    assert len(fitted.explained_variance_ratio_) == 3
    assert fitted.explained_variance_ratio_[-1] == pytest.approx(1)
    by_variance = np.argsort(MaxVariance().fit(X).ranking_)
    assert order[3:].tolist() == [j for j in by_variance if j not in order[:3]]


@pytest.mark.parametrize("method", [FSCA, PivotedQR])
def test_a_copy_of_a_feature_is_never_taken_while_another_is_left(method):
    X = blobs(40, 6)
    fitted = method(6).fit(np.hstack([X, X]))
    assert set(np.flatnonzero(fitted.support_) % 6) == set(range(6))


@pytest.mark.parametrize("method", [FSCA, PivotedQR])
@pytest.mark.parametrize("shape", [(40, 12), (12, 30)])
def test_order_of_samples_offset_and_scale_do_not_matter(method, shape):
    X = correlated(*shape, 4)
    expected = method(8).fit(X).ranking_
    shuffled = X[np.random.default_rng(0).permutation(len(X))]
    for other in (shuffled, X + 1e6, X * 1e-9, X * 1e9):
        np.testing.assert_array_equal(
            method(8).fit(other).ranking_[expected <= 8], expected[expected <= 8]
        )


def test_standardised_features_do_not_depend_on_units():
    X = correlated(40, 12, 1)
    first, second = (FSCA(6, scaling="standard").fit(D) for D in (X, X * np.logspace(-3, 3, 12)))
    np.testing.assert_array_equal(first.ranking_, second.ranking_)


@pytest.mark.parametrize("name", ["FSCA-port", "LazyFSCA"])
def test_fsca_reference_order_and_explained_variance(name):
    X, expected = reference(name)
    fitted = FSCA(100).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:100], expected["ranking"])
    np.testing.assert_allclose(
        100 * fitted.explained_variance_ratio_, expected["varex"], rtol=1e-10
    )


def test_fsca_shares_98_features_with_the_lazy_code_on_standardised_data():
    X, expected = reference("LazyFSCA-z")
    fitted = FSCA(100, scaling="standard").fit(X)
    assert len(set(np.flatnonzero(fitted.support_)) & set(expected["ranking"])) == 98


def test_pivoted_qr_reference_order():
    X, expected = reference("PivotedQR")
    fitted = PivotedQR(1024).fit(X)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), expected["ranking"])
