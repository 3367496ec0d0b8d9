"""What FSCA and PivotedQR share as estimators: parameters, data and the published result."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from blufs._numerics.greedy import GreedyColumns, greedy_columns
from blufs._numerics.scaling import FEATURE_SCALINGS
from blufs._numerics.scatter import Scatter
from blufs.base import BaseSelector, Solution


class GreedyColumnSelector(BaseSelector):
    """Base of the methods that take one feature after the other."""

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    #: Which rule of :func:`blufs._numerics.greedy.greedy_columns` the method follows.
    _explain: ClassVar[bool]

    _parameter_constraints: ClassVar[dict] = {
        **BaseSelector._parameter_constraints,
        "scaling": [StrOptions(set(FEATURE_SCALINGS))],
    }

    def __init__(self, n_features_to_select=None, *, scaling="none"):
        self.n_features_to_select = n_features_to_select
        self.scaling = scaling

    def _precompute(self, X: np.ndarray) -> Scatter:
        return Scatter.of(X, self.scaling)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        scatter = self._precompute(X) if precomputed is None else precomputed
        found = greedy_columns(scatter, s_values, explain=self._explain)
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
