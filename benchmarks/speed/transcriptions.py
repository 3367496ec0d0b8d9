"""Straight dense transcriptions of the compared methods, to measure the library against.

Each follows the formulas of the method step by step with dense matrices and full
eigendecompositions, as the authors' codes do, and returns the features, best first. The random
ones draw the same numbers as the library, so that the selected features can be compared.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from blufs._numerics.matrix.scaling import scale_features, scale_samples
from blufs._numerics.projections import project_rows_to_simplex

EPS = np.finfo(float).eps


def _smallest(A, count):
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    return values, vectors[:, :count]


def _laplacian(W):
    W = (W + W.T) / 2
    return np.diag(W.sum(axis=1)) - W


def _best_first(scores):
    return np.argsort(-scores, kind="stable")


def _seed(random_state):
    return check_random_state(random_state).randint(np.iinfo(np.int32).max)


def _adaptive_graph(D, k):
    n = len(D)
    A, total = np.zeros((n, n)), 0.0
    for i in range(n):
        near = np.argsort(D[i], kind="stable")[1 : k + 2]
        e = D[i, near]
        A[i, near[:k]] = (e[k] - e[:k]) / (k * e[k] - e[:k].sum() + EPS)
        total += (k * e[k] - e[:k].sum()) / 2
    return A, total / n


def _sparse_subspace(M, gamma, m, max_iter, tol):
    q, previous = np.ones(len(M)), np.inf
    for _ in range(max_iter):
        W = _smallest(M + gamma * np.diag(q), m)[1]
        norms = np.sqrt((W**2).sum(axis=1))
        q = 0.5 / np.sqrt(norms**2 + EPS)
        objective = np.trace(W.T @ M @ W) + gamma * norms.sum()
        if abs(previous - objective) <= tol * max(1, abs(objective)):
            break
        previous = objective
    return W


def spcafs(X, s, c, gamma=1.0):
    X = scale_features(X, "center+unit")
    return _best_first((_sparse_subspace(-X.T @ X, gamma, c, 50, 1e-6) ** 2).sum(axis=1))


def sogfs(X, s, c, gamma=0.01, k=10):
    X = scale_features(X, "center+unit")
    A, r = _adaptive_graph(cdist(X, X, "sqeuclidean"), k)
    L, lam = _laplacian(A), r
    F = _smallest(L, c)[1]
    W = _sparse_subspace(X.T @ L @ X, gamma, c, 100, 1e-6)
    order = np.argsort(cdist(X, X), axis=1, kind="stable")
    for iteration in range(1, 51):
        dx, df = cdist(X @ W, X @ W, "sqeuclidean"), cdist(F, F, "sqeuclidean")
        if iteration > 5:
            order = np.argsort(dx, axis=1, kind="stable")
        A = np.zeros_like(dx)
        for i in range(len(X)):
            near = order[i, 1 : k + 1]
            cost = -(dx[i, near] + lam * df[i, near]) / (2 * r)
            A[i, near] = project_rows_to_simplex(cost[None])[0]
        L = _laplacian(A)
        W = _sparse_subspace(X.T @ L @ X, gamma, c, 100, 1e-6)
        old = F
        values, F = _smallest(L, c)
        if values[:c].sum() > 1e-9:
            lam *= 2
        elif values[: c + 1].sum() < 1e-11:
            lam, F = lam / 2, old
        elif iteration > 1:
            break
    return _best_first((W**2).sum(axis=1))


def fspca(X, s, c):
    A = np.cov(X.T)
    m = min(c, s)
    values, vectors = np.linalg.eigh(A)
    low_rank = (vectors[:, -m:] * values[-m:]) @ vectors[:, -m:].T
    support = _best_first(np.diag(low_rank))[:s]
    for _ in range(20 if np.linalg.matrix_rank(A) > m else 0):
        W = np.zeros((len(A), m))
        W[support] = np.linalg.eigh(A[np.ix_(support, support)])[1][:, -m:]
        AW = A @ W
        support = _best_first(np.diag(AW @ np.linalg.pinv(W.T @ AW) @ AW.T))[:s]
    return support


def rne(X, s, c, k=10, random_state=0):
    X = scale_samples(X)
    n, d = X.shape
    D = cdist(X, X, "sqeuclidean")
    V = np.zeros((n, n))
    for i in range(n):
        near = np.argsort(D[i], kind="stable")[1 : k + 1]
        Z = X[near] - X[i]
        w = np.linalg.solve(Z @ Z.T, np.ones(k))
        V[i, near] = w / w.sum()
    A = (np.eye(n) - V.T) @ X
    H = np.random.default_rng([_seed(random_state), s]).random((d, s))
    M, Y, g, alpha = A @ H, np.zeros((n, s)), 10.0, 1000.0
    G = A.T @ A
    plus, minus = np.maximum(G, 0), np.maximum(-G, 0)
    for _ in range(50):
        T, U = A.T @ M, A.T @ Y
        for _ in range(30):
            H = H / np.sqrt((H**2).sum(axis=0) + EPS)
            above = alpha * H + g * np.maximum(T, 0) + g * minus @ H + np.maximum(U, 0)
            below = alpha * H @ (H.T @ H) + g * np.maximum(-T, 0) + g * plus @ H
            H = H * np.sqrt(above / (below + np.maximum(-U, 0) + EPS))
        AH = A @ H
        M = AH - Y / g
        M = np.sign(M) * np.maximum(np.abs(M) - 1 / g, 0)
        Y = Y + g * (M - AH)
        g = min(1.1 * g, 1e10)
    return _best_first((H**2).sum(axis=1))


def _infinite_selection(X):
    d = X.shape[1]
    spread = X.std(axis=0)
    sigma = np.maximum(spread[:, None], spread[None])
    sigma = (sigma - sigma.min()) / (sigma.max() - sigma.min())
    with np.errstate(invalid="ignore", divide="ignore"):
        A = 0.7 * sigma + 0.3 * np.nan_to_num(1 - np.abs(spearmanr(X).statistic))
    rho, e = A.sum(axis=1).max(), 5e-6 * d
    weights = np.linalg.inv(np.eye(d) - (1 - e) / rho * A / (rho + e)).sum(axis=1) - 1
    return weights / weights.sum()


def blfse(X, s, c, m=10, random_state=0):
    X = scale_samples(X)
    n, d = X.shape
    seed = _seed(random_state)
    order, size = np.random.default_rng(seed).permutation(n), n // m
    scores = np.array([_infinite_selection(X[order[j * size : (j + 1) * size]]) for j in range(m)])
    base = []
    for j in range(m):
        best = np.sort(_best_first(scores[j])[:s])
        state = int(np.random.SeedSequence([seed, s, j]).generate_state(1)[0])
        kmeans = KMeans(c, init="random", n_init=20, random_state=state)
        labels = kmeans.fit_predict(X[:, best])
        base.append((labels[:, None] == labels).astype(float))
    S = np.mean(base, axis=0)
    L = np.diag(S.sum(axis=1)) - S
    F = _smallest(L, c)[1]
    v, a, b, rho = scores.mean(axis=0), np.full(m, 1 / m), np.full(m, 1 / m), 1.0
    for psi in (0.9, 0.8, 0.7, 0.6, 0.5):
        lam = 2 * psi * (1 - psi) / m
        with np.errstate(divide="ignore"):
            R = np.minimum(1, lam / (2 * sum(b[j] ** 2 * (S - base[j]) ** 2 for j in range(m))))
        for inner in range(5):
            Q = X.T @ L @ X
            P = _smallest(np.diag(v) @ Q @ np.diag(v), c)[1]
            H = 2 * Q * (P @ P.T) + (a**2).sum() * np.eye(d)
            f, step = a**2 @ scores, 1 / np.linalg.eigvalsh(H)[-1]
            for _ in range(200):
                v = project_rows_to_simplex((v - step * (H @ v - f))[None])[0]
            Z = (X * v) @ P
            cost = rho * cdist(F, F, "sqeuclidean") + cdist(Z, Z, "sqeuclidean")
            S = sum(b[j] ** 2 * base[j] for j in range(m)) - cost / (2 * R**2)
            S = np.clip(S / (b**2).sum(), 0, 1)
            S = (S + S.T) / 2
            L, old = np.diag(S.sum(axis=1)) - S, F
            values, F = _smallest(L, c)
            b = np.array([1 / max(((R * (S - base[j])) ** 2).sum(), EPS) for j in range(m)])
            a = np.array([1 / max(((v - scores[j]) ** 2).sum(), EPS) for j in range(m)])
            a, b = a / a.sum(), b / b.sum()
            if values[:c].sum() > 1e-9:
                rho *= 2
            elif values[: c + 1].sum() < 1e-11:
                rho, F = rho / 2, old
            elif inner > 0:
                break
    return _best_first(v)


def blsfs(X, s, c, k=10, random_state=0):
    X = scale_features(X, "unit")
    n, d = X.shape
    D = cdist(X, X, "sqeuclidean")
    width = np.sqrt(D).mean()
    S = np.zeros((n, n))
    for i in range(n):
        near = np.argsort(D[i], kind="stable")[1 : k + 1]
        S[i, near] = np.exp(-D[i, near] / (2 * width**2))
    S = np.maximum(S, S.T)
    S = S / np.sqrt(np.outer(S.sum(axis=1), S.sum(axis=1)))
    vectors = scale_samples(np.linalg.eigh(S)[1][:, -c:])
    start = KMeans(c, n_init=10, random_state=check_random_state(random_state))
    labels = start.fit_predict(vectors)
    P, (X, q, r, history) = _adaptive_graph(D, k)[0].T, (X - X.mean(axis=0), np.ones(d), None, [])
    for _ in range(50):
        Y = np.eye(c)[labels]
        A = X.T @ X + 2 * X.T @ _laplacian(P) @ X + np.diag(q)
        W = np.linalg.inv(A) @ X.T @ Y
        q = 0.5 / np.sqrt((W**2).sum(axis=1) + EPS)
        Z = X @ W
        V = cdist(Z, Z, "sqeuclidean")
        if r is None:
            r = _adaptive_graph(V, k)[1]
        P = np.zeros((n, n))
        for j in range(n):
            near = np.argsort(V[j], kind="stable")
            near = near[near != j][:k]
            P[near, j] = project_rows_to_simplex(-V[near, j][None] / (2 * r))[0]
        labels = _sweep_labels(Z + Y.mean(axis=0), S, labels, n / c)
        Y = np.eye(c)[labels]
        clustering = n / c * (1 - np.diag(Y.T @ S @ Y) / Y.sum(axis=0)).sum()
        history.append(
            ((Z + Y.mean(axis=0) - Y) ** 2).sum()
            + clustering
            + (V * P).sum()
            + r * (P**2).sum()
            + np.sqrt((W**2).sum(axis=1)).sum()
        )
        if len(history) > 1 and abs(history[-1] - history[-2]) < 1e-4 * abs(history[-1]):
            break
    return _best_first((W**2).sum(axis=1))


def _sweep_labels(B, S, labels, alpha):
    """Move single samples where that lowers the objective, until none does."""
    labels, Y = labels.copy(), np.eye(B.shape[1])[labels]
    sizes, inside = Y.sum(axis=0), np.diag(Y.T @ S @ Y).copy()
    for _ in range(20):
        moved = False
        for i, own in enumerate(labels):
            link = S[i] @ Y
            leave = (inside[own] - 2 * link[own]) / max(sizes[own] - 1, 1)
            join = (inside + 2 * link) / (sizes + 1) - inside / sizes
            gain = 2 * (B[i] - B[i, own]) + alpha * (leave - inside[own] / sizes[own] + join)
            gain[own] = 0
            best = gain.argmax()
            if gain[best] <= 1e-9 or sizes[own] == 1:
                continue
            inside[own] -= 2 * link[own]
            inside[best] += 2 * link[best]
            Y[i, own], Y[i, best], labels[i] = 0, 1, best
            sizes, moved = Y.sum(axis=0), True
        if not moved:
            break
    return labels
