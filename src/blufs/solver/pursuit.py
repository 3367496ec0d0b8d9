"""Greedy search for the support of W: forward pursuit with exact gains.

For a support T the best W has the value ``const - F(T)`` with ``F(T) = Tr(B_T' H_TT^-1 B_T)``,
``H = A' M A + r I`` and ``B = A' Y`` (A is the scaled data). Adding feature j to T gains exactly

    ||B_j - H_jT H_TT^-1 B_T||^2 / (H_jj - H_jT H_TT^-1 H_Tj),

a Schur complement. The pursuit adds the feature of largest gain, s times; its first m choices are
the pursuit for m. H is never formed: only its columns in T are, a block of them at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dger

from blufs._numerics.matrix import DataMatrix
from blufs.solver.exchange import REDUNDANT
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
        In the order of the choices: the first m are the pursuit for m.
    gains : ndarray of shape (s,)
        Of each choice, as it was made; their first m sum to F of the first m choices.
    A : ndarray of shape (n, s)
        The scaled data on them.
    factor : ndarray of shape (s, s)
        The Cholesky factor L of ``H_TT``, lower triangular.
    reduced : ndarray of shape (s, c)
        ``L^-1 B_T``.
    """

    chosen: np.ndarray
    gains: np.ndarray
    A: np.ndarray
    factor: np.ndarray
    reduced: np.ndarray

    def solution(self, m: int) -> np.ndarray:
        """``H_TT^-1 B_T`` for the first m choices T, shape (m, c)."""
        return _solve_lower(self.factor[:m, :m], self.reduced[:m], transposed=True)


