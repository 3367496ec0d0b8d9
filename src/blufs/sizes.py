"""How many features: what selections of several sizes are worth, without labels."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, indexable
from sklearn.utils._param_validation import Interval, validate_params
from sklearn.utils.parallel import Parallel, delayed

from blufs._numerics.matrix.chunked import with_known_rows
from blufs._numerics.matrix.conditioning import conditioned, varying_columns
from blufs._numerics.redundancy import redundancy
from blufs._numerics.table import as_table
from blufs.base import BaseSelector
from blufs.metrics import cluster, label_free_criteria
from blufs.search import clusters_to_look_for, dense_columns, graph_in_memory
from blufs.stability import on_part, random_parts, some_rows, stability_index

#: Sizes that are tried unless some are given, and the largest of them.
N_SIZES, LARGEST = 10, 100


@validate_params(
    {
        "estimator": [BaseSelector],
        "n_clusters": [None, Interval(Integral, 1, None, closed="left")],
        "n_runs": [Interval(Integral, 1, None, closed="left")],
        "n_resamples": [Interval(Integral, 0, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    },
    prefer_skip_nested_validation=False,
)
def path(
    estimator: BaseSelector,
    X,
    s_values: Iterable[int] | None = None,
    *,
    n_clusters: int | None = None,
    n_runs: int = 5,
    n_resamples: int = 10,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Any:
    """What the selections of a method are worth for several numbers of features.

    Parameters
    ----------
    estimator : selector of this library
    X : array-like of shape (n_samples, n_features)
        Of any kind that the estimator takes.
    s_values : sequence of int, optional
        Numbers of features; ten up to 100 if None. Of groups, where the estimator has ``groups``;
        budgets, where it has ``costs``.
    n_clusters : int, optional
        Clusters that k-means looks for; None takes the estimator's, or counts them.
    n_runs : int, default=5
        Runs of k-means for the criterion.
    n_resamples : int, default=10
        Random halves of the samples for the stability; 0 for none, as for fewer than four samples.
    n_jobs : int, optional
        Halves that are fitted at the same time.
    random_state : int, default=0

    Returns
    -------
    DataFrame, or dict of arrays where pandas is not installed
        One row per number of features. ``s``. ``explained``: share of the variance of all features,
        each of variance one, that linear functions of the chosen ones explain. ``gain``: by how
        much that share grew per unit of s since the row before. ``criterion`` and
        ``criterion_spread``: how well the clusters that k-means finds on the chosen features keep
        neighbours together (``principal_cohesion``), mean and standard deviation over the runs.
        ``stability``: Nogueira's index of the selections on the halves; 1 is always the same, 0 as
        by chance. ``features``: the chosen features, best first.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLUFS, path
    >>> table = path(BLUFS(n_clusters=3), load_wine().data, [2, 4, 8], n_resamples=2)
    >>> bool((table["gain"] > 0).all())
    True
    """
    if estimator.keeps_all_features:
        raise ValueError(f"{type(estimator).__name__} keeps all features: there is one size only")
    X = np.asarray(X) if isinstance(X, list | tuple) else X
    (X,) = indexable(with_known_rows(X))
    selector = clone(estimator)
    data = selector._validate(X)
    if s_values is None:
        s_values = _default_sizes(selector, data.shape[1])
    solutions = clone(estimator).select_path(X, s_values)
    sizes = list(solutions)
    selections = [solutions[s].selected for s in sizes]
    explained = np.array([explained_share(data, features) for features in selections])
    near = conditioned(data, ignores_offsets=True, ignores_scale=False)
    c = clusters_to_look_for(estimator, data, n_clusters)
    graph = graph_in_memory(near)
    seeds = [int(seed) for seed in np.random.SeedSequence(random_state).generate_state(n_runs)]
    criteria = np.array(
        [
            [
                label_free_criteria(near, graph, [labels])["principal_cohesion"]
                for labels in cluster(part, c, seeds, restarts=3)
            ]
            for part in (dense_columns(data, features) for features in selections)
        ]
    )
    names = getattr(selector, "feature_names_in_", None)
    columns = {
        "s": np.array(sizes),
        "explained": explained,
        "gain": np.diff(explained, prepend=0) / np.diff(sizes, prepend=0),
        "criterion": criteria.mean(axis=1),
        "criterion_spread": criteria.std(axis=1),
        "stability": _stabilities(estimator, X, sizes, n_resamples, n_jobs, random_state),
        "features": [
            list(features if names is None else names[features]) for features in selections
        ],
    }
    return as_table(columns)


def explained_share(X, features: np.ndarray) -> float:
    """Share of the variance of all varying features that the chosen ones explain; see ``path``."""
    shares = redundancy(X, features).explained
    shares[features] = 1
    return float(shares[varying_columns(X)].mean())


def elbow(s, values) -> int:
    """The s after which a rising curve rises least: where it is farthest above its chord.

    ``s`` and ``values``, of the same length, are the points of the curve in order.
    """
    x, y = np.asarray(s, dtype=float), np.asarray(values, dtype=float)
    if len(x) < 3 or y[-1] <= y[0]:
        return int(x[np.argmax(y)])
    above = (y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])
    return int(x[np.argmax(above)])


def _default_sizes(selector: BaseSelector, d: int) -> np.ndarray:
    """Sizes from one, or all that must be chosen, up to nearly all that may be; or budgets."""
    units, allowed = selector._units(d)
    low = max(units.costs[allowed].min(), units.cost(units.included))
    if selector.costs is not None:
        return np.geomspace(low, units.cost(allowed), N_SIZES)
    high = max(low, min(np.count_nonzero(allowed) - 1, LARGEST))
    return np.unique(np.geomspace(low, high, N_SIZES).astype(int))


def _stabilities(estimator, X, sizes, n_resamples: int, n_jobs, random_state) -> np.ndarray:
    """Nogueira's index of the selections on random halves, for each size."""
    if n_resamples == 0 or X.shape[0] < 4:
        return np.full(len(sizes), np.nan)
    rng = check_random_state(random_state)
    parts = random_parts(X.shape[0], n_resamples, 0.5, rng)
    found = Parallel(n_jobs=n_jobs)(
        delayed(_supports_on)(clone(estimator), X, rows, sizes) for rows in parts
    )
    return np.array([stability_index(supports) for supports in np.swapaxes(found, 0, 1)])


def _supports_on(selector: BaseSelector, X, rows: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Which features are chosen on some samples, a boolean array of shape (len(sizes), d)."""
    with on_part(X, rows):
        solutions = selector.select_path(some_rows(X, rows), sizes)
    supports = np.zeros((len(sizes), X.shape[1]), dtype=bool)
    for support, s in zip(supports, sizes, strict=True):
        support[solutions[s].selected] = True
    return supports
