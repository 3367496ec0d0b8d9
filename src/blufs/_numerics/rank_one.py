"""Corrections of rank one, made in place."""

from __future__ import annotations

import numpy as np

#: Entries of an outer product that are held at a time: they stay in the cache.
_BLOCK_ENTRIES = 2**14


def subtract_outer(matrix: np.ndarray, column: np.ndarray, row: np.ndarray) -> None:
    """``matrix -= outer(column, row)`` for a matrix of shape (len(column), len(row))."""
    step = max(1, _BLOCK_ENTRIES // max(1, len(row)))
    for start in range(0, len(column), step):
        part = slice(start, start + step)
        matrix[part] -= column[part, None] * row
