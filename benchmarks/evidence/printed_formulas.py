"""The paper's printed update formulas against the minimisers of the subproblems they come from.

``python -m benchmarks.evidence.printed_formulas`` writes results/printed_formulas.json;
The page of deviations explains. Every function returns (value of the printed formula, value of the
minimiser); the smaller is the better.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.evidence.w_step_rules import best_on, brute_force, largest_rows
from benchmarks.harness import save
from blufs._numerics.graph import laplacian
from blufs._numerics.projections import project_rows_to_simplex


def random_block(seed: int, n: int = 12, d: int = 8, c: int = 3):
    """X (n x d), Y (n x c), W (d x c), and P (n x n) with columns on the simplex."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) / np.sqrt(n)
    Y = np.linalg.qr(rng.standard_normal((n, c)))[0]
    W = np.linalg.solve(X.T @ X + 0.1 * np.eye(d), X.T @ Y)
    return X, Y, W, rng.dirichlet(np.full(n, 0.3), n).T


def distances(Z):
    return np.sum((Z[:, None] - Z[None]) ** 2, axis=2)


def p_update(seed: int, beta: float = 5.0, mu: float = 0.5, tau: float = 0.5):
    """Eqs. (24)-(27): 2 mu in the denominator, no beta, clipped after eta was computed."""
    X, _, W, P_old = random_block(seed)
    V = distances(X @ W)

    def value(P):
        return np.sum(beta * V * P) + mu * np.sum(P**2) + tau * np.sum((P - P_old) ** 2)

    z = V / (2 * mu) - tau / (mu + tau) * P_old
    printed = np.maximum((1 + z.sum(axis=0)) / len(z) - z, 0)
    printed /= printed.sum(axis=0)  # as printed its columns do not even sum to one
    exact = project_rows_to_simplex(((2 * tau * P_old - beta * V) / (2 * (mu + tau))).T).T
    return value(printed), value(exact)


def w_update(seed: int, beta: float = 5.0, lam: float = 0.1, symmetric_degrees: bool = True):
    """Eq. (30): the graph term without its factor 2, and with degrees from the row sums of P."""
    X, Y, _, P = random_block(seed)
    L = laplacian_of(P, symmetric_degrees)

    def value(W):
        fit = np.sum((X @ W - Y) ** 2) + lam * np.sum(W**2)
        return fit + beta * np.sum(distances(X @ W) * P)

    ridge = X.T @ X + lam * np.eye(X.shape[1])
    printed = np.linalg.solve(ridge + beta * X.T @ L @ X, X.T @ Y)
    exact = np.linalg.solve(ridge + 2 * beta * X.T @ laplacian_of(P) @ X, X.T @ Y)
    return value(printed), value(exact)


def laplacian_of(P, symmetric_degrees: bool = True):
    """Laplacian with the degrees of the symmetrised P, or with the paper's row sums of P."""
    if symmetric_degrees:
        return laplacian(sp.csr_array(P)).toarray()
    return np.diag(P.sum(axis=1)) - (P + P.T) / 2


def smallest_eigenvalue(seed: int, symmetric_degrees: bool) -> float:
    """Of L_P: a Laplacian is positive semidefinite, with row sums it is not."""
    P = random_block(seed)[3]
    return float(np.linalg.eigvalsh(laplacian_of(P, symmetric_degrees))[0])


def sparse_w_update(seed: int, s: int = 3, lam: float = 0.1):
    """Eq. (30) solves without ``||W||_{2,0} <= s``; keeping its s largest rows is no minimiser."""
    X, Y, _, _ = random_block(seed)
    H, B = X.T @ X + lam * np.eye(X.shape[1]), X.T @ Y
    thresholded = largest_rows(np.linalg.solve(H, B), s)
    offset = float(np.sum(Y**2))
    return offset + best_on(H, B, thresholded), offset + best_on(H, B, brute_force(H, B, s))


CHECKS = {
    "P update, eqs. (24)-(27)": p_update,
    "W update, eq. (30), factor 2": w_update,
    "W update, eq. (30), row sums": lambda seed: w_update(seed, symmetric_degrees=False),
    "W update, eq. (30), no constraint": sparse_w_update,
}

if __name__ == "__main__":
    seeds = range(100)
    report = {}
    for name, check in CHECKS.items():
        pairs = np.array([check(seed) for seed in seeds])
        report[name] = {
            "mean value, printed": float(pairs[:, 0].mean()),
            "mean value, minimiser": float(pairs[:, 1].mean()),
            "problems where printed is worse": int((pairs[:, 0] > pairs[:, 1] + 1e-9).sum()),
            "problems": len(pairs),
        }
    report["least eigenvalue of L_P"] = {
        "row sums": min(smallest_eigenvalue(seed, False) for seed in seeds),
        "symmetrised": min(smallest_eigenvalue(seed, True) for seed in seeds),
    }
    save("printed_formulas", report)
    for name, values in report.items():
        print(name, values)
