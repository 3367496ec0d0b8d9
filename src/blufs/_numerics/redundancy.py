"""How much the chosen features say about each feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import pinvh
from sklearn.utils import gen_batches

from blufs._numerics.matrix import scaled_data

#: Entries of a block of columns.
_BLOCK_ENTRIES = 2**20


class Redundancy(NamedTuple):
    """For each of d features, what others among the chosen ones say about it.

    Attributes
    ----------
    most_similar : ndarray of int, shape (d,)
        The chosen feature, other than itself, that it correlates with most; -1 if there is none.
    correlation : ndarray of shape (d,)
        With that one.
    explained : ndarray of shape (d,)
        Share of its variance that a linear function of all of them explains (R squared).
    """

    most_similar: np.ndarray
    correlation: np.ndarray
    explained: np.ndarray


def redundancy(X, chosen: np.ndarray) -> Redundancy:
    """What the features at ``chosen`` (s positions) say about all d of X (n x d, of any kind).

    Constant features get zeros.
    """
    n, d = X.shape
    data = scaled_data(X, "center+unit")
    A = data.columns(chosen)
    inverse = pinvh(A.T @ A, rtol=1e-10)
    most_similar, correlation, explained = np.empty(d, dtype=int), np.empty(d), np.empty(d)
    for block in gen_batches(d, max(1, _BLOCK_ENTRIES // n)):
        products = data.columns(block).T @ A
        explained[block] = np.einsum("ij,ij->i", products @ inverse, products)
        products[np.arange(d)[block, None] == chosen] = 0
        best = np.abs(products).argmax(axis=1)
        most_similar[block] = chosen[best]
        correlation[block] = np.take_along_axis(products, best[:, None], axis=1)[:, 0]
    # Of a chosen feature the others explain 1 - 1 / ((A'A)^-1)_jj, or all if they span it.
    own = np.diagonal(inverse) * np.einsum("ij,ij->j", A, A)
    spanned = np.einsum("ij,ji->i", inverse @ (A.T @ A), np.eye(len(chosen))) < 1 - 1e-6
    explained[chosen] = np.where(spanned, 1, 1 - 1 / np.maximum(own, 1))
    if len(chosen) == 1:
        most_similar[chosen], explained[chosen] = -1, 0
    return Redundancy(most_similar, correlation, np.clip(explained, 0, 1))
