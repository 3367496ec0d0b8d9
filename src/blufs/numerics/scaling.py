"""Scalings of the data matrix that the methods apply inside ``fit``."""

from __future__ import annotations

import numpy as np

FEATURE_SCALINGS = ("center+unit", "unit", "standard", "minmax", "none")

#: Entries of the row blocks in which sums of squares are accumulated (8 MiB of float64).
_BLOCK_ENTRIES = 2**20


def affine_scaling(X: np.ndarray, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """Shift and divisor of every column, so that the scaled data is ``(X - shift) / divisor``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    scaling : str

        - ``"center+unit"``: subtract the mean, divide by the Euclidean norm;
        - ``"unit"``: divide by the Euclidean norm;
        - ``"standard"``: subtract the mean, divide by the standard deviation;
        - ``"minmax"``: map the range onto [0, 1];
        - ``"none"``: leave as it is.

    Returns
    -------
    shift, divisor : ndarray of shape (d,)
        A divisor that would be zero is one. No copy of X is made on the way.
    """
    zero, one = np.zeros(X.shape[1], X.dtype), np.ones(X.shape[1], X.dtype)
    if scaling == "none":
        return zero, one
    if scaling == "unit":
        return zero, _nonzero(_column_norms(X, zero))
    if scaling == "minmax":
        low = X.min(axis=0)
        return low, _nonzero(X.max(axis=0) - low)
    if scaling not in FEATURE_SCALINGS:
        raise ValueError(f"scaling must be one of {FEATURE_SCALINGS}, got {scaling!r}")
    mean = X.mean(axis=0)
    norms = _column_norms(X, mean)
    if scaling == "standard":
        norms /= np.sqrt(X.dtype.type(len(X)))
    return mean, _nonzero(norms)


def scale_features(X: np.ndarray, scaling: str) -> np.ndarray:
    """Scale the columns of ``X`` (n x d) and return a new array (``X`` itself for ``"none"``).

    The scalings are those of :func:`affine_scaling`.
    """
    if scaling == "none":
        return X
    shift, divisor = affine_scaling(X, scaling)
    scaled = X - shift
    scaled /= divisor
    return scaled


def scale_samples(X: np.ndarray) -> np.ndarray:
    """Divide every row of ``X`` (n x d) by its Euclidean norm; zero rows stay zero."""
    return X / _nonzero(np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]


def _column_norms(X: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Euclidean norms of the columns of ``X - shift``, a block of rows at a time."""
    squares = np.zeros(X.shape[1])
    rows = max(1, _BLOCK_ENTRIES // X.shape[1])
    for start in range(0, len(X), rows):
        block = X[start : start + rows] - shift
        squares += np.einsum("ij,ij->j", block, block)
    return np.sqrt(squares).astype(X.dtype)


def _nonzero(divisors: np.ndarray) -> np.ndarray:
    return np.where(divisors > 0, divisors, 1).astype(divisors.dtype)
