"""The projection block: minimise over W with at most s non-zero rows

    ||AW - Y||^2 + lam ||W||^2 + 2 beta Tr(W'A' L A W) + tau ||W - W_old||^2
        = Tr(W' H W) - 2 Tr(W' B) + const,    H = A'MA + (lam + tau) I,   B = A'Y + tau W_old,

with A the scaled data (n x d), L the Laplacian of the learned graph and ``M = I + 2 beta L``. Only
products with A and systems of the size of the support are needed.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs.solver.data import ScaledData
from blufs.solver.exchange import exchange, solve_spd
from blufs.solver.pursuit import forward_pursuit, largest

#: Features outside the support that a W step considers.
POOL_SIZE = 64
#: Swaps in one W step.
MAX_SWAPS = 20


def smoothing(L: sp.csr_array, beta: float) -> sp.csr_array:
    """``M = I + 2 beta L``, shape (n, n)."""
    return (sp.eye_array(L.shape[0], format="csr") + (2 * beta) * L).tocsr()


def start_w(
    data: ScaledData, M: sp.csr_array, Y: np.ndarray, ridge: float, diagonal: np.ndarray, s: int
) -> np.ndarray:
    """Support found by forward pursuit for given M and Y; a prefix of it is the one for less."""
    return forward_pursuit(data, M, data.correlate(Y), ridge, diagonal, s)


def solve_on_support(
    data: ScaledData, M: sp.csr_array, Y: np.ndarray, ridge: float, support: np.ndarray
) -> np.ndarray:
    """The best W for a given support (and no proximal term), shape (s, c)."""
    A = data.columns(support)
    H = A.T @ (M @ A)
    H[np.diag_indices_from(H)] += ridge
    return solve_spd(H, A.T @ Y)


def w_step(
    data: ScaledData,
    M: sp.csr_array,
    Y: np.ndarray,
    support: np.ndarray,
    W_old: np.ndarray,
    lam: float,
    tau: float,
    diagonal: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Re-solve on the support, then exchange features with the most promising ones outside.

    Every move lowers the objective with its proximal term, so the block never raises it.

    Parameters
    ----------
    data : ScaledData of shape (n, d)
    M : sparse array of shape (n, n)
    Y : ndarray of shape (n, c)
    support, W_old : ndarray of shape (s,) and (s, c)
        The current W: its non-zero rows and where they are.
    lam, tau : float
    diagonal : ndarray of shape (d,)
        (About) the diagonal of H, by which candidates are compared before their gain is computed.

    Returns
    -------
    support, W : ndarray of shape (s,) and (s, c)
    """
    A = data.columns(support)
    MA = M @ A
    H = A.T @ MA
    H[np.diag_indices_from(H)] += lam + tau
    B = A.T @ Y + tau * W_old
    W = solve_spd(H, B)
    pool = promising_features(data, Y - MA @ W, support, diagonal)
    if len(pool) == 0:
        return support, W
    Z = data.columns(pool)
    MZ = M @ Z
    corner = Z.T @ MZ
    corner[np.diag_indices_from(corner)] += lam + tau
    across = Z.T @ MA
    positions, W = exchange(
        np.block([[H, across.T], [across, corner]]),
        np.vstack([B, Z.T @ Y]),
        np.arange(len(support)),
        MAX_SWAPS,
    )
    return np.concatenate([support, pool])[positions], W


def promising_features(
    data: ScaledData, misfit: np.ndarray, support: np.ndarray, diagonal: np.ndarray
) -> np.ndarray:
    """Features outside the support by ``||a_j' misfit||^2 / H_jj``, the gain of adding them alone.

    ``misfit`` is ``Y - MAW`` of shape (n, c). Returns at most POOL_SIZE features, best first.
    """
    R = data.correlate(misfit)
    gains = np.einsum("ij,ij->i", R, R) / diagonal
    gains[support] = -1
    return largest(gains, min(POOL_SIZE, len(gains) - len(support)))


def dense_w_step(
    A: np.ndarray, M: sp.csr_array, Y: np.ndarray, W_old: np.ndarray, lam: float, tau: float
) -> np.ndarray:
    """The minimiser without the constraint on the rows, shape (d, c), by the smaller side of A.

    For d <= n the system is d x d; otherwise, by the Woodbury identity with K = AA',
    ``H^-1 B = (B - A'M (rI + KM)^-1 A B) / r`` with ``r = lam + tau``. Only the ablation without
    the constraint uses it.
    """
    n, d = A.shape
    ridge = lam + tau
    B = A.T @ Y + tau * W_old
    if d <= n:
        H = A.T @ (M @ A)
        H[np.diag_indices_from(H)] += ridge
        return solve_spd(H, B)
    KM = (M @ (A @ A.T)).T
    KM[np.diag_indices_from(KM)] += ridge
    return (B - A.T @ (M @ np.linalg.solve(KM, A @ B))) / ridge
