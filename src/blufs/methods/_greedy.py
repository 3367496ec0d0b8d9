"""Greedy choice of columns of centred data: pivoted Cholesky factorisation of ``A = Z'Z``.

After t chosen columns let E be what their span leaves of Z. With the pivots' vectors ``om_r``
(d each), ``E'E = A - sum_r om_r om_r'``, so neither E nor a d x d matrix is ever built.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import gen_batches

from blufs._numerics.matrix.scatter import Scatter
from blufs._numerics.units import Units, outer, ratio_traces
from blufs.base import BaseSelector, Solution, constraints

#: A column is spanned by the chosen ones when this share of its variance, or less, is left.
_SPANNED = 1e-10
#: Columns of A that are made at a time for groups.
_COLUMNS = 256
#: Relative error of a gain that is put down to rounding.
_ROUNDING = 1e-8


@dataclass(frozen=True)
class GreedyColumns:
    """The units that a greedy rule takes for one budget.

    ``order`` has the columns of the chosen units first, ``n_chosen`` of them, then the others by
    what they would score next, the spanned ones last and by variance. ``scores`` (d,) are the
    criterion of a column's unit when it was taken, or now. ``gains`` (m,) are the squared norm of Z
    that each unit explains; fewer than were wanted where the chosen columns span all others.
    """

    order: np.ndarray
    n_chosen: int
    scores: np.ndarray
    gains: np.ndarray


def greedy_columns(
    scatter: Scatter, s_values: Iterable[float], units: Units, *, explain: bool
) -> dict[float, GreedyColumns]:
    """Choose units of columns of Z one after the other; the result for each budget s.

    Parameters
    ----------
    units : Units of d columns
        The included ones are chosen first, among themselves by the same rule; they cost at most s.
    explain : bool
        Whether to take the unit J that explains most of Z per cost, with the largest
        ``Tr((E_J' E_J)^-1 E_J' E E' E_J)``, or the one that is largest itself, with the largest
        ``||E_J||^2``. For a single column they are ``||E' e_j||^2 / ||e_j||^2`` and ``||e_j||^2``.
    """
    budgets = sorted(set(s_values))
    results: dict[float, GreedyColumns] = {}
    run = _Run(scatter, units, budgets[-1], explain)
    for s in budgets:
        if results and not units.cost_the_same:  # what a smaller budget buys need not be a part
            run = _Run(scatter, units, budgets[-1], explain)
        for among in (units.included, slice(None)):
            while run.step(s, among):
                pass
        results[s] = run.snapshot()
    return results


class _Run:
    """State of the choice.

    ``g`` has ``||e_j||^2`` of every column j. Where it is asked what they explain, ``G`` and ``F``
    in ``blocks`` hold ``E_J' E_J`` and ``E_J' E E' E_J`` of the units J of each size, arrays of
    shape (m, k, k).
    """

    def __init__(self, scatter: Scatter, units: Units, budget: float, explain: bool):
        self.scatter, self.units, self.explain = scatter, units, explain
        self.variance = scatter.diagonal_and_squared_norms()[0]
        self.g = self.variance.copy()
        self.blocks = [_first_blocks(scatter, J) for _, J in units.by_size] if explain else []
        self.open = np.ones(len(units.costs), dtype=bool)
        self.chosen: list[int] = []
        self.scores = np.zeros(len(units.costs))
        self.gains: list[float] = []
        self.omegas = np.empty((units.most_features(budget), len(self.variance)))
        self.rank = 0

    def criterion(self) -> np.ndarray:
        """What each unit would score next, shape (u,); 0 for those chosen or spanned."""
        smallest = _SPANNED * self.variance
        self.open &= self.units.sums(self.g > smallest) > 0
        score = self.units.sums(self.g)
        for (units, J), (G, F) in zip(self.units.by_size, self.blocks, strict=False):
            score[units] = ratio_traces(G, F, smallest[J])
        return np.where(self.open, np.maximum(score, 0), 0)

    def step(self, budget: float, among: np.ndarray | slice) -> bool:
        """Take one more unit; False if the budget buys none that the chosen ones do not span."""
        score, costs = self.criterion(), self.units.costs
        paid, allowed = np.zeros((2, len(costs)), dtype=bool)
        paid[self.chosen] = paid[self.units.included] = True
        allowed[among] = (paid | (costs <= budget - self.units.cost(paid)))[among]
        while (possible := allowed & self.open).any():
            unit = int(np.argmax(np.where(possible, score / costs, -1)))
            J = self.units.features(unit)
            rows = self._residual_rows(J)
            omegas = self._pivots(J, rows)
            if not omegas:
                self.open[unit] = False
                continue
            # Computed afresh: g, G and F have gathered rounding errors of all steps so far.
            gain = sum(float(omega @ omega) for omega in omegas)
            fresh = gain if self.explain else float(np.trace(rows[:, J]))
            if fresh >= (1 - _ROUNDING) * score[unit]:
                self._take(unit, omegas, fresh, gain)
                return True
            score[unit] = fresh
            self._refresh(unit, J, rows)
        return False

    def snapshot(self) -> GreedyColumns:
        score, labels = self.criterion(), self.units.labels
        chosen = self.units.features(self.chosen)
        others = np.setdiff1d(np.arange(len(labels)), chosen)
        spanned = ~self.open[labels[others]]
        rest = others[np.lexsort((-self.variance[others], -score[labels[others]], spanned))]
        score[self.chosen] = self.scores[self.chosen]
        return GreedyColumns(
            order=np.concatenate([chosen, rest]),
            n_chosen=len(chosen),
            scores=score[labels],
            gains=np.array(self.gains),
        )

    def _residual_rows(self, J: np.ndarray) -> np.ndarray:
        """The rows J of ``E'E``, shape (k, d)."""
        known = self.omegas[: self.rank]
        return self.scatter.columns(J).T - known[:, J].T @ known

    def _pivots(self, J: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
        """The pivots' vectors of the columns J, given those rows of ``E'E``; none for a spanned
        column."""
        omegas: list[np.ndarray] = []
        for j, row in zip(J, rows, strict=True):
            left = row - sum(omega[j] * omega for omega in omegas)
            if left[j] > _SPANNED * self.variance[j]:
                omegas.append(left / np.sqrt(left[j]))
        return omegas

    def _take(self, unit: int, omegas: list[np.ndarray], score: float, gain: float) -> None:
        for omega in omegas:
            if self.explain:
                known = self.omegas[: self.rank]
                v = self.scatter.times(omega[:, None])[:, 0] - (known @ omega) @ known
                change = float(omega @ omega) / 2 * omega - v
            for (_, J), (G, F) in zip(self.units.by_size, self.blocks, strict=False):
                G -= outer(omega[J], omega[J])
                F += outer(omega[J], change[J]) + outer(change[J], omega[J])
            self.g -= omega**2
            self.omegas[self.rank] = omega
            self.rank += 1
        self.open[unit] = False
        self.chosen.append(unit)
        self.scores[unit] = score
        self.gains.append(gain)

    def _refresh(self, unit: int, J: np.ndarray, rows: np.ndarray) -> None:
        self.g[J] = np.diagonal(rows[:, J])
        for (units, _), (G, F) in zip(self.units.by_size, self.blocks, strict=False):
            if unit in units:
                G[units == unit], F[units == unit] = rows[:, J], rows @ rows.T


def _first_blocks(scatter: Scatter, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``A_JJ`` and ``A_J' A_J`` of units J of one size (m, k), each of shape (m, k, k)."""
    m, k = features.shape
    if k == 1:
        diagonal, norms = scatter.diagonal_and_squared_norms()
        return diagonal[features[:, :, None]], norms[features[:, :, None]]
    G, F = np.empty((2, m, k, k))
    for some in gen_batches(m, max(1, _COLUMNS // k)):
        J = features[some]
        columns = scatter.columns(J.ravel())
        own = np.arange(J.size).reshape(J.shape)
        G[some] = columns[J[:, :, None], own[:, None, :]]
        F[some] = (columns.T @ columns)[own[:, :, None], own[:, None, :]]
    return G, F


class GreedyColumnSelector(BaseSelector):
    """Base of the methods that take one feature after the other."""

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True
    #: Which rule of :func:`blufs.methods._greedy.greedy_columns` the method follows.
    _explain: ClassVar[bool]

    _parameter_constraints: ClassVar[dict] = constraints("costs groups scaling")

    def __init__(
        self,
        n_features_to_select=None,
        *,
        scaling="none",
        include=None,
        exclude=None,
        costs=None,
        groups=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.scaling = scaling
        self.include = include
        self.exclude = exclude
        self.costs = costs
        self.groups = groups

    def _precompute(self, X: np.ndarray) -> Scatter:
        return Scatter.of(X, self.scaling)

    def _solve_given(
        self, X: np.ndarray, s_values: list[float], precomputed, units: Units
    ) -> dict[float, Solution]:
        scatter = self._precompute(X) if precomputed is None else precomputed
        found = greedy_columns(scatter, s_values, units, explain=self._explain)
        total = float(scatter.diagonal_and_squared_norms()[0].sum())
        return {
            s: Solution(
                scores=columns.scores / total,
                order=columns.order,
                n_features=columns.n_chosen,
                per_feature={"gains_": columns.scores / total},
                fitted={"explained_variance_ratio_": np.cumsum(columns.gains) / total},
            )
            for s, columns in found.items()
        }
