"""Exchange search: replace units of the support while the objective of W falls.

For a support T the best W has the value ``const - F(T)`` with ``F(T) = Tr(B_T' H_TT^-1 B_T)``. All
that a move can change is read off one tableau, which a change of T by one feature updates in little
time. A unit is a feature or a group of them, see :mod:`blufs._numerics.units`; a support never
costs more than the budget, by default the number s of its features.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg.blas import dger

from blufs._numerics.spd import REDUNDANT, inverse_spd, solve_spd
from blufs._numerics.units import Units, ratio_traces

#: Units that are added at once before others are removed, or the other way round.
DEPTHS = (2, 4, 8)
#: A misfit of a solution, relative to the right-hand side, that is not worth solving anew.
_ROUNDING = 1e-11


def exchange(
    H: np.ndarray,
    B: np.ndarray,
    support: np.ndarray,
    max_moves: int,
    depths: Sequence[int] = DEPTHS,
    second_start: bool = True,
    units: Units | None = None,
    budget: float | None = None,
    tol: float = 1e-7,
    inverse: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Improve a support by swaps of one unit and by exchanges of several, until none helps.

    Parameters
    ----------
    H : ndarray of shape (q, q), symmetric positive definite
    B : ndarray of shape (q, c)
    support : ndarray of int, shape (s,)
        Positions in 0..q-1, of whole units.
    max_moves : int
    depths : sequence of int
        How many units to exchange at once when no swap of one helps.
    second_start : bool
        Search also from the thresholded dense solution and keep the better result, which is then
        never worse than that one.
    units : Units of q features, optional
        Single features if None. The support has the included ones, which stay.
    budget : float, optional
        What the support may cost; what it does cost if None.
    tol : float
        Smallest gain, relative to F(T), that is worth a move.
    inverse : ndarray of shape (s, s), optional
        ``H_TT^-1`` for the support T in ascending order, if it is known.

    Returns
    -------
    support : ndarray of int, shape (s,)
    W : ndarray of shape (s, c)
        The solution on it.
    """
    if len(support) < len(H):
        tableaux = [Tableau(H, B, support, units, budget, inverse)]
        if second_start:
            tableaux.append(tableaux[0].thresholded())
        tableaux = [_search(tableau, max_moves, depths, tol) for tableau in tableaux]
        best = max(tableaux, key=Tableau.explained)
        return np.flatnonzero(best.inside), best.solution()
    return support, solve_spd(H[np.ix_(support, support)], B[support])


