"""Each block against independent solvers, brute force and random perturbations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

from benchmarks.evidence.w_step_rules import (
    best_on,
    brute_force,
    correlation_pursuit,
    dense_and_threshold,
    exact_pursuit,
    iterative_hard_thresholding,
)
from blufs._numerics.graph import laplacian, neighbor_matrix
from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.scaling import FEATURE_SCALINGS, scale_features
from blufs._numerics.principal import principal_vectors
from blufs._numerics.projections import polar_factor
from blufs.solver import operators, pursuit, w_block
from blufs.solver.exchange import Tableau, swap_gains
from blufs.solver.model import LearnedGraph
from blufs.solver.operators import Smoothing
from blufs.solver.p_block import best_neighbors, best_weights, nearest_samples
from blufs.solver.start import relaxed_start
from blufs.solver.sweeps import search_w
from blufs.solver.w_block import dense_solve
from blufs.solver.y_block import exact_penalty, polar_iteration
from tests.helpers.solver_problems import (
    correlated_data,
    random_orthonormal,
    random_problem,
    random_similarity,
    random_w_problem,
)


@pytest.mark.parametrize("scaling", FEATURE_SCALINGS)
def test_scaled_data_acts_as_the_scaled_array(scaling):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 7)) * rng.uniform(1, 100, 7) + rng.uniform(-50, 50, 7)
    A, data = scale_features(X, scaling), scaled_data(X, scaling)
    V, W = rng.standard_normal((12, 3)), rng.standard_normal((7, 3))
    np.testing.assert_allclose(data.columns(np.array([5, 0])), A[:, [5, 0]], rtol=1e-12)
    np.testing.assert_allclose(data.correlate(V), A.T @ V, atol=1e-9 * np.abs(A).max())
    np.testing.assert_allclose(data.dot(W), A @ W, atol=1e-9 * np.abs(A).max())


def test_smoothing_is_identity_plus_laplacian():
    rng = np.random.default_rng(0)
    neighbors = np.array([rng.choice(np.delete(np.arange(9), i), 3, False) for i in range(9)])
    p = rng.dirichlet(np.ones(3), 9)
    P = neighbor_matrix(neighbors, p)
    M = Smoothing(neighbors, p, beta=0.7) @ np.eye(9)
    np.testing.assert_allclose(M, np.eye(9) + 1.4 * laplacian(P).toarray(), atol=1e-14)
    Z = rng.standard_normal((9, 2))
    graph_term = sum(P[i, j] * np.sum((Z[i] - Z[j]) ** 2) for i in range(9) for j in range(9))
    assert np.sum(Z * (M @ Z)) == pytest.approx(np.sum(Z**2) + 0.7 * graph_term)


def test_best_weights_are_the_constrained_minimiser():
    rng = np.random.default_rng(1)
    V, old = rng.uniform(0, 2, (20, 4)), rng.dirichlet(np.ones(4), 20)
    is_candidate = np.ones((20, 4), dtype=bool)
    is_candidate[:5, 2:] = False
    old[:5] = [0.5, 0.5, 0, 0]
    beta, mu, tau = 0.8, 0.3, 0.1
    P_old = LearnedGraph(np.zeros((20, 4), int), is_candidate, old)
    p = best_weights(V, P_old, beta, mu, tau).p
    assert (p[~is_candidate] == 0).all()

    def cost(row, j):
        return beta * V[j] @ row + mu * row @ row + tau * np.sum((row - old[j]) ** 2)

    for j in range(20):
        bounds = [(0, 1) if ok else (0, 0) for ok in is_candidate[j]]
        equality = {"type": "eq", "fun": lambda row: row.sum() - 1}
        found = scipy_minimize(
            cost, old[j], (j,), "SLSQP", bounds=bounds, constraints=equality, tol=1e-12
        )
        np.testing.assert_allclose(p[j], found.x, atol=1e-5)
        assert cost(p[j], j) <= found.fun + 1e-12


def test_best_neighbors_are_the_best_among_all_samples():
    rng = np.random.default_rng(2)
    n, k = 8, 2
    Z = rng.standard_normal((n, 2))
    old = np.array([rng.choice(np.delete(np.arange(n), i), k, False) for i in range(n)])
    p_old, every = rng.dirichlet(np.ones(k), n), np.ones((n, k), bool)
    P_old = neighbor_matrix(old, p_old).toarray()
    V = ((Z[:, None] - Z) ** 2).sum(axis=2)
    for beta, mu, tau in ((1.0, 0.1, 1e-3), (0.3, 2.0, 0.5), (0.1, 0.1, 5.0)):
        found = best_neighbors(Z, LearnedGraph(old, every, p_old), beta, mu, tau)
        assert found.is_candidate.all()
        P = found.matrix().toarray().T
        for i in range(n):
            costs = []
            for pair in itertools.combinations(np.delete(np.arange(n), i), k):
                row, rest = np.zeros(n), np.array([pair])
                fixed = LearnedGraph(rest, every[:1], P_old[i][rest])
                row[list(pair)] = best_weights(V[i][rest], fixed, beta, mu, tau).p[0]
                costs.append(column_cost(row, V[i], P_old[i], beta, mu, tau))
            assert column_cost(P[i], V[i], P_old[i], beta, mu, tau) <= min(costs) + 1e-12


@pytest.mark.parametrize("beta", [0.0, 0.7])
def test_products_made_of_blocks_of_rows_are_the_products(beta, monkeypatch):
    rng = np.random.default_rng(3)
    neighbors = rng.integers(50, size=(50, 4))
    M = Smoothing(neighbors, rng.random((50, 4)), beta)
    B, C = rng.standard_normal((50, 3)), rng.standard_normal((50, 5))
    monkeypatch.setattr(operators, "BLOCK_ENTRIES", 35)  # seven rows at a time
    for found, left in zip(M.products(C, B, C), (B, C), strict=True):
        np.testing.assert_allclose(found, left.T @ (M.matrix @ C), atol=1e-12)


@pytest.mark.parametrize("columns", [1, 20, 21])
def test_nearest_samples_are_the_nearest_also_among_duplicates(columns):
    rng = np.random.default_rng(3)
    for Z in (rng.standard_normal((40, columns)), np.repeat(rng.random((4, columns)), 10, axis=0)):
        nearest = nearest_samples(Z, 6)
        D = ((Z[:, None] - Z) ** 2).sum(axis=2)
        assert (nearest != np.arange(40)[:, None]).all()
        assert all(len(set(row)) == 6 for row in nearest)
        np.fill_diagonal(D, np.inf)
        reached = np.sort(np.take_along_axis(D, nearest, axis=1), axis=1)
        np.testing.assert_allclose(reached, np.sort(D, axis=1)[:, :6], atol=1e-6)


def column_cost(row, V, old, beta, mu, tau):
    return beta * V @ row + mu * row @ row + tau * np.sum((row - old) ** 2)


def quadratic(W, H, B):
    return np.sum(W * (H @ W)) - 2 * np.sum(W * B)


@pytest.mark.parametrize("seed", range(10))
def test_w_step_beats_perturbations_on_its_support(seed):
    problem, state = random_problem(seed, s=2)
    w = problem.weights
    new = search_w(problem, state)
    A, M = new.A, state.P.smoothing(w.beta)
    H = A.T @ (M @ A) + (w.lam + w.tau) * np.eye(2)
    old = np.zeros_like(new.W)
    for row, feature in enumerate(new.support):
        if feature in state.support:
            old[row] = state.W[list(state.support).index(feature)]
    B = A.T @ state.Y + w.tau * old
    best = quadratic(new.W, H, B)
    rng = np.random.default_rng(seed)
    for size in 10.0 ** rng.uniform(-6, 0, 100):
        assert quadratic(new.W + size * rng.standard_normal(new.W.shape), H, B) >= best


def searched(problem):
    """Support by the library: pursuit, then exchange."""
    T = problem.search.start(problem.s).chosen
    old = np.zeros((problem.s, problem.Y.shape[1]))
    support, A, _, _ = problem.search.improve(T, problem.data.columns(T), old)
    np.testing.assert_array_equal(A, problem.data.columns(support))
    return support


def test_w_step_finds_the_best_support_of_tiny_problems_and_never_loses(monkeypatch):
    monkeypatch.setattr(w_block, "_JOINED_ROWS", 5)
    hits, count = 0, 200
    for seed in range(count):
        problem = random_w_problem(seed)
        H, B, s = problem.H, problem.B, problem.s
        reached = best_on(H, B, searched(problem))
        hits += reached <= best_on(H, B, brute_force(H, B, s)) * (1 - 1e-9)
        for rival in (dense_and_threshold, iterative_hard_thresholding, correlation_pursuit):
            assert reached <= best_on(H, B, rival(H, B, s)) * (1 - 1e-9), (seed, rival.__name__)
    assert hits >= 0.9 * count


@pytest.mark.parametrize("pool_size", [3, 64])
def test_block_pursuit_is_the_plain_pursuit(pool_size, monkeypatch):
    monkeypatch.setattr(pursuit, "POOL_SIZE", pool_size)
    for seed in range(30):
        problem = random_w_problem(seed)
        found = problem.search.start(problem.s)
        chosen, gains, A = found.chosen, found.gains, found.A
        np.testing.assert_array_equal(A, problem.data.columns(chosen))
        np.testing.assert_array_equal(chosen, exact_pursuit(problem.H, problem.B, problem.s))
        np.testing.assert_array_equal(problem.search.start(1).chosen, chosen[:1])
        for m in range(1, problem.s + 1):
            explained = -best_on(problem.H, problem.B, chosen[:m])
            np.testing.assert_allclose(gains[:m].sum(), explained, rtol=1e-9)
            H, B = problem.H[np.ix_(chosen[:m], chosen[:m])], problem.B[chosen[:m]]
            np.testing.assert_allclose(H @ found.first(m).solution(), B, atol=1e-9)


def test_swap_gains_are_exact():
    problem = random_w_problem(3)
    H, B = problem.H, problem.B
    table = Tableau(H, B, np.array([0, 2, 5]))
    table.toggle(4)
    table.toggle(2)
    gains, inside, outside = swap_gains(table)
    before = best_on(H, B, inside)
    assert list(inside) == [0, 4, 5]
    for row, i in enumerate(inside):
        for column, j in enumerate(outside):
            swapped = [j, *(k for k in inside if k != i)]
            assert gains[row, column] == pytest.approx(before - best_on(H, B, swapped), abs=1e-10)


def test_dense_solve_agrees_on_both_sides():
    rng = np.random.default_rng(0)
    neighbors = np.array([rng.choice(np.delete(np.arange(8), i), 2, False) for i in range(8)])
    M = Smoothing(neighbors, rng.dirichlet(np.ones(2), 8), beta=2.0)
    A, Y = rng.standard_normal((8, 20)), random_orthonormal(rng, 8, 3)
    old = rng.standard_normal((20, 3))
    H = A.T @ (M @ A) + 0.5 * np.eye(20)
    expected = np.linalg.solve(H, A.T @ Y + 0.1 * old)
    np.testing.assert_allclose(dense_solve(A, M, Y, old, 0.4, 0.1), expected, atol=1e-10)
    A, old = A[:, :5], old[:5]
    expected = np.linalg.solve(H[:5, :5], A.T @ Y + 0.1 * old)
    np.testing.assert_allclose(dense_solve(A, M, Y, old, 0.4, 0.1), expected, atol=1e-10)


def y_problem(seed):
    rng = np.random.default_rng(seed)
    n, c = 40, 3
    return rng.standard_normal((n, c)), random_similarity(rng, n), random_orthonormal(rng, n, c)


def y_objective(Y, Z, S, Y_old, alpha, tau):
    return np.sum((Z - Y) ** 2) - alpha * np.sum(Y * (S @ Y)) + tau * np.sum((Y - Y_old) ** 2)


@pytest.mark.parametrize("solve", [polar_iteration, exact_penalty])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 1.0, 10.0])
def test_y_step_agrees_with_a_manifold_solver(solve, alpha):
    pymanopt = pytest.importorskip("pymanopt")
    Z, S, old = y_problem(int(alpha * 10))
    tau = 1e-3
    manifold = pymanopt.manifolds.Stiefel(40, 3)

    @pymanopt.function.numpy(manifold)
    def cost(Y):
        return y_objective(Y, Z, S, old, alpha, tau)

    @pymanopt.function.numpy(manifold)
    def gradient(Y):
        return 2 * (Y - Z) - 2 * alpha * (S @ Y) + 2 * tau * (Y - old)

    optimizer = pymanopt.optimizers.TrustRegions(verbosity=0, min_gradient_norm=1e-9)
    hessian = pymanopt.function.numpy(manifold)(
        lambda Y, D: 2 * (1 + tau) * D - 2 * alpha * (S @ D)
    )
    task = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient, euclidean_hessian=hessian)
    Y = solve(Z, S, old, alpha, tau, max_iter=5000, tol=1e-10)
    # Started apart from Y, but close enough to end in the same minimum.
    apart = polar_factor(Y + 0.05 * np.random.default_rng(1).standard_normal(Y.shape))
    reference = optimizer.run(task, initial_point=apart).point
    assert cost(Y) == pytest.approx(cost(reference), abs=1e-6)
    np.testing.assert_allclose(Y.T @ Y, np.eye(3), atol=1e-8)


@pytest.mark.parametrize("solve", [polar_iteration, exact_penalty])
def test_y_step_beats_perturbations(solve):
    Z, S, old = y_problem(0)
    Y = solve(Z, S, old, 1.0, 1e-3, max_iter=5000, tol=1e-10)
    best = y_objective(Y, Z, S, old, 1.0, 1e-3)
    rng = np.random.default_rng(0)
    for size in 10.0 ** rng.uniform(-5, -1, 100):
        other = polar_factor(Y + size * rng.standard_normal(Y.shape))
        assert y_objective(other, Z, S, old, 1.0, 1e-3) >= best - 1e-9


@pytest.mark.parametrize("shape", [(60, 200), (200, 60), (12, 5)])
def test_principal_vectors_are_those_of_the_svd(shape):
    X = correlated_data(np.random.default_rng(0), *shape)
    U, values, _ = np.linalg.svd(scale_features(X, "center+unit"), full_matrices=False)
    squares, vectors = principal_vectors(scaled_data(X, "center+unit"), 4)
    np.testing.assert_allclose(squares, values[:4] ** 2, rtol=1e-6)
    np.testing.assert_allclose(np.abs(np.sum(vectors * U[:, :4], axis=0)), 1, atol=1e-5)


def test_relaxed_start_runs_from_principal_to_spectral():
    rng = np.random.default_rng(0)
    X = correlated_data(rng, 50, 20)
    S = random_similarity(rng, 50)
    spectral = np.linalg.eigh(S.toarray())[1][:, ::-1][:, :3]
    squares, principal = principal_vectors(scaled_data(X, "center+unit"), 3)
    for alpha, expected in ((1e-9, principal), (1e9, spectral)):
        Y = relaxed_start(S, spectral, principal, squares, alpha)
        np.testing.assert_allclose(Y @ Y.T, expected @ expected.T, atol=1e-6)
