"""The pseudo-label block, eq. (31): minimise over Y with orthonormal columns

    l(Y) = ||Z - Y||^2 - alpha Tr(Y' S Y) + tau ||Y - Y_old||^2,    Y'Y = I,

with Z = XW (n x c) and S the normalised similarity (eigenvalues in [-1, 1]). On the constraint the
norm of Y is fixed, so that ``l(Y) = const - 2 Tr(Y'(Z + tau Y_old)) - alpha Tr(Y' S Y)``.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs._numerics.projections import polar_factor


def y_step_polar(
    Z: np.ndarray,
    S: sp.csr_array,
    Y_old: np.ndarray,
    alpha: float,
    tau: float,
    max_iter: int = 5,
    tol: float = 1e-4,
) -> np.ndarray:
    """Iterate ``Y <- polar((alpha (S + I) Y + Z + tau Y_old) D) D`` from Y_old.

    ``alpha (S + I)`` is positive semidefinite, so -h is convex up to a constant on the constraint
    and every iterate minimises its linear majorant: h never increases. Stops when an iterate moves
    by less than ``tol`` times the norm of Y; few iterations do, because the sweeps come back.
    """
    fixed = Z + tau * Y_old
    norms = np.linalg.norm(Y_old, axis=0)
    Y = Y_old
    for _ in range(max_iter):
        slope = fixed + alpha * (S @ Y + Y) if alpha else fixed
        Y_new = polar_factor(slope * norms) * norms
        moved = np.linalg.norm(Y_new - Y)
        Y = Y_new
        if not alpha or moved < tol * np.linalg.norm(norms):
            break
    return Y


def y_step_penalty(
    Z: np.ndarray,
    S: sp.csr_array,
    Y_old: np.ndarray,
    alpha: float,
    tau: float,
    max_iter: int = 100,
    tol: float = 1e-8,
) -> np.ndarray:
    """The paper's exact-penalty method (Algorithm 2) from Y_old.

    With Q = Y D^-1, orthonormal, ``g`` the gradient of l(Q D), ``Lam = sym(Q'g)`` and a penalty
    theta, step along ``g - Q Lam + theta Q (Q'Q - I)`` with alternating Barzilai-Borwein lengths,
    scale back into the ball ``||Q||_F <= 1.0001 sqrt(c)``, and orthonormalise at the end. The steps
    are not monotone by themselves: Y_old is returned if it is better than what was reached.
    """
    c = Y_old.shape[1]
    identity = np.eye(c)
    radius = 1.0001 * np.sqrt(c)
    norms = np.linalg.norm(Y_old, axis=0)

    def gradient(Q):
        Y = Q * norms
        return norms * (2 * ((1 + tau) * Y - Z - tau * Y_old) - 2 * alpha * (S @ Y))

    def direction(Q, g, theta):
        inner = Q.T @ g
        multiplier = (inner + inner.T) / 2
        violation = Q.T @ Q - identity
        return g - Q @ (multiplier - theta * violation), g - Q @ multiplier

    Q = Y_old / norms
    g = gradient(Q)
    theta = float(np.clip(0.5 * np.linalg.norm(g) / c, 1e-10, 1e10))
    D, stationarity = direction(Q, g, theta)
    threshold = tol * float(np.linalg.norm(stationarity))
    step = 0.5 / (np.linalg.norm(g) / np.sqrt(c) + theta + 1e-30)
    for iteration in range(max_iter):
        Q_new = Q - step * D
        norm = np.linalg.norm(Q_new)
        if norm > radius:
            Q_new *= radius / norm
        # A step far off the constraint is pulled back, else the penalty's model has no meaning.
        if np.linalg.norm(Q_new.T @ Q_new - identity) > 0.5:
            Q_new = polar_factor(Q_new)
        D_new, stationarity = direction(Q_new, gradient(Q_new), theta)
        dQ, dD = Q_new - Q, D_new - D
        Q, D = Q_new, D_new
        curvature = abs(np.sum(dQ * dD))
        if np.linalg.norm(stationarity) < threshold or curvature < 1e-30:
            break
        step = np.sum(dQ**2) / curvature if iteration % 2 == 0 else curvature / np.sum(dD**2)
        step = min(step, 1e3)
    Y = polar_factor(Q) * norms
    return (
        Y if _gain(Y, Z, S, Y_old, alpha, tau) >= _gain(Y_old, Z, S, Y_old, alpha, tau) else Y_old
    )


def _gain(Y, Z, S, Y_old, alpha, tau) -> float:
    """``-l(Y)`` up to a constant, for Y on the constraint."""
    return float(np.sum(Y * (2 * (Z + tau * Y_old) + alpha * (S @ Y))))


Y_SOLVERS = {"polar": y_step_polar, "penalty": y_step_penalty}
