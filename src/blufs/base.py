"""The contract of a feature selector: validation, ranking and the path over s, written once.

A method subclasses :class:`BaseSelector` and implements one of

- ``_rank(X, precomputed) -> Solution`` when one fit ranks the features for every s;
- ``_solve(X, s_values, precomputed) -> dict[int, Solution]`` when s enters the fit (s is None where
  the method is to count the features itself).

``_precompute(X)`` may return anything that depends neither on s nor on the parameters named in
``tuned_parameters``; a grid over those computes it once and hands it to every fit. All three get
validated data without constant and excluded features: those are ranked last here, for every method.
Features that must be chosen are ranked first here; a method that can choose the others *given* them
implements ``_solve_given(X, s_values, precomputed, units)`` instead of ``_solve``, and if it has
``costs`` and ``groups`` as parameters, then by units and budgets s. Values near
the ends of the floating-point numbers are scaled by a power of two first, and offsets taken off
where the method says that they change nothing, see :mod:`blufs._numerics.matrix.conditioning`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_is_fitted,
    validate_data,
)

from blufs._numerics.feature_names import feature_costs, feature_groups, feature_indices, shown
from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix.chunked import (
    as_row_chunks,
    column_slice,
    first_row,
    is_beyond_memory,
    is_lazy,
)
from blufs._numerics.matrix.conditioning import conditioned, varying_columns
from blufs._numerics.matrix.scaling import FEATURE_SCALINGS
from blufs._numerics.matrix.sparse import canonical_csr, check_structure, some_columns
from blufs._numerics.progress import reporting
from blufs._numerics.redundancy import redundancy
from blufs._numerics.table import as_table
from blufs._numerics.threads import threads_for
from blufs._numerics.units import Units
from blufs._numerics.warn import warn_user

__all__ = [
    "BaseSelector",
    "GraphSelector",
    "MethodLimitError",
    "Precomputed",
    "Solution",
    "check_n_clusters",
]


class MethodLimitError(ValueError):
    """The data are beyond a documented limit of the method."""


@dataclass(frozen=True)
class Solution:
    """What a method found for one s.

    Attributes
    ----------
    scores : ndarray of shape (d,)
        Larger is better.
    order : ndarray of shape (d,), optional
        All features, best first. By default by descending score, ties by smaller index.
    n_features : int
        The number of selected features, which come first in the order. A method says it where it
        is not s: where it counts the features itself, or these have costs or groups.
    objective_history : ndarray, optional
        Objective at the start and after every sweep.
    per_feature, fitted : dict
        Further fitted attributes, published under their name (which ends in ``_``); the arrays in
        ``per_feature`` have the features as first axis.
    """

    scores: np.ndarray
    order: np.ndarray | None = None
    n_features: int = 0
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

    @property
    def selected(self) -> np.ndarray:
        """The selected features, best first."""
        return self.ranked[: self.n_features]


NON_NEGATIVE = Interval(Real, 0, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")
#: The values of parameters that mean the same in all methods that have them.
_COMMON = {
    "n_features_to_select": [None, Interval(Real, 0, 1, closed="neither"), AT_LEAST_ONE],
    "include": [None, "array-like"],
    "exclude": [None, "array-like"],
    "costs": [None, "array-like"],
    "groups": [None, "array-like"],
    "n_clusters": [AT_LEAST_ONE],
    "n_components": [None, AT_LEAST_ONE],
    "n_neighbors": [AT_LEAST_ONE],
    "scaling": [StrOptions(set(FEATURE_SCALINGS))],
    "max_iter": [AT_LEAST_ONE],
    "tol": [NON_NEGATIVE],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


def constraints(common: str = "", **own: list) -> dict[str, list]:
    """What the parameters of a method may be: the common ones by name, and its own ones."""
    of_all = "n_features_to_select", "include", "exclude"
    return {name: _COMMON[name] for name in (*of_all, *common.split())} | own


#: A feature is redundant if a chosen one explains this share of its variance.
REDUNDANT_SHARE = 0.5
#: Largest modulus of a parameter, and the inverse of the least: squares with data stay finite.
_MAX_PARAMETER = 1e100
#: A budget is kept up to this share of it, because costs are added up with rounding errors.
_COST_ROUNDING = 1e-9


@dataclass(frozen=True)
class Precomputed:
    """The result of :meth:`BaseSelector.precompute`, which remembers what it was made for.

    Attributes
    ----------
    value : what the method computed
    method : str
    shape : (n_samples, n_features) of X
    first_row : ndarray of shape (n_features,)
        By which other data of the same shape are told apart.
    parameters : dict
        The parameters that the value depends on.
    """

    value: Any
    method: str
    shape: tuple[int, int]
    first_row: np.ndarray
    parameters: dict[str, Any]

    def check(self, selector: BaseSelector, X: np.ndarray) -> None:
        """Raise ValueError unless made by such a selector on such data."""
        name = type(selector).__name__
        if self.method != name:
            raise ValueError(f"precomputed was made by {self.method}, but {name} needs its own")
        if self.shape != X.shape:
            raise ValueError(f"precomputed was made for X of shape {self.shape}, X has {X.shape}")
        if not np.array_equal(self.first_row, first_row(X)):
            raise ValueError(f"precomputed was made for other data of the same shape {self.shape}")
        for parameter, wanted in selector._shared_parameters(X.shape[1]).items():
            made_with = self.parameters.get(parameter, wanted)
            if made_with != wanted:
                raise ValueError(
                    f"precomputed was made with {parameter}={made_with!r}, but {name} has "
                    f"{parameter}={wanted!r}"
                )


class ColumnsMixin(SelectorMixin):
    """``transform`` of all selectors of this library, those that search among others included."""

    def transform(self, X):
        """The selected columns of X: sparse if X is, of a dask array another one."""
        if sp.issparse(X):
            check_structure(X)
        if not is_beyond_memory(X):
            return super().transform(X)
        columns = self.get_support(indices=True)
        validate_data(self, X, skip_check_array=True, reset=False)
        return column_slice(X, columns)


class BaseSelector(ColumnsMixin, BaseEstimator):
    """Base of all unsupervised feature selectors of this library.

    Parameters
    ----------
    include : array-like, optional
        Features that must be chosen: positions, names (if X is a DataFrame) or a boolean mask. They
        count as selected features and rank first. BLUFS and the greedy methods choose the others
        given these.
    exclude : array-like, optional
        Features that must not be chosen, likewise. The result is that without these columns.
    costs : array-like of shape (n_features,) or dict of names, optional
        What each feature costs, a positive number; BLUFS and the greedy methods have this
        parameter. ``n_features_to_select`` is then a budget, in the same unit: the selected
        features cost at most that together, half of what all cost if it is None. Features are
        chosen by what they gain per cost, and what is left of the budget need not buy anything.
    groups : array-like of shape (n_features,) or dict of names, optional
        A label per feature; the same methods have it. Features of one label are chosen together,
        and ``n_features_to_select`` counts groups, or bounds what they cost: a group costs what
        its features cost together. Those that a dict does not name go alone. Including a feature
        includes its group, and a group can only be excluded as a whole.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Larger is better.
    ranking_ : ndarray of shape (n_features,)
        1 is best.
    support_ : ndarray of bool of shape (n_features,)
        Which features are selected; ``n_features_to_select_`` tells how many.
    indices_ : ndarray of int of shape (n_features_to_select_,)
        Positions of the selected features, best first; ``scores_[indices_]`` are their scores, and
        ``feature_names_in_[indices_]`` their names if X had names.
    n_iter_, converged_, objective_history_ : int, bool, ndarray
        Where the method iterates.
    """

    #: Parameters that ``precompute`` does not depend on (besides ``n_features_to_select``).
    tuned_parameters: ClassVar[tuple[str, ...]] = ()
    #: Whether adding a constant to a feature changes nothing (but for ``scaling="unit"``).
    ignores_offsets: ClassVar[bool] = False
    #: Whether ``precomputed`` may be a neighbour graph of the samples.
    takes_graph: ClassVar[bool] = False
    #: Whether X may be sparse; the method then gets a canonical CSR array, float64 or float32.
    takes_sparse: ClassVar[bool] = False
    #: Whether X may be read in blocks of rows; the method then gets a :class:`RowChunks`.
    takes_chunks: ClassVar[bool] = False
    #: Whether ``select_path`` answers for all features only, whatever s is asked for.
    keeps_all_features: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict] = constraints()

    n_features_to_select: int | float | str | None
    include: Any = None
    exclude: Any = None
    costs: Any = None
    groups: Any = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        return tags

    def precompute(self, X) -> Precomputed:
        """What fits with other tuned parameters or another s can share."""
        self._validate_params()
        plain = self._plain()
        X = plain._validate(X)
        with threads_for(X):
            value = plain._precompute(plain._usable_part(X)[0])
        name, parameters = type(self).__name__, plain._shared_parameters(X.shape[1])
        return Precomputed(value, name, X.shape, first_row(X), parameters)

    def _precompute(self, X: np.ndarray) -> Any:
        """As ``precompute``, on validated data without constant and excluded features."""
        return None

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, precomputed=None):
        """Select features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Sparse if the method says so by its tag ``input_tags.sparse``; never made dense then.
            Beyond memory (dask, memmap, HDF5) if its ``takes_chunks`` is true: read in chunks.
        y : ignored
        precomputed : optional
            The result of :meth:`precompute` on the same X, or, for methods on a neighbour graph, a
            :class:`~blufs._numerics.graph.SampleGraph` or a symmetric similarity matrix of shape
            (n_samples, n_samples). Anything else raises ValueError, and so does what was made for
            data of another shape or with another first sample; the other samples are not compared.
        """
        X = self._validate(X)
        s = self._resolve_n_features(X.shape[1])
        self._publish(self._plain()._solve_usable(X, [s], precomputed)[s])
        return self

    def select_path(self, X, s_values: Sequence[int], *, precomputed=None) -> dict[int, Solution]:
        """Solutions for several numbers of features, sharing all that can be shared.

        ``select_path(X, [.., s, ..])[s]`` is what ``fit`` with ``n_features_to_select=s`` finds,
        whatever the other values are; its ``selected`` features are the first of the ``ranked``
        ones. The selector itself stays as it is, fitted or not.
        """
        self._validate_params()
        plain = self._plain()
        X = plain._validate(X)
        if not isinstance(s_values, Iterable):
            raise ValueError(f"s_values must be a list of numbers of features, got {s_values!r}")
        wanted = [plain._check_size(s, X.shape[1]) for s in s_values]
        if not wanted:
            raise ValueError("s_values is empty: there is no number of features to select")
        return plain._solve_usable(X, sorted(set(wanted)), precomputed)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        raise NotImplementedError(f"{type(self).__name__} implements neither _rank nor _solve")

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        return dict.fromkeys(s_values, self._rank(X, precomputed))

    def _solve_given(
        self, X: np.ndarray, s_values: list, precomputed, units: Units
    ) -> dict[Any, Solution]:
        """As ``_solve``, for budgets s of units of the features of X; the included ones, which cost
        at most s, will be ranked first."""
        return self._solve(X, s_values, precomputed)

    def _plain(self) -> Self:
        """A copy to work on, with Python's numbers for NumPy's and fractions.

        Only ``fit`` changes the selector itself, and only by what it publishes.
        """
        plain = copy(self)
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, Real) and not isinstance(value, bool | int | float):
                setattr(plain, name, int(value) if isinstance(value, Integral) else float(value))
        return plain

    def _validate_params(self) -> None:
        plain = self._plain()
        if self.costs is not None and isinstance(plain.n_features_to_select, Real):
            _check_budget(plain.n_features_to_select)
            plain.n_features_to_select = None
        super(BaseSelector, plain)._validate_params()
        for name, value in plain.get_params(deep=False).items():
            rules = self._parameter_constraints.get(name, [])
            if not (isinstance(value, Real | np.bool_) and Interval in map(type, rules)):
                continue
            size = abs(value if isinstance(value, int) else float(value))
            if isinstance(value, bool | np.bool_):
                problem = "must be a number, not a truth value"
            elif size != 0 and not 1 / _MAX_PARAMETER <= size <= _MAX_PARAMETER:
                problem = f"must lie between 1e-100 and {_MAX_PARAMETER:g}, if it is not zero"
            else:
                continue
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(self).__name__} {problem}. Got {value!r} instead."
            )

    def _shared_parameters(self, d: int) -> dict[str, Any]:
        """Plain parameters that ``precompute`` depends on; a seed may differ between fits."""
        free = {"n_features_to_select", "random_state", "include", "verbose"}
        free |= set(self.tuned_parameters)
        plain = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in free and isinstance(value, Real | str | None)
        }
        return {**plain, "exclude": self._preselected(d)[1].tolist()}

    def _validate(self, X, *, reset: bool = True) -> Any:
        """X as the method gets it: an ndarray, a canonical csr_array or RowChunks, all finite.

        With ``reset=False`` X must have the features of the data that were fitted.
        """
        refuse_unusable(X, self)
        chunks = as_row_chunks(X) if self.takes_chunks and is_beyond_memory(X) else None
        if chunks is not None:
            validate_data(self, chunks, skip_check_array=True, reset=reset)
            X = chunks.checked()
        else:
            kinds = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
            with np.errstate(invalid="ignore"):  # scikit-learn adds up X, +inf - inf if it is large
                X = validate_data(self, X, **kinds, ensure_min_samples=2, reset=reset)
            X = canonical_csr(X) if sp.issparse(X) else X
        if not varying_columns(X).any():
            raise ValueError("X has no variance: all samples are equal, none can be told apart")
        return X

    def _units(self, d: int, names=None) -> tuple[Units, np.ndarray]:
        """What of d features is chosen as one, and which units, (u,), are not excluded; ``names``
        of all features are those of the data unless given."""
        names = getattr(self, "feature_names_in_", None) if names is None else names
        included = feature_indices(self.include, d, names, "include")
        excluded = np.zeros(d, dtype=bool)
        excluded[feature_indices(self.exclude, d, names, "exclude")] = True
        labels = np.arange(d) if self.groups is None else feature_groups(self.groups, d, names)
        costs: np.ndarray = np.ones(len(np.unique(labels)))
        if self.costs is not None:
            costs = np.bincount(labels, weights=feature_costs(self.costs, d, names))
        units = Units(labels, costs, np.unique(labels[included]))
        shares = units.sums(excluded) / units.sizes
        known = np.arange(d) if names is None else np.asarray(names, dtype=object)
        both = excluded & np.isin(labels, units.included)
        if both.any():
            raise ValueError(f"include and exclude both have {shown(known[both])}")
        split = excluded & (shares < 1)[labels]
        if split.any():
            raise ValueError(
                f"exclude has {shown(known[split])}, but not all of the group: the columns of a "
                "group stay together"
            )
        return units, shares == 0

    def _preselected(self, d: int, names=None) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the features that must be chosen, with the others of their groups, and of
        those that must not."""
        units, allowed = self._units(d, names)
        is_included = np.isin(units.labels, units.included)
        return np.flatnonzero(is_included), np.flatnonzero(~allowed[units.labels])

    def _by_position(self, d: int, names=None) -> dict[str, np.ndarray]:
        """The parameters that speak of d features, as they are for data without names."""
        included, excluded = self._preselected(d, names)
        given = {"include": included, "exclude": excluded}
        if self.costs is not None:
            given["costs"] = feature_costs(self.costs, d, names)
        if self.groups is not None:
            given["groups"] = feature_groups(self.groups, d, names)
        return {name: values for name, values in given.items() if len(values)}

    def _usable_part(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """X as the method gets it, without constant and excluded features, and which of all these
        are (None: all)."""
        usable, (_, excluded) = varying_columns(X), self._preselected(X.shape[1])
        usable[excluded] = False
        kept = None if usable.all() else np.flatnonzero(usable)
        if kept is not None:
            if not len(kept):
                raise ValueError("all features that exclude leaves are constant")
            X = some_columns(X, kept) if sp.issparse(X) else X[:, kept]
        scaling = getattr(self, "scaling", "none")
        ignores_offsets = self.ignores_offsets and scaling != "unit"
        if scaling == "auto":  # may take the features' own scale, where that can be computed with
            try:
                own = self._condition(X, ignores_offsets=ignores_offsets, ignores_scale=False)
                return own, kept
            except ValueError:
                scaling = "center+unit"
        ignores_scale = scaling not in ("none", "center")
        X = self._condition(X, ignores_offsets=ignores_offsets, ignores_scale=ignores_scale)
        return X, kept

    _condition = staticmethod(conditioned)

    def _given(self, X: np.ndarray, precomputed) -> Any:
        """What the user handed in as ``precomputed``, checked: a value of ``_precompute``, a
        :class:`SampleGraph`, or None."""
        if precomputed is None:
            return None
        if isinstance(precomputed, Precomputed):
            precomputed.check(self, X)
            return precomputed.value
        name = type(self).__name__
        if not self.takes_graph:
            raise ValueError(
                f"precomputed must be what {name}.precompute returned, got "
                f"{type(precomputed).__name__}; {name} takes no neighbour graph"
            )
        graph = SampleGraph.coerce(precomputed)
        if graph.n_samples != X.shape[0]:
            raise ValueError(
                f"the precomputed graph has {graph.n_samples} samples, X has {X.shape[0]}"
            )
        return graph

    def _resolve_n_features(self, d: int) -> int | float | None:
        """s: a number of features or groups, or a budget; None if the method counts them."""
        wanted = self.n_features_to_select
        if isinstance(wanted, str):  # "auto"
            if self.costs is not None:
                raise ValueError(
                    f"n_features_to_select={wanted!r} does not look at costs: give a budget"
                )
            return None
        units, allowed = self._units(d)
        if self.costs is not None:
            if wanted is None:
                least = max(_cheapest(units, allowed), units.cost(units.included))
                wanted = max(units.cost(allowed) / 2, least)
            return self._check_size(wanted, d)
        left = int(np.count_nonzero(allowed))
        if wanted is None:
            return max(1, left // 2, len(units.included))
        if isinstance(wanted, Integral):
            return self._check_size(wanted, d)
        return self._check_size(max(1, int(wanted * left)), d)

    def _check_size(self, s, d: int) -> int | float:
        """s as a number, if so many of d features or groups can be chosen, or for this budget."""
        units, allowed = self._units(d)
        if self.costs is not None:
            return _check_budget(s, units, allowed)
        unit = "features" if self.groups is None else "groups"
        s, left = check_count(s, len(allowed), unit), np.count_nonzero(allowed)
        if s > left:
            raise ValueError(
                f"n_features_to_select={s}, but exclude leaves {left} of {len(allowed)} {unit}"
            )
        if s < len(units.included):
            raise ValueError(
                f"n_features_to_select={s} is below the number of {unit} in include, "
                f"{len(units.included)}"
            )
        return s

    def _solve_usable(self, X, s_values: list, precomputed) -> dict[Any, Solution]:
        """Solve on the usable features only, and put the others last."""
        given = self._given(X, precomputed)
        d = X.shape[1]
        (units, _), excluded = self._units(d), self._preselected(d)[1]
        part, kept = self._usable_part(X)
        if kept is None:
            kept = np.arange(part.shape[1])
        solved = units.part(kept)
        inner = {s: self._inner_size(s, units, solved) for s in s_values}
        talking = reporting(type(self).__name__, getattr(self, "verbose", 0))
        # What is too small to count is zero.
        with talking, np.errstate(under="ignore"), threads_for(X):
            solutions = self._solve_given(part, sorted(set(inner.values())), given, solved)
        for s in inner.values():
            check_ranking(solutions.get(s), len(kept), type(self).__name__)
        self._warn_unless_converged(solutions)
        counted = {s: None if self.costs is not None else s for s in s_values}
        return {
            s: _extended(solutions[inner[s]], kept, units, excluded, counted[s]) for s in s_values
        }

    def _inner_size(self, s, units: Units, solved: Units):
        """What of s is for the units that vary; constant ones that must be chosen take the rest."""
        if s is None:
            return None
        paid = units.cost(units.included) - solved.cost(solved.included)
        if self.costs is None:
            return min(max(s - int(paid), 1), len(solved.costs))
        left = s * (1 + _COST_ROUNDING) - paid
        if not len(solved.included) and left < solved.costs.min():
            raise ValueError(
                f"n_features_to_select={s} is a budget that buys no feature that varies: the "
                f"cheapest costs {solved.costs.min():g}"
            )
        return left

    def _warn_unless_converged(self, solutions: dict[Any, Solution]) -> None:
        late = [s or found.n_features for s, found in solutions.items() if not found.converged]
        if late:
            limit = getattr(self, "max_iter", None)
            within = "" if limit is None else f" within max_iter={limit} iterations"
            which = "" if len(late) == len(solutions) else f" for s in {sorted(late)}"
            warn_user(
                f"{type(self).__name__} did not converge{within}{which}; the result is usable, a "
                "larger max_iter or tol removes this warning",
                ConvergenceWarning,
            )

    def _publish(self, solution: Solution) -> None:
        order, s = solution.ranked, solution.n_features
        if not np.isfinite(solution.scores).all():
            raise FloatingPointError(f"{type(self).__name__} found scores that are NaN or infinite")
        self.scores_ = solution.scores
        self.ranking_ = np.empty(len(order), dtype=int)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.support_ = self.ranking_ <= s
        self.indices_ = order[:s]
        self.n_features_to_select_ = s
        if solution.n_iter is not None:
            self.n_iter_ = solution.n_iter
            self.converged_ = solution.converged
        if solution.objective_history is not None:
            self.objective_history_ = solution.objective_history
        for name, value in {**solution.per_feature, **solution.fitted}.items():
            setattr(self, name, value)

    def explain(self, X):
        """Why each feature was chosen or not: a table with one row per feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data that was fitted.

        Returns
        -------
        DataFrame, or dict of arrays where pandas is not installed
            ``feature``: its name, the index of a DataFrame. ``status``: ``included``, ``excluded``,
            ``chosen``, ``constant``; ``redundant`` if it correlates so strongly with a chosen one
            that this explains at least half of its variance; else ``low score``. ``rank``: 1 is
            best. ``score``: of ``scores_``. ``gain``: of ``gains_``, where the method tells what
            the objective gains by each feature; NaN for constant and excluded ones.
            ``most_similar`` and ``correlation``: the chosen feature, other than itself, that it
            correlates with most. ``explained``: the share of its variance that all chosen features,
            other than itself, explain together.
        """
        check_is_fitted(self, "support_")
        names = np.asarray(_check_feature_names_in(self), dtype=object)
        X = self._validate(X, reset=False)
        d = X.shape[1]
        included, excluded = (
            np.isin(np.arange(d), positions) for positions in self._preselected(d)
        )
        varying = varying_columns(X)
        similar = redundancy(X, self.indices_)
        compared = varying & (similar.most_similar >= 0)
        status = np.select(
            [
                included,
                excluded,
                ~varying,
                self.support_,
                similar.correlation**2 >= REDUNDANT_SHARE,
            ],
            ["included", "excluded", "constant", "chosen", "redundant"],
            "low score",
        )
        columns: dict[str, Any] = {
            "feature": names,
            "status": status,
            "rank": self.ranking_,
            "score": self.scores_,
        }
        if hasattr(self, "gains_"):
            columns["gain"] = np.where(varying & ~excluded, self.gains_, np.nan)
        columns["most_similar"] = np.where(compared, names[similar.most_similar], None)
        columns["correlation"] = np.where(compared, similar.correlation, np.nan)
        columns["explained"] = np.where(varying, similar.explained, np.nan)
        return as_table(columns, index="feature")

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_


class GraphSelector(BaseSelector):
    """Base of the methods whose shared part is the heat-kernel graph of the samples."""

    _parameter_constraints: ClassVar[dict] = constraints("n_neighbors")

    n_neighbors: int
    takes_graph: ClassVar[bool] = True

    def _precompute(self, X: np.ndarray) -> Any:
        return SampleGraph.from_data(X, self.n_neighbors)

    def _graph(self, X: np.ndarray, given: SampleGraph | None) -> SampleGraph:
        """The graph that was handed in, or that of the rows of X; warns if it falls apart."""
        graph = SampleGraph.from_data(X, self.n_neighbors) if given is None else given
        graph.warn_if_disconnected()
        return graph


def _extended(
    solution: Solution, kept: np.ndarray, units: Units, excluded: np.ndarray, s: int | None
) -> Solution:
    """Extend a solution on the ``kept`` features to all of those that ``units`` has.

    Included units come first, then the others as the solution ranks their best features, constant
    ones, and excluded ones; features that were not kept get the lowest score. The first s units are
    selected, or if s is None those that the solution selects and the included ones.
    """
    d, labels = len(units.labels), units.labels
    others = np.setdiff1d(np.arange(d), np.concatenate([kept, excluded]))
    order = np.concatenate([kept[solution.ranked], others, excluded])
    first = np.full(len(units.costs), d)
    np.minimum.at(first, labels[order], np.arange(d))
    first[units.included] -= d
    order = order[np.argsort(first[labels[order]], kind="stable")]
    if s is None:
        s = len(np.union1d(labels[kept[solution.selected]], units.included))
    n_features = int(units.sizes[np.argsort(first)[:s]].sum())
    if len(kept) == d:
        return replace(solution, order=order, n_features=n_features)
    scores = np.full(d, solution.scores.min(), dtype=solution.scores.dtype)
    scores[kept] = solution.scores
    per_feature = {}
    for name, values in solution.per_feature.items():
        per_feature[name] = np.zeros((d, *values.shape[1:]), dtype=values.dtype)
        per_feature[name][kept] = values
    return replace(
        solution, scores=scores, order=order, n_features=n_features, per_feature=per_feature
    )


def settled(history: Sequence[float], tol: float, at_least: float = 0.0) -> bool:
    """Whether the objective f changed by at most ``tol max(at_least, |f|)``; never if tol is 0."""
    if tol == 0 or len(history) < 2:
        return False
    return bool(abs(history[-2] - history[-1]) <= tol * max(at_least, abs(history[-1])))


def check_n_clusters(n_clusters: int, n_samples: int) -> None:
    if n_clusters > n_samples:
        raise ValueError(f"n_clusters={n_clusters} is above n_samples={n_samples}")


def check_ranking(solution, d: int, name: str) -> None:
    """Raise unless what the method ``name`` found is a :class:`Solution` for d features.

    Scores may be NaN: whether that is an error is for the caller to say.
    """
    scores, order = getattr(solution, "scores", None), getattr(solution, "order", None)
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu":
        raise TypeError(f"{name} must give a Solution with an array of real scores for every s")
    if scores.shape != (d,):
        raise ValueError(f"{name} gave scores of shape {scores.shape} for {d} features")
    if order is not None and not _is_order(order, d):
        raise ValueError(f"{name} gave an order that does not name each of {d} features once")
    per_feature, fitted = solution.per_feature, solution.fitted
    if not isinstance(per_feature, dict) or not isinstance(fitted, dict):
        raise TypeError(f"{name} must give per_feature and fitted as dicts by name")
    unfit = [n for n in (*per_feature, *fitted) if not _is_fitted_name(n)]
    if unfit:
        raise ValueError(
            f"{name} gave an attribute {unfit[0]!r}: a name must end in _ and be its own"
        )
    for attribute, values in per_feature.items():
        if not isinstance(values, np.ndarray) or values.shape[:1] != (d,):
            raise ValueError(
                f"{name} gave {attribute} in per_feature, which must be an array whose first axis "
                f"has the {d} features"
            )


def _is_order(order: Any, d: int) -> bool:
    whole = isinstance(order, np.ndarray) and order.dtype.kind in "iu"
    return whole and np.array_equal(np.sort(order), np.arange(d))


#: Fitted attributes that are the same for all methods.
_PUBLISHED = frozenset(
    {"scores_", "ranking_", "support_", "indices_", "n_features_to_select_", "n_iter_"}
    | {"converged_", "objective_history_", "n_features_in_", "feature_names_in_"}
)


def _is_fitted_name(name: Any) -> bool:
    return (
        isinstance(name, str)
        and name.isidentifier()
        and name.endswith("_")
        and not name.startswith("_")
        and name not in _PUBLISHED
    )


def refuse_unusable(X, method: BaseSelector) -> None:
    """Raise what tells the user why the method does not take X, and what to do."""
    name, kind = type(method).__name__, type(X).__name__
    if kind == "AnnData":
        raise TypeError(
            f"{name} takes a matrix: give it adata.X, or call blufs.select_genes(adata)"
        )
    if kind == "LazyFrame":
        raise TypeError("X is a query, not data; run it first: X.collect()")
    if type(X).__module__.startswith("h5py"):
        _check_hdf5(X)
    rows = X if isinstance(X, list | tuple) else [X]
    if any(np.ma.is_masked(row) for row in rows):
        raise ValueError(
            f"{name} does not take masked values; fill them in first, for example by X.filled(0) "
            "or SimpleImputer"
        )
    if is_lazy(X) and not method.takes_chunks:
        raise TypeError(
            f"{name} does not read data in chunks; load X first, for example by X.compute() "
            "(dask) or X[:] (a file), if it fits into memory"
        )
    _check_columns(X)
    if sp.issparse(X):
        check_structure(X)
    # A data frame has the accessor only if all its columns are sparse.
    if not get_tags(method).input_tags.sparse and (sp.issparse(X) or hasattr(X, "sparse")):
        raise TypeError(
            f"{name} does not take sparse data; give it a dense copy, X.toarray() or "
            "frame.sparse.to_dense(), if that fits into memory"
        )


def _check_hdf5(X) -> None:
    """Refuse an HDF5 object that is no matrix, or that is closed."""
    if not X:
        raise ValueError("the HDF5 file that X is in was closed; open it again")
    if hasattr(X, "keys"):
        raise TypeError(f"X is a group of an HDF5 file; give one of its datasets: {sorted(X)}")


def _check_columns(X) -> None:
    """Refuse columns of a data frame that have one name, and dates."""
    is_frame = hasattr(X, "columns") and hasattr(X, "dtypes")
    # Two columns of one name cannot be told apart by ``get_feature_names_out``.
    counts = Counter(X.columns if is_frame else ())
    twice = [str(column) for column, count in counts.items() if count > 1]
    if twice:
        raise ValueError(f"X has several columns named {', '.join(twice[:5])}; rename them")
    types = X.dtypes if is_frame else [getattr(X, "dtype", None)]
    if any(getattr(dtype, "kind", "") in ("m", "M") for dtype in types):
        raise ValueError("X holds dates or times; turn them into numbers first, or leave them out")


def check_count(s, most: int | None = None, unit: str = "features") -> int:
    """s as an int, if it is a number of features (or groups) that X with ``most`` can give."""
    if isinstance(s, bool) or not isinstance(s, Integral) or int(s) < 1:
        raise ValueError(f"the number of {unit} must be a positive integer, got {s!r}")
    if most is not None and int(s) > most:
        raise ValueError(f"n_features_to_select={s} is above the number of {unit}, {most}")
    return int(s)


def _check_budget(
    s: Any, units: Units | None = None, allowed: np.ndarray | slice = slice(None)
) -> float:
    """s as a number, if it is a budget that buys the units that must be chosen, or one of those
    that are allowed."""
    is_number = isinstance(s, Real) and not isinstance(s, bool | np.bool_)
    if not (is_number and 0 < s <= sys.float_info.max):
        raise ValueError(
            f"n_features_to_select is a budget where features have costs: a positive number, got "
            f"{s!r}"
        )
    budget = float(s)
    if units is not None:
        needed, cheapest = units.cost(units.included), _cheapest(units, allowed)
        if needed > budget * (1 + _COST_ROUNDING):
            raise ValueError(
                f"n_features_to_select={s} is below what the features in include cost, {needed:g}"
            )
        if cheapest > budget * (1 + _COST_ROUNDING):
            raise ValueError(
                f"n_features_to_select={s} is a budget that buys nothing: the cheapest costs "
                f"{cheapest:g}"
            )
    return budget


def _cheapest(units: Units, allowed: np.ndarray | slice) -> float:
    return float(units.costs[allowed].min(initial=np.inf))


#: Largest order of a dense eigenproblem (its solution holds about four matrices, 4.3 GiB).
MAX_DENSE_ORDER = 12_000


def check_dense_order(order: int) -> None:
    """Refuse dense eigenproblems that would not fit into memory and a day."""
    if order > MAX_DENSE_ORDER:
        raise MethodLimitError(
            f"the method would need dense eigenproblems of order {order}, the limit is "
            f"{MAX_DENSE_ORDER}: take fewer features or samples"
        )
