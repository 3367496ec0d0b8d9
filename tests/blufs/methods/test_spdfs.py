"""SPDFS: the trace ratio, its parts against their definitions, and the reference outputs."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from blufs import SPDFS
from blufs.methods.spdfs import (
    CenteredSamples,
    FuzzyScatter,
    fuzzy_centres,
    memberships,
    sparse_rows,
)
from tests.helpers.method_data import blobs, reference

rng = np.random.default_rng(0)


def centred(n: int, d: int) -> np.ndarray:
    X = blobs(n, d)
    return X - X.mean(axis=0)


def random_memberships(n: int, c: int) -> np.ndarray:
    U = rng.random((n, c))
    return U / U.sum(axis=1, keepdims=True)


def scatter_matrix(X: np.ndarray, scatter: FuzzyScatter) -> np.ndarray:
    return X.T @ scatter.times(X)


def test_scatter_is_the_weighted_distance_to_the_centres():
    X, U = centred(30, 6), random_memberships(30, 4)
    within = np.sum(U**1.3 * cdist(X, fuzzy_centres(X, U, 1.3)) ** 2)
    assert FuzzyScatter(U, 1.3).within(X) == pytest.approx(within)


def test_memberships_minimise_the_weighted_distances():
    """Any other row on the simplex is worse."""
    X, power = centred(20, 5), 1.5
    centres = X[:3]
    squares = cdist(X, centres) ** 2
    U = memberships(X, centres, power)
    np.testing.assert_allclose(U.sum(axis=1), 1)
    best = np.sum(U**power * squares, axis=1)
    for _ in range(20):
        other = 0.9 * U + 0.1 * random_memberships(20, 3)
        assert (np.sum(other**power * squares, axis=1) >= best - 1e-12).all()
    np.testing.assert_allclose(U[:3], np.eye(3), atol=1e-12)  # samples on a centre


def test_an_empty_cluster_changes_nothing():
    X, U = centred(20, 5), random_memberships(20, 3)
    with_empty = np.column_stack([U, np.zeros(20)])
    one, other = FuzzyScatter(U, 1.2), FuzzyScatter(with_empty, 1.2)
    np.testing.assert_allclose(one.times(X), other.times(X))
    before = rng.random((4, 5))
    np.testing.assert_array_equal(fuzzy_centres(X, with_empty, 1.2, before)[3], before[3])


@pytest.mark.parametrize("shape", [(40, 15), (15, 40), (40, 500), (500, 410)])
def test_sparse_rows_keep_the_constraint_and_never_lower_the_trace(shape):
    X = centred(*shape)
    data, scatter, ratio = (
        CenteredSamples.from_data(X),
        FuzzyScatter(random_memberships(shape[0], 3), 1.2),
        0.3,
    )
    M = scatter_matrix(X, scatter) - ratio * X.T @ X
    A = np.linalg.eigvalsh(M)[-1] * np.eye(shape[1]) - M
    W = np.linalg.qr(rng.random((shape[1], 2)))[0]
    before = -np.inf
    for _ in range(3):
        W, support, weights = sparse_rows(data, scatter, ratio, W, 6)
        assert set(np.flatnonzero(W.any(axis=1))) <= set(support)
        assert len(support) == 6
        assert weights.shape == (shape[1],)
        np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-10)
        trace = np.trace(W.T @ A @ W)
        assert trace >= before - 1e-8 * abs(trace)
        leading = np.linalg.eigvalsh(A[np.ix_(support, support)])[-2:].sum()
        assert trace == pytest.approx(leading, rel=1e-8)
        before = trace


@pytest.mark.parametrize("s", [3, 12, 40])
def test_the_ratio_is_what_is_recorded_and_falls(s):
    X = blobs(50, 60)
    fitted = SPDFS(s, n_clusters=3, random_state=0).fit(X)
    history = fitted.objective_history_
    assert (np.diff(history)[:-1] < 1e-12).all()
    assert fitted.coef_.shape == (60, max(1, s // 3))
    np.testing.assert_allclose(fitted.memberships_.sum(axis=1), 1)
    np.testing.assert_array_equal(np.flatnonzero(fitted.support_), np.flatnonzero(fitted.scores_))


def test_starts_decide_and_can_be_given():
    X = blobs(50, 60)
    sets = [set(np.flatnonzero(SPDFS(8, random_state=r).fit(X).support_)) for r in range(5)]
    assert len(set.intersection(*sets)) < 8
    W = np.linalg.qr(rng.random((60, 2)))[0]
    start = random_memberships(50, 8), W
    turned = start[0], W @ np.array([[0.6, -0.8], [0.8, 0.6]])
    one, other = (SPDFS(8, init=init).fit(X) for init in (start, turned))
    np.testing.assert_array_equal(one.support_, other.support_)  # only the span of W matters
    with pytest.raises(ValueError, match=r"init must hold arrays of shape \(50, 8\) and \(60, 2\)"):
        SPDFS(8, init=(W, W)).fit(X)


@pytest.mark.parametrize(
    ("name", "s", "m", "power"),
    [("SPDFS-k50", 50, 16, 1.2), ("SPDFS-k50-phi1.1", 50, 16, 1.1), ("SPDFS-k100", 100, 33, 1.2)],
)
def test_reference_features_and_ratios(name, s, m, power):
    X, expected = reference(name, "Yale")
    draw = np.random.default_rng(0)
    Y = draw.random((15, len(X)))
    W = np.linalg.qr(draw.random((X.shape[1], m)))[0]
    fitted = SPDFS(
        s, n_clusters=15, fuzziness=power, n_components=m, init=((Y / Y.sum(axis=0)).T, W)
    ).fit(X)
    assert np.argsort(fitted.ranking_)[:s].tolist() == expected["ranking"]
    np.testing.assert_allclose(fitted.objective_history_, expected["objective"], rtol=1e-9)
