"""Algorithm 1 of the paper, proximal alternating minimisation: sweeps over P, W and Y.

A sweep is eqs. (17), (18) and (19), one after the other; each minimises the objective in one
variable with a proximal term, so that no sweep raises it. The sweeps stop as in eq. (48).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from blufs._numerics.progress import report
from blufs._numerics.warn import warn_user
from blufs.solver.model import LearnedGraph, Problem, State, value
from blufs.solver.operators import MixedSimilarity
from blufs.solver.p_block import best_neighbors, best_weights, neighbor_distances
from blufs.solver.pursuit import Pursuit, count_features, most_features
from blufs.solver.w_block import SupportSearch, joint_gains
from blufs.solver.y_block import Y_SOLVERS


@dataclass(frozen=True)
class Result:
    """Result of :func:`minimize`.

    Attributes
    ----------
    state : State
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


def minimize(problem: Problem, state: State, max_iter: int, tol: float) -> Result:
    """Algorithm 1, by default in two rounds.

    The second round has the learned graph in its similarity, and so another objective, see
    :class:`~blufs.solver.operators.MixedSimilarity`. There is one round only without feedback,
    without the graph term or without the similarity.
    """
    w = problem.weights
    if not (problem.feedback and w.alpha and w.beta):
        return _round(problem, state, max_iter, tol, first_w=search_thoroughly)
    first = _round(problem, state, max_iter, tol, first_w=search_thoroughly, patient=False)
    if not first.converged:
        return first
    mixed, start = _feed_back(problem, first.state)
    second = _round(mixed, start, max_iter - first.n_iter, tol, first_w=search_w)
    return replace(second, n_iter=first.n_iter + second.n_iter)


def _round(
    problem: Problem, state: State, max_iter: int, tol: float, first_w, patient: bool = True
) -> Result:
    """Sweep until the objective changes by less than ``tol`` relative to max(|f|, 1).

    The first sweep searches a better support, by ``first_w``; the neighbours of the start are the
    best already. Whenever the sweeps no longer help, the next one searches both again, and the
    round ends when that does not help either; an impatient round ends before that search.
    """
    history, searches = [value(problem, state)], True
    update_p, update_w = update_weights, first_w
    while len(history) <= max_iter:
        state = update_p(problem, state)
        state = update_w(problem, state)
        state = update_y(problem, state)
        history.append(value(problem, state))
        report(len(history) - 1, history[-1], s=len(state.support))
        still = abs(history[-1] - history[-2]) < tol * max(abs(history[-2]), 1)
        if still and (searches or not patient):
            return Result(state, np.array(history), True, len(history) - 1)
        searches = still
        update_p = update_graph if searches else update_weights
        update_w = search_w if searches else solve_w
    return Result(state, np.array(history), False, len(history) - 1)


def _feed_back(problem: Problem, state: State) -> tuple[Problem, State]:
    """The problem with the learned graph in its similarity, and the state with the best P and Y."""
    state = update_graph(problem, state)
    S = MixedSimilarity(problem.S, state.P.neighbors, state.P.p, problem.feedback)
    problem = replace(problem, S=S)
    return problem, update_y(problem, state)


def update_weights(problem: Problem, state: State) -> State:
    """Eq. (17) over the weights of P, with the same neighbours."""
    w = problem.weights
    return replace(state, P=best_weights(state.V, state.P, w.beta, w.mu, w.tau))


def update_graph(problem: Problem, state: State) -> State:
    """Eq. (17) over the neighbours too, if they are learned and the graph term judges them."""
    w = problem.weights
    if w.beta == 0 or not problem.learn_neighbors:
        return update_weights(problem, state)
    P = best_neighbors(state.Z, state.P, w.beta, w.mu, w.tau)
    return replace(state, P=P, V=neighbor_distances(state.Z, P.neighbors))


def solve_w(problem: Problem, state: State) -> State:
    """Eq. (18) on the same support."""
    W = search_for(problem, state.P, state.Y).solve(state.A, state.W)
    return _with_w(state.s, state.support, state.A, W, state.Y, state.P, state.gains)


def search_w(problem: Problem, state: State) -> State:
    """Eq. (18), on a better support if swaps of one feature find one."""
    return _improved(problem, state, thorough=False)


def search_thoroughly(problem: Problem, state: State) -> State:
    """As :func:`search_w`, by all means: the first search, for which the gains may be known."""
    return _improved(problem, state, thorough=True, gains=state.gains)


def _improved(problem: Problem, state: State, **options) -> State:
    if len(state.support) == problem.data.shape[1]:
        return solve_w(problem, state)
    search = search_for(problem, state.P, state.Y)
    support, A, W, gains = search.improve(state.support, state.A, state.W, s=state.s, **options)
    return _with_w(state.s, support, A, W, state.Y, state.P, gains)


