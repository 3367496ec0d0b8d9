"""The contract of a feature selector: validation, ranking and the path over s, written once.

A method subclasses :class:`BaseSelector` and implements one of

- ``_rank(X, precomputed) -> Solution`` when one fit ranks the features for every s;
- ``_solve(X, s_values, precomputed) -> dict[int, Solution]`` when s enters the fit.

``_precompute(X)`` may return anything that depends neither on s nor on the parameters named in
``tuned_parameters``; a grid over those computes it once and hands it to every fit. All three get
validated data without constant features: those are ranked last here, for every method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, RealNotInt
from sklearn.utils.validation import check_is_fitted, validate_data

from blufs.numerics.errors import MethodLimitError
from blufs.numerics.graph import SampleGraph

__all__ = [
    "BaseSelector",
    "GraphSelector",
    "MethodLimitError",
    "Solution",
    "check_n_clusters",
]


@dataclass(frozen=True)
class Solution:
    """What a method found for one s.

    Attributes
    ----------
    scores : ndarray of shape (d,)
        Larger is better.
    order : ndarray of shape (d,), optional
        All features, best first. By default by descending score, ties by smaller index.
    objective_history : ndarray, optional
        Objective at the start and after every sweep.
    per_feature, fitted : dict
        Further fitted attributes, published under their name (which ends in ``_``); the arrays in
        ``per_feature`` have the features as first axis.
    """

    scores: np.ndarray
    order: np.ndarray | None = None
    n_iter: int | None = None
    converged: bool = True
    objective_history: np.ndarray | None = None
    per_feature: dict[str, np.ndarray] = field(default_factory=dict)
    fitted: dict[str, Any] = field(default_factory=dict)

    @property
    def ranked(self) -> np.ndarray:
        """All features, best first, shape (d,)."""
        if self.order is not None:
            return self.order
        return np.argsort(-self.scores, kind="stable")


class BaseSelector(SelectorMixin, BaseEstimator):
    """Base of all unsupervised feature selectors of this library.

    Attributes set by ``fit``
    -------------------------
    scores_ : ndarray of shape (n_features,), larger is better
    ranking_ : ndarray of shape (n_features,), 1 is best
    support_ : boolean ndarray of shape (n_features,)
    n_iter_, converged_, objective_history_ : where the method iterates
    """

    #: Parameters that ``precompute`` does not depend on (besides ``n_features_to_select``).
    tuned_parameters: ClassVar[tuple[str, ...]] = ()
    #: Whether ``select_path`` answers for all features only, whatever s is asked for.
    keeps_all_features: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict] = {
        "n_features_to_select": [
            None,
            Interval(RealNotInt, 0, 1, closed="neither"),
            Interval(Integral, 1, None, closed="left"),
        ],
    }

    n_features_to_select: int | float | None

    def precompute(self, X) -> Any:
        """What fits with other tuned parameters or another s can share (None: nothing)."""
        self._validate_params()
        X = self._validate(X)
        return self._precompute(X[:, _varying(X)])

    def _precompute(self, X: np.ndarray) -> Any:
        """As ``precompute``, on validated data without constant features."""
        return None

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, precomputed=None):
        """Select features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        precomputed : optional
            The result of :meth:`precompute` on the same X, or, for methods on a neighbour graph, a
            :class:`~blufs.numerics.graph.SampleGraph` or a symmetric similarity matrix of shape
            (n_samples, n_samples).
        """
        X = self._validate(X)
        s = self._resolve_n_features(X.shape[1])
        solution = self._solve_varying(X, [s], precomputed)[s]
        self._publish(solution, s)
        return self

    def select_path(self, X, s_values: Sequence[int], *, precomputed=None) -> dict[int, Solution]:
        """Solutions for several numbers of features, sharing all that can be shared.

        ``select_path(X, [.., s, ..])[s]`` is what ``fit`` with ``n_features_to_select=s`` finds,
        whatever the other values are.
        """
        self._validate_params()
        X = self._validate(X)
        wanted = [_check_count(s, X.shape[1]) for s in s_values]
        return self._solve_varying(X, sorted(set(wanted)), precomputed)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        raise NotImplementedError(f"{type(self).__name__} implements neither _rank nor _solve")

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        solution = self._rank(X, precomputed)
        return dict.fromkeys(s_values, solution)

    def _validate(self, X) -> np.ndarray:
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        if np.all(X[0] == X):
            raise ValueError(
                "X has no variance: all samples are equal, so there is nothing to select by"
            )
        return X

    def _resolve_n_features(self, d: int) -> int:
        wanted = self.n_features_to_select
        if wanted is None:
            return max(1, d // 2)
        if isinstance(wanted, Integral):
            return _check_count(wanted, d)
        return max(1, int(wanted * d))

    def _solve_varying(self, X, s_values: list[int], precomputed) -> dict[int, Solution]:
        """Solve on the varying features only and put the constant ones last."""
        varying, d = _varying(X), X.shape[1]
        if isinstance(varying, slice):
            solutions = self._solve(X, s_values, precomputed)
            return {s: replace(solutions[s], order=solutions[s].ranked) for s in s_values}
        inner = {s: min(s, len(varying)) for s in s_values}
        solutions = self._solve(X[:, varying], sorted(set(inner.values())), precomputed)
        return {s: _with_constants(solutions[inner[s]], varying, d) for s in s_values}

    def _publish(self, solution: Solution, s: int) -> None:
        order = solution.ranked
        self.scores_ = solution.scores
        self.ranking_ = np.empty(len(order), dtype=int)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.support_ = self.ranking_ <= s
        if solution.n_iter is not None:
            self.n_iter_ = solution.n_iter
            self.converged_ = solution.converged
        if solution.objective_history is not None:
            self.objective_history_ = solution.objective_history
        for name, value in {**solution.per_feature, **solution.fitted}.items():
            setattr(self, name, value)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_


class GraphSelector(BaseSelector):
    """Base of the methods whose shared part is the heat-kernel graph of the samples."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    n_neighbors: int

    def _precompute(self, X: np.ndarray) -> Any:
        return SampleGraph.from_data(X, self.n_neighbors)

    def _graph(self, X: np.ndarray, precomputed) -> SampleGraph:
        if precomputed is None:
            return SampleGraph.from_data(X, self.n_neighbors)
        graph = SampleGraph.coerce(precomputed)
        if graph.n_samples != len(X):
            raise ValueError(f"the precomputed graph has {graph.n_samples} samples, X has {len(X)}")
        return graph


