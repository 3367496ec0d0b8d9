"""Exchange search: replace features of the support while the objective of W falls.

For a support T the best W has the value ``const - F(T)`` with ``F(T) = Tr(B_T' H_TT^-1 B_T)``. All
that a move can change is read off one table, which a change of T by one feature updates in the time
of one outer product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq, pinvh
from scipy.linalg.blas import dger
from scipy.linalg.lapack import dpotri
from sklearn.utils import gen_batches

#: Features that are added at once before as many are removed, or the other way round.
DEPTHS = (2, 4, 8)
#: Rows of a symmetric matrix that are copied to its other half at a time.
_MIRRORED_ROWS = 256
#: A Schur complement below this fraction of H_jj means that the feature is redundant.
REDUNDANT = 1e-10


def solve_spd(H: np.ndarray, B: np.ndarray) -> np.ndarray:
    """``H^-1 B`` for symmetric positive definite H; least squares where H is singular."""
    try:
        return cho_solve(cho_factor(H, check_finite=False), B, check_finite=False)
    except LinAlgError:
        return lstsq(H, B)[0]


def inverse_spd(H: np.ndarray) -> np.ndarray:
    """``H^-1`` for symmetric positive definite H; the pseudo-inverse where H is singular."""
    try:
        factor, lower = cho_factor(H, lower=False, check_finite=False)
    except LinAlgError:
        return pinvh(H, check_finite=False)
    inverse = dpotri(factor, lower, overwrite_c=True)[0]
    for rows in gen_batches(len(inverse), _MIRRORED_ROWS):  # what is below the diagonal
        corner = inverse[rows, rows]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        inverse[rows.stop :, rows] = inverse[rows, rows.stop :].T
    return inverse


def exchange(
    H: np.ndarray,
    B: np.ndarray,
    support: np.ndarray,
    max_moves: int,
    depths: Sequence[int] = DEPTHS,
    second_start: bool = True,
    fixed: Sequence[int] | np.ndarray = (),
    tol: float = 1e-7,
    inverse: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Improve a support by swaps of one feature and by exchanges of several, until none helps.

    Parameters
    ----------
    H : ndarray of shape (q, q), symmetric positive definite
    B : ndarray of shape (q, c)
    support : ndarray of int, shape (s,)
        Positions in 0..q-1.
    max_moves : int
    depths : sequence of int
        How many features to exchange at once when no swap of one helps.
    second_start : bool
        Search also from the thresholded dense solution and keep the better result, which is then
        never worse than that one.
    fixed : sequence of int
        Positions in the support that must stay.
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
        starts = [(support, inverse)]
        if second_start:
            rows = np.linalg.norm(solve_spd(H, B), axis=1)
            rows[np.asarray(fixed, dtype=int)] = np.inf
            starts.append((np.argsort(-rows, kind="stable")[: len(support)], None))
        tables = [_search(Table(H, B, T, fixed, K), max_moves, depths, tol) for T, K in starts]
        support = np.flatnonzero(max(tables, key=Table.explained).inside)
    return support, solve_spd(H[np.ix_(support, support)], B[support])


class Table:
    """Everything about a support T and its complement O, kept under changes of T.

    With ``K = H_TT^-1``, the array ``values`` of shape (q, q + c) holds

    - on T: ``K``, ``U = K H_TO`` and the solution ``W = K B_T``;
    - on O: ``-U'``, the Schur complements ``H_OO - H_OT U`` and the residuals ``B_O - H_OT W``.

    Exchanging one feature is a Gauss-Jordan pivot on its diagonal entry.
    """

    def __init__(
        self,
        H: np.ndarray,
        B: np.ndarray,
        support: np.ndarray,
        fixed: Sequence[int] | np.ndarray = (),
        inverse: np.ndarray | None = None,
    ):
        q = len(H)
        self.fixed = np.zeros(q, dtype=bool)
        self.fixed[np.asarray(fixed, dtype=int)] = True
        self.inside = np.zeros(q, dtype=bool)
        self.inside[support] = True
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
        self._B = B

    def explained(self) -> float:
        """F(T)."""
        T = self.inside
        return float(np.sum(self.values[T, len(T) :] * self._B[T]))

    def changes(self) -> np.ndarray:
        """What adding (outside) or removing (inside) each feature changes in F, shape (q,)."""
        rows = self.values[:, len(self.inside) :]
        pivots = np.diagonal(self.values)
        usable = self.inside | (pivots > self._smallest)
        return np.where(usable, np.einsum("ij,ij->i", rows, rows) / np.where(usable, pivots, 1), 0)

    def toggle(self, feature: int) -> None:
        """Move a feature into the support, or out of it."""
        values, k = self.values, feature
        pivot = values[k, k] if self.inside[k] else max(values[k, k], self._smallest[k])
        row = values[k] / pivot
        column = values[:, k].copy()
        column[k] = 0
        values = self.values = dger(-1.0, row, column, a=values.T, overwrite_a=True).T
        values[:, k] = -column / pivot
        row[k] = 1 / pivot
        values[k] = row
        self.inside[k] = not self.inside[k]

    def grow(self, count: int) -> float:
        """Add the feature of largest gain, ``count`` times; returns what F gains."""
        gained = 0.0
        for _ in range(count):
            gains = np.where(self.inside, -1, self.changes())
            best = int(np.argmax(gains))
            gained += gains[best]
            self.toggle(best)
        return gained

    def shrink(self, count: int) -> float:
        """Remove the feature of smallest loss, ``count`` times; returns what F gains (below 0)."""
        lost = 0.0
        for _ in range(count):
            losses = np.where(self.inside & ~self.fixed, self.changes(), np.inf)
            least = int(np.argmin(losses))
            lost += losses[least]
            self.toggle(least)
        return -lost


def swap_gains(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exact change of F for every swap of one feature i in T for one j outside; -inf where i is
    fixed.

    ``||R_j + U_ij W_i / K_ii||^2 / (sigma_j + U_ij^2 / K_ii) - ||W_i||^2 / K_ii`` with R the
    residuals and sigma the Schur complements.

    Returns
    -------
    gains : ndarray of shape (s, q - s)
    inside, outside : ndarray of shape (s,) and (q - s,)
        The features of the rows and columns.
    """
    q = len(table.inside)
    T, O = np.flatnonzero(table.inside), np.flatnonzero(~table.inside)  # noqa: E741
    U, W, R = table.values[np.ix_(T, O)], table.values[T, q:], table.values[O, q:]
    K, schur = table.values[T, T][:, None], np.maximum(table.values[O, O], table._smallest[O])
    w = np.einsum("ij,ij->i", W, W)[:, None]
    ratio = U / K
    gained = np.einsum("ij,ij->i", R, R) + 2 * ratio * (W @ R.T) + ratio**2 * w
    gains = gained / (schur + U * ratio) - w / K
    gains[table.fixed[T]] = -np.inf
    return gains, T, O


def _search(table: Table, max_moves: int, depths: Sequence[int], tol: float) -> Table:
    smallest = tol * table.explained()
    for _ in range(max_moves):
        if not (_swap(table, smallest) or _exchange_several(table, depths, smallest)):
            break
    return table


def _swap(table: Table, smallest: float) -> bool:
    gains, inside, outside = swap_gains(table)
    i, j = np.unravel_index(np.argmax(gains), gains.shape)
    if not gains[i, j] > smallest:
        return False
    table.toggle(outside[j])
    table.toggle(inside[i])
    return True


def _exchange_several(table: Table, depths: Sequence[int], smallest: float) -> bool:
    """Grow and shrink, or shrink and grow, by the first depth that helps."""
    movable = int((table.inside & ~table.fixed).sum())
    before = table.values.copy(), table.inside.copy()
    for depth in depths:
        for first, second, most in (
            (table.grow, table.shrink, int((~table.inside).sum())),
            (table.shrink, table.grow, movable),
        ):
            count = min(depth, most)
            if first(count) + second(count) > smallest:
                return True
            np.copyto(table.values, before[0])
            np.copyto(table.inside, before[1])
    return False
