"""The scaled data matrix as an operator, so that scaling costs no copy of X."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from blufs.numerics.ranges import without_offset
from blufs.numerics.scaling import affine_scaling, choose_scaling, scale_features
from blufs.numerics.sparse_data import (
    SparseScaledData,
    canonical_csr,
    sparse_affine_scaling,
    times_columns,
)


class ScaledData:
    """The n x d matrix ``A = (X - shift) / divisor``, applied without being formed.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    scaling : str
        One of :data:`blufs.numerics.scaling.FEATURE_SCALINGS`.
    """

    def __init__(self, X: np.ndarray, scaling: str):
        # Products with a large offset would lose the digits that the shift cannot bring back.
        self.X = without_offset(X) if scaling not in ("unit", "none") else X
        self.shift, self.divisor = affine_scaling(self.X, scaling)

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
        product -= np.outer(self.shift, V.sum(axis=0))
        product /= self.divisor[:, None]
        return product

    def dot(self, V: np.ndarray) -> np.ndarray:
        """``A V`` for V of shape (d, m), as a float64 array of shape (n, m): one pass over X."""
        V = V / self.divisor[:, None]
        product = (self.X @ V.astype(self.X.dtype, copy=False)).astype(np.float64, copy=False)
        product -= self.shift @ V
        return product

    def quadratic_forms(self, M) -> tuple[np.ndarray, np.ndarray]:
        """``a_j' a_j`` and ``a_j' M a_j`` of every column, each (d,), a block of columns at a time.

        M has n rows and columns and is applied by ``@``.
        """
        n, d = self.shape
        # Blocks that stay in the cache, but not so narrow that M is read for a few columns only.
        width = max(16, 2**18 // n)
        squares, forms = np.empty(d), np.empty(d)
        for start in range(0, d, width):
            features = slice(start, start + width)
            block = self.columns(features)
            squares[features] = np.einsum("ij,ij->j", block, block)
            forms[features] = np.einsum("ij,ij->j", block, M @ block)
        return squares, forms


#: The scaled data matrix, whatever X is: both have the same four products.
DataMatrix: TypeAlias = ScaledData | SparseScaledData


def scaled_data(X, scaling: str) -> DataMatrix:
    """The scaled data matrix of X (n x d), dense or sparse, as an operator."""
    if not sp.issparse(X):
        return ScaledData(X, scaling)
    X = canonical_csr(X)
    scaling = choose_scaling(X) if scaling == "auto" else scaling
    X = without_offset(X) if scaling not in ("unit", "none") else X
    return SparseScaledData(X, *sparse_affine_scaling(X, scaling))


def scaled_samples(X, scaling: str):
    """Samples with the differences of those of the scaled data; sparse where X is.

    Dense X (n x d) is scaled as it is. Sparse X is divided only: a shift, the same for all samples,
    would fill it and changes no difference.
    """
    if not sp.issparse(X):
        return scale_features(X, scaling)
    scaling = choose_scaling(X) if scaling == "auto" else scaling
    X = without_offset(canonical_csr(X)) if scaling not in ("unit", "none") else canonical_csr(X)
    return times_columns(X.astype(np.float64), 1 / sparse_affine_scaling(X, scaling)[1])
