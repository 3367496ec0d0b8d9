"""The scaled data matrix as an operator for sparse X: centred and scaled without being formed.

``A = (X - 1 shift') / divisor`` is dense, but each product with it is a product with X and a
correction of rank one, so that nothing of the size of a dense X is ever held.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from blufs._numerics.matrix.dense import subtract_outer
from blufs._numerics.matrix.scaling import affine_from_moments

#: About how many stored entries are worked on at a time (0.5 MiB of values).
_BLOCK_ENTRIES = 2**16
#: Entries of a dense block of columns (8 MiB of float64).
_DENSE_BLOCK_ENTRIES = 2**20


class SparseScaledData:
    """The n x d matrix ``A = (X - shift) / divisor`` of a sparse X.

    The products are those of :class:`blufs._numerics.matrix.dense.ScaledData`.

    Parameters
    ----------
    X : sparse array of shape (n, d)
        Kept as CSR; explicit zeros, unsorted and repeated entries count as what they add up to.
    shift, divisor : ndarray of shape (d,)
    """

    def __init__(self, X: sp.sparray, shift: np.ndarray, divisor: np.ndarray):
        self.X = canonical_csr(X)
        self.shift = np.asarray(shift, dtype=np.float64)
        self.divisor = np.asarray(divisor, dtype=np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def columns(self, features: np.ndarray | slice) -> np.ndarray:
        """``A[:, features]`` as a new float64 array of shape (n, number of features)."""
        chosen = self.X[:, features].toarray(order="C").astype(np.float64, copy=False)
        chosen -= self.shift[features]
        chosen /= self.divisor[features]
        return chosen

    def correlate(self, V: np.ndarray) -> np.ndarray:
        """``A' V`` for V of shape (n, m), as a float64 array of shape (d, m): one pass over X."""
        product = np.asarray(self.X.T @ V.astype(np.float64, copy=False))
        subtract_outer(product, self.shift, V.sum(axis=0))
        product /= self.divisor[:, None]
        return product

    def dot(self, V: np.ndarray) -> np.ndarray:
        """``A V`` for V of shape (d, m), as a float64 array of shape (n, m): one pass over X."""
        V = V / self.divisor[:, None]
        product = np.asarray(self.X @ V)
        product -= self.shift @ V
        return product

    def gram(self, features: np.ndarray | slice) -> np.ndarray:
        """``A' A[:, features]``, shape (d, number of features)."""
        return self.correlate(self.columns(features))

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        """``A' A V`` for V of shape (d, m)."""
        return self.correlate(self.dot(V))

    def quadratic_forms(self, M) -> tuple[np.ndarray, np.ndarray]:
        """``a_j' a_j`` and ``a_j' M a_j`` of every column, each (d,).

        With ``m = M 1`` (M is symmetric) the second is
        ``(x_j' M x_j - 2 shift_j m' x_j + shift_j^2 1' m) / divisor_j^2``.

        Parameters
        ----------
        M : array of shape (n, n), sparse or dense, or an object whose ``matrix`` is one
        """
        n = self.shape[0]
        M = getattr(M, "matrix", M)
        ones = np.ones(n)
        row_sums = M @ ones
        sums = np.asarray(self.X.T @ ones)
        weighted = np.asarray(self.X.T @ row_sums)
        squares = weighted_squares(self.X, ones)
        products = self._inner_products(M) if sp.issparse(M) else self._dense_products(M)
        scale = self.divisor**2
        norms = (squares - 2 * self.shift * sums + n * self.shift**2) / scale
        forms = (products - 2 * self.shift * weighted + self.shift**2 * row_sums.sum()) / scale
        return norms, forms

    def _dense_products(self, M: np.ndarray) -> np.ndarray:
        """``x_j' M x_j`` of every column, a block of columns at a time, shape (d,)."""
        n, d = self.shape
        columns = self.X.tocsc()
        total = np.empty(d)
        for features in gen_batches(d, max(16, _DENSE_BLOCK_ENTRIES // n)):
            block = columns[:, features].toarray()
            total[features] = np.einsum("ij,ij->j", block, M @ block)
        return total

    def _inner_products(self, M: sp.sparray) -> np.ndarray:
        """``x_j' M x_j`` of every column for symmetric M, shape (d,).

        Every pair of samples above the diagonal of M adds ``2 M_ik x_ij x_kj``, made for many pairs
        at a time: of each row of X as many copies as it has pairs, times those of its partners.
        """
        X, M = self.X, sp.coo_array(M)
        total = weighted_squares(X, sp.csr_array(M).diagonal())
        above = np.flatnonzero(M.row < M.col)
        pairs = max(1, _BLOCK_ENTRIES * X.shape[0] // max(1, X.nnz))
        for some in gen_batches(len(above), pairs) if len(above) else ():
            part = above[some]
            product = X[M.row[part]].multiply(X[M.col[part]]).tocsr()
            weights = product.data * np.repeat(2 * M.data[part], np.diff(product.indptr))
            np.add.at(total, product.indices, weights)
        return total


def check_structure(X) -> None:
    """ValueError where the indices of a sparse X point outside of it: reading them could crash."""
    try:
        if X.format in ("csr", "csc", "bsr"):
            X.check_format(full_check=True)
        elif X.format == "coo" and X.nnz:
            for indices, size in zip(X.coords, X.shape, strict=True):
                if indices.min() < 0 or indices.max() >= size:
                    raise ValueError(f"an index is not between 0 and {size - 1}")
    except ValueError as error:
        raise ValueError(f"X is a damaged sparse matrix: {error}") from error


def canonical_csr(X) -> sp.csr_array:
    """X as a CSR array with sorted indices, without repeated entries and explicit zeros.

    X itself if it is one already; never changed in place.
    """
    csr = sp.csr_array(X)
    clean = csr.has_canonical_format and csr.count_nonzero() == csr.nnz
    if clean:
        return csr
    csr = csr.copy()
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr


def sparse_affine_scaling(X: sp.csr_array, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`~blufs._numerics.matrix.scaling.affine_scaling`, of canonical X (n x d).

    Means and sums of squares come from the stored entries; the zeros add ``shift^2`` each.
    """
    return affine_from_moments(
        scaling,
        X.shape,
        ranges=lambda: sparse_ranges(X.astype(np.float64, copy=False)),
        mean=lambda: column_means(X),
        norms=lambda shift: np.sqrt(centred_squares(X, shift)),
    )


def sparse_ranges(X: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of every column, each (d,), of canonical X (n x d)."""
    n, d = X.shape
    low, high = np.full(d, np.inf, X.dtype), np.full(d, -np.inf, X.dtype)
    stored = np.zeros(d, dtype=np.intp)
    for _, columns, values in _entry_blocks(X):
        np.minimum.at(low, columns, values)
        np.maximum.at(high, columns, values)
        np.add.at(stored, columns, 1)
    with_zeros = stored < n
    low[with_zeros] = np.minimum(low[with_zeros], 0)
    high[with_zeros] = np.maximum(high[with_zeros], 0)
    return low, high


def some_columns(X: sp.csr_array, columns: np.ndarray) -> sp.csr_array:
    """``X[:, columns]`` for ascending columns, with the values of X where all of them are kept."""
    position = np.full(X.shape[1], -1, dtype=X.indices.dtype)
    position[columns] = np.arange(len(columns))
    indices = position[X.indices]
    if len(indices) and indices.min() < 0:
        return X[:, columns]
    kept = sp.csr_array((X.data, indices, X.indptr), shape=(X.shape[0], len(columns)))
    kept.has_canonical_format = True
    return kept


def times_columns(X: sp.csr_array, factors: np.ndarray) -> sp.csr_array:
    """``X diag(factors)``, with the index arrays of X."""
    data = X.data * factors.astype(X.dtype, copy=False)[X.indices]
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)


def column_means(X: sp.csr_array, weights: np.ndarray | None = None) -> np.ndarray:
    """Mean of every column of X (n x d), weighted by samples (n,) if wanted, shape (d,)."""
    weights = np.ones(X.shape[0]) if weights is None else weights
    return np.asarray(X.T @ weights) / weights.sum()


def centred_squares(X: sp.csr_array, shift: np.ndarray) -> np.ndarray:
    """``sum_i (x_ij - shift_j)^2`` of every column, without cancellation, shape (d,)."""
    n, d = X.shape
    squares, stored = np.zeros(d), np.zeros(d, dtype=np.intp)
    for _, columns, values in _entry_blocks(X):
        deviations = values.astype(np.float64) - shift[columns]
        np.add.at(squares, columns, deviations**2)
        np.add.at(stored, columns, 1)
    return squares + (n - stored) * shift**2


def weighted_squares(X: sp.csr_array, weights: np.ndarray) -> np.ndarray:
    """``sum_i w_i x_ij^2`` of every column of X (n x d), shape (d,); the weights have (n,)."""
    total = np.zeros(X.shape[1])
    for rows, columns, values in _entry_blocks(X):
        own = np.repeat(weights[rows], np.diff(X.indptr[rows.start : rows.stop + 1]))
        np.add.at(total, columns, own * values.astype(np.float64) ** 2)
    return total


def _entry_blocks(X: sp.csr_array) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield some rows at a time, and the columns and values of the entries that they store.

    What is made of all entries at once would take as much memory as X.
    """
    n = X.shape[0]
    for rows in gen_batches(n, max(1, _BLOCK_ENTRIES * n // max(1, X.nnz))):
        entries = slice(X.indptr[rows.start], X.indptr[rows.stop])
        yield rows, X.indices[entries], X.data[entries]
