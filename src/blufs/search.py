"""Choosing the settings of a selector without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from blufs._numerics.graph import N_NEIGHBORS, SampleGraph
from blufs._numerics.matrix.chunked import is_beyond_memory
from blufs._numerics.matrix.conditioning import conditioned
from blufs._numerics.views import count_clusters
from blufs._numerics.warn import warn_user
from blufs.base import BaseSelector, ColumnsMixin, check_n_clusters
from blufs.metrics import CRITERIA, cluster, label_free_criteria

#: The criterion by which :func:`choose_blind` chooses unless told otherwise.
DEFAULT_CRITERION = "principal_cohesion"
#: By how much a criterion must rise for the default setting to be left (docs/solver.md).
DEFAULT_MARGIN = 0.005


class BlindSearch(MetaEstimatorMixin, ColumnsMixin, BaseEstimator):
    """Search for the parameters of a selector without labels.

    Every candidate is judged by the clusters that k-means finds on its features: the fewer edges
    of a neighbour graph of all data they cut, the better. The estimator's own parameters are left
    only for a candidate that is better by a margin. The number of features stays as it is: it is
    worth a search from about 60 features on; clusters on few features are too uncertain to judge
    by.

    Parameters
    ----------
    estimator : selector of this library
        Its ``include``, ``exclude``, ``costs`` and ``groups`` hold for every candidate.
    param_grid : dict of lists
        Values per parameter; all combinations are tried, and the estimator's own one.
    n_clusters : int or None, default=None
        Clusters that k-means looks for; None takes the estimator's ``n_clusters``, or counts them
        if it has none or its value is ``"auto"``.
    criterion : {"principal_cohesion", "cohesion"}, default="principal_cohesion"
        See :func:`blufs.metrics.label_free_criteria`.
    margin : float
        By how much the criterion of another setting must exceed that of the estimator's own.
    n_runs : int, default=3
        Runs of k-means per candidate.
    random_state : int, default=0
        Seed of k-means.

    Attributes
    ----------
    best_estimator_ : selector
        Fitted with the chosen parameters on all data.
    best_params_ : dict
        The chosen parameters, and ``n_features_to_select``.
    results_ : list of dict
        One row per candidate: ``params``, ``is_default``, ``features`` and the criteria.
    n_clusters_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLUFS, BlindSearch
    >>> X = load_wine().data
    >>> search = BlindSearch(BLUFS(4, n_clusters=3), {"lam": [1.0, 10.0]}).fit(X)
    >>> search.transform(X).shape
    (178, 4)
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [BaseSelector],
        "param_grid": [dict],
        "n_clusters": [None, Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions(set(CRITERIA))],
        "margin": [Interval(Real, 0, None, closed="left")],
        "n_runs": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator,
        param_grid,
        *,
        n_clusters=None,
        criterion=DEFAULT_CRITERION,
        margin=DEFAULT_MARGIN,
        n_runs=3,
        random_state=0,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_clusters = n_clusters
        self.criterion = criterion
        self.margin = margin
        self.n_runs = n_runs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Search, and fit the best candidate on X of shape (n_samples, n_features)."""
        candidates = self._candidates()
        data = clone(self.estimator)._validate(X)
        validate_data(self, X, skip_check_array=True)  # names and number of the features
        for _, candidate in candidates:
            self._by_position(candidate)
        self.n_clusters_ = clusters_to_look_for(self.estimator, data, self.n_clusters)
        s = self._size(data)
        starts: dict[tuple, Any] = {}
        self.results_ = self._judge(data, s, candidates, starts)
        own = [row for row in self.results_ if row["is_default"]]
        best = choose_blind(self.results_, self.criterion, default_rows=own, margin=self.margin)
        self.best_params_ = {**best["params"], "n_features_to_select": s}
        estimator = clone(self.estimator).set_params(**self.best_params_)
        start = starts[_start_key(estimator, best["params"])]
        self.best_estimator_ = estimator.fit(X, precomputed=start)
        return self

    def _by_position(self, selector: BaseSelector) -> BaseSelector:
        """The selector for data without names: it knows features by position."""
        names = getattr(self, "feature_names_in_", None)
        return selector.set_params(**selector._by_position(self.n_features_in_, names))

    def _size(self, X: np.ndarray) -> float:
        """The number of features (groups, a budget) of the estimator, counted if it counts."""
        own = self._by_position(clone(self.estimator))
        d = X.shape[1]
        s = own._resolve_n_features(d)
        return s or len(np.unique(own._units(d)[0].labels[own.fit(X).indices_]))

    def _judge(self, X: Any, s: float, candidates, starts: dict) -> list[dict[str, Any]]:
        """One row per candidate (parameters, selector); what fits share is put into ``starts``."""
        # Candidates get the data as they are; they bring values near the ends back themselves.
        near = conditioned(X, ignores_offsets=True, ignores_scale=False)
        graph = graph_in_memory(near)
        if graph is None and self.criterion == "cohesion":
            raise ValueError(
                'criterion="cohesion" compares all samples in memory, but X is read in chunks; '
                'take criterion="principal_cohesion"'
            )
        seeds = [int(seed) for seed in _seeds(self.random_state, self.n_runs)]
        rows = []
        for params, candidate in candidates:
            key = _start_key(candidate, params)
            if key not in starts:
                starts[key] = candidate.precompute(X)
            features = candidate.select_path(X, [s], precomputed=starts[key])[s].selected
            chosen = dense_columns(X, features)
            partitions = cluster(chosen, self.n_clusters_, seeds, restarts=3)
            criteria = label_free_criteria(near, graph, partitions)
            row = {"params": params, "is_default": not params, "features": features}
            rows.append(row | criteria)
        return rows

    def _candidates(self) -> list[tuple[dict[str, Any], BaseSelector]]:
        """Parameters and selectors to try, the estimator's own first; all are valid."""
        own = self.estimator.get_params()
        if "n_features_to_select" not in own:
            name = type(self.estimator).__name__
            raise ValueError(f"{name} has no n_features_to_select, so there is nothing to search")
        if "n_features_to_select" in self.param_grid:
            raise ValueError(
                "param_grid has n_features_to_select: the criterion does not compare numbers of "
                "features. Give the estimator as many as you can afford"
            )
        candidates: list[tuple[dict[str, Any], BaseSelector]] = [({}, clone(self.estimator))]
        for params in ParameterGrid(self.param_grid):
            selector = clone(self.estimator).set_params(**params)
            if any(not np.array_equal(own[k], value) for k, value in params.items()):
                candidates.append((params, selector))
        for _, selector in candidates:
            selector._validate_params()
        return candidates

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator.__sklearn_tags__().input_tags.sparse
        return tags

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.get_support()


