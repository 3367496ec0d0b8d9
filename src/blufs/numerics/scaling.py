"""Scalings of the data matrix that the methods apply inside ``fit``."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

FEATURE_SCALINGS = ("auto", "center+unit", "center", "unit", "standard", "minmax", "none")

#: Entries of the row blocks in which sums of squares are accumulated (8 MiB of float64).
_BLOCK_ENTRIES = 2**20
#: Samples by which the scaling is chosen.
_AUTO_ROWS = 500


def choose_scaling(X) -> str:
    """The scaling that ``"auto"`` stands for: ``"center"`` for data that is mostly background.

    A word that few documents contain, or a pixel at the edge of a digit, has one value, its
    background, in nearly all samples. To scale such features to equal norm makes the rarest the
    loudest. So where more than half of all entries are background, features keep their own scale
    (``"center"``); else they are brought to equal norm (``"center+unit"``). The background of a
    feature is its smallest or its largest value, whichever more samples have; the choice depends
    neither on the unit nor on the zero point of a feature.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        Looked at in at most 500 samples, some features at a time; never made dense as a whole.
    """
    n, d = X.shape
    rows = X[:: -(-n // _AUTO_ROWS)]
    rows = rows.tocsc() if sp.issparse(rows) else rows
    width = max(1, _BLOCK_ENTRIES // rows.shape[0])
    background = 0
    for start in range(0, d, width):
        block = rows[:, start : start + width]
        block = block.toarray() if sp.issparse(block) else block
        lowest = np.count_nonzero(block == block.min(axis=0), axis=0)
        highest = np.count_nonzero(block == block.max(axis=0), axis=0)
        background += int(np.maximum(lowest, highest).sum())
    return "center" if 2 * background > rows.shape[0] * d else "center+unit"


def affine_scaling(X: np.ndarray, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """Shift and divisor of every column, so that the scaled data is ``(X - shift) / divisor``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    scaling : str

        - ``"auto"``: one of the next two, see :func:`choose_scaling`;
        - ``"center+unit"``: subtract the mean, divide by the Euclidean norm;
        - ``"center"``: subtract the mean, divide all features by one number, the root mean square
          of their norms;
        - ``"unit"``: divide by the Euclidean norm;
        - ``"standard"``: subtract the mean, divide by the standard deviation;
        - ``"minmax"``: map the range onto [0, 1];
        - ``"none"``: leave as it is.

    Returns
    -------
    shift, divisor : ndarray of shape (d,)
        A divisor that would be zero is one. No copy of X is made on the way.
    """
    if scaling == "auto":
        scaling = choose_scaling(X)
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
    if scaling == "center":
        norms = np.full_like(norms, np.sqrt(np.mean(norms.astype(float) ** 2)))
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
