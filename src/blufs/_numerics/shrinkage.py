"""Shrinkage: minimisers of ``weight |x|^p + (x - a)^2 / 2`` for p = 0, 1/2 and 2/3."""

from __future__ import annotations

import numpy as np

#: Exponents with a closed form.
EXPONENTS = (0, 1 / 2, 2 / 3)


def shrink(a: np.ndarray, weight: float, p: float) -> np.ndarray:
    """Minimiser of ``weight |x|^p + (x - a)^2 / 2`` for every entry of a, p one of `EXPONENTS`.

    Entries up to a threshold that depends on ``weight`` become exactly zero.
    """
    if weight == 0:
        return a.copy()
    size = np.abs(a)
    kept = size > shrinkage_threshold(weight, p)
    x = np.zeros_like(a)
    if not kept.any():  # powers of a very large weight would overflow
        return x
    x[kept] = np.sign(a[kept]) * _ROOTS[p](size[kept], weight)
    return x


def shrinkage_threshold(weight: float, p: float) -> float:
    """The largest modulus that :func:`shrink` sets to zero."""
    if p == 0:
        return float(np.sqrt(2 * weight))
    if p == 1 / 2:
        return float(1.5 * weight ** (2 / 3))
    return float((128 / 27) ** 0.25 * weight**0.75)


def _root_half(size: np.ndarray, weight: float) -> np.ndarray:
    angle = np.arccos(weight / 4 * (3 / size) ** 1.5)
    return 4 / 3 * size * np.cos((np.pi - angle) / 3) ** 2


def _root_two_thirds(size: np.ndarray, weight: float) -> np.ndarray:
    half = size**2 / 2
    # Not negative above the threshold, but for rounding.
    inner = np.sqrt(np.maximum(half**2 - (8 * weight / 9) ** 3, 0))
    t = np.cbrt(half + inner) + np.cbrt(half - inner)
    return (np.sqrt(t) + np.sqrt(2 * size / np.sqrt(t) - t)) ** 3 / 8


_ROOTS = {0: lambda size, weight: size, 1 / 2: _root_half, 2 / 3: _root_two_thirds}
