"""Scalings of the data matrix that the methods apply inside ``fit``."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.rows import row_blocks

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
        Looked at in at most 500 samples; never made dense.
    """
    n, d = X.shape
    rows = X[:: -(-n // _AUTO_ROWS)]
    background = _stored_background(rows) if sp.issparse(rows) else _background(rows)
    return "center" if 2 * background > rows.shape[0] * d else "center+unit"


def _background(rows: np.ndarray) -> int:
    """Entries of dense rows (m x d) that are the background of their feature."""
    m, d = rows.shape
    background = 0
    for columns in row_blocks(d, m, _BLOCK_ENTRIES):
        block = rows[:, columns]
        lowest = np.count_nonzero(block == block.min(axis=0), axis=0)
        highest = np.count_nonzero(block == block.max(axis=0), axis=0)
        background += int(np.maximum(lowest, highest).sum())
    return background


def _stored_background(rows) -> int:
    """As above, of sparse rows."""
    m, d = rows.shape
    rows = rows.tocsc()
    rows.sum_duplicates()
    zeros = m - np.diff(rows.indptr)
    column = np.repeat(np.arange(d), np.diff(rows.indptr))
    counts = []
    for extreme in (np.minimum, np.maximum):
        values = np.where(zeros > 0, 0.0, rows.data[rows.indptr[:-1] % max(1, rows.nnz)])
        extreme.at(values, column, rows.data)
        same = np.bincount(column[rows.data == values[column]], minlength=d)
        counts.append(same + np.where(values == 0, zeros, 0))
    return int(np.maximum(*counts).sum())


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
    return affine_from_moments(
        scaling,
        X.shape,
        ranges=lambda: (X.min(axis=0), X.max(axis=0)),
        mean=lambda: X.mean(axis=0),
        norms=lambda shift: _column_norms(X, shift),
    )


def affine_from_moments(
    scaling: str,
    shape: tuple[int, int],
    *,
    ranges: Callable[[], tuple[np.ndarray, np.ndarray]],
    mean: Callable[[], np.ndarray],
    norms: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Shift and divisor as :func:`affine_scaling` has them, from what X can tell of its columns.

    ``norms`` gets a shift (d,) and answers with the norms of the shifted columns. Each is asked for
    only where the scaling needs it.
    """
    n, d = shape
    if scaling == "none":
        return np.zeros(d), np.ones(d)
    if scaling == "unit":
        lengths = norms(np.zeros(d, np.float32))  # widens nothing
        return np.zeros_like(lengths), _nonzero(lengths)
    if scaling == "minmax":
        low, high = ranges()
        return low, _nonzero(high - low)
    if scaling not in FEATURE_SCALINGS or scaling == "auto":
        raise ValueError(f"scaling must be one of {FEATURE_SCALINGS}, got {scaling!r}")
    middle = mean()
    lengths = norms(middle)
    if scaling == "center":
        lengths = np.full_like(lengths, np.sqrt(np.mean(lengths.astype(float) ** 2)))
    if scaling == "standard":
        lengths /= math.sqrt(n)
    return middle, _nonzero(lengths)


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
    for rows in row_blocks(len(X), X.shape[1], _BLOCK_ENTRIES):
        block = X[rows] - shift
        squares += np.einsum("ij,ij->j", block, block)
    return np.sqrt(squares).astype(X.dtype)


def _nonzero(divisors: np.ndarray) -> np.ndarray:
    return np.where(divisors > 0, divisors, 1).astype(divisors.dtype)