def clusters_to_look_for(estimator: BaseSelector, X: np.ndarray, given: int | None) -> int:
    """Clusters that k-means looks for: those given, the estimator's, or as many as are counted."""
    wanted = estimator.get_params().get("n_clusters", "auto") if given is None else given
    if wanted == "auto":
        X = conditioned(X, ignores_offsets=True, ignores_scale=False)
        wanted = count_clusters(X, "auto", min(N_NEIGHBORS, X.shape[0] - 1))[0]
    check_n_clusters(wanted, X.shape[0])
    if wanted == 1:
        warn_user(
            "n_clusters=1: all samples are one cluster whatever the features are, so the criterion "
            "tells nothing about them"
        )
    return wanted


def graph_in_memory(X) -> SampleGraph | None:
    """The neighbour graph of all samples, or None if X is read in blocks of rows."""
    if is_beyond_memory(X):
        return None
    return SampleGraph.from_data(X, min(N_NEIGHBORS, X.shape[0] - 1))


def dense_columns(X, features: np.ndarray) -> np.ndarray:
    """Columns of validated data of any kind, as a dense array in memory."""
    chosen = X.columns(features) if is_beyond_memory(X) else X[:, features]
    return chosen.toarray() if sp.issparse(chosen) else chosen


def _seeds(seed: int, count: int) -> np.ndarray:
    return np.random.SeedSequence(seed).generate_state(count)


def _start_key(candidate: BaseSelector, params: dict[str, Any]) -> tuple:
    """What of the parameters the candidate's precomputed part depends on."""
    # Arrays as lists, which are written out in full.
    written = {k: repr(v.tolist() if hasattr(v, "tolist") else v) for k, v in params.items()}
    return tuple((k, v) for k, v in written.items() if k not in candidate.tuned_parameters)


def choose_blind(
    table: Sequence[Mapping[str, Any]],
    criterion: str = DEFAULT_CRITERION,
    *,
    default_rows: Sequence[Mapping[str, Any]] = (),
    margin: float = DEFAULT_MARGIN,
) -> Mapping[str, Any]:
    """The row with the best criterion, or the default unless another is better by a margin.

    Parameters
    ----------
    table : sequence of dicts, or DataFrame
        One row per candidate. The criteria of
        :func:`blufs.metrics.label_free_criteria` stand in it under their name or with
        the prefix ``criterion_``; a row where one is NaN is never chosen.
    criterion : str
    default_rows : sequence of dicts, or DataFrame
        Those rows of the table that have the default setting. The best of them is chosen unless
        the best of all rows is above it by more than the margin; without them there is no default.
    margin : float

    Returns
    -------
    dict
        The row itself; the first one on ties.
    """
    table, default_rows = _rows(table), _rows(default_rows)
    if not len(table):
        raise ValueError("there is no row to choose from")
    values = _column(table, criterion)
    if np.isnan(values).all():
        raise ValueError(f"no row has a value of the criterion {criterion!r}")
    best = table[int(np.nanargmax(values))]
    own = _column(default_rows, criterion) if len(default_rows) else np.array([np.nan])
    if np.isnan(own).all() or np.nanmax(values) - np.nanmax(own) > margin:
        return best
    return default_rows[int(np.nanargmax(own))]


def _rows(table) -> Sequence[Mapping[str, Any]]:
    """The rows of a list or DataFrame as dicts."""
    return table.to_dict("records") if hasattr(table, "to_dict") else table


def _column(table: Sequence[Mapping[str, Any]], name: str) -> np.ndarray:
    """Values of a criterion, shape (number of rows,)."""
    for key in (name, f"criterion_{name}"):
        if key in table[0]:
            return np.array([row[key] for row in table], dtype=float)
    raise KeyError(f"the rows have no {name!r} and no 'criterion_{name}': {sorted(table[0])}")
