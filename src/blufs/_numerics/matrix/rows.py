"""Rows of a data matrix, dense or sparse, for comparing samples.

Norms and differences of sparse rows come from dense blocks of some rows, with the very operations
that dense data go through, so that samples that are equally far stay so to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

#: Entries of one block of dense rows (2 MiB of float64).
BLOCK_ENTRIES = 2**18
#: Rows that a block of distances should have, because products want several, even if it is larger.
_ENOUGH_ROWS, _LARGER = 48, 4


def row_blocks(n: int, width: int, entries: int | None = None) -> Iterator[slice]:
    """Cut n rows (or columns) of ``width`` numbers each into blocks of at most ``entries``."""
    return gen_batches(n, max(1, (entries or BLOCK_ENTRIES) // max(1, width))) if n else iter(())


def dense_rows(X, rows) -> np.ndarray:
    """The rows of X (n x d) at ``rows``, an array of any shape or a slice, as a dense array."""
    if not sp.issparse(X):
        return X[rows]
    if isinstance(rows, slice):
        return X[rows].toarray()
    return X[rows.ravel()].toarray().reshape(*rows.shape, X.shape[1])


def squared_norms(X) -> np.ndarray:
    """``||x_i||^2`` of every row of X (n x d), shape (n,)."""
    if not sp.issparse(X):
        return np.einsum("ij,ij->i", X, X)
    n, d = X.shape
    norms = np.empty(n, dtype=X.dtype)
    for rows in row_blocks(n, d):
        block = X[rows].toarray()
        norms[rows] = np.einsum("ij,ij->i", block, block)
    return norms


def rows_at_a_time(n: int) -> int:
    """How many samples are compared with all n at a time."""
    return max(1, BLOCK_ENTRIES // n, min(_ENOUGH_ROWS, _LARGER * BLOCK_ENTRIES // n))


def inner_product_blocks(X, others):
    """Yield ``(start, B)``: B[i, j] = <x_{start+i}, y_j>, a new dense block of rows at a time.

    The others, with rows y_j, may be X itself.
    """
    transposed = others.T.tocsr() if sp.issparse(others) else others.T
    for rows in gen_batches(X.shape[0], rows_at_a_time(others.shape[0])):
        product = X[rows] @ transposed
        yield rows.start, product.toarray() if sp.issparse(product) else product


def squared_differences(X, samples: np.ndarray, others, candidates: np.ndarray) -> np.ndarray:
    """``||x_i - y_j||^2`` of m samples i and each one's candidates j (m x any), from differences.

    The others, with rows y_j, may be X itself. Returns float64 of the shape of the candidates.
    """
    distances = np.empty(candidates.shape)
    d = X.shape[1]
    width = max(1, min(candidates.shape[1], BLOCK_ENTRIES // d))
    for part in row_blocks(len(samples), width * d):
        own = dense_rows(X, samples[part])[:, None]
        for columns in gen_batches(candidates.shape[1], width):
            difference = dense_rows(others, candidates[part, columns])
            difference = difference.astype(np.float64, copy=False)
            difference -= own
            distances[part, columns] = np.einsum("ijk,ijk->ij", difference, difference)
    return distances