def forward_pursuit(
    data: DataMatrix,
    M: Smoothing,
    B: np.ndarray,
    ridge: float,
    diagonal: np.ndarray,
    s: int,
    included: np.ndarray,
) -> Pursuit:
    """The first s choices of the forward pursuit with exact gains.

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
    s : int
    included : ndarray of int, shape (m,)
        Features that are chosen first, among themselves by their gains; m <= s.
    """
    elimination = _Elimination(data.shape[0], B, diagonal, s)
    pool_size = POOL_SIZE if s < MANY else LARGE_POOL_SIZE
    # Room for rows of H, made once: memory that is new is slow.
    rows = np.empty((min(max(1, pool_size // 4), s), data.shape[1]))
    if len(included):
        others = np.delete(np.arange(data.shape[1]), included)
        elimination.bar(others, True)
        _add_features(data, M, ridge, elimination, len(included), pool_size, rows)
        elimination.bar(others, False)
    _add_features(data, M, ridge, elimination, s, pool_size, rows)
    del elimination.basis  # as large as A
    A = data.columns(elimination.chosen)
    return Pursuit(
        elimination.chosen, elimination.gained, A, elimination.factor, elimination.reduced
    )


def _add_features(
    data, M, ridge, elimination: _Elimination, count: int, pool_size: int, rows: np.ndarray
) -> None:
    """Choose features until there are ``count``; ``rows`` is room for rows of H."""
    block = len(rows)
    while elimination.count < count:
        wanted = min(block, count - elimination.count)
        predicted, accepted = _add_block(data, M, ridge, elimination, wanted, pool_size, rows)
        # Predict fewer after a miss, more after a hit.
        block = max(1, accepted) if accepted < predicted else min(len(rows), 2 * block)


def _add_block(
    data, M, ridge, elimination: _Elimination, count: int, pool_size: int, rows: np.ndarray
) -> tuple[int, int]:
    """Predict ``count`` choices, or fewer, and add those that are right; returns both numbers.

    ``rows`` (at least count x d) is room for rows of H.
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
    chosen, gained : ndarray of shape (s,)
        The features in the order of their choice, and what each gained then.
    basis : ndarray of shape (n, s)
        ``A_T L^-T``.
    factor : ndarray of shape (s, s)
        L, lower triangular.
    reduced : ndarray of shape (s, c)
        ``L^-1 B_T``.
    pool : _Pool
    schur : ndarray of shape (d,)
        ``H_jj - H_jT H_TT^-1 H_Tj``.
    residual : ndarray of shape (c, d)
        ``B_j - H_jT H_TT^-1 B_T`` as columns, which are updated and squared faster than rows.
    """

    def __init__(self, n: int, B: np.ndarray, diagonal: np.ndarray, s: int):
        self.basis = np.empty((n, s))
        self.factor = np.zeros((s, s))
        self.chosen = np.empty(s, dtype=np.intp)
        self.gained = np.empty(s)
        self.reduced = np.empty((s, B.shape[1]))
        self.count = 0
        self.pool = _Pool(np.empty(0, dtype=np.intp), np.empty((0, 0)), np.empty((0, 0)))
        self.schur = diagonal.copy()
        self.residual = np.ascontiguousarray(B.T)
        self._smallest = REDUNDANT * diagonal
        self._free = np.ones(len(diagonal), dtype=bool)
        self._update_gains()

    def bar(self, features: np.ndarray, barred: bool) -> None:
        """Keep features that are not chosen from being chosen, or no longer."""
        self._free[features] = not barred
        self._update_gains()

    @property
    def n_free(self) -> int:
        """Number of features that may be chosen next."""
        return int(self._free.sum())

    def _update_gains(self) -> None:
        squares = np.einsum("ij,ij->j", self.residual, self.residual)
        usable = self.schur > self._smallest
        self.gains = np.where(usable, squares / np.where(usable, self.schur, 1), 0)
        self.gains[~self._free] = -1

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
        """Add predicted features as long as no other gains more; returns how many.

        Of the m features, ``known`` (k x m) is as in the pool, ``unexplained`` (n x m) their data
        without what the k features chosen before explain, and the first of ``rows`` (at least
        m x d, overwritten) the same of H.
        """
        before = self.count
        for position, feature in enumerate(features):
            if position and self.gains.max() > self.gains[feature] * (1 + 1e-9):
                break
            since = rows[:position]
            self.factor[self.count, :before] = known[:, position]
            self.factor[self.count, before : self.count] = since[:, feature]
            rows[position] -= since[:, feature] @ since
            self._add(feature, rows[position])
        own = slice(before, self.count)
        added = self.count - before
        self.basis[:, own] = _solve_lower(self.factor[own, own], unexplained[:, :added].T).T
        pool, news = self.pool, rows[:added, self.pool.features]
        self.pool = _Pool(pool.features, np.vstack([pool.known, news]), pool.H - news.T @ news)
        return added

    def _add(self, feature: int, row: np.ndarray) -> None:
        """Add a feature, given its row of H without what all chosen ones explain, (d,)."""
        pivot = np.sqrt(max(self.schur[feature], self._smallest[feature]))
        row /= pivot
        self.schur -= row**2
        change = self.residual[:, feature] / pivot
        self.residual = dger(-1.0, row, change, a=self.residual.T, overwrite_a=True).T
        self.factor[self.count, self.count] = pivot
        self.chosen[self.count], self.gained[self.count] = feature, self.gains[feature]
        self.reduced[self.count] = change
        self._free[feature] = False
        self.count += 1
        self._update_gains()


def _predict_choices(
    data, M, ridge, elimination: _Elimination, count: int, pool_size: int
) -> tuple[np.ndarray, list[int]]:
    """Greedy choices, at most ``count``, within a pool of the features that gain most now.

    Returns
    -------
    A : ndarray of shape (n, m)
        The scaled data on them.
    choices : list of int, length m
        Positions in the pool.
    """
    gains = elimination.gains
    size = min(pool_size, elimination.n_free) if count > 1 else 1
    pool = largest(gains, size)
    A = data.columns(pool)
    elimination.take_pool(pool, A, M, ridge)
    H = elimination.pool.H.copy()
    residual = elimination.residual[:, pool].T
    smallest = elimination._smallest[pool]
    free = np.ones(len(pool), dtype=bool)
    choices = []
    for _ in range(min(count, len(pool))):
        schur = np.diagonal(H)
        usable = free & (schur > smallest)
        squares = np.einsum("ij,ij->i", residual, residual)
        local_gains = np.where(usable, squares / np.where(usable, schur, 1), -1 + free)
        best = int(np.argmax(local_gains))
        choices.append(best)
        free[best] = False
        pivot = max(H[best, best], smallest[best])
        column = H[best].copy()
        residual -= np.outer(column / pivot, residual[best])
        H -= np.outer(column / pivot, column)
    return A[:, choices], choices


def _solve_lower(L: np.ndarray, B: np.ndarray, transposed: bool = False) -> np.ndarray:
    """``L^-1 B``, or ``L^-T B``, for lower triangular L."""
    return solve_triangular(L, B, lower=True, trans=int(transposed), check_finite=False)


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the ``count`` largest values, descending, ties by smaller position."""
    if 0 < count < len(values):
        threshold = np.partition(values, len(values) - count)[len(values) - count]
        positions = np.flatnonzero(values >= threshold)
    else:
        positions = np.arange(len(values))
    return positions[np.argsort(-values[positions], kind="stable")[:count]]


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
