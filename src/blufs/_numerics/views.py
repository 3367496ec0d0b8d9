"""Views of the data: how its features are scaled, and how clearly clusters show in them.

A *view* is the data under one scaling, with the principal graph that compares 2 c coordinates. The
pseudo-labels follow the c leading eigenvectors of that graph. By the theorem of Davis and Kahan,
noise turns their span by at most the size of the noise over the gap ``l_c - l_{c+1}`` between the
eigenvalues. So the wider the gap, the less the clusters depend on noise, and one principle settles
what nobody can know beforehand: the scaling (:func:`clearest_view`) and the number of clusters
(:func:`count_clusters`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_array

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix import DataMatrix, column_variances, scaled_data
from blufs._numerics.matrix.chunked import as_row_chunks, is_beyond_memory
from blufs._numerics.matrix.scaling import choose_scaling
from blufs._numerics.principal import principal_graph, principal_vectors
from blufs._numerics.warn import warn_user

#: A gap is clearly wider than another if it is so many times as wide.
CLEARLY = 1.2
#: A gap stands out if it is so many times as wide as the median one.
STANDS_OUT = 3
#: A smaller gap between eigenvalues, which lie in [-1, 1], is rounding.
ROUNDING = 1e-6
#: The numbers of clusters that are tried.
COUNTS = (*range(2, 16), 18, 20, 22, 25, 30)


@dataclass(frozen=True)
class View:
    """The data under one scaling.

    Attributes
    ----------
    scaling : str
    data : DataMatrix of shape (n, d)
    squares, vectors : ndarray of shape (m,) and (n, m)
        Leading squared singular values and left singular vectors of the scaled data.
    """

    scaling: str
    data: DataMatrix
    squares: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, X, scaling: str, n_vectors: int) -> View:
        """The view of X (n x d, of any kind) under a scaling other than ``"auto"``."""
        data = scaled_data(X, scaling)
        return cls(scaling, data, *principal_vectors(data, n_vectors))

    def graph(self, n_clusters: int, n_neighbors: int) -> SampleGraph:
        """The graph that compares 2 c principal coordinates."""
        return principal_graph(self.vectors[:, : 2 * n_clusters], n_neighbors)


def cluster_gap(graph: SampleGraph, n_clusters: int) -> float:
    """``l_c - l_{c+1}`` of the eigenvalues of the normalised similarity.

    0 if there are only c eigenvalues, or where rounding decides.
    """
    values = graph.leading_eigenvectors(n_clusters + 1)[0]
    gap = float(values[n_clusters - 1] - values[n_clusters]) if len(values) > n_clusters else 0.0
    return gap if gap > ROUNDING else 0.0


def possible_scalings(X, scaling: str, n_clusters: int) -> tuple[str, ...]:
    """The scaling, or those between which ``"auto"`` chooses.

    Two kinds of data leave no choice. Data that are mostly background, see
    :func:`~blufs._numerics.matrix.scaling.choose_scaling`, keep the features' own scale: at equal
    norm the rarest features would be the loudest, and the few samples that have them would look
    like clear clusters. And where fewer than 2 c features are loud, as where units differ, features
    get equal norms: at their own scale the 2 c coordinates of the graph would be single features.
    """
    if scaling != "auto":
        return (scaling,)
    if choose_scaling(X) == "center":
        return ("center",)
    loud = loud_features(column_variances(X))
    return ("center+unit", "center") if loud >= 2 * n_clusters else ("center+unit",)


def loud_features(variances: np.ndarray) -> float:
    """``(sum v)^2 / sum v^2``: the number of features, if all that count had equal variance v."""
    shares = variances / variances.max()
    return float(shares.sum() ** 2 / np.sum(shares**2))


def clearest_view(X, scaling: str, n_clusters: int, n_neighbors: int) -> tuple[View, SampleGraph]:
    """The view of X in which c clusters show most clearly, and its graph.

    Features that share a unit have noise of about the same size, so that loud ones carry signal
    and equal norms would hide it; features of different units, or a redundant picture, want equal
    norms. ``"auto"`` lets the data say which: it is ``"center+unit"``, unless with ``"center"`` the
    :func:`cluster_gap` is clearly wider.

    Parameters
    ----------
    X : array of shape (n, d), of any kind
    scaling : str
        Any of :data:`~blufs._numerics.matrix.scaling.FEATURE_SCALINGS`.
    n_clusters, n_neighbors : int
    """
    first, *others = possible_scalings(X, scaling, n_clusters)
    view = View.of(X, first, 2 * n_clusters)
    graph = view.graph(n_clusters, n_neighbors)
    for other in others:
        rival = View.of(X, other, 2 * n_clusters)
        rival_graph = rival.graph(n_clusters, n_neighbors)
        gap = cluster_gap(rival_graph, n_clusters)
        if gap > CLEARLY * cluster_gap(graph, n_clusters):
            view, graph = rival, rival_graph
    return view, graph


def count_clusters(X, scaling: str, n_neighbors: int) -> tuple[int, dict[int, float]]:
    """The number of clusters that shows in the data, and the evidence for each that was tried.

    Every c is judged by the graph that a fit with c would use: its evidence is the widest
    :func:`cluster_gap` g_c among the views. Where the widest of all stands out, it is three times
    their median or wider, its c is taken. Elsewhere chance decides which gap is the widest, so the
    mean ``exp(sum g_c log c / sum g_c)`` is taken, which is never far off, with a warning. Between
    2 and 30 clusters are tried, of at least ``n_neighbors`` samples on average: the graph would
    join smaller ones.

    Parameters
    ----------
    X : array of shape (n, d), of any kind
    scaling : str
        As in :func:`clearest_view`.
    n_neighbors : int

    Returns
    -------
    n_clusters : int
    evidence : dict
        The gap by number of clusters, the widest first.
    """
    n = X.shape[0]
    counts = [c for c in COUNTS if c * n_neighbors <= n] or [min(2, n)]
    views: dict[str, View] = {}
    gaps = dict.fromkeys(counts, 0.0)
    for c in counts:
        for one in possible_scalings(X, scaling, c):
            view = views[one] = views.get(one) or View.of(X, one, 2 * counts[-1])
            gaps[c] = max(gaps[c], cluster_gap(view.graph(c, n_neighbors), c))
    evidence = dict(sorted(gaps.items(), key=lambda item: -item[1]))
    clearest, *others = evidence
    if not others or evidence[clearest] > STANDS_OUT * np.median([*evidence.values()]):
        return clearest, evidence
    weights = [*gaps.values()] if evidence[clearest] else None
    chosen = round(float(np.exp(np.average(np.log(counts), weights=weights))))
    warn_user(
        f"n_clusters={chosen} is a guess: no number of clusters stands out in the data "
        f"({', '.join(map(str, [*evidence][:4]))} show best); if you know how many to expect, "
        "give n_clusters"
    )
    return chosen, evidence


def sample_graph(
    X, *, n_clusters: int = 8, n_neighbors: int = 10, scaling: str = "auto"
) -> SampleGraph:
    """The graph of the samples that BLUFS uses, for data of any size and kind.

    Hand it to any method on a neighbour graph: ``LapScore(50).fit(X, precomputed=graph)``. Of X
    that is beyond memory only the coordinates are here, ``16 n_clusters`` bytes a sample.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense, sparse, or read in chunks, without missing values.
    n_clusters : int, default=8
        The graph compares twice as many leading principal coordinates, each brought to the same
        variance.
    n_neighbors : int, default=10
    scaling : str, default="auto"
        How the features are scaled before, as for :class:`~blufs.BLUFS`.
    """
    chunks = as_row_chunks(X) if is_beyond_memory(X) else None
    if chunks is None:
        kinds = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
        X = check_array(X, ensure_min_samples=2, **kinds)
    else:
        X = chunks.checked()
    return clearest_view(X, scaling, n_clusters, n_neighbors)[1]
