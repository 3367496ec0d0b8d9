"""The model of BLUFS, eq. (16): its variables, what is fixed, and its value.

With X (n x d, scaled), W (d x c), Y (n x c), P (n x n) and the normalised similarity S,

    f(P, W, Y) = ||XW - Y||^2 + lam ||W||^2 - alpha Tr(Y' S Y)
                 + beta sum_ij ||W'x_i - W'x_j||^2 P_ij + mu ||P||^2

is minimised subject to ``||W||_{2,0} <= s``, ``Y'Y = I`` and every column of P lying on the simplex
and having at most k non-zeros. Where features come in groups or have costs, s bounds the number of
groups with non-zero rows, or what the features with non-zero rows cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from blufs._numerics.graph import neighbor_matrix
from blufs._numerics.matrix import DataMatrix
from blufs._numerics.units import Units
from blufs.solver.operators import MixedSimilarity, Smoothing


@dataclass(frozen=True)
class Weights:
    """Weights of the model's terms, and of the proximal term that every block adds."""

    alpha: float
    beta: float
    lam: float
    mu: float
    tau: float


@dataclass(frozen=True)
class Problem:
    """What does not change during a round of sweeps.

    Attributes
    ----------
    data : DataMatrix of shape (n, d)
        X, scaled.
    S : sparse array or MixedSimilarity of shape (n, n)
        Normalised similarity.
    diagonal : ndarray of shape (d,)
        Diagonal of the W block's matrix H at the initial graph.
    weights : Weights
    n_clusters : int
        c.
    units : Units of d features
        What is chosen as one, what it costs, and what the support must have.
    y_solver : str
        A key of :data:`blufs.solver.y_block.Y_SOLVERS`.
    learn_neighbors : bool
        Whether P may get other neighbours, or only other weights of them.
    feedback : float
        Share of P in the similarity of the second round; 0 for one round only.
    """

    data: DataMatrix
    S: sp.csr_array | MixedSimilarity
    diagonal: np.ndarray
    weights: Weights
    n_clusters: int
    units: Units
    y_solver: str = "polar"
    learn_neighbors: bool = True
    feedback: float = 0.0


@dataclass(frozen=True)
class LearnedGraph:
    """P, by the at most k neighbours of every sample: column j of P is row j of ``p``.

    Attributes
    ----------
    neighbors : ndarray of int, shape (n, k)
    is_candidate : ndarray of bool, shape (n, k)
        False where a sample has fewer than k neighbours.
    p : ndarray of shape (n, k)
        ``P_ij`` of sample j's l-th neighbour i stands in ``p[j, l]``; every row sums to one.
    """

    neighbors: np.ndarray
    is_candidate: np.ndarray
    p: np.ndarray

    @classmethod
    def uniform(cls, neighbors: np.ndarray, is_candidate: np.ndarray) -> LearnedGraph:
        """Equal weights on the neighbours, the minimiser of ``||P||^2``."""
        return cls(neighbors, is_candidate, is_candidate / is_candidate.sum(axis=1, keepdims=True))

    def smoothing(self, beta: float) -> Smoothing:
        """``M = I + 2 beta L_P``."""
        return Smoothing(self.neighbors, self.p, beta)

    def matrix(self) -> sp.csr_array:
        """P of shape (n, n)."""
        return neighbor_matrix(self.neighbors, self.p).T.tocsr()


@dataclass(frozen=True)
class State:
    """The variables P, W and Y, and what is computed from them.

    Attributes
    ----------
    s : float
        What the support may cost: the number of its features, where each costs 1.
    support : ndarray of int, shape (s,)
        The features where W has non-zero rows.
    A : ndarray of shape (n, s)
        Their columns of X; a search for a better support overwrites it.
    W : ndarray of shape (s, c)
        Those rows of W.
    Y : ndarray of shape (n, c)
    P : LearnedGraph of n samples
    Z : ndarray of shape (n, c)
        XW, which is AW.
    V : ndarray of shape (n, k)
        Squared distances of each row of Z to those of its neighbours in P, eq. (21).
    gains : ndarray of shape (d,), optional
        What each feature outside the support would gain, as of the last search for a better one. At
        the start of a path they may be known beforehand: those that the first search needs.
    """

    s: float
    support: np.ndarray
    A: np.ndarray
    W: np.ndarray
    Y: np.ndarray
    P: LearnedGraph
    Z: np.ndarray
    V: np.ndarray
    gains: np.ndarray | None = None


def value(problem: Problem, state: State) -> float:
    """The objective f, eq. (16)."""
    w, Y, p = problem.weights, state.Y, state.P.p
    f = np.sum((state.Z - Y) ** 2) + w.lam * np.sum(state.W**2)
    if w.alpha:
        f -= w.alpha * np.sum(Y * (problem.S @ Y))
    f += w.beta * np.sum(state.V * p) + w.mu * np.sum(p**2)
    return float(f)
