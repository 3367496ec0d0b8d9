"""What is chosen as one, and what it costs: single features, or groups of columns.

A *unit* is a feature, or all columns of a group. A set of units is admissible if it has those that
must be chosen and its costs add up to at most a budget. Where every unit costs 1, as by default,
the budget is their number, s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np


@dataclass(frozen=True)
class Units:
    """The units of d features.

    Attributes
    ----------
    labels : ndarray of int, shape (d,)
        The unit of each feature: 0, 1, ..., in the order of their first features.
    costs : ndarray of shape (u,)
        Positive.
    included : ndarray of int, shape (m,)
        Units that must be chosen.
    """

    labels: np.ndarray
    costs: np.ndarray
    included: np.ndarray

    @classmethod
    def single(cls, d: int, included=()) -> Self:
        """Every feature by itself, at the cost of 1."""
        return cls(np.arange(d), np.ones(d), np.asarray(included, dtype=np.intp))

    def part(self, features: np.ndarray) -> Self:
        """The units of some features alone, in the order of these; their costs stay."""
        units, first, labels = np.unique(
            self.labels[features], return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        rank = np.argsort(order)
        included = np.flatnonzero(np.isin(units[order], self.included))
        return type(self)(rank[labels], self.costs[units[order]], included)

    @property
    def are_single(self) -> bool:
        """Whether every feature is a unit, which then has the same number."""
        return len(self.costs) == len(self.labels)

    @property
    def cost_the_same(self) -> bool:
        """Whether all units cost 1, so that a budget counts them."""
        return bool((self.costs == 1).all())

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of features of each unit, shape (u,)."""
        return np.bincount(self.labels, minlength=len(self.costs))

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """The features by unit, shape (d,), and where the units begin, shape (u + 1,)."""
        return np.argsort(self.labels, kind="stable"), np.append(0, np.cumsum(self.sizes))

    @cached_property
    def by_size(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each size k the units (m,) that have it, and their features (m, k), ascending."""
        features, starts = self._sorted
        sizes = [(k, np.flatnonzero(self.sizes == k)) for k in np.unique(self.sizes)]
        return [(units, features[starts[units, None] + np.arange(k)]) for k, units in sizes]

    def features(self, units: Any) -> np.ndarray:
        """The features of some units, or of one, one unit after the other."""
        features, starts = self._sorted
        parts = [features[starts[u] : starts[u + 1]] for u in np.atleast_1d(units)]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the features of each unit, shape (u,), of values of shape (d,)."""
        return np.bincount(self.labels, weights=values, minlength=len(self.costs))

    def cost(self, units: np.ndarray) -> float:
        """What some units, by position or as a mask, cost together."""
        return float(self.costs[units].sum())

    def can_be_chosen(self, budget: float) -> np.ndarray:
        """Which units, shape (u,), the budget buys along with those that must be chosen."""
        possible = self.costs <= budget - self.cost(self.included)
        possible[self.included] = True
        return possible

    def bought(self, priority: np.ndarray, budget: float) -> np.ndarray:
        """Units in descending order of ``priority``, (u,), each that the ones before leave money
        for."""
        chosen = []
        for unit in np.argsort(-priority, kind="stable"):
            if self.costs[unit] <= budget:
                budget -= self.costs[unit]
                chosen.append(unit)
        return np.array(chosen, dtype=np.intp)

    def most_features(self, budget: float) -> int:
        """A bound on the number of features that the budget buys: s where each costs 1."""
        order = np.argsort(self.costs / self.sizes)
        before = np.cumsum(self.costs[order]) - self.costs[order]
        share = np.clip((budget - before) / self.costs[order], 0, 1)
        return int(np.ceil(share @ self.sizes[order]))


def ratio_traces(S: np.ndarray, F: np.ndarray, smallest: np.ndarray) -> np.ndarray:
    """``Tr(S^-1 F)`` for each of m units of k features, shape (m,), by elimination.

    With S what the chosen features leave of a quadratic form and F a Gram matrix of residuals, it
    is what choosing the unit gains. A feature that others make redundant gains nothing.

    Parameters
    ----------
    S, F : ndarray of shape (m, k, k), symmetric positive semi-definite
    smallest : ndarray of shape (m, k)
        A feature whose pivot is not above it is redundant.
    """
    traces = np.zeros(len(S))
    while True:
        pivots, usable = S[:, 0, 0], S[:, 0, 0] > smallest[:, 0]
        divisor = np.where(usable, pivots, 1)
        traces += np.where(usable, F[:, 0, 0] / divisor, 0)
        if S.shape[1] == 1:
            return traces
        ratio = np.where(usable[:, None], S[:, 0, 1:] / divisor[:, None], 0)
        half = F[:, 0, 1:] - ratio * (F[:, 0, 0, None] / 2)
        F = F[:, 1:, 1:] - outer(ratio, half) - outer(half, ratio)
        S, smallest = S[:, 1:, 1:] - outer(ratio, S[:, 0, 1:]), smallest[:, 1:]


def outer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The products ``x_i y_j``, (..., k, k), of vectors (..., k)."""
    return x[..., :, None] * y[..., None, :]
