"""The law by which a fit of large sparse data is planned, from the measured cases.

    seconds = a nnz c + b c n^p,    bytes = those of X + e n + f,

with nnz stored entries, n samples and c clusters: products with X, and the search for neighbours in
2 c coordinates. a, b and p have the least relative errors over the cases, and so have e and f,
which are then raised until no case holds more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

EXPONENTS = np.arange(1.0, 2.01, 0.05)


@dataclass(frozen=True)
class Law:
    """``error`` is the largest factor between a measured time and that of the law."""

    per_entry: float
    per_sample: float
    exponent: float
    bytes_per_entry: float
    bytes_per_sample: float
    bytes_at_least: float
    error: float

    def seconds(self, n: int, nnz: float, c: int) -> float:
        return c * (self.per_entry * nnz + self.per_sample * n**self.exponent)

    def bytes(self, n: int, nnz: float) -> float:
        return self.bytes_per_entry * nnz + self.bytes_per_sample * n + self.bytes_at_least


def fit_law(rows: list[dict]) -> Law:
    """The law of the measured cases, rows of results/large.json."""
    n, c, seconds = (
        np.array([row[key] for row in rows], dtype=float) for key in ("n", "c", "fit_seconds")
    )
    nnz = np.array([row["n"] * row["d"] * row["density"] for row in rows])
    memory, data = (np.array([row[key] for row in rows]) for key in ("peak_bytes", "x_bytes"))

    times = {p: _least_relative(np.stack([c * nnz, c * n**p], axis=1), seconds) for p in EXPONENTS}
    exponent, (weights, ratio) = min(times.items(), key=lambda item: np.sum((item[1][1] - 1) ** 2))
    held, share = _least_relative(np.stack([n, np.ones(len(n))], axis=1), memory - data)
    held = held / share.min()
    return Law(
        per_entry=float(weights[0]),
        per_sample=float(weights[1]),
        exponent=float(exponent),
        bytes_per_entry=float((data / nnz).max()),
        bytes_per_sample=float(held[0]),
        bytes_at_least=float(held[1]),
        error=float(np.maximum(ratio, 1 / ratio).max()),
    )


def _least_relative(terms: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights >= 0 of the terms (m x k) with the least relative errors, and what is then reached of
    the values (m,), as shares of them."""
    weights = nnls(terms / values[:, None], np.ones(len(values)))[0]
    return weights, terms @ weights / values
