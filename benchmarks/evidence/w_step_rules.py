"""Other rules for the W block, to compare with: all minimise ``Tr(W'HW) - 2 Tr(W'B)``, s rows.

They work on the full d x d matrix H, as one would write them down first.
"""

from __future__ import annotations

import itertools

import numpy as np


def best_on(H: np.ndarray, B: np.ndarray, support: np.ndarray) -> float:
    """Least value of ``Tr(W'HW) - 2 Tr(W'B)`` over W with the given non-zero rows."""
    inside = np.asarray(support)
    return -float(np.sum(B[inside] * np.linalg.solve(H[np.ix_(inside, inside)], B[inside])))


def dense_and_threshold(H: np.ndarray, B: np.ndarray, s: int) -> np.ndarray:
    """Support of the s largest rows of the unconstrained minimiser."""
    return largest_rows(np.linalg.solve(H, B), s)


def iterative_hard_thresholding(
    H: np.ndarray, B: np.ndarray, s: int, max_iter: int = 500
) -> np.ndarray:
    """Support after gradient steps of length 1/L, each cut to its s largest rows."""
    W = np.linalg.solve(H, B)
    length = 1 / np.linalg.eigvalsh(H)[-1]
    support = largest_rows(W, s)
    for _ in range(max_iter):
        W_new = np.zeros_like(W)
        step = W - length * (H @ W - B)
        support = largest_rows(step, s)
        W_new[support] = step[support]
        if np.linalg.norm(W_new - W) < 1e-10 * np.linalg.norm(W):
            break
        W = W_new
    return support


def correlation_pursuit(H: np.ndarray, B: np.ndarray, s: int) -> np.ndarray:
    """Forward pursuit by residual correlation instead of the exact gain."""
    support: list[int] = []
    R = B
    for _ in range(s):
        scores = np.einsum("ij,ij->i", R, R)
        scores[support] = -1
        support.append(int(np.argmax(scores)))
        R = B - H[:, support] @ np.linalg.solve(H[np.ix_(support, support)], B[support])
    return np.array(support)


def exact_pursuit(H: np.ndarray, B: np.ndarray, s: int) -> np.ndarray:
    """Forward pursuit by the exact gain, every candidate solved from scratch."""
    support: list[int] = []
    for _ in range(s):
        others = [j for j in range(len(H)) if j not in support]
        values = [best_on(H, B, np.array([*support, j])) for j in others]
        support.append(others[int(np.argmin(values))])
    return np.array(support)


def brute_force(H: np.ndarray, B: np.ndarray, s: int) -> np.ndarray:
    """The best of all supports."""
    supports = itertools.combinations(range(len(H)), s)
    return np.array(min(supports, key=lambda support: best_on(H, B, np.array(support))))


def largest_rows(W: np.ndarray, s: int) -> np.ndarray:
    return np.argsort(-np.linalg.norm(W, axis=1), kind="stable")[:s]
