"""How good clusters are without knowing the classes; larger is better for every criterion.

Every candidate, that is a selection of features by some method with some setting and some s, is
judged by the clusters that k-means finds on the selected features.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from blufs.evaluation.metrics import label_codes
from blufs.numerics.data import scaled_data
from blufs.numerics.graph import N_NEIGHBORS, SampleGraph
from blufs.numerics.principal import principal_graph, principal_vectors

#: The names of the criteria.
CRITERIA = ("cohesion", "principal_cohesion")


def label_free_criteria(
    X: np.ndarray,
    graph: SampleGraph,
    partitions: Sequence[np.ndarray],
) -> dict[str, float]:
    """Quality of a selection of features without labels; larger is better.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        All data.
    graph : SampleGraph of n samples
        Similarity on all features.
    partitions : sequence of ndarray of shape (n,)
        Cluster labels by k-means on the selected features, from different starts.

    Returns
    -------
    dict
        ``cohesion``: how little the clusters cut the graph, see :func:`graph_cohesion`, averaged
        over the partitions. ``principal_cohesion``: the same on the graph of the samples'
        whitened principal coordinates, where variation that all classes share does not rule.
    """
    n_clusters = max(len(np.unique(labels)) for labels in partitions)
    graphs = {"cohesion": graph, "principal_cohesion": _principal_graph(X, graph, n_clusters)}
    return {
        name: float(np.mean([graph_cohesion(reference, labels) for labels in partitions]))
        for name, reference in graphs.items()
    }


#: Principal graph per graph of the data and number of clusters: all candidates share it.
_principal_graphs: WeakKeyDictionary[SampleGraph, dict[int, SampleGraph]] = WeakKeyDictionary()


def _principal_graph(X: np.ndarray, graph: SampleGraph, n_clusters: int) -> SampleGraph:
    known = _principal_graphs.setdefault(graph, {})
    if n_clusters not in known:
        vectors = principal_vectors(scaled_data(X, "auto"), 2 * n_clusters)[1]
        known[n_clusters] = principal_graph(vectors, min(N_NEIGHBORS, X.shape[0] - 1))
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