def update_y(problem: Problem, state: State) -> State:
    """Eq. (19)."""
    w, solve = problem.weights, Y_SOLVERS[problem.y_solver]
    return replace(state, Y=solve(state.Z, problem.S, state.Y, w.alpha, w.tau))


def search_for(problem: Problem, P: LearnedGraph, Y: np.ndarray) -> SupportSearch:
    """The W block for given P and Y."""
    w = problem.weights
    M = P.smoothing(w.beta)
    return SupportSearch(problem.data, M, Y, problem.diagonal, w.lam, w.tau, problem.units)


def _with_w(s: float, support, A, W, Y, P: LearnedGraph, gains=None) -> State:
    Z = A @ W
    return State(s, support, A, W, Y, P, Z, neighbor_distances(Z, P.neighbors), gains)


def start_state(
    problem: Problem,
    s: float,
    support: np.ndarray,
    A: np.ndarray,
    Y: np.ndarray,
    P: LearnedGraph,
    W: np.ndarray | None = None,
) -> State:
    """The best W on a support that costs at most s, with columns A (n x m), for given Y and P; or W
    if it is known.

    If the neighbours are learned, P then gets the best ones for this W.
    """
    if W is None:
        W = search_for(problem, P, Y).solve(A, np.zeros((len(support), Y.shape[1])))
    state = _with_w(s, support, A, W, Y, P)
    return update_graph(problem, state) if problem.learn_neighbors else state


def pursue(
    problem: Problem, Y: np.ndarray, P: LearnedGraph, s_values: Sequence[float | None]
) -> tuple[list[float], list[Pursuit]]:
    """The values of s, None replaced by what is counted, and a pursuit for each.

    Where all units cost the same, the first choices of the longest pursuit are the shorter ones.
    """
    search, units = search_for(problem, P, Y), problem.units
    if not units.cost_the_same:
        budgets = [s for s in s_values if s is not None]
        return budgets, [search.start(s) for s in budgets]
    least = max(1, len(units.included))
    most = most_features(len(units.costs), least=least)
    found = search.start(max(most if s is None else s for s in s_values))
    sizes = [count_features(found.gains, least=least) if s is None else s for s in s_values]
    if None in s_values and (counted := sizes[list(s_values).index(None)]) == len(units.costs):
        warn_user(
            f'n_features_to_select="auto" keeps all {counted} that there are to choose from: each '
            "still adds to what the others tell. Give a number to choose fewer"
        )
    return sizes, [found.first(int(s)) for s in sizes]


def start_path(
    problem: Problem,
    Y: np.ndarray,
    P: LearnedGraph,
    s_values: Sequence[float | None],
    sweeps_follow: bool,
) -> list[State]:
    """A state to start from for each s.

    Several states get the gains that their first sweep needs, by one pass over X for all.
    """
    states = [
        start_state(problem, s, T, A, Y, P, W)
        for s, T, A, W in _first_supports(problem, Y, P, s_values)
    ]
    if len(states) > 1 and sweeps_follow:
        states = _with_first_gains(problem, states)
    return states


def _first_supports(problem, Y, P, s_values) -> list[tuple]:
    """For each s its value, a support (m,), the columns there (n x m) and W (m x c)."""
    sizes, found = pursue(problem, Y, P, s_values)
    own = np.copy if len(sizes) > 1 else np.ascontiguousarray  # the sweeps overwrite the columns
    return [
        (s, one.chosen, own(one.A), one.solution()) for s, one in zip(sizes, found, strict=True)
    ]


def _with_first_gains(problem: Problem, states: list[State]) -> list[State]:
    misfits = []
    for state in states:
        search = search_for(problem, update_weights(problem, state).P, state.Y)
        misfits.append(search.misfit(state.A @ search.solve(state.A, state.W)))
    gains = joint_gains(problem.data, misfits, problem.diagonal)
    return [replace(state, gains=own) for state, own in zip(states, gains, strict=True)]


def minimize_each(problem: Problem, states: list[State], max_iter: int, tol: float) -> list[Result]:
    """:func:`minimize` from every state. The list is emptied: a start is dropped once it is left,
    because with many samples its arrays take much memory."""
    return [minimize(problem, states.pop(0), max_iter, tol) for _ in range(len(states))]


def drop_losses(problem: Problem, state: State) -> np.ndarray:
    """By how much the W block would rise if a feature of the support were dropped, shape (s,)."""
    return search_for(problem, state.P, state.Y).losses(state.A, state.W)


def unselected_gains(problem: Problem, state: State) -> np.ndarray:
    """What each feature outside the support would gain, (d,): of the last search, or now."""
    if state.gains is not None:
        return state.gains
    return search_for(problem, state.P, state.Y).gains(state.Z)
