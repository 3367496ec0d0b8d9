"""The projection block: minimise over W with at most s non-zero rows

    ||AW - Y||^2 + lam ||W||^2 + 2 beta Tr(W'A' L A W) + tau ||W - W_old||^2
        = Tr(W' H W) - 2 Tr(W' B) + const,    H = A'MA + (lam + tau) I,   B = A'Y + tau W_old,

with A the scaled data (n x d), L the Laplacian of the learned graph and ``M = I + 2 beta L``. Only
products with A and systems of the size of the support are needed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blufs._numerics.matrix import DataMatrix
from blufs.solver.exchange import DEPTHS, exchange, solve_spd
from blufs.solver.p_step import Smoothing
from blufs.solver.pursuit import Pursuit, forward_pursuit, largest

#: Features outside the support that a W step considers.
POOL_SIZE = 64
#: Moves in one search for a better support.
MAX_MOVES = 50
#: Rows of two matrices that are joined at a time.
_JOINED_ROWS = 1024


def start_support(
    data: DataMatrix, M: Smoothing, Y: np.ndarray, ridge: float, diagonal: np.ndarray, s: int
) -> Pursuit:
    """Support found by forward pursuit for given M and Y; a prefix is the one for less features."""
    return forward_pursuit(data, M, data.correlate(Y), ridge, diagonal, s)


def solve_on_support(
    A: np.ndarray, M: Smoothing, Y: np.ndarray, W_old: np.ndarray, lam: float, tau: float
) -> np.ndarray:
    """The minimiser for a given support, shape (s, c).

    A (n x s) holds the columns of the support, W_old (s x c) the rows there.
    """
    (H,) = M.products(A, A)
    H[np.diag_indices_from(H)] += lam + tau
    return solve_spd(H, A.T @ Y + tau * W_old)


def improve_support(
    data: DataMatrix,
    M: Smoothing,
    Y: np.ndarray,
    support: np.ndarray,
    A: np.ndarray,
    W_old: np.ndarray,
    lam: float,
    tau: float,
    diagonal: np.ndarray,
    thorough: bool = True,
    gains: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Re-solve on the support, then exchange features with the most promising ones outside.

    Every move lowers the objective with its proximal term, so the step never raises it.

    Parameters
    ----------
    data : DataMatrix of shape (n, d)
    M, Y : Smoothing of shape (n, n), ndarray of shape (n, c)
    support, A, W_old : ndarray of shape (s,), (n, s) and (s, c)
        The non-zero rows of the current W, the columns of the data there, and the rows. A is
        overwritten with those of the new W: of many samples a second one would be much to hold.
    lam, tau : float
    diagonal : ndarray of shape (d,)
        (About) the diagonal of H, by which candidates are compared before their gain is computed.
    thorough : bool
        Exchange several features at once too; and if all features fit into the search, search from
        a second start, see :func:`~blufs.solver.exchange.exchange`.
    gains : ndarray of shape (d,), optional
        As returned, if they are known already, which spares a pass over X.

    Returns
    -------
    support, A, W : as above, of the new W
    gains : ndarray of shape (d,)
        About what each feature outside would gain alone, see :func:`feature_gains`.
    """
    (H,) = M.products(A, A)
    H[np.diag_indices_from(H)] += lam + tau
    B = A.T @ Y + tau * W_old
    W = solve_spd(H, B)
    if gains is None:
        gains = feature_gains(data, Y - M @ (A @ W), diagonal)
    pool = _promising(gains, support)
    if len(pool) == 0:
        return support, A, W, gains
    C = data.columns(pool)
    positions, W = exchange(
        _extended(H, A, C, M, lam + tau),
        np.vstack([B, C.T @ Y]),
        np.arange(len(support)),
        MAX_MOVES,
        DEPTHS if thorough else (),
        second_start=thorough and len(support) + len(pool) == len(diagonal),
    )
    _join_columns(A, C, positions)
    return np.append(support, pool)[positions], A, W, gains


def _promising(gains: np.ndarray, support: np.ndarray) -> np.ndarray:
    """The features outside the support that gain most, at most as many as are considered."""
    outside = gains.copy()
    outside[support] = -1
    return largest(outside, min(POOL_SIZE, len(gains) - len(support)))


def _extended(H: np.ndarray, A: np.ndarray, C: np.ndarray, M: Smoothing, ridge: float):
    """H (s x s) of the columns A (n x s), extended to those of the columns C (n x m)."""
    across, corner = M.products(C, A, C)
    corner[np.diag_indices_from(corner)] += ridge
    return np.block([[H, across], [across.T, corner]])


def _join_columns(A: np.ndarray, C: np.ndarray, positions: np.ndarray) -> None:
    """``A[:] = np.hstack([A, C])[:, positions]``, some rows at a time, so as to hold it once."""
    for start in range(0, len(A), _JOINED_ROWS):
        rows = slice(start, start + _JOINED_ROWS)
        A[rows] = np.hstack([A[rows], C[rows]]).take(positions, axis=1)


def feature_gains(data: DataMatrix, misfit: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """``||a_j' misfit||^2 / H_jj`` of every feature, shape (d,); ``misfit`` is Y - MAW (n x c).

    For a feature outside the support it is a lower bound of what adding it gains.
    """
    return joint_gains(data, [misfit], diagonal)[0]


def joint_gains(
    data: DataMatrix, misfits: Sequence[np.ndarray], diagonal: np.ndarray
) -> list[np.ndarray]:
    """:func:`feature_gains` for several misfits, by one pass over X."""
    products = np.split(data.correlate(np.hstack(misfits)), len(misfits), axis=1)
    return [np.einsum("ij,ij->i", R, R) / diagonal for R in products]


def dense_w_step(
    A: np.ndarray, M: Smoothing, Y: np.ndarray, W_old: np.ndarray, lam: float, tau: float
) -> np.ndarray:
    """The minimiser without the constraint on the rows, shape (d, c), by the smaller side of A.

    For d <= n the system is d x d; otherwise, by the Woodbury identity with K = AA',
    ``H^-1 B = (B - A'M (rI + KM)^-1 A B) / r`` with ``r = lam + tau``. Only the ablation without
    the constraint uses it.
    """
    n, d = A.shape
    if d <= n:
        return solve_on_support(A, M, Y, W_old, lam, tau)
    ridge = lam + tau
    B = A.T @ Y + tau * W_old
    KM = (M @ (A @ A.T)).T
    KM[np.diag_indices_from(KM)] += ridge
    return (B - A.T @ (M @ np.linalg.solve(KM, A @ B))) / ridge
