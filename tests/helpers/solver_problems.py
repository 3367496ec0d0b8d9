"""Random problems for the tests of the solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix import DataMatrix, scaled_data
from blufs._numerics.units import Units
from blufs.solver.model import LearnedGraph, Problem, State, Weights
from blufs.solver.operators import Smoothing
from blufs.solver.p_block import candidate_neighbors
from blufs.solver.sweeps import search_for, start_state
from blufs.solver.w_block import SupportSearch


def correlated_data(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """n x d data of about half the rank plus noise, so that features can replace each other."""
    rank = max(2, d // 2)
    low = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
    return low + rng.uniform(0.1, 1) * rng.standard_normal((n, d))


def random_orthonormal(rng: np.random.Generator, n: int, c: int) -> np.ndarray:
    return np.linalg.qr(rng.standard_normal((n, c)))[0]


def random_similarity(rng: np.random.Generator, n: int) -> sp.csr_array:
    """Normalised similarity of random data."""
    return SampleGraph.from_data(rng.standard_normal((n, 3)), min(4, n - 1)).normalized


def random_problem(
    seed: int, y_solver: str = "polar", n=None, d=None, s=None
) -> tuple[Problem, State]:
    """A problem of random sizes and weights (1e-4 .. 1e3), and a state to start from."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(8, 40))
    d = d or int(rng.integers(3, 30))
    s = s or int(rng.integers(1, d + 1))
    c = int(rng.integers(1, 5))
    X = correlated_data(rng, n, d)
    alpha, beta, lam, mu = 10.0 ** rng.integers(-4, 4, size=4)
    graph = SampleGraph.from_data(X, int(rng.integers(1, 6)))
    P = LearnedGraph.uniform(*candidate_neighbors(graph, 5))
    data = scaled_data(X, "center+unit")
    weights = Weights(alpha, beta, lam, mu, tau=1e-3)
    diagonal = data.quadratic_forms(P.smoothing(beta))[1] + lam + weights.tau
    units = Units.single(d)
    problem = Problem(data, graph.normalized, diagonal, weights, c, units, y_solver)
    Y = random_orthonormal(rng, n, c)
    support = search_for(problem, P, Y).start(s).chosen
    return problem, start_state(problem, s, support, data.columns(support), Y, P)


@dataclass
class WProblem:
    """A W block with everything that other rules for it need."""

    data: DataMatrix
    M: Smoothing
    Y: np.ndarray
    ridge: float
    H: np.ndarray
    B: np.ndarray
    s: int
    units: Units

    @property
    def search(self) -> SupportSearch:
        """The library's search for its support."""
        diagonal = np.diagonal(self.H).copy()
        return SupportSearch(self.data, self.M, self.Y, diagonal, self.ridge, 0.0, self.units)


def random_w_problem(seed: int) -> WProblem:
    """Up to 10 features, so that all supports can be tried."""
    rng = np.random.default_rng(seed)
    n, d, c = int(rng.integers(6, 25)), int(rng.integers(6, 11)), int(rng.integers(1, 4))
    data = scaled_data(correlated_data(rng, n, d), "center+unit")
    neighbors = np.array([rng.choice(np.delete(np.arange(n), i), 3, False) for i in range(n)])
    M = Smoothing(neighbors, rng.dirichlet(np.ones(3), n), 10 ** rng.uniform(-4, 1))
    Y = random_orthonormal(rng, n, c)
    ridge = 10 ** rng.uniform(-4, 1)
    A = data.columns(np.arange(d))
    H = A.T @ (M @ A) + ridge * np.eye(d)
    return WProblem(data, M, Y, ridge, H, A.T @ Y, int(rng.integers(1, d - 1)), Units.single(d))
