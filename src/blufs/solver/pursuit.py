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

#: Candidates among which a block of choices is predicted before it is checked on all features.
POOL_SIZE = 64
#: Most choices that are predicted at once.
MAX_BLOCK = 16
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
    """

    chosen: np.ndarray
    gains: np.ndarray
    A: np.ndarray


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
    rows = np.empty((min(MAX_BLOCK, s), data.shape[1]))  # made once: memory that is new is slow
    if len(included):
        others = np.delete(np.arange(data.shape[1]), included)
        elimination.bar(others, True)
        _add_features(data, M, ridge, elimination, len(included), rows)
        elimination.bar(others, False)
    _add_features(data, M, ridge, elimination, s, rows)
    return Pursuit(elimination.chosen, elimination.gained, elimination.A)


def _add_features(data, M, ridge, elimination: _Elimination, count: int, rows: np.ndarray) -> None:
    """Choose features until there are ``count``; ``rows`` is room for rows of H."""
    block = MAX_BLOCK
    while elimination.count < count:
        wanted = min(block, count - elimination.count)
        predicted, accepted = _add_block(data, M, ridge, elimination, wanted, rows)
        # Predict fewer after a miss, more after a hit.
        block = max(1, accepted) if accepted < predicted else min(MAX_BLOCK, 2 * block)


def _add_block(
    data, M, ridge, elimination: _Elimination, count: int, rows: np.ndarray
) -> tuple[int, int]:
    """Predict ``count`` choices, or fewer, and add those that are right; returns both numbers.

    ``rows`` (at least count x d) is room for rows of H.
    """
    ahead = _predict_choices(data, M, ridge, elimination, count)
    predicted = len(ahead.features)
    unexplained = elimination.explained(ahead.known)
    np.subtract(ahead.A, unexplained, out=unexplained)
    rows[:predicted] = data.correlate(M @ unexplained).T
    rows[np.arange(predicted), ahead.features] += ridge
    return predicted, elimination.follow(ahead, rows)


class _Predicted(NamedTuple):
    """Choices that may come next.

    Attributes
    ----------
    features : ndarray of int, shape (m,)
    A : ndarray of shape (n, m)
        The scaled data on them.
    known : ndarray of shape (k, m)
        ``L^-1 H_Tm`` with L the Cholesky factor of ``H_TT`` for the k features chosen before.
    """

    features: np.ndarray
    A: np.ndarray
    known: np.ndarray


class _Elimination:
    """Cholesky factor L of H over the chosen features T, and what it leaves of all features.

    Rows of ``L^-1 H_T`` are held for the block in work only. For the choices before, the columns of
    the data serve: ``H_j - H_jT H_TT^-1 H_T = A'M (a_j - A_T L^-T L^-1 H_Tj)`` outside T.

    Attributes
    ----------
    chosen, gained : ndarray of shape (s,)
        The features in the order of their choice, and what each gained then.
    A : ndarray of shape (n, s)
        The scaled data on them.
    factor : ndarray of shape (s, s)
        L, lower triangular.
    schur : ndarray of shape (d,)
        ``H_jj - H_jT H_TT^-1 H_Tj``.
    residual : ndarray of shape (c, d)
        ``B_j - H_jT H_TT^-1 B_T`` as columns, which are updated and squared faster than rows.
    """

    def __init__(self, n: int, B: np.ndarray, diagonal: np.ndarray, s: int):
        self.A = np.empty((n, s))
        self.factor = np.zeros((s, s))
        self.chosen = np.empty(s, dtype=np.intp)
        self.gained = np.empty(s)
        self.count = 0
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

    def solved(self, across: np.ndarray) -> np.ndarray:
        """``L^-1 across`` for rows of H at the chosen features (k x m)."""
        L = self.factor[: self.count, : self.count]
        return solve_triangular(L, across, lower=True, check_finite=False)

    def explained(self, known: np.ndarray) -> np.ndarray:
        """``A_T L^-T known``, what the chosen features explain of m others, shape (n, m)."""
        L = self.factor[: self.count, : self.count]
        weights = solve_triangular(L, known, lower=True, trans="T", check_finite=False)
        return self.A[:, : self.count] @ weights

    def follow(self, ahead: _Predicted, rows: np.ndarray) -> int:
        """Add predicted features as long as no other gains more; returns how many.

        The first of ``rows`` (at least m x d, overwritten) are those of H without what the features
        chosen before explain.
        """
        before = self.count
        for position, feature in enumerate(ahead.features):
            if position and self.gains.max() > self.gains[feature] * (1 + 1e-9):
                break
            since = rows[:position]
            self.factor[self.count, :before] = ahead.known[:, position]
            self.factor[self.count, before : self.count] = since[:, feature]
            rows[position] -= since[:, feature] @ since
            self.A[:, self.count] = ahead.A[:, position]
            self._add(feature, rows[position])
        return self.count - before

    def _add(self, feature: int, row: np.ndarray) -> None:
        """Add a feature, given its row of H without what all chosen ones explain, (d,)."""
        pivot = np.sqrt(max(self.schur[feature], self._smallest[feature]))
        row /= pivot
        self.schur -= row**2
        change = self.residual[:, feature] / pivot
        self.residual = dger(-1.0, row, change, a=self.residual.T, overwrite_a=True).T
        self.factor[self.count, self.count] = pivot
        self.chosen[self.count], self.gained[self.count] = feature, self.gains[feature]
        self._free[feature] = False
        self.count += 1
        self._update_gains()


def _predict_choices(data, M, ridge, elimination: _Elimination, count: int) -> _Predicted:
    """Greedy choices, at most ``count``, within the pool of the features that gain most now."""
    gains = elimination.gains
    size = min(POOL_SIZE, elimination.n_free) if count > 1 else 1
    pool = largest(gains, size)
    A = data.columns(pool)
    H, across = M.products(A, A, elimination.A[:, : elimination.count])
    known = elimination.solved(across)
    H[np.diag_indices_from(H)] += ridge
    H -= known.T @ known
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
    return _Predicted(pool[choices], A[:, choices], known[:, choices])


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
