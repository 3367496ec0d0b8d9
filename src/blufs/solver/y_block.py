"""The pseudo-label block, eq. (31): minimise over Y with orthonormal columns

    l(Y) = ||Z - Y||^2 - alpha Tr(Y' S Y) + tau ||Y - Y_old||^2,    Y'Y = I,

with Z = XW (n x c) and S the normalised similarity (eigenvalues in [-1, 1]). On the constraint the
norm of Y is fixed, so that ``l(Y) = const - 2 Tr(Y'(Z + tau Y_old)) - alpha Tr(Y' S Y)``.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs._numerics.projections import maximize_on_stiefel, polar_factor


def polar_iteration(
    Z: np.ndarray,
    S: sp.csr_array,
    Y_old: np.ndarray,
    alpha: float,
    tau: float,
    max_iter: int = 5,
    tol: float = 1e-4,
) -> np.ndarray:
    """Iterate ``Y <- polar(alpha (S + I) Y + Z + tau Y_old)`` from Y_old.

    ``alpha (S + I)`` is positive semidefinite, so -l is convex up to a constant on the constraint
    and every iterate minimises its linear majorant: l never increases. Stops when an iterate moves
    by less than ``tol sqrt(c)``; few iterations do, because the sweeps come back.
    """
    fixed = Z + tau * Y_old
    if not alpha:
        return polar_factor(fixed)
    return maximize_on_stiefel(
        lambda Y: alpha * (S @ Y + Y), fixed, Y_old, max_iter=max_iter, tol=tol
    )


def exact_penalty(
    Z: np.ndarray,
    S: sp.csr_array,
    Y_old: np.ndarray,
    alpha: float,
    tau: float,
    max_iter: int = 100,
    tol: float = 1e-8,
) -> np.ndarray:
    """Algorithm 2, the paper's exact-penalty method, from Y_old.

    With g the gradient of l and ``Lambda = sym(Y'g)``, eq. (33), step along
    ``g - Y Lambda + theta Y (Y'Y - I)``, eq. (35), with alternating Barzilai-Borwein lengths,
    eq. (36), scale back into the ball ``||Y||_F <= 1.0001 sqrt(c)``, eqs. (38) and (39), and
    orthonormalise at the end. The steps are not monotone by themselves: Y_old is returned if it is
    better than what was reached.
    """
    c = Y_old.shape[1]
    identity = np.eye(c)
    radius = 1.0001 * np.sqrt(c)

    def gradient(Y):
        return 2 * ((1 + tau) * Y - Z - tau * Y_old) - 2 * alpha * (S @ Y)

    def direction(Y, g, theta):
        inner = Y.T @ g
        multiplier = (inner + inner.T) / 2
        violation = Y.T @ Y - identity
        return g - Y @ (multiplier - theta * violation), g - Y @ multiplier

    Y = Y_old
    g = gradient(Y)
    theta = float(np.clip(0.5 * np.linalg.norm(g) / c, 1e-10, 1e10))
    D, stationarity = direction(Y, g, theta)
    threshold = tol * float(np.linalg.norm(stationarity))
    step = 0.5 / (np.linalg.norm(g) / np.sqrt(c) + theta + 1e-30)
    for iteration in range(max_iter):
        Y_new = Y - step * D
        norm = np.linalg.norm(Y_new)
        if norm > radius:
            Y_new *= radius / norm
        # A step far off the constraint is pulled back, else the penalty's model has no meaning.
        if np.linalg.norm(Y_new.T @ Y_new - identity) > 0.5:
            Y_new = polar_factor(Y_new)
        D_new, stationarity = direction(Y_new, gradient(Y_new), theta)
        dY, dD = Y_new - Y, D_new - D
        Y, D = Y_new, D_new
        curvature = abs(np.sum(dY * dD))
        if np.linalg.norm(stationarity) < threshold or curvature < 1e-30:
            break
        step = np.sum(dY**2) / curvature if iteration % 2 == 0 else curvature / np.sum(dD**2)
        step = min(step, 1e3)
    return max(polar_factor(Y), Y_old, key=lambda Y: _gain(Y, Z, S, Y_old, alpha, tau))


def _gain(Y, Z, S, Y_old, alpha, tau) -> float:
    """``-l(Y)`` up to a constant, for Y on the constraint."""
    return float(np.sum(Y * (2 * (Z + tau * Y_old) + alpha * (S @ Y))))


#: Both minimise l over Y, the first by default.
Y_SOLVERS = {"polar": polar_iteration, "penalty": exact_penalty}
