"""Greedy search for the support of W: forward pursuit with exact gains.

For a support T the best W has the value ``const - F(T)`` with ``F(T) = Tr(B_T' H_TT^-1 B_T)``,
``H = A' M A + r I`` and ``B = A' Y`` (A is the scaled data). Adding feature j to T gains exactly

    ||B_j - H_jT H_TT^-1 B_T||^2 / (H_jj - H_jT H_TT^-1 H_Tj),

a Schur complement. The pursuit adds the feature of largest gain, s times; its first m choices are
the pursuit for m. H is never formed: only its columns in T are, a block of them at a time.
"""

from __future__ import annotations

import numpy as np

from blufs.numerics.data import DataMatrix
from blufs.solver.exchange import REDUNDANT
from blufs.solver.p_step import Smoothing

#: Candidates among which a block of choices is foreseen before it is checked on all features.
POOL_SIZE = 64
#: Most choices that are foreseen at once.
MAX_BLOCK = 16


def forward_pursuit(
    data: DataMatrix,
    M: Smoothing,
    B: np.ndarray,
    ridge: float,
    diagonal: np.ndarray,
    s: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The first s choices of the forward pursuit with exact gains, in order, and what each gained.

    Choices are foreseen in blocks within a pool of promising features, whose part of H is small;
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

    Returns
    -------
    chosen : ndarray of int, shape (s,)
    gains : ndarray of shape (s,)
        Of each choice, as it was made; their first m sum to F of the first m choices.
    """
    elimination = _Elimination(B, diagonal, s)
    block = MAX_BLOCK
    while elimination.count < s:
        foreseen, A = _foresee(data, M, ridge, elimination, min(block, s - elimination.count))
        columns = data.correlate(M @ A)
        columns[foreseen, np.arange(len(foreseen))] += ridge
        columns = elimination.reduced(columns, foreseen)
        accepted = 0
        for position, feature in enumerate(foreseen):
            if position and elimination.best_gain() > elimination.gain_of(feature) * (1 + 1e-9):
                break
            elimination.add(feature, columns[:, position])
            accepted += 1
        # Foresee less after a miss, more after a hit.
        block = max(1, accepted) if accepted < len(foreseen) else min(MAX_BLOCK, 2 * block)
    return elimination.chosen, elimination.gained


class _Elimination:
    """Cholesky factor of H over the chosen features, applied to all features.

    Attributes
    ----------
    chosen, gained : ndarray of shape (s,)
        The features in the order of their choice, and what each gained then.
    rows : ndarray of shape (s, d)
        Row k is column k of the factor of H, extended to all features.
    schur : ndarray of shape (d,)
        ``H_jj - H_jT H_TT^-1 H_Tj``.
    residual : ndarray of shape (d, c)
        ``B_j - H_jT H_TT^-1 B_T``.
    """

    def __init__(self, B: np.ndarray, diagonal: np.ndarray, s: int):
        d = len(diagonal)
        self.rows = np.empty((s, d))
        self.chosen = np.empty(s, dtype=np.intp)
        self.gained = np.empty(s)
        self.count = 0
        self._reduced_by = 0
        self.schur = diagonal.copy()
        self.residual = B.copy()
        self._smallest = REDUNDANT * diagonal
        self._free = np.ones(d, dtype=bool)
        self._update_gains()

    def _update_gains(self) -> None:
        squares = np.einsum("ij,ij->i", self.residual, self.residual)
        usable = self.schur > self._smallest
        self.gains = np.where(usable, squares / np.where(usable, self.schur, 1), 0)
        self.gains[~self._free] = -1

    def best_gain(self) -> float:
        return float(self.gains.max())

    def gain_of(self, feature: int) -> float:
        return float(self.gains[feature])

    def reduced(self, columns: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Columns of H (d x m) without what the features chosen so far explain of them.

        One product for all of them; what the choices among them explain is taken off by ``add``.
        """
        self._reduced_by = self.count
        if self.count:
            columns -= self.rows[: self.count].T @ self.rows[: self.count, features]
        return columns

    def add(self, feature: int, column: np.ndarray) -> None:
        """Add a feature, given its reduced column of H (d,)."""
        k = self.count
        pivot = np.sqrt(max(self.schur[feature], self._smallest[feature]))
        since = self.rows[self._reduced_by : k]
        row = np.divide(column - since[:, feature] @ since, pivot, out=self.rows[k])
        self.schur -= row**2
        self.residual -= np.outer(row, self.residual[feature] / pivot)
        self.chosen[k], self.gained[k] = feature, self.gains[feature]
        self._free[feature] = False
        self.count += 1
        self._update_gains()


def _foresee(data, M, ridge, elimination: _Elimination, count: int):
    """Greedy choices within the pool of the features that gain most now, and their columns.

    Returns
    -------
    choices, A : ndarray of shape (m,) and (n, m), m at most ``count``
    """
    gains = elimination.gains
    pool = largest(gains, min(POOL_SIZE, len(gains) - elimination.count))
    if count == 1:
        return pool[:1], data.columns(pool[:1])
    A = data.columns(pool)
    (H,) = M.products(A, A)
    H[np.diag_indices_from(H)] += ridge
    rows = elimination.rows[: elimination.count, pool]
    H -= rows.T @ rows
    residual = elimination.residual[pool].copy()
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
    return pool[choices], A[:, choices]


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the ``count`` largest values, descending, ties by smaller position."""
    if 0 < count < len(values):
        threshold = np.partition(values, len(values) - count)[len(values) - count]
        positions = np.flatnonzero(values >= threshold)
    else:
        positions = np.arange(len(values))
    return positions[np.argsort(-values[positions], kind="stable")[:count]]