class Tableau:
    """What changes of a support T can gain, kept up to date as T changes.

    With O what is outside T and ``K = H_TT^-1``, it holds rows of the symmetric matrix

        G = [[-K, U], [U', S]],    U = K H_TO,    S = H_OO - H_OT U,

    its diagonal, the solution ``W = K B_T`` and the residuals ``B_O - H_OT W``. A feature that goes
    into T or out of it is a sweep: a change of G of rank one, but for the row of the feature. Of
    single features only the rows of those that were outside T or moved are held, which are few; the
    row of another one is made from K and the sweeps so far when it moves.

    Attributes
    ----------
    chosen, fixed : ndarray of bool, shape (u,)
        The units in T, and those that stay where they are.
    right : ndarray of shape (c, q)
        W on T and the residuals on O, transposed.
    rows : ndarray of shape (number of rows, q)
        The rows of G that are held.
    diagonal : ndarray of shape (q,)
        That of G.
    """

    def __init__(
        self,
        H: np.ndarray,
        B: np.ndarray,
        support: np.ndarray,
        units: Units | None = None,
        budget: float | None = None,
        inverse: np.ndarray | None = None,
    ):
        q, c = B.shape
        self.units = Units.single(q) if units is None else units
        self.chosen, self.fixed = np.zeros((2, len(self.units.costs)), dtype=bool)
        self.chosen[self.units.labels[support]] = True
        self.fixed[self.units.included] = True
        cost = self.units.cost(self.chosen)
        self.budget = cost if budget is None else budget
        self._smallest = REDUNDANT * np.diagonal(H)
        self._H, self._B = H, B
        T, O = np.flatnonzero(self.inside), np.flatnonzero(~self.inside)  # noqa: E741
        K = inverse_spd(H[np.ix_(T, T)]) if inverse is None else inverse
        across = H[np.ix_(O, T)]
        self.right = np.empty((c, q))
        self.right[:, T] = (K @ B[T]).T
        self.right[:, O] = B[O].T - self.right[:, T] @ across.T
        held = O if self.units.are_single else np.append(O, T)
        self.rows = np.empty((len(held), q))
        U = across @ K
        self.rows[: len(O), T], self.rows[: len(O), O] = U, H[np.ix_(O, O)] - across @ U.T
        if len(held) > len(O):
            self.rows[len(O) :, T], self.rows[len(O) :, O] = -K, U.T
        self.diagonal = np.empty(q)
        self.diagonal[T], self.diagonal[O] = -np.diagonal(K), self.rows[np.arange(len(O)), O]
        self._place = np.full(q, -1)
        self._place[held] = np.arange(len(held))
        self._T, self._K = T, K
        self._sweeps: list[tuple[np.ndarray, float]] = []

    def copy(self) -> Tableau:
        """One that can change while this one stays."""
        other = copy(self)
        for name in ("chosen", "fixed", "right", "rows", "diagonal", "_place", "_sweeps"):
            setattr(other, name, getattr(self, name).copy())
        return other

    @property
    def inside(self) -> np.ndarray:
        """Whether each feature is in T, shape (q,)."""
        return self.chosen[self.units.labels]

    @property
    def left(self) -> float:
        """The budget less what T costs."""
        return self.budget - self.units.cost(self.chosen)

    def thresholded(self) -> Tableau:
        """Another one, of the units with the largest rows of the dense solution that fit."""
        squares = np.sum(solve_spd(self._H, self._B) ** 2, axis=1)
        priority = self.units.sums(squares) / self.units.costs
        priority[self.fixed] = np.inf
        support = self.units.features(self.units.bought(priority, self.budget))
        return Tableau(self._H, self._B, support, self.units, self.budget)

    def explained(self) -> float:
        """F(T)."""
        T = self.inside
        return float(np.sum(self.right[:, T].T * self._B[T]))

    def solution(self) -> np.ndarray:
        """W, shape (s, c); solved anew where rounding errors of many sweeps have grown."""
        T = self.inside
        W = np.where(T, self.right, 0).T
        misfit = (self._B - self._H @ W)[T]
        if np.linalg.norm(misfit) <= _ROUNDING * np.linalg.norm(self._B[T]):
            return W[T]
        return solve_spd(self._H[np.ix_(T, T)], self._B[T])

    def changes(self) -> np.ndarray:
        """What adding (outside) or removing (inside) each unit changes in F, shape (u,)."""
        smallest = np.where(self.inside, 0, self._smallest)
        changes = np.empty(len(self.chosen))
        for units, features in self.units.by_size:
            own = self.right[:, features]
            squares = np.einsum("cui,cuj->uij", own, own)
            blocks = self.blocks(features)
            blocks[self.chosen[units]] *= -1
            changes[units] = ratio_traces(blocks, squares, smallest[features])
        return changes

    def blocks(self, features: np.ndarray) -> np.ndarray:
        """The parts of G on units, (m, k, k), whose features (m, k) are given."""
        if features.shape[1] == 1:
            return self.diagonal[features][:, :, None]
        return self.rows[self._place[features][:, :, None], features[:, None, :]]

    def held(self, features: np.ndarray) -> np.ndarray:
        """The rows of G of some features (m,), a copy of shape (m, q), from now on held."""
        for k in features[self._place[features] < 0]:
            self._hold(k)
        return self.rows[self._place[features]]

    def toggle(self, unit: int) -> None:
        """Move a unit into the support, or out of it."""
        for k in self.units.features(unit):
            pivot = self.diagonal[k]
            self._sweep(k, pivot if self.chosen[unit] else max(pivot, self._smallest[k]))
        self.chosen[unit] = not self.chosen[unit]

    def _sweep(self, k: int, pivot: float) -> None:
        row = self.held(np.array([k]))[0]
        for values in (self.rows, self.right):
            column = values[:, k] / pivot
            dger(-1.0, row, column, a=values.T, overwrite_a=True)
            values[:, k] = np.sign(pivot) * column
        self.rows[self._place[k]] = np.sign(pivot) * row / pivot
        self.diagonal -= row**2 / pivot
        self.diagonal[k] = self.rows[self._place[k], k] = -1 / pivot
        self._sweeps.append((row, pivot))

    def _hold(self, k: int) -> None:
        """Make the row of a feature that is in T since the start."""
        row = np.empty(len(self.diagonal))
        row[self._T] = -self._K[np.searchsorted(self._T, k)]
        for other, pivot in self._sweeps:
            row -= other * (other[k] / pivot)
        held = np.flatnonzero(self._place >= 0)
        row[held] = self.rows[self._place[held], k]
        self._place[k] = len(self.rows)
        self.rows = np.vstack([self.rows, row])

    @property
    def addable(self) -> np.ndarray:
        """Units outside that the budget buys, if others are dropped, shape (u,)."""
        return self.units.can_be_chosen(self.budget) & ~self.chosen & ~self.fixed

    @property
    def removable(self) -> np.ndarray:
        """Units inside that need not stay, shape (u,)."""
        return self.chosen & ~self.fixed

    def grow(self, count: int) -> float:
        """Add the unit of largest gain, ``count`` times, over the budget if need be; returns what F
        gains."""
        gained = 0.0
        for _ in range(count):
            gains = np.where(self.addable, self.changes(), -1)
            best = int(np.argmax(gains))
            gained += gains[best]
            self.toggle(best)
        return gained

    def shrink(self, count: int) -> float:
        """Remove the unit of smallest loss per cost, ``count`` times; returns what F gains (below
        0)."""
        lost = 0.0
        for _ in range(count):
            losses = self.changes()
            rates = np.where(self.removable, losses / self.units.costs, np.inf)
            least = int(np.argmin(rates))
            lost += losses[least]
            self.toggle(least)
        return -lost

    def settle(self) -> float:
        """Shrink until the budget holds, then add the unit of largest gain per cost as long as one
        fits; returns what F gains."""
        gained = 0.0
        while self.left < 0 and self.removable.any():
            gained += self.shrink(1)
        while (fitting := self.addable & (self.units.costs <= self.left)).any():
            gains = self.changes()
            best = int(np.argmax(np.where(fitting, gains / self.units.costs, -1)))
            gained += gains[best]
            self.toggle(best)
        return gained

    def bring_in(self, unit: Any) -> float:
        """Add a unit, and drop others for it until the budget holds; returns what F gains."""
        gained = float(self.changes()[unit])
        self.toggle(unit)
        self.fixed[unit] = True
        gained += self.settle()
        self.fixed[unit] = False
        return gained


