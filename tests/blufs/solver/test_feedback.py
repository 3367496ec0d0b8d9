"""The learned graph in the similarity: what the mixture is, and what the second round does."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from blufs import BLUFSVariant
from blufs._numerics.graph import SampleGraph, neighbor_matrix
from blufs.solver.operators import MixedSimilarity
from blufs.solver.sweeps import minimize, value
from tests.helpers.solver_problems import random_problem, random_similarity

N, K = 30, 4


@pytest.fixture
def parts():
    rng = np.random.default_rng(0)
    S = SampleGraph(random_similarity(rng, N)).normalized
    neighbors = np.array([rng.choice(np.delete(np.arange(N), i), K, False) for i in range(N)])
    p = rng.dirichlet(np.ones(K), N)
    return S, neighbors, p


def as_matrix(mixed):
    return mixed @ np.eye(N)


def test_the_mixture_is_what_its_formula_says(parts):
    S, neighbors, p = parts
    P = neighbor_matrix(neighbors, p).toarray()
    A = (P + P.T) / 2
    roots = 1 / np.sqrt(A.sum(axis=1))
    expected = 0.7 * S.toarray() + 0.3 * roots[:, None] * A * roots
    np.testing.assert_allclose(as_matrix(MixedSimilarity(S, neighbors, p, 0.3)), expected)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_its_eigenvalues_lie_between_minus_one_and_one(parts, share):
    S, neighbors, p = parts
    matrix = as_matrix(MixedSimilarity(S, neighbors, p, share))
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
    values = np.linalg.eigvalsh(matrix)
    assert -1 - 1e-12 <= values[0] <= values[-1] <= 1 + 1e-12


def test_a_sample_without_neighbours_is_similar_to_none(parts):
    _, neighbors, p = parts
    neighbors = np.where(neighbors == 0, np.arange(N)[:, None], neighbors)
    neighbors[0] = 0  # filled with the sample itself, and no other sample's neighbour
    matrix = as_matrix(MixedSimilarity(sp.csr_array((N, N)), neighbors, p, 0.5))
    assert not matrix[0].any()
    assert matrix[1].any()


@pytest.mark.parametrize("seed", range(20))
def test_neither_round_raises_its_objective(seed):
    problem, state = random_problem(seed)
    weights = replace(problem.weights, alpha=2.0, beta=1.0)
    problem = replace(problem, weights=weights, feedback=0.5)
    found = minimize(problem, state, max_iter=200, tol=1e-4)
    assert np.diff(found.history).max(initial=0) <= 1e-9 * np.abs(found.history).max()
    assert found.n_iter > len(found.history) - 1  # the sweeps of the first round count too
    # The history is the objective with the mixture, not that with S alone.
    assert found.history[-1] != pytest.approx(value(problem, found.state), abs=1e-6)


def test_sweeps_that_do_not_settle_stay_in_the_first_round():
    problem, state = random_problem(3)
    problem = replace(problem, weights=replace(problem.weights, alpha=2.0, beta=1.0))
    found = minimize(replace(problem, feedback=0.5), state, max_iter=2, tol=0)
    alone = minimize(problem, state, max_iter=2, tol=0)
    np.testing.assert_array_equal(found.history, alone.history)
    assert not found.converged


@pytest.mark.parametrize("nothing", [{"beta": 0}, {"clustering_level": False}])
def test_without_graph_or_labels_there_is_nothing_to_feed_back(nothing):
    X = load_digits().data[:200]
    one, two = (
        BLUFSVariant(12, n_clusters=10, feedback=share, **nothing).fit(X) for share in (0.0, 0.5)
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_labels_follow_the_learned_graph_more_than_without():
    X = load_digits().data[:300]
    agreement = []
    for share in (0.0, 0.25, 0.75):
        selector = BLUFSVariant(12, n_clusters=10, feedback=share).fit(X)
        P, Y = selector.graph_, selector.embedding_
        A = SampleGraph(sp.csr_array((P + P.T) / 2)).normalized
        agreement.append(np.sum(Y * (A @ Y)))
    assert agreement == sorted(agreement)
    assert agreement[2] > agreement[0] + 0.1
