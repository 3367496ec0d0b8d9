"""Proximal alternating minimisation: sweeps over P, W and Y, none of which raises the objective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from blufs.numerics.data import DataMatrix
from blufs.solver.objective import Weights, objective
from blufs.solver.p_step import Pattern, Smoothing, candidate_distances, p_step
from blufs.solver.w_step import dense_w_step, improve_support, joint_gains, solve_on_support
from blufs.solver.y_step import Y_SOLVERS


@dataclass(frozen=True)
class Problem:
    """What does not change during the sweeps.

    Attributes
    ----------
    data : DataMatrix of shape (n, d)
    S : sparse array of shape (n, n)
        Normalised similarity.
    neighbors, allowed : ndarray of shape (n, k)
        Candidates of the learned graph.
    diagonal : ndarray of shape (d,)
        Diagonal of the W block's matrix H at the initial graph.
    """

    data: DataMatrix
    S: sp.csr_array
    neighbors: np.ndarray
    allowed: np.ndarray
    diagonal: np.ndarray
    weights: Weights
    y_solver: str = "polar"

    @cached_property
    def pattern(self) -> Pattern:
        return Pattern(self.neighbors)

    def smoothing(self, p: np.ndarray) -> Smoothing:
        """M for given weights of the candidates."""
        return Smoothing(self.neighbors, p, self.weights.beta, self.pattern)


@dataclass(frozen=True)
class State:
    """The variables, and what is computed from them.

    Attributes
    ----------
    support : ndarray of int, shape (s,)
        The features where W has non-zero rows.
    W : ndarray of shape (s, c)
        Those rows.
    Y : ndarray of shape (n, c)
    p : ndarray of shape (n, k)
        Weights of the candidates, see :mod:`blufs.solver.p_step`.
    A : ndarray of shape (n, s)
        The scaled data on the support.
    Z, V : ndarray of shape (n, c) and (n, k)
        AW, and the squared distances of its rows along the candidates.
    gains : ndarray of shape (d,), optional
        What features outside the support would gain, as of the last search; at the start, as of
        the first one, see :func:`with_first_gains`.
    """

    support: np.ndarray
    W: np.ndarray
    Y: np.ndarray
    p: np.ndarray
    A: np.ndarray
    Z: np.ndarray
    V: np.ndarray
    gains: np.ndarray | None = None


@dataclass(frozen=True)
class Result:
    state: State
    history: np.ndarray
    converged: bool

    @property
    def n_iter(self) -> int:
        return len(self.history) - 1


def start_state(
    problem: Problem, support: np.ndarray, A: np.ndarray, Y: np.ndarray, p: np.ndarray
) -> State:
    """State with the best W on a support for given Y and P."""
    W = _solve(problem, A, problem.smoothing(p), Y, np.zeros((len(support), Y.shape[1])))
    return _with_w(problem, support, A, W, Y, p)


def _solve(problem: Problem, A, M: Smoothing, Y, W_old) -> np.ndarray:
    """The best W on the support to which the columns A belong."""
    solve = solve_on_support if A.shape[1] < problem.data.shape[1] else dense_w_step
    return solve(A, M, Y, W_old, problem.weights.lam, problem.weights.tau)


def _with_w(problem: Problem, support, A, W, Y, p, gains=None) -> State:
    Z = A @ W
    return State(support, W, Y, p, A, Z, candidate_distances(Z, problem.neighbors), gains)


def value(problem: Problem, state: State) -> float:
    """The objective."""
    return objective(state.Z, state.W, state.Y, state.p, state.V, problem.S, problem.weights)


def with_first_gains(problem: Problem, states: list[State]) -> list[State]:
    """The states with the gains that their first sweep will need, by one pass over X for all."""
    misfits = []
    for state in states:
        M = problem.smoothing(update_p(problem, state).p)
        W = _solve(problem, state.A, M, state.Y, state.W)
        misfits.append(state.Y - M @ (state.A @ W))
    gains = joint_gains(problem.data, misfits, problem.diagonal)
    return [replace(state, gains=own) for state, own in zip(states, gains, strict=True)]


def update_p(problem: Problem, state: State) -> State:
    w = problem.weights
    return replace(state, p=p_step(state.V, state.p, problem.allowed, w.beta, w.mu, w.tau))


def update_w(problem: Problem, state: State, search: bool, thorough: bool = False) -> State:
    """W on the same support, or on a better one if ``search``.

    The thorough search is the first one, for which the gains may be known.
    """
    w = problem.weights
    M = problem.smoothing(state.p)
    support, A, gains = state.support, state.A, state.gains
    if search and len(support) < problem.data.shape[1]:
        support, A, W, gains = improve_support(
            problem.data,
            M,
            state.Y,
            support,
            A,
            state.W,
            w.lam,
            w.tau,
            problem.diagonal,
            thorough,
            gains if thorough else None,
        )
    else:
        W = _solve(problem, A, M, state.Y, state.W)
    return _with_w(problem, support, A, W, state.Y, state.p, gains)


def update_y(problem: Problem, state: State) -> State:
    w = problem.weights
    solve = Y_SOLVERS[problem.y_solver]
    return replace(state, Y=solve(state.Z, problem.S, state.Y, w.alpha, w.tau))


def minimize(problem: Problem, state: State, max_iter: int, tol: float) -> Result:
    """Sweep over P, W, Y until the objective changes by less than ``tol`` relative to max(|f|, 1).

    A better support is searched in the first sweep and whenever the others no longer help; the
    sweeps end when that does not help either. ``history`` of the result holds the objective at the
    start and after every sweep.
    """
    history = [value(problem, state)]
    converged, search = False, True
    while not converged and len(history) <= max_iter:
        state = update_p(problem, state)
        state = update_w(problem, state, search, thorough=len(history) == 1)
        state = update_y(problem, state)
        history.append(value(problem, state))
        still = abs(history[-1] - history[-2]) < tol * max(abs(history[-2]), 1)
        converged, search = still and search, still
    return Result(state, np.array(history), converged)
