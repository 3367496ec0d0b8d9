"""Greedy choice of columns of centred data: pivoted Cholesky factorisation of ``A = Z'Z``.

After t chosen columns let E be what their span leaves of Z. With the pivots' vectors ``om_r``
(d each), ``E'E = A - sum_r om_r om_r'``, so neither E nor a d x d matrix is ever built.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blufs._numerics.matrix.scatter import Scatter
from blufs.base import BaseSelector, Solution, constraints

#: A column is spanned by the chosen ones when this share of its variance, or less, is left.
_SPANNED = 1e-10
#: Relative error of a gain that is put down to rounding.
_ROUNDING = 1e-8


@dataclass(frozen=True)
class GreedyColumns:
    """The first s columns that a greedy rule takes.

    ``order`` has the chosen columns first, then the others by ``next_scores`` (shape (d,), what
    each would score if it were next), then the spanned ones by variance. ``scores`` (s,) are the
    criterion of the chosen ones and ``gains`` (s,) the squared norm of Z that each explains. Both
    are shorter than s where the chosen columns span all others.
    """

    order: np.ndarray
    scores: np.ndarray
    gains: np.ndarray
    next_scores: np.ndarray


def greedy_columns(
    scatter: Scatter, s_values: Iterable[int], included: np.ndarray, *, explain: bool
) -> dict[int, GreedyColumns]:
    """Choose columns of Z one after the other; the result for each s, from one run.

    Parameters
    ----------
    included : ndarray of int, shape (m,)
        Columns that are chosen first, among themselves by the same rule; m is at most each s.
    explain : bool
        Whether to take the column that explains most of Z, with the largest
        ``||E' e_j||^2 / ||e_j||^2``, or the one that is largest itself, with the largest
        ``||e_j||^2``.
    """
    wanted = sorted(set(s_values))
    run = _Run(scatter, wanted[-1], explain)
    if len(included):
        others = np.delete(np.arange(len(run.open)), included)
        run.open[others] = False
        while run.count < len(included) and run.step():
            pass
        run.open[others] = True
    results = {}
    for s in wanted:
        while run.count < s and run.step():
            pass
        results[s] = run.snapshot()
    return results


class _Run:
    """State of the choice: ``f_j = ||E' e_j||^2`` and ``g_j = ||e_j||^2`` for every column j."""

    def __init__(self, scatter: Scatter, capacity: int, explain: bool):
        diagonal, norms = scatter.diagonal_and_squared_norms()
        self.scatter, self.explain = scatter, explain
        self.variance = diagonal
        self.g, self.f = diagonal.copy(), norms.copy()
        self.open = np.ones(len(diagonal), dtype=bool)
        self.omegas = np.empty((capacity, len(diagonal)))
        self.chosen: list[int] = []
        self.scores: list[float] = []
        self.gains: list[float] = []

    @property
    def count(self) -> int:
        return len(self.chosen)

    def criterion(self) -> np.ndarray:
        """What each column would score next, shape (d,); 0 for those chosen or spanned."""
        self.open &= self.g > _SPANNED * self.variance
        score = np.zeros(len(self.g))
        score[self.open] = self.g[self.open]
        if self.explain:
            score[self.open] = np.maximum(self.f[self.open], 0) / self.g[self.open]
        return score

    def step(self) -> bool:
        """Take one more column; False if the chosen ones span all others."""
        score = self.criterion()
        while self.open.any():
            j = int(np.argmax(np.where(self.open, score, -1)))
            column = self._residual_column(j)
            if column[j] <= _SPANNED * self.variance[j]:
                self.open[j] = False
                score[j] = 0
                continue
            # Computed afresh: f and g have gathered rounding errors of all steps so far.
            gain = float(column @ column / column[j])
            fresh = gain if self.explain else float(column[j])
            if fresh >= (1 - _ROUNDING) * score[j]:
                self._take(j, column / np.sqrt(column[j]), fresh, gain)
                return True
            score[j], self.f[j], self.g[j] = fresh, column @ column, column[j]
        return False

    def snapshot(self) -> GreedyColumns:
        score = self.criterion()
        chosen = np.array(self.chosen, dtype=np.intp)
        others = np.setdiff1d(np.arange(len(score)), chosen)
        spanned = ~self.open[others]
        rest = others[np.lexsort((-self.variance[others], -score[others], spanned))]
        return GreedyColumns(
            order=np.concatenate([chosen, rest]),
            scores=np.array(self.scores),
            gains=np.array(self.gains),
            next_scores=score,
        )

    def _residual_column(self, j: int) -> np.ndarray:
        """Column j of ``E'E``."""
        known = self.omegas[: self.count]
        return self.scatter.column(j) - known[:, j] @ known

    def _take(self, j: int, omega: np.ndarray, score: float, gain: float) -> None:
        if self.explain:
            known = self.omegas[: self.count]
            v = self.scatter.times(omega[:, None])[:, 0] - (known @ omega) @ known
            self.f += omega * (gain * omega - 2 * v)
        self.g -= omega**2
        self.omegas[self.count] = omega
        self.open[j] = False
        self.chosen.append(j)
        self.scores.append(score)
        self.gains.append(gain)


class GreedyColumnSelector(BaseSelector):
    """Base of the methods that take one feature after the other."""

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True
    #: Which rule of :func:`blufs.methods._greedy.greedy_columns` the method follows.
    _explain: ClassVar[bool]

    _parameter_constraints: ClassVar[dict] = constraints("scaling")

    def __init__(self, n_features_to_select=None, *, scaling="none", include=None, exclude=None):
        self.n_features_to_select = n_features_to_select
        self.scaling = scaling
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> Scatter:
        return Scatter.of(X, self.scaling)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        return self._solve_given(X, s_values, precomputed, np.empty(0, dtype=int))

    def _solve_given(
        self, X: np.ndarray, s_values: list[int], precomputed, included: np.ndarray
    ) -> dict[int, Solution]:
        scatter = self._precompute(X) if precomputed is None else precomputed
        found = greedy_columns(scatter, s_values, included, explain=self._explain)
        total = float(scatter.diagonal_and_squared_norms()[0].sum())
        return {s: _solution(columns, total) for s, columns in found.items()}


def _solution(columns: GreedyColumns, total: float) -> Solution:
    scores = columns.next_scores.copy()
    scores[columns.order[: len(columns.scores)]] = columns.scores
    return Solution(
        scores=scores / total,
        order=columns.order,
        fitted={"explained_variance_ratio_": np.cumsum(columns.gains) / total},
    )
