"""The matrix ``A = Z'Z`` of centred data Z, formed where that is smaller than Z, else applied.

FSCA, PivotedQR, BSUFS, DSCOFS and VCSDFS know their data through this class alone, and it knows
them through the products of :class:`~blufs._numerics.matrix.dense.ScaledData` alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.utils import gen_batches

from blufs._numerics.eigen import dense_eigenpairs, largest_eigenpairs, takes_lanczos
from blufs._numerics.matrix import DataMatrix
from blufs._numerics.matrix.chunked import ChunkedScaledData, RowChunks, chunked_affine_scaling
from blufs._numerics.matrix.conditioning import column_ranges
from blufs._numerics.matrix.dense import ScaledData
from blufs._numerics.matrix.scaling import affine_scaling, choose_scaling
from blufs._numerics.matrix.sparse import SparseScaledData, column_means, sparse_affine_scaling

EPS = float(np.finfo(float).eps)
#: Up to this order a dense eigensolver is faster than Lanczos iterations.
_DENSE_UP_TO = 800
#: Largest d for which A is formed (1.1 GiB).
_MAX_FORMED = 12_000
#: Columns of A that are made at a time in memory.
_BLOCK = 256


def scaled_values(X: np.ndarray, scaling: str, *, center: bool) -> np.ndarray:
    """X (n x d), scaled and centred, as float64, divided so that the largest modulus is 1.

    The common divisor changes no result of the methods that use it and keeps squares of squares in
    range.
    """
    shift, divisor = affine_scaling(X, scaling)
    Z = X - shift.astype(np.float64)
    Z /= divisor
    if center:
        Z -= Z.mean(axis=0)
    Z /= max(np.abs(Z).max(), np.finfo(float).tiny)
    return Z


def scaled_operator(X, scaling: str, *, center: bool) -> SparseScaledData | ChunkedScaledData:
    """As :func:`scaled_values` of X (n x d) that is sparse or read in chunks, as an operator."""
    in_chunks = isinstance(X, RowChunks)
    scaling = choose_scaling(X) if scaling == "auto" else scaling
    shift, divisor = (chunked_affine_scaling if in_chunks else sparse_affine_scaling)(X, scaling)
    if center:
        shift = X.summary.mean if in_chunks else column_means(X)
    low, high = (ends.astype(np.float64) for ends in column_ranges(X))
    modulus = np.maximum(np.abs(low - shift), np.abs(high - shift)) / divisor
    divisor = divisor * max(modulus.max(), np.finfo(float).tiny)
    if in_chunks:
        return ChunkedScaledData(X.astype(np.float64), shift, divisor)
    return SparseScaledData(X, shift, divisor)


class Scatter:
    """``A = Z'Z / unit`` of shape (d, d).

    Parameters
    ----------
    data : DataMatrix of shape (n, d)
        Z.
    relative : bool
        Whether ``unit`` is the largest eigenvalue of ``Z'Z``, so that A has norm 1; otherwise
        it is 1.
    """

    def __init__(self, data: DataMatrix, *, relative: bool = False):
        self.data = data
        self.unit = 1.0
        self._squares: tuple[np.ndarray, np.ndarray] | None = None
        self._formed = self._form() if data.shape[1] <= min(data.shape[0], _MAX_FORMED) else None
        if relative:
            self.unit = float(self.leading_eigenpairs(1)[0][0])
            if self._formed is not None:
                self._formed /= self.unit

    @classmethod
    def of(cls, X, scaling: str, *, center: bool = True, relative: bool = False):
        """Of X (n x d, of any kind), scaled and by default centred."""
        if isinstance(X, RowChunks) or sp.issparse(X):
            return cls(scaled_operator(X, scaling, center=center), relative=relative)
        Z = scaled_values(X, scaling, center=center)
        return cls(ScaledData(Z, np.zeros(Z.shape[1]), np.ones(Z.shape[1])), relative=relative)

    @property
    def n_features(self) -> int:
        return self.data.shape[1]

    def times(self, V: np.ndarray) -> np.ndarray:
        """``A V`` for V of shape (d, m)."""
        if self._formed is not None:
            return self._formed @ V
        return self.data.gram_times(V) / self.unit

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Some columns of A, shape (d, number of features)."""
        if self._formed is not None:
            return self._formed[:, features]
        return self.data.gram(features) / self.unit

    def diagonal_and_squared_norms(self) -> tuple[np.ndarray, np.ndarray]:
        """``a_jj`` and ``||A e_j||^2`` of every column, each of shape (d,); computed once."""
        if self._squares is None:
            if self._formed is not None:
                norms = np.einsum("ij,ij->j", self._formed, self._formed)
                self._squares = self._formed.diagonal().copy(), norms
            else:
                self._squares = self._from_products()
        return self._squares

    def leading_eigenpairs(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Largest eigenvalues, descending, and eigenvectors (d x m) of A; m <= count and rank."""
        n, d = self.data.shape
        order = min(n, d)
        count = min(count, order)
        if not takes_lanczos(order, count, _DENSE_UP_TO):
            values, vectors = self._dense_eigenpairs(count)
        else:
            try:
                values, vectors = largest_eigenpairs(self._times_vector, d, count, tol=1e-12)
            except ArpackNoConvergence:
                values, vectors = self._dense_eigenpairs(count)
        keep = np.flatnonzero(values > max(n, d) * EPS * values.max())
        keep = keep[np.argsort(-values[keep], kind="stable")]
        return values[keep], vectors[:, keep]

    def _times_vector(self, v: np.ndarray) -> np.ndarray:
        return self.times(v.reshape(-1, 1))[:, 0]

    def _form(self) -> np.ndarray:
        d = self.n_features
        A = np.empty((d, d))
        for features in self._strips():
            A[:, features] = self.data.gram(features)
        # Products of blocks round differently on both sides of the diagonal.
        A += A.T
        A /= 2
        return A

    def _strips(self) -> Iterator[slice]:
        """Columns of A that are made at a time; more where each time is a pass over the blocks."""
        data = self.data
        width = data.gram_width if isinstance(data, ChunkedScaledData) else _BLOCK
        return gen_batches(self.n_features, width)

    def _sample_gram(self) -> np.ndarray:
        """``Z Z' / unit`` of shape (n, n)."""
        n = self.data.shape[0]
        K = np.empty((n, n))
        for rows in gen_batches(n, _BLOCK):
            unit_vectors = np.eye(n, rows.stop - rows.start, -rows.start)
            K[:, rows] = self.data.dot(self.data.correlate(unit_vectors))
        return (K + K.T) / (2 * self.unit)

    def _from_products(self) -> tuple[np.ndarray, np.ndarray]:
        n, d = self.data.shape
        if n <= d and not isinstance(self.data, ChunkedScaledData):
            # ||A e_j||^2 = z_j' (Z Z') z_j
            squares, forms = self.data.quadratic_forms(self._sample_gram())
            return squares / self.unit, forms / self.unit
        diagonal, norms = np.empty(d), np.empty(d)
        for features in self._strips():
            block = self.data.gram(features) / self.unit
            norms[features] = np.einsum("ij,ij->j", block, block)
            diagonal[features] = block.diagonal(-features.start)
        return diagonal, norms

    def _dense_eigenpairs(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        if self._formed is not None:
            d = self.n_features
            return dense_eigenpairs(self._formed, d - count, d - 1)
        K = self._sample_gram()
        n = len(K)
        values, U = dense_eigenpairs(K, n - count, n - 1)
        vectors = self.data.correlate(U)
        norms = np.linalg.norm(vectors, axis=0)
        return values, vectors / np.maximum(norms, np.finfo(float).tiny)
