"""The projection block, eq. (28): minimise over W with at most s non-zero rows

    ||XW - Y||^2 + lam ||W||^2 + 2 beta Tr(W'X' L_P X W) + tau ||W - W_old||^2
        = Tr(W' H W) - 2 Tr(W' B) + const,    H = X'MX + (lam + tau) I,   B = X'Y + tau W_old,

with ``M = I + 2 beta L_P``. For given non-zero rows, the *support*, ``H W = B`` is solved on them;
this is eq. (30) with its errors repaired, see docs/deviations.md. The support is searched: first
by :mod:`~blufs.solver.pursuit`, later by :mod:`~blufs.solver.exchange`. Only products with X and
systems of the size of the support are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, pinvh
from scipy.linalg.lapack import dtrtri

from blufs._numerics.matrix import DataMatrix
from blufs._numerics.rounding import largest
from blufs._numerics.spd import REDUNDANT, inverse_spd, solve_spd
from blufs._numerics.units import Units
from blufs.solver.exchange import DEPTHS, exchange
from blufs.solver.operators import Smoothing
from blufs.solver.pursuit import Pursuit, forward_pursuit

#: Units (features, or groups of them) outside the support that a search for a better one considers,
#: and most features of these.
POOL_SIZE, POOL_FEATURES = 64, 512
#: Moves in one search for a better support.
MAX_MOVES = 50
#: Rows of two matrices that are joined at a time.
_JOINED_ROWS = 1024


class Improved(NamedTuple):
    """W on a better support.

    Attributes
    ----------
    support, A, W : ndarray of shape (s,), (n, s) and (s, c)
        As of :class:`blufs.solver.model.State`.
    gains : ndarray of shape (d,)
        See :meth:`SupportSearch.gains`, on the old support.
    """

    support: np.ndarray
    A: np.ndarray
    W: np.ndarray
    gains: np.ndarray


@dataclass(frozen=True)
class SupportSearch:
    """The W block for given P and Y: the support of W, and W on it.

    Attributes
    ----------
    data : DataMatrix of shape (n, d)
    M : Smoothing of shape (n, n)
    Y : ndarray of shape (n, c)
    diagonal : ndarray of shape (d,)
        (About) the diagonal of H, by which features are compared before their gain is computed.
    lam, tau : float
    units : Units of d features
        What is chosen as one, what it costs, and what the support must have.
    """

    data: DataMatrix
    M: Smoothing
    Y: np.ndarray
    diagonal: np.ndarray
    lam: float
    tau: float
    units: Units

    @property
    def _ridge(self) -> float:
        return self.lam + self.tau

    def start(self, s: float) -> Pursuit:
        """The first support, by forward pursuit, that costs at most s."""
        B = self.data.correlate(self.Y)
        return forward_pursuit(self.data, self.M, B, self._ridge, self.diagonal, s, self.units)

    def solve(self, A: np.ndarray, W_old: np.ndarray) -> np.ndarray:
        """The best W (s x c) on a support with the columns A (n x s) and the old rows W_old."""
        solve = solve_on_support if A.shape[1] < self.data.shape[1] else dense_solve
        return solve(A, self.M, self.Y, W_old, self.lam, self.tau)

    def misfit(self, Z: np.ndarray) -> np.ndarray:
        """``Y - M Z``, shape (n, c), for the projected data Z = XW."""
        return self.Y - self.M @ Z

    def gains(self, Z: np.ndarray) -> np.ndarray:
        """``||x_j' (Y - M Z)||^2 / H_jj`` of every feature, shape (d,), for Z = XW.

        For a feature outside the support of W it is a lower bound of what adding it gains.
        """
        return joint_gains(self.data, [self.misfit(Z)], self.diagonal)[0]

    def losses(self, A: np.ndarray, W_old: np.ndarray) -> np.ndarray:
        """By how much the block rises if a feature of the support is dropped, shape (s,).

        ``||W_i||^2 / (H_TT^-1)_ii`` with the best W on the support T; A and W_old as above.
        """
        H = self.M.gram(A)
        H[np.diag_indices_from(H)] += self._ridge
        B = A.T @ self.Y + self.tau * W_old
        try:
            L = cholesky(H.T, lower=True, check_finite=False)  # as in solve_spd
            # Of L, which is a third of the work for that of H.
            inverse, _ = dtrtri(L, lower=1, overwrite_c=True)
            W, diagonal = inverse.T @ (inverse @ B), np.einsum("ij,ij->j", inverse, inverse)
        except LinAlgError:
            inverse = pinvh(H)
            W, diagonal = inverse @ B, np.diagonal(inverse)
        # Features that the others span can be dropped for nothing.
        usable = diagonal * np.diagonal(H) < 1 / REDUNDANT
        return np.where(usable, np.einsum("ij,ij->i", W, W) / np.where(usable, diagonal, 1), 0)

    def improve(
        self,
        support: np.ndarray,
        A: np.ndarray,
        W_old: np.ndarray,
        *,
        s: float | None = None,
        gains: np.ndarray | None = None,
        thorough: bool = True,
    ) -> Improved:
        """Re-solve on the support, then exchange units with the most promising ones outside.

        Every move lowers the objective with its proximal term, so the step never raises it.

        Parameters
        ----------
        support, A, W_old : ndarray of shape (s,), (n, s) and (s, c)
            The non-zero rows of the current W, the columns of the data there, and the rows. A is
            overwritten with those of the new W: with many samples a second one takes much memory.
        s : float, optional
            What the support may cost; what it does cost if None.
        gains : ndarray of shape (d,), optional
            Those of the support, if they are known already, which spares a pass over X.
        thorough : bool
            Exchange several units at once too; and if all of them fit into the search, search from
            a second start, see :func:`~blufs.solver.exchange.exchange`.
        """
        own, most = A.shape[1], max(POOL_FEATURES, int(self.units.sizes.max()))
        size = min(own + most, self.data.shape[1])
        room = np.empty((size, size))  # also for what is considered: memory that is new is slow
        H = self.M.gram(A, out=room[:own, :own])
        H[np.diag_indices_from(H)] += self._ridge
        B = A.T @ self.Y + self.tau * W_old
        inverse = inverse_spd(H)
        W = inverse @ B
        if gains is None:
            gains = self.gains(A @ W)
        s = self.units.cost(np.unique(self.units.labels[support])) if s is None else s
        pool, is_complete = self._promising(gains, support, s)
        if len(pool) == 0:
            return Improved(support, A, W, gains)
        C = self.data.columns(pool)
        considered = np.append(support, pool)
        positions, W = exchange(
            self._extended(room, A, C),
            np.vstack([B, C.T @ self.Y]),
            np.arange(len(support)),
            MAX_MOVES,
            DEPTHS if thorough else (),
            second_start=thorough and is_complete,
            units=self.units.part(considered),
            budget=s,
            inverse=inverse,
        )
        return Improved(considered[positions], _joined_columns(A, C, positions), W, gains)

    def _promising(
        self, gains: np.ndarray, support: np.ndarray, s: float
    ) -> tuple[np.ndarray, bool]:
        """The features of the units outside the support that gain most per cost, at most as many as
        are considered; and whether they are all that s may buy."""
        units = self.units
        outside = units.can_be_chosen(s)
        outside[units.labels[support]] = False
        priority = np.where(outside, units.sums(gains) / units.costs, -1)
        count = int(np.count_nonzero(outside))
        best = largest(priority, min(POOL_SIZE, count))
        best = best[: max(1, np.searchsorted(np.cumsum(units.sizes[best]), POOL_FEATURES, "right"))]
        return units.features(best), len(best) == count

    def _extended(self, room: np.ndarray, A: np.ndarray, C: np.ndarray) -> np.ndarray:
        """H of the columns A (n x s) and C (n x m); that of A is in the room, which has space."""
        s, both = A.shape[1], A.shape[1] + C.shape[1]
        across, corner = self.M.products(C, A, C)
        corner[np.diag_indices_from(corner)] += self._ridge
        H = room[:both, :both]
        H[:s, s:], H[s:, :s], H[s:, s:] = across, across.T, corner
        return H


def _joined_columns(A: np.ndarray, C: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """``np.hstack([A, C])[:, positions]``, in A itself if it has that shape: some rows at a time,
    so as to hold it once."""
    joined = A if len(positions) == A.shape[1] else np.empty((len(A), len(positions)))
    for start in range(0, len(A), _JOINED_ROWS):
        rows = slice(start, start + _JOINED_ROWS)
        joined[rows] = np.hstack([A[rows], C[rows]]).take(positions, axis=1)
    return joined


def joint_gains(
    data: DataMatrix, misfits: Sequence[np.ndarray], diagonal: np.ndarray
) -> list[np.ndarray]:
    """:meth:`SupportSearch.gains` for several misfits (n x c each), by one pass over X."""
    products = np.split(data.correlate(np.hstack(misfits)), len(misfits), axis=1)
    return [np.einsum("ij,ij->i", R, R) / diagonal for R in products]


def solve_on_support(
    A: np.ndarray, M: Smoothing, Y: np.ndarray, W_old: np.ndarray, lam: float, tau: float
) -> np.ndarray:
    """The minimiser for the columns A (n x s) of a support, shape (s, c); W_old likewise."""
    H = M.gram(A)
    H[np.diag_indices_from(H)] += lam + tau
    return solve_spd(H, A.T @ Y + tau * W_old)


def dense_solve(
    A: np.ndarray, M: Smoothing, Y: np.ndarray, W_old: np.ndarray, lam: float, tau: float
) -> np.ndarray:
    """The minimiser without the constraint on the rows, shape (d, c), by the smaller side of A.

    For d <= n the system is d x d; otherwise, by the Woodbury identity with K = AA',
    ``H^-1 B = (B - A'M (rI + KM)^-1 A B) / r`` with ``r = lam + tau``. It is for all features, and
    for the ablation without the constraint.
    """
    n, d = A.shape
    if d <= n:
        return solve_on_support(A, M, Y, W_old, lam, tau)
    ridge = lam + tau
    B = A.T @ Y + tau * W_old
    KM = (M @ (A @ A.T)).T
    KM[np.diag_indices_from(KM)] += ridge
    return (B - A.T @ (M @ np.linalg.solve(KM, A @ B))) / ridge
