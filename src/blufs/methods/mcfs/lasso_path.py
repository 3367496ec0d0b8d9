"""Lasso path by least-angle regression on a Gram matrix, up to a number of active features.

scikit-learn's ``lars_path_gram`` gives the same path; it copies and permutes the Gram matrix and
cannot stop at a number of features, which makes it an order of magnitude slower here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs
from sklearn.utils import gen_batches

from blufs._numerics.matrix.chunked import ChunkedScaledData, RowChunks, as_they_are

#: Up to this number of features the Gram matrix is built (200 MB).
_WHOLE_GRAM_UP_TO = 5000
#: Share of a feature's variance that must be left when the active features are taken out of it.
_COLLINEAR = 1e-13

GramRow = Callable[[int], np.ndarray]


class _ActiveSet:
    """Active features, their rows of the Gram matrix, and its Cholesky factor on them alone.

    LAPACK is called directly: the matrices are so small that checks around it would cost more.
    """

    def __init__(self, gram_row: GramRow, d: int, capacity: int):
        self.gram_row = gram_row
        self.features = np.empty(0, dtype=np.intp)
        self.rows = np.empty((0, d))
        self.gram = self.factor = np.empty((0, 0))
        self.size = 0
        self._reserve(capacity)

    @property
    def current(self) -> np.ndarray:
        return self.features[: self.size]

    def _reserve(self, capacity: int) -> None:
        """Make room for so many features and keep those that are there.

        Features that reach the common correlation together are active before they have a
        coefficient, so that there may be more of them than the largest size that is asked for.
        """
        more = capacity - len(self.features)
        self.features = np.pad(self.features, (0, more))
        self.rows = np.pad(self.rows, ((0, more), (0, 0)))
        self.gram = np.asfortranarray(np.pad(self.gram, (0, more)))
        self.factor = np.asfortranarray(np.pad(self.factor, (0, more)))

    def add(self, feature: int) -> bool:
        """Take a feature in, unless it is collinear with the active ones."""
        row = self.gram_row(feature)
        k, variance = self.size, row[feature]
        column = inner = row[self.current]
        if k:
            column = dtrtrs(self.factor[:k, :k], column, lower=True)[0]
        left = variance - column @ column
        if left <= _COLLINEAR * variance:
            return False
        if k == len(self.features):
            self._reserve(2 * k)
        self.factor[k, :k] = column
        self.factor[k, k] = np.sqrt(left)
        self.gram[k, :k] = self.gram[:k, k] = inner
        self.gram[k, k] = variance
        self.features[k] = feature
        self.rows[k] = row
        self.size += 1
        return True

    def remove(self, position: int) -> None:
        """The last feature takes the place of the one at ``position``."""
        k = self.size = self.size - 1
        if position < k:
            self.features[position] = self.features[k]
            self.rows[position] = self.rows[k]
            self.gram[position, :k] = self.gram[:k, position] = self.gram[k, :k]
            self.gram[position, position] = self.gram[k, k]
        self.factor[:k, :k] = dpotrf(self.gram[:k, :k], lower=True)[0]

    def direction(self, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``G_AA^-1 signs``, and how fast it lowers the correlation of every feature."""
        k = self.size
        w = dpotrs(self.factor[:k, :k], signs, lower=True)[0]
        return w, w @ self.rows[:k]


def ridge_gram_rows(X, ridge: float) -> GramRow:
    """Rows of ``X' X + ridge I``: all at once if they fit, else each when it is first wanted.

    X (n x d) may be sparse, or read in chunks: then each row is a pass.
    """
    d = X.shape[1]
    data = as_they_are(X) if isinstance(X, RowChunks) else None
    if d <= _WHOLE_GRAM_UP_TO:
        gram: Any = X.T @ X if data is None else _gram_of_chunks(data)
        gram = gram.toarray() if sp.issparse(gram) else gram
        gram.flat[:: d + 1] += ridge
        return gram.__getitem__
    columns = X.tocsc() if sp.issparse(X) else X

    def row(feature: int) -> np.ndarray:
        if data is not None:
            own = data.gram(np.array([feature]))[:, 0]
        else:
            column = columns[:, [feature]]
            own = X.T @ (column.toarray() if sp.issparse(column) else column)[:, 0]
        return own + ridge * (np.arange(d) == feature)

    return cache(row)


