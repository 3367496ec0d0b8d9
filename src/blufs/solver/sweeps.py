"""Proximal alternating minimisation: sweeps over P, W and Y, none of which raises the objective."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix import DataMatrix
from blufs.solver.feedback import MixedSimilarity
from blufs.solver.objective import Weights, objective
from blufs.solver.p_step import Smoothing, candidate_distances, graph_step, p_step
from blufs.solver.w_step import dense_w_step, improve_support, joint_gains, solve_on_support
from blufs.solver.y_step import Y_SOLVERS


@dataclass(frozen=True)
class Problem:
    """What does not change during the sweeps.

    Attributes
    ----------
    data : DataMatrix of shape (n, d)
    S : sparse array or MixedSimilarity of shape (n, n)
        Normalised similarity.
    diagonal : ndarray of shape (d,)
        Diagonal of the W block's matrix H at the initial graph.
    n_clusters : int
        c, the columns of Y but for extra ones.
    learn_neighbors : bool
        Whether P may get other neighbours, or only other weights of them.
    feedback : float
        Share of P in the similarity of the second round; 0 for one round only.
    """

    data: DataMatrix
    S: sp.csr_array | MixedSimilarity
    diagonal: np.ndarray
    weights: Weights
    n_clusters: int
    y_solver: str = "polar"
    learn_neighbors: bool = True
    feedback: float = 0.0


@dataclass(frozen=True)
class Neighbors:
    """The neighbours of every sample in the learned graph.

    Attributes
    ----------
    indices, is_candidate : ndarray of shape (n, k)
        Where it is False, a sample has fewer than k neighbours.
    """

    indices: np.ndarray
    is_candidate: np.ndarray

    def smoothing(self, p: np.ndarray, beta: float) -> Smoothing:
        """M for given weights."""
        return Smoothing(self.indices, p, beta)


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
    neighbors : Neighbors of n samples
    p : ndarray of shape (n, k)
        Their weights, see :mod:`blufs.solver.p_step`.
    A : ndarray of shape (n, s)
        The scaled data on the support; a search for a better support overwrites it.
    Z, V : ndarray of shape (n, c) and (n, k)
        AW, and the squared distances of its rows to their neighbours.
    gains : ndarray of shape (d,), optional
        What features outside the support would gain, as of the last search; at the start, as of
        the first one, see :func:`start_states`.
    """

    support: np.ndarray
    W: np.ndarray
    Y: np.ndarray
    neighbors: Neighbors
    p: np.ndarray
    A: np.ndarray
    Z: np.ndarray
    V: np.ndarray
    gains: np.ndarray | None = None


@dataclass(frozen=True)
class Result:
    """Where the sweeps have come to.

    Attributes
    ----------
    history : ndarray
        The objective at the start and after every sweep of the last round.
    converged : bool
    n_iter : int
        Sweeps of all rounds.
    """

    state: State
    history: np.ndarray
    converged: bool
    n_iter: int


def start_state(
    problem: Problem,
    support: np.ndarray,
    A: np.ndarray,
    Y: np.ndarray,
    neighbors: Neighbors,
    p: np.ndarray,
) -> State:
    """State with the best W on a support for given Y and P."""
    M = neighbors.smoothing(p, problem.weights.beta)
    W = _solve(problem, A, M, Y, np.zeros((len(support), Y.shape[1])))
    return _with_w(support, A, W, Y, neighbors, p)


def _solve(problem: Problem, A, M: Smoothing, Y, W_old) -> np.ndarray:
    """The best W on the support to which the columns A belong."""
    solve = solve_on_support if A.shape[1] < problem.data.shape[1] else dense_w_step
    return solve(A, M, Y, W_old, problem.weights.lam, problem.weights.tau)


def _with_w(support, A, W, Y, neighbors: Neighbors, p, gains=None) -> State:
    Z = A @ W
    V = candidate_distances(Z, neighbors.indices)
    return State(support, W, Y, neighbors, p, A, Z, V, gains)


def value(problem: Problem, state: State) -> float:
    """The objective."""
    return objective(state.Z, state.W, state.Y, state.p, state.V, problem.S, problem.weights)


