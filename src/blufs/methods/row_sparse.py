"""What UDFS, SOGFS and SPCAFS share as estimators: parameters and the published result."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from blufs._numerics.row_sparse import SparseSubspace
from blufs._numerics.scaling import FEATURE_SCALINGS
from blufs.base import BaseSelector, Solution


class RowSparseSelector(BaseSelector):
    """Base of the methods that rank by the row norms of an orthonormal W with a row penalty.

    A large penalty leaves m features, all with a row of norm 1 but for rounding errors: norms that
    agree in ten digits count as equal, and the feature with the smaller index comes first.
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseSelector._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_components": [None, Interval(Integral, 1, None, closed="left")],
        "scaling": [StrOptions(set(FEATURE_SCALINGS))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    gamma: float
    n_clusters: int
    n_components: int | None
    max_iter: int
    tol: float

    def _n_components(self, limit: int) -> int:
        return min(self.n_components or self.n_clusters, limit)

    def _solution(self, result: SparseSubspace, **fitted) -> Solution:
        if not result.converged:
            self._warn_not_converged()
        return Solution(
            scores=result.squared_norms,
            order=np.argsort(-ten_digits(result.squared_norms), kind="stable"),
            n_iter=result.n_iter,
            converged=result.converged,
            objective_history=result.history,
            per_feature={} if result.W is None else {"components_": result.W},
            fitted=fitted,
        )

    def _warn_not_converged(self) -> None:
        warnings.warn(
            f"{type(self).__name__} did not settle within max_iter={self.max_iter} iterations at "
            f"gamma={self.gamma}",
            ConvergenceWarning,
            stacklevel=2,
        )


def ten_digits(values: np.ndarray) -> np.ndarray:
    """The values, rounded to ten significant digits."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa, 10), exponent)