def swap_gains(tableau: Tableau) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exact change of F for every swap of one unit i in T for one j outside; -inf where i is fixed
    or the budget does not allow it.

    Returns
    -------
    gains : ndarray of shape (a, u - a)
    inside, outside : ndarray of shape (a,) and (u - a,)
        The units of the rows and columns.
    """
    inside, outside = np.flatnonzero(tableau.chosen), np.flatnonzero(~tableau.chosen)
    costs = tableau.units.costs
    if tableau.units.are_single:
        gains = _single_swaps(tableau, inside, outside)
    else:
        gains = np.array([_swaps_for(tableau, i)[outside] for i in inside])
    too_dear = costs[outside] > tableau.left + costs[inside, None]
    gains[too_dear | tableau.fixed[inside, None]] = -np.inf
    return gains, inside, outside


def _single_swaps(tableau: Tableau, T: np.ndarray, O: np.ndarray) -> np.ndarray:  # noqa: E741
    """The change of F for swaps of single features i in T (a,) and j in O (b,), shape (a, b):

    ``||R_j + U_ij W_i / K_ii||^2 / (sigma_j + U_ij^2 / K_ii) - ||W_i||^2 / K_ii`` with R the
    residuals and sigma the Schur complements.
    """
    U, W, R = tableau.held(O)[:, T].T, tableau.right[:, T].T, tableau.right[:, O].T
    K, schur = -tableau.diagonal[T][:, None], np.maximum(tableau.diagonal[O], tableau._smallest[O])
    w = np.einsum("ij,ij->i", W, W)[:, None]
    ratio = U / K
    gained = np.einsum("ij,ij->i", R, R) + 2 * ratio * (W @ R.T) + ratio**2 * w
    return gained / (schur + U * ratio) - w / K


def _swaps_for(tableau: Tableau, unit: Any) -> np.ndarray:
    """The change of F for swaps of a unit I in T for each other J, shape (u,):

    ``Tr(R' S^-1 R) - Tr(W_I' K_II^-1 W_I)`` with the residuals ``R = R_J + U_IJ' K_II^-1 W_I`` and
    the Schur complements ``S = S_JJ + U_IJ' K_II^-1 U_IJ`` once I is out.
    """
    own = tableau.units.features(unit)
    rows, W = tableau.held(own), tableau.right[:, own].T
    solved = solve_spd(-rows[:, own], np.hstack([rows, W]))
    q = len(tableau.diagonal)
    gains = np.empty(len(tableau.chosen))
    for units, J in tableau.units.by_size:
        U = rows[:, J]  # (k of I, m, k of J)
        R = tableau.right[:, J] + np.einsum("iuj,ic->cuj", U, solved[:, q:])
        schur = tableau.blocks(J) + np.einsum("iuj,iuk->ujk", U, solved[:, J])
        squares = np.einsum("cui,cuj->uij", R, R)
        gains[units] = ratio_traces(schur, squares, tableau._smallest[J])
    return gains - np.sum(W * solved[:, q:])


def _search(tableau: Tableau, max_moves: int, depths: Sequence[int], tol: float) -> Tableau:
    tableau.settle()
    smallest = tol * tableau.explained()
    for _ in range(max_moves):
        if not _swap(tableau, smallest):
            better = _exchanged_several(tableau, depths, smallest)
            if better is None:
                break
            tableau = better
    return tableau


def _swap(tableau: Tableau, smallest: float) -> bool:
    if tableau.chosen.all():
        return False
    gains, inside, outside = swap_gains(tableau)
    i, j = np.unravel_index(np.argmax(gains), gains.shape)
    if not gains[i, j] > smallest:
        return False
    tableau.toggle(outside[j])
    tableau.toggle(inside[i])
    tableau.settle()
    return True


def _exchanged_several(tableau: Tableau, depths: Sequence[int], smallest: float) -> Tableau | None:
    """The tableau after the first move that helps, and settled: grow or shrink by a depth; or,
    where costs differ, bring in one unit for several. None if no move helps."""
    addable = tableau.addable
    moves = [
        partial(change, count=min(depth, int(most)))
        for depth in depths
        for change, most in (
            (Tableau.grow, addable.sum()),
            (Tableau.shrink, tableau.removable.sum()),
        )
    ]
    if depths and not tableau.units.cost_the_same:
        moves += [partial(Tableau.bring_in, unit=unit) for unit in np.flatnonzero(addable)]
    for move in moves:
        changed = tableau.copy()
        if move(changed) + changed.settle() > smallest:
            return changed
    return None
