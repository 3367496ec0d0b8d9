"""The model of BLUFS and its value.

With X (n x d, scaled), W (d x c), Y (n x c), P (n x n) and the normalised similarity S,

    f(P, W, Y) = ||XW - Y||^2 + lam ||W||^2 - alpha Tr(Y' S Y)
                 + beta sum_ij ||W'x_i - W'x_j||^2 P_ij + mu ||P||^2

is minimised subject to ``||W||_{2,0} <= s``, ``Y'Y = I`` and every column of P lying on the simplex
over the candidate neighbours of its sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Weights:
    """Weights of the model's terms, and of the proximal term that every block adds."""

    alpha: float
    beta: float
    lam: float
    mu: float
    tau: float


def objective(
    Z: np.ndarray,
    W: np.ndarray,
    Y: np.ndarray,
    p: np.ndarray,
    V: np.ndarray,
    S: sp.csr_array,
    weights: Weights,
) -> float:
    """Value of the model.

    Parameters
    ----------
    Z : ndarray of shape (n, c)
        The projected data XW.
    W : ndarray of shape (s, c)
        The non-zero rows (or all rows) of W.
    Y : ndarray of shape (n, c)
    p, V : ndarray of shape (n, k)
        Graph weights and squared distances ``||z_i - z_j||^2`` of each sample j's candidates i.
    S : sparse array of shape (n, n)
    """
    value = np.sum((Z - Y) ** 2) + weights.lam * np.sum(W**2)
    if weights.alpha:
        value -= weights.alpha * np.sum(Y * (S @ Y))
    value += weights.beta * np.sum(V * p) + weights.mu * np.sum(p**2)
    return float(value)
