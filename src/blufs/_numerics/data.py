"""The scaled data matrix as an operator, so that scaling costs no copy of X."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from blufs._numerics.chunked import RowChunks
from blufs._numerics.ranges import without_offset
from blufs._numerics.rank_one import subtract_outer
from blufs._numerics.scaling import (
    affine_from_moments,
    affine_scaling,
    choose_scaling,
    scale_features,
)
from blufs._numerics.sparse_data import (
    SparseScaledData,
    canonical_csr,
    centred_squares,
    column_means,
    sparse_affine_scaling,
    times_columns,
)

#: Bytes of columns, as X holds them, that the quadratic forms of X beyond memory take at a time.
COLUMN_BYTES = 64 * 2**20


class ScaledData:
    """The n x d matrix ``A = (X - shift) / divisor``, applied without being formed.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    scaling : str
        One of :data:`blufs._numerics.scaling.FEATURE_SCALINGS`.
    """

    def __init__(self, X: np.ndarray, scaling: str):
        # Products with a large offset would lose the digits that the shift cannot bring back.
        self.X = without_offset(X) if scaling not in ("unit", "none") else X
        self.shift, self.divisor = affine_scaling(self.X, scaling)

    @classmethod
    def of(cls, X: np.ndarray, shift: np.ndarray, divisor: np.ndarray) -> ScaledData:
        """``(X - shift) / divisor`` for a known shift and divisor, each (d,)."""
        data = cls.__new__(cls)
        data.X, data.shift, data.divisor = X, shift, divisor
        return data

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


class ChunkedScaledData:
    """The n x d matrix ``A = (X - shift) / divisor`` of an X that is read in blocks of rows.

    The four products are those of :class:`ScaledData`, made of those of the blocks, by one pass
    over the rows each; the quadratic forms take more, see there.

    Parameters
    ----------
    X : RowChunks of shape (n, d)
    scaling : str
    """

    def __init__(self, X: RowChunks, scaling: str):
        scaling = choose_scaling(X) if scaling == "auto" else scaling
        self.X = without_offset(X) if scaling not in ("unit", "none") else X
        summary, n = self.X.summary, X.shape[0]
        self.shift, self.divisor = affine_from_moments(
            scaling,
            X.shape,
            ranges=lambda: (summary.low.astype(np.float64), summary.high.astype(np.float64)),
            mean=lambda: summary.mean,
            norms=lambda shift: np.sqrt(summary.squares + n * (summary.mean - shift) ** 2),
        )

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def _blocks(self, features: np.ndarray | slice = slice(None)):
        """Yield the rows of a block, and the block as scaled data in memory."""
        for rows, block in self.X.blocks():
            yield rows, self._in_memory(block, features)

    def _in_memory(self, values, features: np.ndarray | slice) -> ScaledData | SparseScaledData:
        kind = SparseScaledData if sp.issparse(values) else ScaledData.of
        return kind(values, self.shift[features], self.divisor[features])

    def columns(self, features: np.ndarray | slice) -> np.ndarray:
        chosen = np.empty((self.shape[0], len(self.shift[features])))
        for rows, block in self._blocks():
            chosen[rows] = block.columns(features)
        return chosen

    def correlate(self, V: np.ndarray) -> np.ndarray:
        return sum(block.correlate(V[rows]) for rows, block in self._blocks())

    def dot(self, V: np.ndarray) -> np.ndarray:
        product = np.empty((self.shape[0], V.shape[1]))
        for rows, block in self._blocks():
            product[rows] = block.dot(V)
        return product

    def quadratic_forms(self, M) -> tuple[np.ndarray, np.ndarray]:
        """As of :class:`ScaledData`: one pass for every 64 MiB that X would take in memory.

        M joins samples of all blocks, so that whole columns are needed, as many as fit.
        """
        d = self.shape[1]
        width = max(1, d * COLUMN_BYTES // max(1, self.X.summary.n_bytes))
        squares, forms = np.empty(d), np.empty(d)
        for start in range(0, d, width):
            part = slice(start, start + width)
            columns = self._in_memory(self.X.columns(part), part)
            squares[part], forms[part] = columns.quadratic_forms(M)
        return squares, forms


#: The scaled data matrix, whatever X is: all have the same four products.
DataMatrix: TypeAlias = ScaledData | SparseScaledData | ChunkedScaledData


def scaled_data(X, scaling: str) -> DataMatrix:
    """The scaled data matrix of X (n x d), dense, sparse or beyond memory, as an operator."""
    if isinstance(X, RowChunks):
        return ChunkedScaledData(X, scaling)
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
    if isinstance(X, RowChunks):
        raise ValueError(
            "the samples themselves are compared in memory only; X is read in chunks, so take "
            'similarity="principal", or hand in a graph as precomputed'
        )
    if not sp.issparse(X):
        return scale_features(X, scaling)
    scaling = choose_scaling(X) if scaling == "auto" else scaling
    X = without_offset(canonical_csr(X)) if scaling not in ("unit", "none") else canonical_csr(X)
    return times_columns(X.astype(np.float64), 1 / sparse_affine_scaling(X, scaling)[1])


def column_variances(X) -> np.ndarray:
    """Variance of every column of X (n x d, of any kind), shape (d,)."""
    if isinstance(X, RowChunks):
        return X.summary.squares / X.shape[0]
    if sp.issparse(X):
        return centred_squares(X, column_means(X)) / X.shape[0]
    return X.var(axis=0, dtype=np.float64)
