"""The scaled data matrix as an operator, so that scaling costs no copy of X."""

from __future__ import annotations

import numpy as np
from sklearn.utils import gen_batches

from blufs._numerics.matrix.rows import row_blocks

#: Entries of an outer product that are held at a time: they stay in the cache.
_OUTER_ENTRIES = 2**14


class ScaledData:
    """The n x d matrix ``A = (X - shift) / divisor``, applied without being formed.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    shift, divisor : ndarray of shape (d,)
        Such as :func:`~blufs._numerics.matrix.scaling.affine_scaling` gives.
    """

    def __init__(self, X: np.ndarray, shift: np.ndarray, divisor: np.ndarray):
        self.X, self.shift, self.divisor = X, shift, divisor

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def columns(self, features: np.ndarray | slice) -> np.ndarray:
        """``A[:, features]`` as a new float64 array of shape (n, number of features)."""
        # Row by row, which is how sparse matrices want what they multiply.
        chosen = self.X[:, features].astype(np.float64, order="C")
        chosen -= self.shift[features]
        chosen /= self.divisor[features]
        return chosen

    def correlate(self, V: np.ndarray) -> np.ndarray:
        """``A' V`` for V of shape (n, m), as a float64 array of shape (d, m): one pass over X."""
        # V may be large times X's mean; taking the column sums off V first would need a copy of V.
        product = (self.X.T @ V.astype(self.X.dtype, copy=False)).astype(np.float64, copy=False)
        subtract_outer(product, self.shift, V.sum(axis=0))
        product /= self.divisor[:, None]
        return product

    def dot(self, V: np.ndarray) -> np.ndarray:
        """``A V`` for V of shape (d, m), as a float64 array of shape (n, m): one pass over X."""
        V = V / self.divisor[:, None]
        product = (self.X @ V.astype(self.X.dtype, copy=False)).astype(np.float64, copy=False)
        product -= self.shift @ V
        return product

    def gram(self, features: np.ndarray | slice) -> np.ndarray:
        """``A' A[:, features]``, shape (d, number of features)."""
        return self.correlate(self.columns(features))

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        """``A' A V`` for V of shape (d, m)."""
        return self.correlate(self.dot(V))

    def quadratic_forms(self, M) -> tuple[np.ndarray, np.ndarray]:
        """``a_j' a_j`` and ``a_j' M a_j`` of every column, each (d,), a block of columns at a time.

        M has n rows and columns and is applied by ``@``.
        """
        n, d = self.shape
        squares, forms = np.empty(d), np.empty(d)
        # Blocks that stay in the cache, but not so narrow that M is read for a few columns only.
        for features in gen_batches(d, max(16, 2**18 // n)):
            block = self.columns(features)
            squares[features] = np.einsum("ij,ij->j", block, block)
            forms[features] = np.einsum("ij,ij->j", block, M @ block)
        return squares, forms


def subtract_outer(matrix: np.ndarray, column: np.ndarray, row: np.ndarray) -> None:
    """``matrix -= outer(column, row)`` for a matrix of shape (len(column), len(row))."""
    for part in row_blocks(len(column), len(row), _OUTER_ENTRIES):
        matrix[part] -= column[part, None] * row
