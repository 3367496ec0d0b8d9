"""BLSFS: every step is an exact minimiser of the objective it claims to minimise."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from blufs import BLSFS, SampleGraph
from blufs._numerics.graph import laplacian, spectral_labels
from blufs._numerics.neighbors import nearest_neighbors
from blufs.methods.blsfs.estimator import (
    graph_step,
    nearest_projected,
    regression_step,
)
from blufs.methods.blsfs.single_moves import label_objective, label_step


def regression_problem(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X -= X.mean(axis=0)
    Y = np.eye(3)[rng.integers(3, size=n)]
    P = sp.csr_array(rng.random((n, n)) * (rng.random((n, n)) < 0.2))
    return X, Y, laplacian(P), rng.uniform(0.5, 2, size=d)


@pytest.mark.parametrize(("n", "d"), [(30, 12), (12, 30)])
def test_regression_step_zeroes_the_gradient(n, d):
    X, Y, L, q = regression_problem(n, d)
    beta, gamma = 0.7, 0.3
    W = regression_step(X, X.T @ X if d <= n else None, Y, L, q, beta, gamma)
    # Gradient of ||XW + 1b' - Y||^2 + 2 beta Tr(W'X'LXW) + gamma Tr(W' diag(q) W), b optimal.
    residual = X @ W + Y.mean(axis=0) - Y
    gradient = 2 * X.T @ residual + 4 * beta * X.T @ (L @ (X @ W)) + 2 * gamma * q[:, None] * W
    np.testing.assert_allclose(gradient, 0, atol=1e-10)


def test_both_forms_of_the_regression_step_agree():
    X, Y, L, q = regression_problem(20, 35)
    direct = regression_step(X, X.T @ X, Y, L, q, 2.0, 0.1)
    woodbury = regression_step(X, None, Y, L, q, 2.0, 0.1)
    np.testing.assert_allclose(woodbury, direct, atol=1e-9)


def test_graph_step_beats_any_other_graph():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((15, 2))
    P, r, spread = graph_step(*nearest_neighbors(Z, 5)[:2], 4, None)
    V = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    P = P.toarray()
    np.testing.assert_allclose(P.sum(axis=0), 1)
    assert P.min() >= 0
    assert (P > 0).sum(axis=0).max() <= 4
    assert np.diag(P).max() == 0
    assert spread == pytest.approx(np.sum(V * P) + r * np.sum(P**2))
    for _ in range(20):
        other = np.zeros_like(P)
        for j in range(15):
            candidates = rng.permutation(np.delete(np.arange(15), j))[:4]
            other[candidates, j] = rng.dirichlet(np.ones(4))
        assert np.sum(V * other) + r * np.sum(other**2) > spread


def test_neighbors_from_a_guess_are_the_nearest():
    rng = np.random.default_rng(2)
    # A lattice with ties and duplicates, whole numbers so that distances are exact.
    Z = rng.integers(6, size=(400, 3)).astype(float)
    expected, distances, _ = nearest_neighbors(Z, 7)
    good = nearest_neighbors(Z + 0.1 * rng.standard_normal(Z.shape), 7)[0]
    poor = (np.arange(400)[:, None] + rng.integers(1, 57, size=(400, 1)) * np.arange(1, 8)) % 400
    for guess in (good, poor):
        indices, found = nearest_projected(Z, guess)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(found, distances, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 10.0])
def test_label_step_ends_where_no_single_move_helps(alpha):
    X, _ = make_blobs(40, centers=4, n_features=5, random_state=0)
    S = SampleGraph.from_data(X, 5).normalized
    rng = np.random.default_rng(0)
    prediction, start = rng.random((40, 4)), rng.integers(4, size=40)
    labels = label_step(prediction, S, start, alpha)
    best = label_objective(prediction, S, labels, alpha)
    assert best < label_objective(prediction, S, start, alpha)
    for i in range(40):
        for target in range(4):
            moved = labels.copy()
            moved[i] = target
            if len(np.unique(moved)) == 4:
                assert label_objective(prediction, S, moved, alpha) >= best - 1e-9


def test_label_step_empties_no_cluster():
    S = SampleGraph.from_data(np.arange(12.0)[:, None], 3).normalized
    prediction = np.tile([1.0, 0.0, 0.0], (12, 1))
    labels = label_step(prediction, S, np.arange(12) % 3, 0.0)
    assert sorted(np.bincount(labels)) == [1, 1, 10]


def test_spectral_labels_find_the_blobs():
    X, y = make_blobs(90, centers=3, n_features=4, cluster_std=0.3, random_state=2)
    labels = spectral_labels(SampleGraph.from_data(X, 5), 3, 0)
    assert len({(a, b) for a, b in zip(labels, y, strict=True)}) == 3


@pytest.mark.parametrize("weights", [(1, 1, 1), (1e-4, 1e3, 1e-4), (1e3, 1e-4, 1e-2)])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_objective_never_rises(weights, transpose):
    X, _ = make_blobs(60, centers=4, n_features=25, cluster_std=3, random_state=0)
    X = X.T.copy() if transpose else X
    alpha, beta, gamma = weights
    selector = BLSFS(5, n_clusters=3, n_neighbors=5, alpha=alpha, beta=beta, gamma=gamma)
    history = selector.set_params(random_state=0).fit(X).objective_history_
    assert len(history) == selector.n_iter_ + 1
    assert np.all(np.diff(history) <= 1e-9 * np.abs(history[1:]))


@pytest.mark.parametrize(("scaling", "offset"), [("unit", 0), ("center+unit", 20)])
def test_features_that_carry_the_clusters_come_first(scaling, offset):
    rng = np.random.default_rng(0)
    X, _ = make_blobs(120, centers=3, n_features=4, cluster_std=0.5, random_state=3)
    X = np.hstack([rng.standard_normal((120, 16)), X - X.mean(axis=0) + offset])
    selector = BLSFS(4, n_clusters=3, gamma=0.1, scaling=scaling, random_state=0).fit(X)
    assert selector.support_[16:].all()