def check_n_clusters(n_clusters: int, n_samples: int) -> None:
    if n_clusters > n_samples:
        raise ValueError(f"n_clusters={n_clusters} is above n_samples={n_samples}")


def _varying(X: np.ndarray) -> np.ndarray | slice:
    """Indices of the features that are not constant; a full slice (no copy of X) if all vary."""
    varying = (X[0] != X).any(axis=0)
    return slice(None) if varying.all() else np.flatnonzero(varying)


def _check_count(s, d: int) -> int:
    if isinstance(s, bool) or not isinstance(s, Integral) or int(s) < 1:
        raise ValueError(f"the number of features must be a positive integer, got {s!r}")
    if int(s) > d:
        raise ValueError(f"n_features_to_select={s} is above the number of features, {d}")
    return int(s)


def _with_constants(solution: Solution, varying: np.ndarray, d: int) -> Solution:
    """Extend a solution on the varying features to all d: constant ones score and rank last."""
    constant = np.setdiff1d(np.arange(d), varying)
    scores = np.full(d, solution.scores.min(), dtype=solution.scores.dtype)
    scores[varying] = solution.scores
    per_feature = {}
    for name, values in solution.per_feature.items():
        per_feature[name] = np.zeros((d, *values.shape[1:]), dtype=values.dtype)
        per_feature[name][varying] = values
    order = np.concatenate([varying[solution.ranked], constant])
    return replace(solution, scores=scores, order=order, per_feature=per_feature)
