"""Proximal alternating minimisation: sweeps over P, W and Y, none of which raises the objective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from blufs.solver.data import ScaledData
from blufs.solver.objective import Weights, objective
from blufs.solver.p_step import candidate_distances, graph_laplacian, p_step
from blufs.solver.w_step import dense_w_step, smoothing, w_step
from blufs.solver.y_step import Y_SOLVERS


@dataclass(frozen=True)
class Problem:
    """What does not change during the sweeps.

    Attributes
    ----------
    data : ScaledData of shape (n, d)
    S : sparse array of shape (n, n)
        Normalised similarity.
    neighbors, allowed : ndarray of shape (n, k)
        Candidates of the learned graph.
    diagonal : ndarray of shape (d,)
        Diagonal of the W block's matrix H at the initial graph.
    """

    data: ScaledData
    S: sp.csr_array
    neighbors: np.ndarray
    allowed: np.ndarray
    diagonal: np.ndarray
    weights: Weights
    y_solver: str = "polar"

    @cached_property
    def dense(self) -> np.ndarray:
        """The scaled data as an array, for the ablation without the constraint."""
        return self.data.columns(np.arange(self.data.shape[1]))


@dataclass(frozen=True)
class State:
    """The variables: W has the rows ``W`` at the features ``support`` and is zero elsewhere."""

    support: np.ndarray
    W: np.ndarray
    Y: np.ndarray
    p: np.ndarray
    Z: np.ndarray
    V: np.ndarray


@dataclass(frozen=True)
class Result:
    state: State
    history: np.ndarray
    converged: bool

    @property
    def n_iter(self) -> int:
        return len(self.history) - 1


def make_state(problem: Problem, support, W, Y, p) -> State:
    """State with the projected data Z = AW and its candidate distances V."""
    everything = len(support) == problem.data.shape[1]
    A = problem.dense if everything else problem.data.columns(support)
    Z = A @ W
    return State(support, W, Y, p, Z, candidate_distances(Z, problem.neighbors))


def value(problem: Problem, state: State) -> float:
    return objective(state.Z, state.W, state.Y, state.p, state.V, problem.S, problem.weights)


def update_p(problem: Problem, state: State) -> State:
    w = problem.weights
    return replace(state, p=p_step(state.V, state.p, problem.allowed, w.beta, w.mu, w.tau))


def update_w(problem: Problem, state: State, constrained: bool = True) -> State:
    w = problem.weights
    M = smoothing(graph_laplacian(problem.neighbors, state.p), w.beta)
    if constrained:
        support, W = w_step(
            problem.data, M, state.Y, state.support, state.W, w.lam, w.tau, problem.diagonal
        )
    else:
        support = state.support
        W = dense_w_step(problem.dense, M, state.Y, state.W, w.lam, w.tau)
    return make_state(problem, support, W, state.Y, state.p)


def update_y(problem: Problem, state: State) -> State:
    w = problem.weights
    solve = Y_SOLVERS[problem.y_solver]
    return replace(state, Y=solve(state.Z, problem.S, state.Y, w.alpha, w.tau))


def minimize(
    problem: Problem, state: State, max_iter: int, tol: float, constrained: bool = True
) -> Result:
    """Sweep over P, W, Y until the objective changes by less than ``tol`` relative to max(|f|, 1).

    ``history`` of the result holds the objective at the start and after every sweep.
    """
    history = [value(problem, state)]
    converged = False
    while not converged and len(history) <= max_iter:
        state = update_p(problem, state)
        state = update_w(problem, state, constrained)
        state = update_y(problem, state)
        history.append(value(problem, state))
        converged = abs(history[-1] - history[-2]) < tol * max(abs(history[-2]), 1)
    return Result(state, np.array(history), converged)
