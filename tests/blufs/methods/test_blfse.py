"""BLFSE: base results, every step of the consensus, and the published result."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.stats import spearmanr
from sklearn.datasets import load_wine, make_blobs

from blufs import BLFSE
from blufs._numerics.eigen import add_upper_product, mirror_upper
from blufs.base import MethodLimitError
from blufs.methods.blfse import eigenvectors
from blufs.methods.blfse import estimator as blfse
from blufs.methods.blfse.eigenvectors import (
    connected_blocks,
    dense_laplacian,
    n_eigenvalues_below,
    row_space_if_narrow,
    smallest_laplacian_eigenvectors,
    surely_above,
    without_indicator,
)
from blufs.methods.blfse.estimator import Ensemble
from blufs.methods.blfse.infinite_selection import infinite_selection_weights
from blufs.methods.blfse.joined_pairs import JoinedPairs
from blufs.methods.blfse.score_step import hadamard, minimize_quadratic_on_simplex, score_step
from tests.helpers.method_data import fixture, reference


@pytest.mark.parametrize("d", [3, 40])
def test_base_scores_are_the_sum_over_paths(d):
    X = np.random.default_rng(0).standard_normal((25, d)) * np.linspace(1, 3, d)
    A = np.empty((d, d))
    spread = X.std(axis=0)
    for r in range(d):
        for t in range(d):
            A[r, t] = max(spread[r], spread[t])
    correlation = spearmanr(X).statistic
    A = 0.7 * (A - A.min()) / (A.max() - A.min()) + 0.3 * (1 - np.abs(correlation))
    rho, e = A.sum(axis=1).max(), 5e-6 * d
    paths = np.linalg.inv(np.eye(d) - (1 - e) / rho * A / (rho + e)).sum(axis=1) - 1
    np.testing.assert_allclose(infinite_selection_weights(X), paths / paths.sum(), rtol=1e-9)


def test_base_scores_of_constant_columns_are_finite():
    X = np.ones((10, 4))
    np.testing.assert_allclose(infinite_selection_weights(X), 0.25)
    X[:, 1] = np.arange(10)
    weights = infinite_selection_weights(X)
    assert weights.argmax() == 1
    assert weights.sum() == pytest.approx(1)


def test_score_step_solves_the_quadratic_program():
    rng = np.random.default_rng(0)
    B, P = rng.standard_normal((8, 6)), np.linalg.qr(rng.standard_normal((6, 2)))[0]
    Q, weights, a = B.T @ B, rng.dirichlet(np.ones(6), size=3), np.array([0.2, 0.3, 0.5])
    v = score_step(hadamard(Q, P), a, weights, np.full(6, 1 / 6))

    def objective(v):
        scaled = (v[:, None] * P).T
        return np.trace(scaled @ Q @ scaled.T) + 0.5 * a**2 @ np.sum((v - weights) ** 2, axis=1)

    best = minimize(
        objective,
        np.full(6, 1 / 6),
        bounds=[(0, 1)] * 6,
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert objective(v) <= best.fun + 1e-12
    np.testing.assert_allclose(v, best.x, atol=1e-5)
    assert v.sum() == pytest.approx(1)
    assert v.min() >= 0


def ensemble(n=30, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    weights = rng.dirichlet(np.ones(d), size=4)
    labels = rng.integers(3, size=(4, n))
    labels[:, : n // 3] = 3  # a part that no clustering joins to the rest
    return Ensemble(X, weights, labels, 3), labels, rng


def same_cluster(labels):
    return (labels[:, :, None] == labels[:, None]).astype(float)


def on_pairs(state, dense):
    rows = np.repeat(np.arange(len(state.X)), np.diff(state.pairs.indptr))
    return dense[rows, state.pairs.columns]


@pytest.mark.parametrize("m", [4, 20])
def test_joined_pairs_know_which_clusterings_join_them(m):
    rng = np.random.default_rng(0)
    labels = rng.integers(8, size=(m, 25))
    base, pairs, weights = same_cluster(labels), JoinedPairs(labels), rng.random(m)
    assert len(pairs.columns) == np.triu(base.any(axis=0), 1).sum()
    dense = np.einsum("j,jil->il", weights, base) * (1 - np.eye(25))
    np.testing.assert_allclose(pairs.matrix(pairs.combined(weights)), dense)
    values = rng.random(len(pairs.columns))
    inside = np.einsum("il,jil->j", pairs.matrix(values), base) / 2
    np.testing.assert_allclose(pairs.inside(values), inside)
    Z = rng.standard_normal((25, 3))
    distances = ((Z[:, None] - Z) ** 2).sum(axis=2) * base.any(axis=0)
    np.testing.assert_allclose(pairs.matrix(pairs.squared_distances(Z)), distances, atol=1e-12)
    edges = pairs.graph(values > 0.5)
    assert edges.nnz == (values > 0.5).sum()  # a stored zero would count as an edge
    expected = np.triu(pairs.matrix(values) > 0.5)
    np.testing.assert_array_equal(edges.toarray(), expected)


def test_sums_over_clusterings_equal_those_over_dense_matrices():
    state, labels, rng = ensemble()
    base = same_cluster(labels)
    state.b = rng.dirichlet(np.ones(4))
    state.R, state.S = rng.random((2, len(state.S)))
    S, R = state.pairs.matrix(state.S) + np.eye(30), state.pairs.matrix(state.R)
    np.testing.assert_allclose(
        state._errors(), ((R * (S - base)) ** 2).sum(axis=(1, 2)), rtol=1e-10
    )
    disagreement = np.einsum("j,jik->ik", state.b**2, (S - base) ** 2)
    np.testing.assert_allclose(state._disagreement(), on_pairs(state, disagreement), atol=1e-12)
    # Where no clustering joins a pair there is nothing to disagree on.
    assert disagreement[0, -1] == 0


def test_similarity_step_minimises_entry_by_entry():
    state, labels, rng = ensemble()
    base = same_cluster(labels)
    state.R = rng.uniform(0.2, 1, len(state.S))
    P = np.linalg.qr(rng.standard_normal((7, 3)))[0]
    spread = state._similarity_step(P)
    S = state.pairs.matrix(state.S) + np.eye(30)
    R = state.pairs.matrix(state.R - 1) + 1
    Z = (state.X * state.v) @ P
    F = state.F
    cost = ((Z[:, None] - Z) ** 2).sum(axis=2)
    assert spread == pytest.approx(np.sum(cost * S))
    cost = cost + state.rho * ((F[:, None] - F) ** 2).sum(axis=2)

    def objective(S):
        return cost * S + np.einsum("j,jik->ik", state.b**2, (R * (S - base)) ** 2)

    assert S.min() >= 0
    assert S.max() <= 1
    for delta in (-1e-3, 1e-3):
        moved = np.clip(S + delta, 0, 1)
        assert (objective(moved) >= objective(S) - 1e-12).all()


@pytest.mark.parametrize(("n", "d"), [(30, 7), (8, 20)])
def test_projection_is_orthonormal_and_minimal(n, d):
    state, _, _ = ensemble(n, d)
    scatter = state._scatter()
    P = state._projection(scatter)
    S = state.pairs.matrix(state.S)
    Q = state.X.T @ (np.diag(S.sum(axis=1)) - S) @ state.X
    np.testing.assert_allclose(scatter @ np.eye(d), Q, atol=1e-12)
    curvature = hadamard(scatter, P) @ np.eye(d)
    np.testing.assert_allclose(curvature, Q * (P @ P.T), atol=1e-12)
    np.testing.assert_allclose(P.T @ P, np.eye(3), atol=1e-10)
    A = state.v[:, None] * Q * state.v
    smallest = np.linalg.eigvalsh(A)[:3].sum()
    assert np.trace(P.T @ A @ P) == pytest.approx(smallest, abs=1e-12)


def test_scores_of_dependent_features_do_not_hang_on_their_order():
    """More samples than features, but 4 dimensions of them are free: P is not unique."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 8)) @ rng.standard_normal((8, 12))
    order = rng.permutation(12)
    fits = [BLFSE(4, n_clusters=3, random_state=0).fit(data) for data in (X, X[:, order])]
    np.testing.assert_allclose(fits[1].scores_, fits[0].scores_[order], rtol=1e-7, atol=1e-12)
    state = Ensemble(X, fits[0].scores_[None], rng.integers(3, size=(1, 50)), 3)
    P = state._projection(state._scatter())
    # The mean of P'P over all P in the null space of X diag(v).
    np.testing.assert_allclose((X * state.v) @ P, 0, atol=1e-12)
    np.testing.assert_allclose(P.T @ P, 3 / 4 * np.eye(4), atol=1e-10)
    # Independent features have their smallest eigenvectors, see above.
    full = rng.standard_normal((50, 12))
    assert row_space_if_narrow(full, 3) is None
    assert row_space_if_narrow(full @ np.diag([0, 0, *np.ones(10)]), 3) is None
    assert row_space_if_narrow(full @ np.diag([0, 0, 0, *np.ones(9)]), 3).shape == (12, 9)