def _gram_of_chunks(data: ChunkedScaledData) -> np.ndarray:
    return np.hstack([data.gram(part) for part in gen_batches(data.shape[1], data.gram_width)])


@np.errstate(divide="ignore", invalid="ignore")  # here, because entering it costs too
def lasso_path_at_sizes(
    gram_row: GramRow, correlations: np.ndarray, sizes: Iterable[int]
) -> dict[int, np.ndarray]:
    """Lasso coefficients where the path first has so many non-zero ones.

    Parameters
    ----------
    gram_row : callable
        Feature -> its row, of shape (d,), of the positive definite Gram matrix ``X' X`` (to which
        a ridge may have been added).
    correlations : ndarray of shape (d,)
        ``X' y``.
    sizes : iterable of int
        Wanted numbers of non-zero coefficients, each at most d.

    Returns
    -------
    dict of ndarray of shape (d,)
        By size. Where the path ends before the size is reached: its end, which is the
        least-squares solution.
    """
    pending = sorted(set(sizes))
    d = len(correlations)
    active = _ActiveSet(gram_row, d, min(pending[-1] + 1, d))
    coefficients, residual = np.zeros(d), np.array(correlations, dtype=float)
    blocked = np.zeros(d, dtype=bool)  # active, or collinear with those that are
    found: dict[int, np.ndarray] = {}
    entering: int | None = int(np.argmax(np.abs(residual)))
    dropped: int | None = None
    level = abs(float(residual[entering]))
    floor = 4 * np.finfo(float).eps * level
    # Every feature may be dropped and come back a few times.
    for _ in range(20 * d):
        if entering is not None:
            blocked[entering] = True
            active.add(entering)
        if level <= floor or active.size == 0:
            break
        current = active.current.copy()
        w, slopes = active.direction(np.sign(residual[current]))
        step, entering = _entry(residual, slopes, level, blocked, dropped)
        values = coefficients[current]
        crossing, position = _zero_crossing(values, w)
        step, dropped = min(step, crossing), None
        values += step * w
        residual -= step * slopes
        level -= step
        if crossing <= step:
            entering, dropped = None, int(current[position])
            values[position] = 0.0
            blocked[dropped] = False
            active.remove(position)
        coefficients[current] = values
        n_nonzero = np.count_nonzero(values)
        while pending and n_nonzero >= pending[0]:
            found[pending.pop(0)] = coefficients.copy()
        if not pending:
            break
    return found | dict.fromkeys(pending, coefficients)


def _entry(
    residual: np.ndarray, slopes: np.ndarray, level: float, blocked: np.ndarray, dropped
) -> tuple[float, int | None]:
    """Step at which a feature reaches the common correlation, and that feature.

    If none does before the correlations are zero: the step to there, and None. Worked out with
    reciprocals of steps, of which the largest is wanted: a feature that never reaches one of the
    two ends has a negative one there and a positive one at the other.
    """
    upper = level - residual
    np.divide(1 - slopes, np.maximum(upper, 0, out=upper), out=upper)
    lower = level + residual
    np.divide(1 + slopes, np.maximum(lower, 0, out=lower), out=lower)
    if dropped is not None:
        # It sits at the common correlation and is just leaving it.
        side = upper if residual[dropped] > 0 else lower
        side[dropped] = -np.inf
    rates = np.fmax(upper, lower, out=upper)
    np.putmask(rates, blocked, 0)
    nearest = int(rates.argmax())
    return (1 / float(rates[nearest]), nearest) if rates[nearest] * level > 1 else (level, None)


def _zero_crossing(coefficients: np.ndarray, w: np.ndarray) -> tuple[float, int]:
    """Smallest positive step at which an active coefficient becomes zero, and its position."""
    rates = np.zeros(len(w))
    np.divide(-w, coefficients, out=rates, where=coefficients != 0)
    position = int(rates.argmax())
    return (1 / float(rates[position]) if rates[position] > 0 else np.inf), position
