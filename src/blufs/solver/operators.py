"""The two n x n matrices of the model that are applied and never formed: M and the mixed S."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from blufs._numerics.graph import neighbor_matrix
from blufs._numerics.matrix.rows import BLOCK_ENTRIES

#: Columns of ``A' M A`` that are computed at once.
_GRAM_COLUMNS = 256


class Smoothing:
    """The matrix ``M = I + 2 beta L_P``, sparse.

    L_P is the Laplacian of the symmetrised P, so that
    ``||Z||^2 + beta sum_ij ||z_i - z_j||^2 P_ij = Tr(Z' M Z)`` for every Z with n rows. M is
    symmetric positive definite.

    Parameters
    ----------
    neighbors, p : ndarray of shape (n, k)
        See :class:`blufs.solver.model.LearnedGraph`.
    beta : float
    """

    def __init__(self, neighbors: np.ndarray, p: np.ndarray, beta: float):
        self._beta = beta
        n, k = neighbors.shape
        if beta == 0:
            self._matrix = sp.eye_array(n, format="csr")
            return
        received = np.bincount(neighbors.ravel(), weights=beta * p.ravel(), minlength=n)
        diagonal = 1 + beta * p.sum(axis=1) + received
        # Half of M, with the diagonal in a column of its own before the neighbours.
        columns, values = np.empty((n, k + 1), neighbors.dtype), np.empty((n, k + 1))
        columns[:, 0], columns[:, 1:] = np.arange(n), neighbors
        values[:, 0] = diagonal / 2
        np.multiply(p, -beta, out=values[:, 1:])
        rows = np.arange(0, n * (k + 1) + 1, k + 1)
        half = sp.csr_array((values.ravel(), columns.ravel(), rows), shape=(n, n))
        half.sum_duplicates()
        self._matrix = half + half.T

    @property
    def matrix(self) -> sp.csr_array:
        """M of shape (n, n)."""
        return self._matrix

    def __matmul__(self, A: np.ndarray) -> np.ndarray:
        """``M A`` for A of shape (n, m)."""
        return self._matrix @ A if self._beta else A

    def products(self, C: np.ndarray, *lefts: np.ndarray) -> list[np.ndarray]:
        """``B' M C`` for C of shape (n, m) and each B (n x any) of the others.

        Some rows at a time, because ``M C`` would be as large as C.
        """
        if not self._beta:
            return [left.T @ C for left in lefts]
        n, m = C.shape
        if n * m <= BLOCK_ENTRIES:
            product = self._matrix @ C
            return [left.T @ product for left in lefts]
        totals = [np.zeros((left.shape[1], m)) for left in lefts]
        for rows in gen_batches(n, max(1, BLOCK_ENTRIES // m)):
            product = self._matrix[rows] @ C
            for total, left in zip(totals, lefts, strict=True):
                total += left[rows].T @ product
        return totals

    def gram(self, A: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """``A' M A`` for A of shape (n, m); of each pair of blocks of columns one is computed.

        ``out``, of shape (m, m), is where the result is written; a new array if None.
        """
        m = A.shape[1]
        gram = np.empty((m, m)) if out is None else out
        for block in gen_batches(m, _GRAM_COLUMNS):
            until = slice(0, block.stop)
            (gram[until, block],) = self.products(A[:, block], A[:, until])
            gram[block, until] = gram[until, block].T
        return gram


class MixedSimilarity:
    """The similarity of the second round: the learned graph fed back into the clustering level.

    The model learns P from the projected samples, but its pseudo-labels follow S alone. So after a
    first round of sweeps, S is replaced by the mixture

        (1 - f) S + f D^-1/2 G D^-1/2,    G = (P + P') / 2 without its diagonal, D its degrees,

    and samples which the selected features bring together get like labels. Both parts have
    eigenvalues in [-1, 1], and so has the mixture: every step stays exact and monotone.

    Parameters
    ----------
    S : sparse array of shape (n, n)
        Normalised similarity.
    neighbors, p : ndarray of shape (n, k)
        The learned graph, see :class:`blufs.solver.model.LearnedGraph`.
    share : float
        f, between 0 and 1.
    """

    def __init__(self, S: sp.csr_array, neighbors: np.ndarray, p: np.ndarray, share: float):
        self._S, self._share = S, share
        own = neighbors == np.arange(len(neighbors))[:, None]
        self._P = neighbor_matrix(neighbors, np.where(own, 0.0, p) if own.any() else p)
        degrees = (self._P.sum(axis=0) + self._P.sum(axis=1)) / 2
        # A sample without neighbours is similar to none, as in S.
        self._roots = np.divide(1, np.sqrt(degrees), out=np.zeros(len(p)), where=degrees > 0)

    def __matmul__(self, Y: np.ndarray) -> np.ndarray:
        """The product with Y of shape (n, c)."""
        scaled = self._roots[:, None] * Y
        learned = self._P @ scaled
        learned += self._P.T @ scaled
        learned *= self._share / 2 * self._roots[:, None]
        product = self._S @ Y
        product *= 1 - self._share
        product += learned
        return product
