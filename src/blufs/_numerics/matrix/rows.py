"""Rows of a data matrix, dense or sparse, for comparing samples.

Norms and differences of sparse rows come from dense blocks of some rows, with the very operations
that dense data go through, so that samples that are equally far stay so to the last bit.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.chunked import RowChunks

#: Entries of one block of dense rows (2 MiB of float64).
BLOCK_ENTRIES = 2**18
#: Rows that a block of distances should have, because products want several, even if it is larger.
_ENOUGH_ROWS, _LARGER = 48, 4


def dense_rows(X, rows) -> np.ndarray:
    """The rows of X (n x d) at ``rows``, an array of any shape or a slice, as a dense array."""
    if not sp.issparse(X):
        return X[rows]
    if isinstance(rows, slice):
        return X[rows].toarray()
    return X[rows.ravel()].toarray().reshape(*rows.shape, X.shape[1])


def first_row(X) -> np.ndarray:
    """The first row of X (n x d, of any kind) as a new array of shape (d,)."""
    if isinstance(X, RowChunks):
        return X.first_row()
    return dense_rows(X, slice(0, 1))[0].copy()


def squared_norms(X) -> np.ndarray:
    """``||x_i||^2`` of every row of X (n x d), shape (n,)."""
    if not sp.issparse(X):
        return np.einsum("ij,ij->i", X, X)
    n, d = X.shape
    norms = np.empty(n, dtype=X.dtype)
    step = max(1, BLOCK_ENTRIES // d)
    for start in range(0, n, step):
        block = X[start : start + step].toarray()
        norms[start : start + step] = np.einsum("ij,ij->i", block, block)
    return norms


def rows_at_a_time(n: int) -> int:
    """How many samples are compared with all n at a time."""
    return max(1, BLOCK_ENTRIES // n, min(_ENOUGH_ROWS, _LARGER * BLOCK_ENTRIES // n))


def inner_product_blocks(X):
    """Yield ``(start, B)``: B[i, j] = <x_{start+i}, x_j>, a new dense block of rows at a time."""
    n = X.shape[0]
    rows = rows_at_a_time(n)
    transposed = X.T.tocsr() if sp.issparse(X) else X.T
    for start in range(0, n, rows):
        product = X[start : start + rows] @ transposed
        yield start, product.toarray() if sp.issparse(product) else product


def squared_differences(X, samples: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """``||x_i - x_j||^2`` of m samples i and each one's candidates j (m x any), from differences.

    Returns float64 of the shape of the candidates.
    """
    distances = np.empty(candidates.shape)
    d = X.shape[1]
    width = max(1, min(candidates.shape[1], BLOCK_ENTRIES // d))
    rows = max(1, BLOCK_ENTRIES // (width * d))
    for start in range(0, len(samples), rows):
        part = slice(start, start + rows)
        own = dense_rows(X, samples[part])[:, None]
        for first in range(0, candidates.shape[1], width):
            columns = slice(first, first + width)
            difference = dense_rows(X, candidates[part, columns]).astype(np.float64, copy=False)
            difference -= own
            distances[part, columns] = np.einsum("ijk,ijk->ij", difference, difference)
    return distances
