"""Data far from zero, very large or very small, brought to where squares keep their digits.

Every step is exact on the digits that X has: shifts are multiples of a power of two near the
range of the feature, so that whole numbers stay whole and ties stay ties; factors are powers of
two. Data that need neither are handed back as they are, without a copy.

Sparse data stay sparse: a feature with a zero among its values does not lie far from zero, so only
features without one are ever shifted. They must be canonical, see
:func:`~blufs._numerics.matrix.sparse.canonical_csr`.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.chunked import RowChunks
from blufs._numerics.matrix.sparse import canonical_csr, sparse_ranges

#: A feature is far from zero if its middle is this many times its range away.
_FAR = 4
#: Largest modulus, as a power of two, up to which sums of fourth powers stay finite (1.6e60).
_LARGE = 200
#: The same for float32; beyond it the data are held as float64.
_LARGE_SINGLE = 24
#: Below this power of two squares lose their digits (1e-144).
_LOST = -480


def column_ranges(X) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of every column of X (n x d, of any kind), each (d,)."""
    if isinstance(X, RowChunks):
        return X.summary.low, X.summary.high
    return sparse_ranges(X) if sp.issparse(X) else (X.min(axis=0), X.max(axis=0))


def varying_columns(X) -> np.ndarray:
    """Which columns of X (n x d, of any kind) have more than one value, shape (d,)."""
    if isinstance(X, np.ndarray):
        return (X[0] != X).any(axis=0)
    low, high = column_ranges(X)
    return low < high


def without_offset(X):
    """X (n x d) with the features that lie far from zero shifted next to it.

    For what depends on differences of samples only. Without it a distance from products loses the
    digits that the offset takes: those of a feature near 1e8 with a range of 1 are all lost.
    """
    return _minus(X, shift) if (shift := _offsets(*column_ranges(X))).any() else X


def _offsets(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Shift of every feature with the range low..high, zero for those that are not far from 0."""
    # Halves, because the difference of the largest numbers overflows.
    middle = low.astype(np.float64) / 2 + high.astype(np.float64) / 2
    half_range = high.astype(np.float64) / 2 - low.astype(np.float64) / 2
    far = np.abs(middle) / (2 * _FAR) > half_range
    exponent = np.frexp(half_range)[1] - 1
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.ldexp(np.rint(np.ldexp(middle, -exponent)), exponent)
    # Where even that overflows the range is below the last digit of the values.
    rounded = np.where(np.isfinite(rounded), rounded, middle)
    return np.where(far, rounded, 0).astype(low.dtype)


def _minus(X, shift: np.ndarray):
    """``X - shift``, where for sparse X the features that are shifted have no zeros."""
    if isinstance(X, RowChunks):
        return X.map(partial(_minus, shift=shift))
    if not sp.issparse(X):
        return X - shift
    data = X.data - shift[X.indices]
    return canonical_csr(sp.csr_array((data, X.indices, X.indptr), shape=X.shape))


def conditioned(X, *, ignores_offsets: bool, ignores_scale: bool):
    """X (n x d, finite) such that sums of squares of its features neither overflow nor vanish.

    Parameters
    ----------
    X : ndarray, csr_array or RowChunks of shape (n, d), float64 or float32
    ignores_offsets, ignores_scale : bool
        Whether a constant that is added to a feature, or a factor of a feature, changes nothing for
        the caller. If not, offsets are kept, and all features get one factor, that brings the
        largest modulus back to 2^200 (or up to 2^-200) and no further.

    Raises
    ------
    ValueError
        If one factor for all is needed and would make a feature vanish.
    """
    low, high = column_ranges(X)
    if ignores_offsets:
        shift = _offsets(low, high)
        if shift.any():
            X, low, high = _minus(X, shift), low - shift, high - shift
    modulus = np.maximum(np.abs(low), np.abs(high)).astype(np.float64)
    exponent = np.frexp(modulus)[1]
    if X.dtype == np.float32 and np.abs(exponent).max() > _LARGE_SINGLE:
        X = X.astype(np.float64)
    if ignores_scale:
        if np.abs(exponent).max() <= _LARGE:
            return X
        return _scaled(X, -exponent)
    largest = int(exponent.max())
    factor = min(_LARGE - largest, 0) + max(-_LARGE - largest, 0)
    if factor == 0:
        return X
    lost = (exponent + factor < _LOST) & (exponent >= _LOST) & (modulus > 0)
    if lost.any():
        wide, narrow = int(modulus.argmax()), int(np.flatnonzero(lost)[0])
        raise ValueError(
            f"the range of X is too wide: one feature reaches {modulus[wide]:.1e}, another only "
            f"{modulus[narrow]:.1e}, and squares of both do not fit into floating-point numbers; "
            "scale the features first, for example by StandardScaler, or drop the widest"
        )
    return _scaled(X, factor)


def _scaled(X, exponent):
    """``X 2^exponent`` with one exponent, or one of every column."""
    if isinstance(X, RowChunks):
        return X.map(partial(_scaled, exponent=exponent))
    if not sp.issparse(X):
        return _times_power_of_two(X, exponent)
    by_entry = exponent[X.indices] if np.ndim(exponent) else exponent
    data = _times_power_of_two(X.data, by_entry)
    return canonical_csr(sp.csr_array((data, X.indices, X.indptr), shape=X.shape))


def _times_power_of_two(X: np.ndarray, exponent) -> np.ndarray:
    """``X 2^exponent``, in two steps, each of which is a finite factor."""
    half = np.asarray(exponent) // 2
    return np.ldexp(np.ldexp(X, half), exponent - half)
