"""The update of the consensus scores of BLFSE: a quadratic program on the simplex."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator

from blufs._numerics.eigen import largest_eigenpairs
from blufs._numerics.projections import project_rows_to_simplex

#: Gradient steps that cost about as much as one Cholesky factorisation of the same matrix.
_STEPS_LIKE_A_FACTORIZATION = 50


def hadamard(Q: np.ndarray | LinearOperator, P: np.ndarray) -> np.ndarray | LinearOperator:
    """``Q o (P P')`` for Q (d x d) and P (d x any); an operator where Q is one."""
    if isinstance(Q, np.ndarray):
        return Q * (P @ P.T)
    return LinearOperator(
        Q.shape,
        matvec=lambda u: np.einsum("ij,ij->i", P, Q.matmat(P * u.reshape(-1, 1))),
        dtype=float,
    )


def score_step(curvature, a, weights, v, tol: float = 1e-13, max_iter: int = 1000) -> np.ndarray:
    """``argmin 1/2 v'Hv - f'v`` over the simplex, starting at v.

    ``H = 2 curvature + (sum_j a_j^2) I`` with curvature (d x d, array or operator)
    ``Q o (P P')`` and ``f = sum_j a_j^2 v^j``. Gradient steps first; where they converge slowly and
    the matrix is known, the optimality conditions are solved instead, from the zeros found so far.
    """
    total, f = np.sum(a**2), a**2 @ weights
    H = LinearOperator(curvature.shape, lambda u: 2 * (curvature @ u) + total * u, dtype=float)
    step = 1 / _largest_eigenvalue(H)
    if isinstance(curvature, np.ndarray):
        v, settled = _projected_gradients(H, f, v, step, tol, _STEPS_LIKE_A_FACTORIZATION)
        if settled:
            return v
        dense = 2 * curvature
        dense[np.diag_indices_from(dense)] += total
        solution = minimize_quadratic_on_simplex(dense, f, v > 0)
        if solution is not None:
            return solution
    return _projected_gradients(H, f, v, step, tol, max_iter)[0]


def _projected_gradients(H, f, v, step: float, tol: float, max_iter: int):
    """Accelerated projected gradients with restart: v and whether it moves by less than tol."""
    ahead, momentum, change = v, 1.0, np.inf
    for _ in range(max_iter):
        new = project_rows_to_simplex((ahead - step * (H @ ahead - f))[None])[0]
        if (ahead - new) @ (new - v) > 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - v)
        change = np.abs(new - v).max()
        v, momentum = new, following
        if change < tol:
            break
    return v, change < tol


def _largest_eigenvalue(H: LinearOperator) -> float:
    d = H.shape[0]
    if d < 10:
        return float(np.linalg.eigvalsh(H @ np.eye(d))[-1])
    # A Ritz value lies below the eigenvalue, by less than its tolerance.
    return 1.01 * float(largest_eigenpairs(H.matvec, d, 1, tol=1e-3, basis_size=8)[0][0])


def minimize_quadratic_on_simplex(
    H: np.ndarray, f: np.ndarray, free: np.ndarray, max_iter: int = 20
) -> np.ndarray | None:
    """``argmin 1/2 v'Hv - f'v`` over the simplex for positive definite H (d x d), or None.

    The minimum is where, for some multiplier mu of ``sum(v) = 1``, the slack ``Hv - f - mu`` is
    zero on the free entries, ``v >= 0``, and non-negative on the others, ``v = 0``. The set of free
    entries is guessed, first by ``free`` (d,), the equations are solved, and entries that violate
    an inequality change sides, until none does. That mostly takes a few rounds, each with a
    Cholesky factorisation; None if it takes more than ``max_iter``.
    """
    free = free.copy()
    for _ in range(max_iter):
        if not free.any():
            return None
        try:
            factor = cho_factor(H[np.ix_(free, free)].T, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        sides = np.column_stack([f[free], np.ones(np.count_nonzero(free))])
        particular, direction = cho_solve(factor, sides, check_finite=False).T
        mu = (1 - particular.sum()) / direction.sum()
        v = np.zeros(len(f))
        v[free] = particular + mu * direction
        slack = H @ v - f - mu
        following = np.where(free, v >= 0, slack < 0)
        if np.array_equal(following, free):
            return v
        free = following
    return None