@pytest.mark.parametrize("n_parts", [1, 3])
def test_product_with_the_laplacian_of_one_and_of_several_components(n_parts):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((24, 5))
    labels = np.tile(np.arange(24) % n_parts, (2, 1))
    state = Ensemble(X, np.full((2, 5), 1 / 5), labels, 3)
    assert len(state.blocks) == n_parts
    S = state.pairs.matrix(state.S)
    expected = (np.diag(S.sum(axis=1)) - S) @ X
    np.testing.assert_allclose(state._laplacian_times(X), expected, atol=1e-12)


def test_a_component_that_hardly_holds_together_counts_as_two():
    """Three components and an eigenvalue next to zero: the fourth must be told, not assumed."""
    X = np.random.default_rng(7).standard_normal((24, 5))
    labels = np.array([np.repeat([0, 1, 2, 3], 6), np.repeat([0, 1, 2, 2], 6)])
    state = Ensemble(X, np.full((2, 5), 1 / 5), labels, 3)
    firm = state._embed()
    assert firm[3] > 1e-11
    joined = state.pairs.combined(np.array([0.5, 0.5]))
    state.S = np.where(joined < 1, 1e-14, joined)
    weak = state._embed()
    assert len(state.blocks) == 3
    assert weak.sum() < 1e-11
    assert not state._firmly_connected()


