"""Scores of a selection: with labels (the paper's ACC and NMI) and without (criteria).

Clusters come from k-means on the selected features. Against known classes they are scored by
:func:`clustering_accuracy` and :func:`normalized_mutual_info`; without classes by
:func:`label_free_criteria`, where larger is better.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from blufs._numerics.feature_names import is_missing
from blufs._numerics.graph import N_NEIGHBORS, SampleGraph
from blufs._numerics.matrix.conditioning import conditioned
from blufs._numerics.views import clearest_view

#: The names of the criteria.
CRITERIA = ("cohesion", "principal_cohesion")


def clustering_accuracy(labels_true, labels_pred) -> float:
    """Fraction of samples in the right cluster under the best one-to-one matching (ACC).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Numbers, strings or other labels, none missing; the numbers of classes and clusters may
        differ.
    """
    counts = contingency_matrix(*_pair_of_codes(labels_true, labels_pred))
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def normalized_mutual_info(labels_true, labels_pred) -> float:
    """Mutual information divided by the larger of the two entropies (NMI as in the paper)."""
    codes = _pair_of_codes(labels_true, labels_pred)
    return float(normalized_mutual_info_score(*codes, average_method="max"))


def label_codes(labels, n_samples: int | None = None) -> np.ndarray:
    """The labels as numbers 0, 1, ... in sorted order, shape (n,).

    Raises ValueError if they are no list of labels, if one is missing (NaN, None), if there are
    none, or not ``n_samples``.
    """
    if np.ma.is_masked(labels):
        raise ValueError("a label is masked: leave out samples without one")
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels must be a list with one per sample, got shape {array.shape}")
    if len(array) == 0:
        raise ValueError("there are no labels")
    if n_samples is not None and len(array) != n_samples:
        raise ValueError(f"there are {len(array)} labels for {n_samples} samples")
    if array.dtype.kind not in "iubSU" and any(map(is_missing, array.tolist())):
        raise ValueError("a label is missing (NaN or None): leave out samples without one")
    if array.dtype == object:
        array = np.array([(type(label).__name__, str(label)) for label in array])
        return np.unique(array, axis=0, return_inverse=True)[1].reshape(-1)
    return np.unique(array, return_inverse=True)[1]


def _pair_of_codes(labels_true, labels_pred) -> tuple[np.ndarray, np.ndarray]:
    true = label_codes(labels_true)
    return true, label_codes(labels_pred, len(true))


def cluster(
    X: np.ndarray, n_clusters: int, seeds: Sequence[int], *, restarts: int = 10, max_iter: int = 100
) -> list[np.ndarray]:
    """Partition the rows of X (n x s) by k-means, once per seed.

    Every run keeps the best of ``restarts`` starts from randomly drawn samples.

    Returns
    -------
    list of ndarray of shape (n,), one per seed
    """
    X = conditioned(X, ignores_offsets=True, ignores_scale=False)
    partitions = []
    with warnings.catch_warnings():
        # Fewer distinct points than clusters: the partition is still defined and scored.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in seeds:
            kmeans = KMeans(
                n_clusters, init="random", n_init=restarts, max_iter=max_iter, random_state=seed
            )
            partitions.append(kmeans.fit_predict(X))
    return partitions


def score_partitions(y: np.ndarray, partitions: Sequence[np.ndarray]) -> dict[str, list[float]]:
    """ACC and NMI of each partition against the classes y."""
    return {
        "clustering_acc": [clustering_accuracy(y, labels) for labels in partitions],
        "nmi": [normalized_mutual_info(y, labels) for labels in partitions],
    }


def label_free_criteria(
    X: Any,
    graph: SampleGraph | None,
    partitions: Sequence[np.ndarray],
) -> dict[str, float]:
    """Quality of a selection of features without labels; larger is better.

    Parameters
    ----------
    X : ndarray, sparse array or RowChunks of shape (n, d)
        All data.
    graph : SampleGraph of n samples, or None
        Similarity on all features. Without it there is no ``cohesion``.
    partitions : sequence of ndarray of shape (n,)
        Cluster labels by k-means on the selected features, from different starts.

    Returns
    -------
    dict
        ``cohesion``: how little the clusters cut the graph, see :func:`graph_cohesion`, averaged
        over the partitions. ``principal_cohesion``: the same on the principal graph of the
        clearest view, the one that BLUFS fits by (:func:`~blufs._numerics.views.clearest_view`).
    """
    n_clusters = max(len(np.unique(labels)) for labels in partitions)
    graphs = {"principal_cohesion": _principal_graph(X, graph, n_clusters)}
    if graph is not None:
        graphs = {"cohesion": graph} | graphs
    return {
        name: float(np.mean([graph_cohesion(reference, labels) for labels in partitions]))
        for name, reference in graphs.items()
    }


#: Principal graph per graph of the data, or per data in chunks, and number of clusters: all
#: candidates share it.
_principal_graphs: WeakKeyDictionary[Any, dict[int, SampleGraph]] = WeakKeyDictionary()


def _principal_graph(X: Any, graph: SampleGraph | None, n_clusters: int) -> SampleGraph:
    known = _principal_graphs.setdefault(X if graph is None else graph, {})
    if n_clusters not in known:
        n_neighbors = min(N_NEIGHBORS, X.shape[0] - 1)
        known[n_clusters] = clearest_view(X, "auto", n_clusters, n_neighbors)[1]
    return known[n_clusters]


def graph_cohesion(graph: SampleGraph, labels: np.ndarray) -> float:
    """``Tr(E' S E) / c`` with S the normalised similarity and E the scaled indicators, in [-1, 1].

    The columns of E (n x c) are the indicators of the clusters divided by their norms. One means
    that no edge of the graph is cut.
    """
    labels = label_codes(labels, graph.n_samples)
    sizes = np.bincount(labels)
    S = graph.normalized.tocoo()
    inside = labels[S.row] == labels[S.col]
    weights = np.bincount(labels[S.row[inside]], weights=S.data[inside], minlength=len(sizes))
    return float(np.mean(weights / sizes))
