"""The learned graph fed back into the clustering level.

The model learns P from the projected samples, but its pseudo-labels follow S alone. After a first
round of sweeps, S is replaced by the mixture

    (1 - f) S + f D^-1/2 A D^-1/2,    A = (P + P') / 2 without its diagonal, D its degrees,

so that samples which the selected features bring together get like labels. Both parts have
eigenvalues in [-1, 1], and so has the mixture: every step stays exact and monotone.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs._numerics.graph import neighbor_matrix


class MixedSimilarity:
    """The mixture of S and a learned graph, by its products.

    Parameters
    ----------
    S : sparse array of shape (n, n)
        Normalised similarity.
    neighbors, p : ndarray of shape (n, k)
        The learned graph, see :mod:`blufs.solver.p_step`.
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