def test_eigenvalues_are_counted_without_finding_them():
    Q = np.linalg.qr(np.random.default_rng(4).standard_normal((40, 40)))[0]
    A = (Q * np.repeat([0, 1e-3, 1, 7], 10)) @ Q.T
    bounds = (-1, 1e-9, 0.1, 3, 8)
    assert [n_eigenvalues_below(A, bound) for bound in bounds] == [0, 10, 20, 30, 40]
    assert not surely_above(A, 0)
    shifted = A + 1e-3 * np.eye(40)
    assert surely_above(shifted, 0.9e-3)
    assert not surely_above(shifted, 1.1e-3)
    # Rounding errors lift the zero eigenvalue of some of them: that proves nothing.
    for seed in range(50):
        R = np.random.default_rng(seed).standard_normal((39, 40))
        assert not surely_above(R.T @ R, 0)


def test_second_eigenvalue_of_a_graph_is_seen_without_its_indicator():
    path = dense_laplacian(np.eye(30, k=1) + np.eye(30, k=-1))
    second = 2 - 2 * np.cos(np.pi / 30)
    assert surely_above(without_indicator(path), 0.999 * second)
    assert not surely_above(without_indicator(path), 1.001 * second)


def test_eigenvectors_of_a_graph_that_are_not_unique_are_left_out():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20, 6))
    # All samples are alike: any vector that sums to zero is an eigenvector.
    alike = Ensemble(X, np.full((1, 6), 1 / 6), np.zeros((1, 20), dtype=int), 3)
    np.testing.assert_allclose(np.abs(alike.F), np.full((20, 1), 20**-0.5))
    state, _, _ = ensemble()
    assert state.F.shape == (30, 3)


@pytest.mark.parametrize("link", [1e-3, 0.0])
def test_eigenvectors_by_component_and_by_shift_invert_are_those_of_the_whole(link, monkeypatch):
    X, y = make_blobs(60, centers=3, random_state=0)
    S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)) * (y[:, None] == y)
    S += link
    blocks = [
        (block, dense_laplacian(S[np.ix_(block, block)]))
        for block in connected_blocks(sp.csr_array(S))
    ]
    assert len(blocks) == (1 if link else 3)
    expected, basis = np.linalg.eigh(np.diag(S.sum(axis=1)) - S)
    for threshold in (1000, 5):
        monkeypatch.setattr(eigenvectors, "_DENSE_UP_TO", threshold)
        values, vectors = smallest_laplacian_eigenvectors(blocks, 3)
        np.testing.assert_allclose(values, expected[:3], atol=1e-8)
        np.testing.assert_allclose(vectors @ vectors.T, basis[:, :3] @ basis[:, :3].T, atol=1e-6)


