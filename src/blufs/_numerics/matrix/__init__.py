"""The data matrix, dense, sparse or beyond memory, and its scaled version as an operator.

What a method needs of its data are products with the scaled matrix: some of its columns, ``A' V``,
``A V``, ``A' A`` with some columns or with V, and the quadratic forms of its columns. Each kind of
X has them in its own class.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.chunked import ChunkedScaledData, RowChunks, chunked_affine_scaling
from blufs._numerics.matrix.conditioning import without_offset
from blufs._numerics.matrix.dense import ScaledData
from blufs._numerics.matrix.scaling import affine_scaling, choose_scaling, scale_features
from blufs._numerics.matrix.sparse import (
    SparseScaledData,
    canonical_csr,
    centred_squares,
    column_means,
    sparse_affine_scaling,
    times_columns,
)

#: The scaled data matrix, whatever X is: all have the same products.
DataMatrix: TypeAlias = ScaledData | SparseScaledData | ChunkedScaledData


def scaled_data(X, scaling: str) -> DataMatrix:
    """The scaled data matrix of X (n x d), dense, sparse or beyond memory, as an operator."""
    X, scaling = _ready(X, scaling)
    if isinstance(X, RowChunks):
        return ChunkedScaledData(X, *chunked_affine_scaling(X, scaling))
    if sp.issparse(X):
        return SparseScaledData(X, *sparse_affine_scaling(X, scaling))
    return ScaledData(X, *affine_scaling(X, scaling))


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
    X, scaling = _ready(X, scaling)
    return times_columns(X.astype(np.float64), 1 / sparse_affine_scaling(X, scaling)[1])


def _ready(X, scaling: str) -> tuple:
    """X, and the scaling by its name; without large offsets, where the scaling takes them off.

    Products with a large offset would lose the digits that the shift cannot bring back.
    """
    X = canonical_csr(X) if sp.issparse(X) else X
    scaling = choose_scaling(X) if scaling == "auto" else scaling
    return (X if scaling in ("unit", "none") else without_offset(X)), scaling


def column_variances(X) -> np.ndarray:
    """Variance of every column of X (n x d, of any kind), shape (d,)."""
    if isinstance(X, RowChunks):
        return X.summary.squares / X.shape[0]
    if sp.issparse(X):
        return centred_squares(X, column_means(X)) / X.shape[0]
    return X.var(axis=0, dtype=np.float64)
