"""Exchange search: replace units of the support while the objective of W falls.

For a support T the best W has the value ``const - F(T)`` with ``F(T) = Tr(B_T' H_TT^-1 B_T)``. All
that a move can change is read off one tableau, which a change of T by one feature updates in the
time of one outer product. A unit is a feature or a group of them, see
:mod:`blufs._numerics.units`; a support never costs more than the budget, by default the number s of
its features.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg.blas import dger

from blufs._numerics.spd import REDUNDANT, inverse_spd, solve_spd
from blufs._numerics.units import Units, ratio_traces

#: Units that are added at once before others are removed, or the other way round.
DEPTHS = (2, 4, 8)


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
        support = np.flatnonzero(max(tableaux, key=Tableau.explained).inside)
    return support, solve_spd(H[np.ix_(support, support)], B[support])


class Tableau:
    """Everything about a support T and its complement O, kept under changes of T.

    With ``K = H_TT^-1``, the array ``values`` of shape (q, q + c) holds

    - on T: ``K``, ``U = K H_TO`` and the solution ``W = K B_T``;
    - on O: ``-U'``, the Schur complements ``H_OO - H_OT U`` and the residuals ``B_O - H_OT W``.

    Exchanging one feature is a Gauss-Jordan pivot on its diagonal entry.

    Attributes
    ----------
    chosen, fixed : ndarray of bool, shape (u,)
        The units in T, and those that stay where they are.
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
        q = len(H)
        self.units = Units.single(q) if units is None else units
        self.chosen, self.fixed = np.zeros((2, len(self.units.costs)), dtype=bool)
        self.chosen[self.units.labels[support]] = True
        self.fixed[self.units.included] = True
        cost = self.units.cost(self.chosen)
        self.budget = cost if budget is None else budget
        self._smallest = REDUNDANT * np.diagonal(H)
        T, O = np.flatnonzero(self.inside), np.flatnonzero(~self.inside)  # noqa: E741
        K = inverse_spd(H[np.ix_(T, T)]) if inverse is None else inverse
        across = H[np.ix_(T, O)]
        U, W = K @ across, K @ B[T]
        self.values = np.empty((q, q + B.shape[1]))
        self.values[np.ix_(T, T)], self.values[np.ix_(T, O)], self.values[T, q:] = K, U, W
        self.values[np.ix_(O, T)] = -U.T
        self.values[np.ix_(O, O)] = H[np.ix_(O, O)] - across.T @ U
        self.values[O, q:] = B[O] - across.T @ W
        self._H, self._B = H, B

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
        return float(np.sum(self.values[T, len(T) :] * self._B[T]))

    def changes(self) -> np.ndarray:
        """What adding (outside) or removing (inside) each unit changes in F, shape (u,)."""
        q = len(self.inside)
        smallest = np.where(self.inside, 0, self._smallest)
        changes = np.empty(len(self.chosen))
        for units, features in self.units.by_size:
            rows = self.values[features, q:]
            blocks = self.values[features[:, :, None], features[:, None, :]]
            squares = np.einsum("uic,ujc->uij", rows, rows)
            changes[units] = ratio_traces(blocks, squares, smallest[features])
        return changes

    def toggle(self, unit: int) -> None:
        """Move a unit into the support, or out of it."""
        for k in self.units.features(unit):
            pivot = self.values[k, k]
            self._pivot(k, pivot if self.chosen[unit] else max(pivot, self._smallest[k]))
        self.chosen[unit] = not self.chosen[unit]

    def _pivot(self, k: int, pivot: float) -> None:
        row = self.values[k] / pivot
        column = self.values[:, k].copy()
        column[k] = 0
        values = dger(-1.0, row, column, a=self.values.T, overwrite_a=True).T
        values[:, k] = -column / pivot
        row[k] = 1 / pivot
        values[k] = row
        self.values = values

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
    q = len(tableau.inside)
    U, W, R = tableau.values[np.ix_(T, O)], tableau.values[T, q:], tableau.values[O, q:]
    K, schur = tableau.values[T, T][:, None], np.maximum(tableau.values[O, O], tableau._smallest[O])
    w = np.einsum("ij,ij->i", W, W)[:, None]
    ratio = U / K
    gained = np.einsum("ij,ij->i", R, R) + 2 * ratio * (W @ R.T) + ratio**2 * w
    return gained / (schur + U * ratio) - w / K


def _swaps_for(tableau: Tableau, unit: Any) -> np.ndarray:
    """The change of F for swaps of a unit I in T for each other J, shape (u,):

    ``Tr(R' S^-1 R) - Tr(W_I' K_II^-1 W_I)`` with the residuals ``R = R_J + U_IJ' K_II^-1 W_I`` and
    the Schur complements ``S = S_JJ + U_IJ' K_II^-1 U_IJ`` once I is out.
    """
    q, values, own = len(tableau.inside), tableau.values, tableau.units.features(unit)
    solved = solve_spd(values[np.ix_(own, own)], values[own])
    gains = np.empty(len(tableau.chosen))
    for units, J in tableau.units.by_size:
        U = values[own[:, None, None], J]  # (k of I, m, k of J)
        residuals = values[J, q:] + np.einsum("iuj,ic->ujc", U, solved[:, q:])
        schur = values[J[:, :, None], J[:, None, :]] + np.einsum("iuj,iuk->ujk", U, solved[:, J])
        squares = np.einsum("uic,ujc->uij", residuals, residuals)
        gains[units] = ratio_traces(schur, squares, tableau._smallest[J])
    return gains - np.sum(values[own, q:] * solved[:, q:])


def _search(tableau: Tableau, max_moves: int, depths: Sequence[int], tol: float) -> Tableau:
    tableau.settle()
    smallest = tol * tableau.explained()
    for _ in range(max_moves):
        if not (_swap(tableau, smallest) or _exchange_several(tableau, depths, smallest)):
            break
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


def _exchange_several(tableau: Tableau, depths: Sequence[int], smallest: float) -> bool:
    """Make the first move that helps, and settle: grow or shrink by a depth; or, where costs
    differ, bring in one unit for several."""
    addable, before = tableau.addable, (tableau.values.copy(), tableau.chosen.copy())
    moves = [
        partial(change, min(depth, int(most)))
        for depth in depths
        for change, most in (
            (tableau.grow, addable.sum()),
            (tableau.shrink, tableau.removable.sum()),
        )
    ]
    if depths and not tableau.units.cost_the_same:
        moves += [partial(tableau.bring_in, unit) for unit in np.flatnonzero(addable)]
    for move in moves:
        if move() + tableau.settle() > smallest:
            return True
        np.copyto(tableau.values, before[0])
        np.copyto(tableau.chosen, before[1])
    return False
