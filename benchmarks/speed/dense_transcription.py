"""The authors' algorithm written down in dense numpy, as a yardstick for speed and for objectives.

n x n graph, one d x d solve per sweep, no constraint inside the loop, threshold at the end; order
W, P, Y, and the formulas of their code rather than of their paper (which differ, see
docs/deviations.md).
"""

from __future__ import annotations

import numpy as np

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix.scaling import scale_features


def penalty_y(B, S, Y, alpha, max_steps=99):
    """Penalty method with alternating Barzilai-Borwein steps for ``||B-Y||^2 - alpha Tr(Y'SY)``."""
    c = Y.shape[1]

    def gradient(Y):
        return 2 * (Y - B) - 2 * alpha * (S @ Y)

    def direction(Y, g):
        inner = Y.T @ g
        multiplier = (inner + inner.T) / 2
        stationarity = g - Y @ multiplier
        return stationarity + theta * Y @ (Y.T @ Y - np.eye(c)), stationarity

    g = gradient(Y)
    theta = np.clip(0.5 * np.linalg.norm(g) / c, 1e-10, 1e10)
    D, stationarity = direction(Y, g)
    stop, step = 1e-8 * np.linalg.norm(stationarity), 0.01
    for count in range(max_steps):
        Y_new = Y - step * D
        Y_new *= min(1, 1.0001 * np.sqrt(c) / np.linalg.norm(Y_new))
        D_new, stationarity = direction(Y_new, gradient(Y_new))
        dY, dD = Y_new - Y, D_new - D
        Y, D = Y_new, D_new
        if np.linalg.norm(stationarity) < stop or np.linalg.norm(dY) < 1e-15:
            break
        inner = abs(np.sum(dY * dD))
        step = np.sum(dY**2) / inner if count % 2 == 0 else inner / np.sum(dD**2)
    U, _, Vt = np.linalg.svd(Y, full_matrices=False)
    return U @ Vt


def dense_blufs(X, n_clusters, s, *, alpha=1.0, beta=1.0, lam=1.0, mu=1.0, seed=0, max_iter=50):
    """Selected features, and the objective as their code computes it, per sweep."""
    n, d = X.shape
    A = scale_features(X, "unit")
    S = SampleGraph.from_data(A, 10).normalized.toarray()
    labels = np.random.default_rng(seed).integers(n_clusters, size=n)
    Y = np.eye(n_clusters)[labels]
    Y /= np.sqrt(Y.sum(axis=0))
    P, tau = np.full((n, n), 1 / n), 0.8
    history: list[float] = []
    for _ in range(max_iter):
        L = np.diag(P.sum(axis=0)) - (P + P.T) / 2
        W = np.linalg.solve(lam * np.eye(d) + A.T @ A + beta * A.T @ L @ A, A.T @ Y)
        Z = A @ W
        norms = np.sum(Z**2, axis=1)
        V = np.maximum(norms[:, None] + norms - 2 * Z @ Z.T, 0)
        z = V / (2 * mu) - tau / (mu + tau) * P
        P = np.maximum(z.mean(axis=0) - z, 0)
        Y = penalty_y(Z, S, Y, alpha)
        history.append(
            np.sum((beta * V * P) ** 2)
            + mu * np.sum(P**2)
            + np.sum((Z - Y) ** 2)
            + lam * np.sum(W**2)
            - alpha * np.sum(Y * (S @ Y))
        )
        if len(history) > 1 and abs(history[-1] - history[-2]) < 1e-3 * (1 + abs(history[-2])):
            break
    return np.argsort(-np.linalg.norm(W, axis=1), kind="stable")[:s], np.array(history)
