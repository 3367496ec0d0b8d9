"""Rounding, so that ties stay ties, and an order that comes from the data and not from places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def content_order(X: np.ndarray) -> np.ndarray:
    """Positions of the columns of X (n x d) in an order that their values decide, shape (d,).

    By the smallest value, then the largest, then two inner products with all others. Random numbers
    that are dealt out in this order stay with a column however rows and columns are arranged, but
    for columns that agree in all four (such as equal ones), which keep the order they have.
    """
    alike = X.T @ X.sum(axis=1)
    further = X.T @ (X @ alike)
    return np.lexsort((_nine_digits(further), _nine_digits(alike), X.max(axis=0), X.min(axis=0)))


def scatter_order(times: Callable[[np.ndarray], np.ndarray], d: int) -> np.ndarray:
    """As :func:`content_order`, by two products with ``A = Z'Z`` (d x d) alone, shape (d,).

    ``times`` maps V (d x m) to ``A V``. Where Z is centred, offsets do not matter either.
    """
    alike = times(np.ones((d, 1)))
    return np.lexsort((significant(times(alike)[:, 0], 30), significant(alike[:, 0], 30)))


def _nine_digits(values: np.ndarray) -> np.ndarray:
    """Relative to the largest: what is left does not hang on the order of a sum."""
    return np.round(values / max(np.abs(values).max(), np.finfo(values.dtype).tiny), 9)


def ten_decimals(values: np.ndarray) -> np.ndarray:
    """All values rounded alike, to ten digits of the power of two above the largest of them."""
    power = np.ldexp(1.0, np.frexp(np.abs(values).max())[1])
    rounded = values / power
    np.round(rounded, 10, out=rounded)
    rounded *= power
    return rounded


def ten_digits(values: np.ndarray) -> np.ndarray:
    """Every value rounded by itself, to ten significant digits."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa, 10), exponent)


def significant(values: np.ndarray, bits: int = 40) -> np.ndarray:
    """Every value rounded to so many bits, so that rounding errors do not tell values apart."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the ``count`` largest values, descending, ties by smaller position."""
    if 0 < count < len(values):
        threshold = np.partition(values, len(values) - count)[len(values) - count]
        positions = np.flatnonzero(values >= threshold)
    else:
        positions = np.arange(len(values))
    return positions[np.argsort(-values[positions], kind="stable")[:count]]
