"""Greedy search for the support of W: forward pursuit with exact gains.

For a support T the best W has the value ``const - F(T)`` with ``F(T) = Tr(B_T' H_TT^-1 B_T)``,
``H = A' M A + r I`` and ``B = A' Y`` (A is the scaled data). Adding the unit J to T, which is a
feature or a group of them, gains exactly

    Tr(R' S^-1 R),    R = B_J - H_JT H_TT^-1 B_T,    S = H_JJ - H_JT H_TT^-1 H_TJ,

S a Schur complement. The pursuit adds the unit of largest gain per cost that the budget still buys.
Where all cost the same its first m choices are the pursuit for m. H is never formed: only its
columns in T are, a block of them at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dger
from sklearn.utils import gen_batches

from blufs._numerics.matrix import DataMatrix
from blufs._numerics.rounding import largest
from blufs._numerics.spd import REDUNDANT
from blufs._numerics.units import Units, outer, ratio_traces
from blufs.solver.operators import Smoothing

#: Candidates among which a block of choices is predicted before it is checked on all features: at
#: most a quarter as many choices. Many choices are made from a large pool, with fewer passes.
POOL_SIZE, LARGE_POOL_SIZE = 64, 256
#: From so many choices on, they are many.
MANY = 1000
#: The next feature must gain this share of what the features before it gained together.
LEAST_SHARE = 0.005


class Pursuit(NamedTuple):
    """What the forward pursuit found.

    Attributes
    ----------
    chosen : ndarray of int, shape (s,)
        Features, unit by unit in the order of the choices.
    gains : ndarray of shape (m,)
        Of each unit, as it was chosen; their first k sum to F of the first k units.
    ends : ndarray of int, shape (m,)
        Number of features of the first 1, 2, ..., m units.
    A : ndarray of shape (n, s)
        The scaled data on the chosen features.
    factor : ndarray of shape (s, s)
        The Cholesky factor L of ``H_TT``, lower triangular.
    reduced : ndarray of shape (s, c)
        ``L^-1 B_T``.
    """

    chosen: np.ndarray
    gains: np.ndarray
    ends: np.ndarray
    A: np.ndarray
    factor: np.ndarray
    reduced: np.ndarray

    def first(self, m: int) -> Pursuit:
        """The first m units, or all if they are fewer."""
        own = slice(self.ends[:m][-1])
        return Pursuit(
            self.chosen[own],
            self.gains[:m],
            self.ends[:m],
            self.A[:, own],
            self.factor[own, own],
            self.reduced[own],
        )

    def solution(self) -> np.ndarray:
        """``H_TT^-1 B_T`` for the choices T, shape (s, c)."""
        return _solve_lower(self.factor, self.reduced, transposed=True)


def forward_pursuit(
    data: DataMatrix,
    M: Smoothing,
    B: np.ndarray,
    ridge: float,
    diagonal: np.ndarray,
    s: float,
    units: Units,
) -> Pursuit:
    """The choices of the forward pursuit with exact gains that together cost at most s.

    Choices are predicted in blocks within a pool of promising features, whose part of H is small;
    one pass over X then gives the columns of H for the whole block, the gains of *all* features are
    followed through it, and the block is cut where a feature outside the pool would have been
    better. The result is that of the plain pursuit, at the speed of matrix products.

    Parameters
    ----------
    data : DataMatrix of shape (n, d)
    M : Smoothing of shape (n, n), symmetric positive definite
    B : ndarray of shape (d, c)
    ridge : float, positive
    diagonal : ndarray of shape (d,)
        The diagonal of H.
    s : float
    units : Units of d features
        The included ones are chosen first, among themselves by their gains; they cost at most s.
    """
    most = units.most_features(s)
    blocks = [] if units.are_single else _diagonal_blocks(data, M, ridge, units)
    elimination = _Elimination(data.shape[0], most, B, diagonal, blocks, units, s)
    pool_size = POOL_SIZE if most < MANY else LARGE_POOL_SIZE
    # Room for rows of H, made once: memory that is new is slow.
    room = min(max(1, pool_size // 4), most) if units.are_single else units.sizes.max()
    rows = np.empty((room, data.shape[1]))
    if len(units.included):
        others = np.ones(len(units.costs), dtype=bool)
        others[units.included] = False
        elimination.bar(others, True)
        _add_units(data, M, ridge, elimination, pool_size, rows)
        elimination.bar(others, False)
    _add_units(data, M, ridge, elimination, pool_size, rows)
    return elimination.found(data)


def _diagonal_blocks(data, M, ridge: float, units: Units) -> list[np.ndarray]:
    """``H_JJ`` of every group J, an array of shape (m, k, k) for each size in ``units.by_size``."""
    found = []
    for _, features in units.by_size:
        m, k = features.shape
        blocks = np.empty((m, k, k))
        for some in gen_batches(m, max(1, POOL_SIZE // k)):
            A = data.columns(features[some].ravel())
            (H,) = M.products(A, A)
            own = np.arange(len(H)).reshape(-1, k)
            blocks[some] = H[own[:, :, None], own[:, None, :]] + ridge * np.eye(k)
        found.append(blocks)
    return found


def _add_units(data, M, ridge, elimination: _Elimination, pool_size: int, rows: np.ndarray) -> None:
    """Choose as long as the budget buys something; ``rows`` is room for rows of H."""
    block = len(rows)
    while most := elimination.most_choices():
        wanted = min(block, most)
        predicted, accepted = _add_block(data, M, ridge, elimination, wanted, pool_size, rows)
        # Predict fewer after a miss, more after a hit.
        block = max(1, accepted) if accepted < predicted else min(len(rows), 2 * block)


def _add_block(
    data, M, ridge, elimination: _Elimination, count: int, pool_size: int, rows: np.ndarray
) -> tuple[int, int]:
    """Predict ``count`` choices, or fewer, and add those that are right; returns both numbers.

    ``rows`` (at least as many as the features of the choices) is room for rows of H.
    """
    A, choices = _predict_choices(data, M, ridge, elimination, count, pool_size)
    features, known = elimination.pool.features[choices], elimination.pool.known[:, choices]
    unexplained = elimination.basis[:, : elimination.count] @ known
    np.subtract(A, unexplained, out=unexplained)
    rows[: len(features)] = data.correlate(M @ unexplained).T
    rows[np.arange(len(features)), features] += ridge
    return len(features), elimination.follow(features, known, unexplained, rows)


class _Pool(NamedTuple):
    """Promising features, and what is remembered of them from block to block.

    Attributes
    ----------
    features : ndarray of int, shape (p,)
    known : ndarray of shape (k, p)
        ``L^-1 H_Tj`` of these features j, with L the Cholesky factor of ``H_TT`` for the k features
        chosen so far.
    H : ndarray of shape (p, p)
        Their part of H, without what the chosen features explain.
    """

    features: np.ndarray
    known: np.ndarray
    H: np.ndarray


class _Elimination:
    """Cholesky factor L of H over the chosen features T, and what it leaves of all features.

    Rows of ``L^-1 H_T`` are held for the block in work, and those of a small pool of features. For
    the others the basis serves: outside T, ``L^-1 H_Tj = (A_T L^-T)' M a_j``.

    Attributes
    ----------
    chosen : ndarray of shape (s,)
        The features in the order of their choice; the first ``count`` are there.
    gained, ends : list
        What each unit gained when it was chosen, and how many features there were then.
    left : float
        What is left of the budget.
    basis : ndarray of shape (n, s)
        ``A_T L^-T``.
    factor : ndarray of shape (s, s)
        L, lower triangular.
    reduced : ndarray of shape (s, c)
        ``L^-1 B_T``.
    pool : _Pool
    schur : ndarray of shape (d,)
        ``H_jj - H_jT H_TT^-1 H_Tj``.
    blocks : list of ndarray of shape (m, k, k)
        ``H_JJ - H_JT H_TT^-1 H_TJ`` of the groups J of each size; none where features are single.
    residual : ndarray of shape (c, d)
        ``B_j - H_jT H_TT^-1 B_T`` as columns, which are updated and squared faster than rows.
    gains, priority : ndarray of shape (u,)
        What each unit gains, and per cost; the latter is -1 if it may not be chosen.
    """

    def __init__(
        self,
        n: int,
        most: int,
        B: np.ndarray,
        diagonal: np.ndarray,
        blocks: list[np.ndarray],
        units: Units,
        s: float,
    ):
        self.basis = np.empty((n, most))
        self.factor = np.zeros((most, most))
        self.chosen = np.empty(most, dtype=np.intp)
        self.reduced = np.empty((most, B.shape[1]))
        self.count = 0
        self.gained: list[float] = []
        self.ends: list[int] = []
        self.units, self.left = units, s
        self.pool = _Pool(np.empty(0, dtype=np.intp), np.empty((0, 0)), np.empty((0, 0)))
        self.schur, self.blocks = diagonal.copy(), blocks
        self.residual = np.ascontiguousarray(B.T)
        self._smallest = REDUNDANT * diagonal
        self._free = np.ones(len(units.costs), dtype=bool)
        self._update_gains()

    def bar(self, units: np.ndarray, barred: bool) -> None:
        """Keep units that are not chosen from being chosen, or no longer."""
        self._free[units] = not barred
        self._update_gains()

    def most_choices(self) -> int:
        """A bound on the number of units that can still be chosen."""
        costs = self.units.costs[self.priority >= 0]
        return min(len(costs), int(self.left // costs.min())) if len(costs) else 0

    def found(self, data: DataMatrix) -> Pursuit:
        """The choices so far; the basis, as large as their columns, is dropped first."""
        self.basis, own = np.empty((0, 0)), slice(self.count)
        return Pursuit(
            self.chosen[own],
            np.array(self.gained),
            np.array(self.ends, dtype=int),
            data.columns(self.chosen[own]),
            self.factor[own, own],
            self.reduced[own],
        )

    def _update_gains(self) -> None:
        self.gains = self._gains()
        allowed = self._free & (self.units.costs <= self.left)
        self.priority = np.where(allowed, self.gains / self.units.costs, -1)

    def _gains(self) -> np.ndarray:
        if self.units.are_single:
            squares = np.einsum("ij,ij->j", self.residual, self.residual)
            return _ratios(squares, self.schur, self._smallest)
        gains = np.empty(len(self._free))
        for (units, features), blocks in zip(self.units.by_size, self.blocks, strict=True):
            R = self.residual[:, features]
            squares = np.einsum("cui,cuj->uij", R, R)
            gains[units] = ratio_traces(blocks, squares, self._smallest[features])
        return gains

    def take_pool(self, features: np.ndarray, A: np.ndarray, M: Smoothing, ridge: float) -> None:
        """Make features that are not chosen, with the columns A (n x p), the pool.

        What is known of those in the old pool is not computed again.
        """
        p, old = len(features), self.pool
        _, kept, before = np.intersect1d(features, old.features, return_indices=True)
        new = np.delete(np.arange(p), kept)
        known, H = np.empty((self.count, p)), np.empty((p, p))
        known[:, kept] = old.known[:, before]
        H[np.ix_(kept, kept)] = old.H[np.ix_(before, before)]
        if len(new):
            basis = self.basis[:, : self.count]
            across, known[:, new] = M.products(A[:, new], A, basis)
            across -= known.T @ known[:, new]
            across[new, np.arange(len(new))] += ridge
            H[:, new], H[new] = across, across.T
        self.pool = _Pool(features, known, H)

    def follow(
        self, features: np.ndarray, known: np.ndarray, unexplained: np.ndarray, rows: np.ndarray
    ) -> int:
        """Add predicted units as long as no other one is better; returns how many features.

        Of the m features, ``known`` (k x m) is as in the pool, ``unexplained`` (n x m) their data
        without what the k features chosen before explain, and the first of ``rows`` (at least
        m x d, overwritten) the same of H.
        """
        before = self.count
        for unit in dict.fromkeys(self.units.labels[features].tolist()):
            if self.count > before and self.priority.max() > self.priority[unit] * (1 + 1e-9):
                break
            for feature in self.units.features(unit):
                position = self.count - before
                since = rows[:position]
                self.factor[self.count, :before] = known[:, position]
                self.factor[self.count, before : self.count] = since[:, feature]
                rows[position] -= since[:, feature] @ since
                self._eliminate(feature, rows[position])
            self._choose(unit)
        own = slice(before, self.count)
        added = self.count - before
        self.basis[:, own] = _solve_lower(self.factor[own, own], unexplained[:, :added].T).T
        pool, news = self.pool, rows[:added, self.pool.features]
        self.pool = _Pool(pool.features, np.vstack([pool.known, news]), pool.H - news.T @ news)
        return added

    def _eliminate(self, feature: int, row: np.ndarray) -> None:
        """Add a feature, given its row of H without what all chosen ones explain, (d,)."""
        pivot = np.sqrt(max(self.schur[feature], self._smallest[feature]))
        row /= pivot
        self.schur -= row**2
        for (_, features), blocks in zip(self.units.by_size, self.blocks, strict=False):
            blocks -= outer(row[features], row[features])
        change = self.residual[:, feature] / pivot
        self.residual = dger(-1.0, row, change, a=self.residual.T, overwrite_a=True).T
        self.factor[self.count, self.count] = pivot
        self.chosen[self.count], self.reduced[self.count] = feature, change
        self.count += 1

    def _choose(self, unit: int) -> None:
        """Account for a unit whose features have been added."""
        self.gained.append(self.gains[unit])
        self.ends.append(self.count)
        self.left -= self.units.costs[unit]
        self._free[unit] = False
        self._update_gains()


def _predict_choices(
    data, M, ridge, elimination: _Elimination, count: int, pool_size: int
) -> tuple[np.ndarray, list[int]]:
    """Greedy choices, at most ``count``, within a pool of the features that gain most now; of
    groups the best one.

    Returns
    -------
    A : ndarray of shape (n, m)
        The scaled data on them.
    choices : list of int, length m
        Positions in the pool.
    """
    units, is_one = elimination.units, count == 1 or not elimination.units.are_single
    n_allowed = int(np.count_nonzero(elimination.priority >= 0))
    best_units = largest(elimination.priority, 1 if is_one else min(pool_size, n_allowed))
    pool = units.features(best_units)
    A = data.columns(pool)
    elimination.take_pool(pool, A, M, ridge)
    if is_one:
        return A, list(range(len(pool)))
    H = elimination.pool.H.copy()
    residual = elimination.residual[:, pool].T
    smallest, costs, left = elimination._smallest[pool], units.costs[pool], elimination.left
    free = np.ones(len(pool), dtype=bool)
    choices: list[int] = []
    while len(choices) < count and (allowed := free & (costs <= left)).any():
        squares = np.einsum("ij,ij->i", residual, residual)
        gains = _ratios(squares, np.diagonal(H), smallest)
        best = int(np.argmax(np.where(allowed, gains / costs, -1)))
        choices.append(best)
        free[best] = False
        left -= costs[best]
        pivot = max(H[best, best], smallest[best])
        column = H[best].copy()
        residual -= np.outer(column / pivot, residual[best])
        H -= np.outer(column / pivot, column)
    return A[:, choices], choices


def _ratios(squares: np.ndarray, schur: np.ndarray, smallest: np.ndarray) -> np.ndarray:
    """As :func:`~blufs._numerics.units.ratio_traces`, of single features, all of shape (d,)."""
    return ratio_traces(schur[:, None, None], squares[:, None, None], smallest[:, None])


def _solve_lower(L: np.ndarray, B: np.ndarray, transposed: bool = False) -> np.ndarray:
    """``L^-1 B``, or ``L^-T B``, for lower triangular L."""
    return solve_triangular(L, B, lower=True, trans=int(transposed), check_finite=False)


def count_features(gains: np.ndarray, least_share: float = LEAST_SHARE, least: int = 1) -> int:
    """Number of features after which the pursuit gains little (``n_features_to_select="auto"``).

    With g_1, g_2, ... the gains of the forward pursuit, it is the smallest m >= ``least`` with

        g_{m+1} <= least_share (g_1 + ... + g_m),

    or all features where there is none.

    Parameters
    ----------
    gains : ndarray of shape (q,), q >= 1
        What each choice of the pursuit lowers the objective by, in order.
    least_share : float
    least : int
    """
    little = gains[1:] <= least_share * np.cumsum(gains)[:-1]
    little[: least - 1] = False
    return int(np.argmax(little)) + 1 if little.any() else len(gains)


def most_features(d: int, least_share: float = LEAST_SHARE, least: int = 1) -> int:
    """Features after which :func:`count_features` has found an end, at most d.

    While gains fall, the next one is at most the mean of those before it, so that the end comes
    ``1 / least_share`` features after the least number or before.
    """
    return min(d, int(1 / least_share) + least)
