"""BSUFS: descent, the steps as minimisers, PCA as a special case and the reference output."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from blufs import BSUFS
from blufs.methods.bsufs import EXPONENTS, shrink, shrinkage_threshold
from tests.helpers.method_data import blobs, reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("shape", [(60, 12), (20, 70)])
@pytest.mark.parametrize(("p", "q"), [(0, 0), (1 / 2, 1 / 2), (2 / 3, 0)])
def test_objective_never_rises_and_w_stays_orthonormal(shape, p, q):
    fitted = BSUFS(5, n_components=4, p=p, q=q, tol=0, max_iter=30).fit(blobs(*shape))
    W, history = fitted.coef_, fitted.objective_history_
    np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-8)
    assert len(history) == 31
    assert np.diff(history).max() <= 1e-9 * np.abs(history).max()
    assert history[-1] < history[0]


@pytest.mark.parametrize("shape", [(60, 12), (20, 70)])
def test_without_penalties_the_loadings_are_those_of_pca(shape):
    X = blobs(*shape)
    fitted = BSUFS(5, n_components=4, row_penalty=0, entry_penalty=0).fit(X)
    loadings = PCA(4, svd_solver="full").fit(X).components_
    np.testing.assert_allclose(fitted.scores_, np.linalg.norm(loadings, axis=0), atol=1e-6)


@pytest.mark.parametrize("shape", [(60, 12), (20, 70)])
def test_agrees_with_a_dense_transcription(shape):
    """Hard thresholds (p = q = 0) written down with a d x d scatter matrix."""
    X = blobs(*shape)
    d, m, l2, l1, b2, b1 = shape[1], 3, 0.3, 0.2, 2.0, 0.5
    Z = X - X.mean(axis=0)
    A = Z.T @ Z
    A /= np.linalg.eigvalsh(A)[-1]
    W = np.linalg.eigh(A)[1][:, ::-1][:, :m]
    for _ in range(6):
        U = np.where(np.abs(W) > np.sqrt(2 * l1 / d / b1), W, 0)
        rows = np.linalg.norm(W, axis=1) > np.sqrt(2 * l2 * m / d / b2)
        V = np.where(rows[:, None], W, 0)
        for _ in range(3000):
            left, _, right = np.linalg.svd(2 * A @ W + b1 * U + b2 * V, full_matrices=False)
            W = left @ right
    rows = np.linalg.norm(W, axis=1) > np.sqrt(2 * l2 * m / d / b2)
    fitted = BSUFS(
        3,
        n_components=m,
        p=0,
        q=0,
        row_penalty=l2,
        entry_penalty=l1,
        row_coupling=b2,
        entry_coupling=b1,
        tol=0,
        max_iter=6,
    ).fit(X)
    np.testing.assert_allclose(
        np.linalg.norm(fitted.coef_, axis=1), np.linalg.norm(W, axis=1), atol=1e-3
    )
    assert fitted.n_nonzero_rows_ == rows.sum()


def test_features_without_a_row_follow_by_their_loadings():
    fitted = BSUFS(5, n_components=3, row_penalty=4.0).fit(blobs(60, 12))
    order = np.argsort(fitted.ranking_)
    rest = order[fitted.n_nonzero_rows_ :]
    assert 0 < len(rest) < 12
    assert (fitted.scores_[rest] == 0).all()
    loadings = np.linalg.norm(fitted.coef_, axis=1)[rest]
    assert (np.diff(loadings) <= 0).all()


def test_reference_order_of_the_nonzero_rows():
    X, expected = reference("BSUFS")
    Z = X - X.mean(axis=0)
    unit = np.linalg.norm(Z, 2) ** 2
    # At the public demo's values its element-wise part is zero throughout, so there is none here.
    # Its first iteration gives principal components, where this one starts: 98 are left.
    fitted = BSUFS(
        100,
        row_penalty=1e4 / (unit * (20 / 1024) ** (2 / 3)),
        entry_penalty=0,
        row_coupling=1e6 / unit,
        n_components=20,
        max_iter=98,
        tol=0,
    ).fit(X)
    count = expected["nonzero_rows"]
    assert fitted.n_nonzero_rows_ == count == 85
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[:count], expected["ranking"][:count])
    np.testing.assert_allclose(fitted.scores_**2, expected["row_norm_sq"], atol=1e-6)


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("weight", [0.01, 0.3, 2.0])
def test_no_point_of_a_fine_grid_is_better(p, weight):
    a = np.linspace(-4, 4, 161)

    def value(x, center):
        return weight * np.where(x != 0, np.abs(x) ** p, 0) + (x - center) ** 2 / 2

    x = shrink(a, weight, p)
    grid = np.linspace(-4.5, 4.5, 18_001)
    best = value(grid[:, None], a).min(axis=0)
    assert (value(x, a) <= best + 1e-9).all()
    np.testing.assert_allclose(value(x, a), best, atol=1e-4)


@pytest.mark.parametrize("p", EXPONENTS)
def test_zero_up_to_the_threshold_and_odd_beyond(p):
    threshold = shrinkage_threshold(0.5, p)
    inside, outside = np.array([0.999, 0.2, 0]) * threshold, np.array([1.001, 3.0]) * threshold
    assert (shrink(inside, 0.5, p) == 0).all()
    assert (shrink(outside, 0.5, p) > 0).all()
    np.testing.assert_array_equal(shrink(-outside, 0.5, p), -shrink(outside, 0.5, p))


@pytest.mark.parametrize("p", EXPONENTS)
def test_a_huge_weight_leaves_nothing(p):
    assert not shrink(np.array([-1.0, 0, 2]), 1e200, p).any()


def test_no_weight_changes_nothing():
    np.testing.assert_array_equal(shrink(np.array([-1.0, 0, 2]), 0.0, 2 / 3), [-1.0, 0, 2])