@pytest.mark.parametrize("d", [1, 128, 300])
def test_half_of_a_symmetric_product_is_all_of_it(d):
    X = np.random.default_rng(0).standard_normal((20, d))
    A = np.eye(d)
    add_upper_product(A, X, 3 * X)
    np.testing.assert_allclose(mirror_upper(A), np.eye(d) + 3 * X.T @ X, atol=1e-12)


def test_scores_and_weights_lie_on_the_simplex():
    X = load_wine().data
    selector = BLFSE(4, n_clusters=3, random_state=0).fit(X)
    for values in (selector.scores_, selector.base_weights_, selector.clustering_weights_):
        assert values.sum() == pytest.approx(1)
        assert values.min() >= 0
    assert len(selector.objective_history_) == selector.n_iter_ <= 25


def test_bad_base_results_and_sizes_are_named(monkeypatch):
    X = load_wine().data
    with pytest.raises(ValueError, match=r"base labels must have shape \(2, 178\)"):
        BLFSE(4, base=(np.ones((2, 13)), np.zeros((2, 100)))).fit(X)
    for wrong, message in ((-1, ">= 0"), (np.nan, ">= 0"), (np.inf, "finite"), (0, "not all zero")):
        with pytest.raises(ValueError, match=f"base scores must be .*{message}"):
            BLFSE(4, base=(np.full((2, 13), wrong), np.zeros((2, 178)))).fit(X)
    with pytest.raises(ValueError, match=r"base must be \(weights, labels\), got 1"):
        BLFSE(4, base=(np.ones((2, 13)),)).fit(X)
    monkeypatch.setattr(blfse, "MAX_SAMPLES", 100)
    with pytest.raises(MethodLimitError, match="at most 100 samples"):
        BLFSE(4).fit(X)


@pytest.mark.slow
def test_agrees_with_the_reference_on_coil20():
    X, expected = reference("BLFSE")
    base = np.load(fixture("blfse_base_COIL20.npz"))
    selector = BLFSE(100, n_clusters=20, base=(base["weights"], base["labels"])).fit(X)
    assert np.argsort(selector.ranking_)[:100].tolist() == expected["ranking"][:100]


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_quadratic_minimum_meets_the_optimality_conditions(scale):
    rng = np.random.default_rng(0)
    B = rng.standard_normal((60, 40)) * np.geomspace(1, 1e-3, 40)
    H, f = B.T @ B + 1e-4 * np.eye(40), scale * rng.random(40)
    v = minimize_quadratic_on_simplex(H, f, np.ones(40, dtype=bool))
    assert v.min() >= 0
    assert v.sum() == pytest.approx(1)
    # The gradient is the same on the positive entries and nowhere smaller.
    gradient = H @ v - f
    mu = gradient[v > 0].mean()
    np.testing.assert_allclose(gradient[v > 0], mu, atol=1e-9 * scale)
    assert gradient.min() >= mu - 1e-9 * scale
    if scale == 100:
        assert 0 < np.count_nonzero(v) < 40


def test_quadratic_minimum_does_not_hang_on_the_guess_of_free_entries():
    rng = np.random.default_rng(1)
    B, f = rng.standard_normal((12, 8)), 5 * rng.random(8)
    H = B.T @ B
    expected = minimize_quadratic_on_simplex(H, f, np.ones(8, dtype=bool))
    for first in range(8):
        v = minimize_quadratic_on_simplex(H, f, np.arange(8) == first)
        np.testing.assert_allclose(v, expected, atol=1e-12)


def test_quadratic_minimum_gives_up_on_an_indefinite_matrix():
    H = np.diag([1.0, -1.0])
    assert minimize_quadratic_on_simplex(H, np.zeros(2), np.ones(2, dtype=bool)) is None
