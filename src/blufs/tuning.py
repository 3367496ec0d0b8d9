"""Choosing settings without labels.

Every candidate, that is a selection of features by some method with some setting and some s, is
judged by the clusters that k-means finds on the selected features. The criteria here say how good
such clusters are without knowing the classes; larger is better for all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans

from blufs.base import BaseSelector
from blufs.evaluation.criteria import N_NEIGHBORS, label_free_criteria
from blufs.evaluation.pick import DEFAULT_CRITERION, choose_blind
from blufs.numerics.graph import SampleGraph


def tune(
    selector: BaseSelector,
    X: np.ndarray,
    param_grid: Mapping[str, Sequence[Any]],
    s_values: Sequence[int],
    n_clusters: int,
    *,
    criterion: str = DEFAULT_CRITERION,
    n_runs: int = 3,
    random_state: int = 0,
) -> tuple[BaseSelector, list[dict[str, Any]]]:
    """Fit a selector with the parameters and the number of features chosen without labels.

    Parameters
    ----------
    selector : BaseSelector
        Any method of this library, e.g. ``BLUFS(n_clusters=5)``.
    X : array-like of shape (n_samples, n_features)
    param_grid : dict of lists
        Values per parameter; all combinations are tried. Parameters outside the selector's
        ``tuned_parameters`` work too, but cost a new start each.
    s_values : sequence of int
        Numbers of features to choose from.
    n_clusters : int
        Clusters that k-means looks for.
    criterion : str
    n_runs : int
        Runs of k-means per candidate.
    random_state : int
        Seed of k-means.

    Returns
    -------
    selector : BaseSelector
        A fitted copy with the chosen parameters.
    table : list of dicts
        One row per candidate: ``settings``, ``s``, ``features`` and the criteria.
    """
    X = np.asarray(X, dtype=float)
    graph = SampleGraph.from_data(X, N_NEIGHBORS)
    table: list[dict[str, Any]] = []
    shared: dict[tuple, Any] = {}
    for values in itertools.product(*param_grid.values()):
        settings = dict(zip(param_grid, values, strict=True))
        candidate = clone(selector).set_params(**settings)
        key = tuple((k, v) for k, v in settings.items() if k not in selector.tuned_parameters)
        if key not in shared:
            shared[key] = candidate.precompute(X)
        path = candidate.select_path(X, s_values, precomputed=shared[key])
        for s, solution in path.items():
            features = solution.ranked[:s]
            partitions = kmeans_partitions(X[:, features], n_clusters, n_runs, random_state)
            criteria = label_free_criteria(X, graph, partitions)
            table.append({"settings": settings, "s": s, "features": features, **criteria})
    best = choose_blind(table, criterion)
    chosen = clone(selector).set_params(**best["settings"], n_features_to_select=best["s"])
    return chosen.fit(X), table


def kmeans_partitions(Z: np.ndarray, n_clusters: int, n_runs: int, seed: int) -> list[np.ndarray]:
    """Labels of ``n_runs`` runs of k-means on Z (n x s), three restarts each."""
    seeds = np.random.SeedSequence(seed).generate_state(n_runs)
    return [KMeans(n_clusters, n_init=3, random_state=int(state)).fit_predict(Z) for state in seeds]