def start_states(
    problem: Problem,
    supports: list[tuple[np.ndarray, np.ndarray]],
    Y: np.ndarray,
    neighbors: Neighbors,
    p: np.ndarray,
    sweeps_follow: bool,
) -> list[State]:
    """A state for every support (s,), which comes with the scaled data (n x s) on it.

    If the neighbours are learned, the states have the best ones. Several of them get the gains that
    their first sweep will need, by one pass over X for all.
    """
    states = [start_state(problem, T, A, Y, neighbors, p) for T, A in supports]
    if problem.learn_neighbors:
        states = [update_graph(problem, state) for state in states]
    return _with_first_gains(problem, states) if len(states) > 1 and sweeps_follow else states


def _with_first_gains(problem: Problem, states: list[State]) -> list[State]:
    """The states with the gains that their first sweep will need, by one pass over X for all."""
    misfits = []
    for state in states:
        M = state.neighbors.smoothing(update_p(problem, state).p, problem.weights.beta)
        W = _solve(problem, state.A, M, state.Y, state.W)
        misfits.append(state.Y - M @ (state.A @ W))
    gains = joint_gains(problem.data, misfits, problem.diagonal)
    return [replace(state, gains=own) for state, own in zip(states, gains, strict=True)]


def update_p(problem: Problem, state: State) -> State:
    """P with other weights of the same neighbours."""
    w = problem.weights
    p = p_step(state.V, state.p, state.neighbors.is_candidate, w.beta, w.mu, w.tau)
    return replace(state, p=p)


def update_graph(problem: Problem, state: State) -> State:
    """P with the best neighbours, and weights of them; without the graph term there is no best."""
    w = problem.weights
    if w.beta == 0:
        return update_p(problem, state)
    old = state.neighbors
    indices, is_candidate, p = graph_step(
        state.Z, old.indices, old.is_candidate, state.p, w.beta, w.mu, w.tau
    )
    V = candidate_distances(state.Z, indices)
    return replace(state, neighbors=Neighbors(indices, is_candidate), p=p, V=V)


def update_w(problem: Problem, state: State, search: bool, thorough: bool = False) -> State:
    """W on the same support, or on a better one if ``search``.

    The thorough search is the first one, for which the gains may be known.
    """
    w = problem.weights
    M = state.neighbors.smoothing(state.p, w.beta)
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
    return _with_w(support, A, W, state.Y, state.neighbors, state.p, gains)


def update_y(problem: Problem, state: State) -> State:
    w = problem.weights
    solve = Y_SOLVERS[problem.y_solver]
    return replace(state, Y=solve(state.Z, problem.S, state.Y, w.alpha, w.tau))


def minimize(problem: Problem, state: State, max_iter: int, tol: float) -> Result:
    """Sweep over P, W, Y until the objective changes by less than ``tol`` relative to max(|f|, 1).

    A better support is searched in the first sweep and whenever the others no longer help, and so
    are better neighbours (those of the start are the best for it); the sweeps end when that does
    not help either. With feedback this is the second round: the first one ends as soon as a sweep
    no longer helps, see :func:`_feed_back`.
    """
    history, n_iter = [value(problem, state)], 0
    converged, search = False, True
    # Without graph or without labels there is nothing to feed back.
    feeds_back = bool(problem.feedback and problem.weights.alpha and problem.weights.beta)
    while not converged and n_iter < max_iter:
        anew = problem.learn_neighbors and search and len(history) > 1
        state = (update_graph if anew else update_p)(problem, state)
        state = update_w(problem, state, search, thorough=n_iter == 0)
        state = update_y(problem, state)
        history.append(value(problem, state))
        n_iter += 1
        still = abs(history[-1] - history[-2]) < tol * max(abs(history[-2]), 1)
        if still and feeds_back:
            problem, state = _feed_back(problem, state)
            history, search, feeds_back = [value(problem, state)], True, False
        else:
            converged, search = still and search, still
    return Result(state, np.array(history), converged, n_iter)


def _feed_back(problem: Problem, state: State) -> tuple[Problem, State]:
    """The problem with the learned graph in its similarity, and the state with the best P and Y."""
    state = update_graph(problem, state)
    S = MixedSimilarity(problem.S, state.neighbors.indices, state.p, problem.feedback)
    problem = replace(problem, S=S)
    return problem, update_y(problem, state)
