"""Neighbour graphs by an approximate index, for samples too many to compare all pairs.

The exact search of :mod:`blufs.numerics.graph` takes time proportional to n^2. From about
:data:`EXACT_UP_TO` samples on the index of `pynndescent <https://pynndescent.readthedocs.io>`_ is
worth its few missed neighbours; ``pip install blufs[approx]`` brings it. A graph from here is given
to any method on a neighbour graph as ``fit(X, precomputed=graph)``; nothing uses it by itself.
"""

from __future__ import annotations

import numpy as np

from blufs.numerics.data import ScaledData
from blufs.numerics.graph import (
    SampleGraph,
    clip_n_neighbors,
    nearest_neighbors,
    neighbor_distances,
)
from blufs.numerics.principal import principal_vectors
from blufs.numerics.scaling import scale_samples

#: Samples up to which the exact search takes less than a minute, about what the index needs to be
#: compiled when a process first uses it; docs/performance.md has the measured times.
EXACT_UP_TO = 50_000
#: Neighbours searched for every one wanted: the nearest half of a list is found far more surely.
_SURPLUS = 2
#: Pairs of samples from which the mean distance is estimated.
_PAIRS = 1_000_000


def approximate_neighbors(
    X: np.ndarray, n_neighbors: int, random_state: int = 0
) -> tuple[np.ndarray, np.ndarray, float]:
    """Nearest neighbours as of :mod:`blufs.numerics.graph`, a few of them missed.

    Where the index finds too few for a sample, all are searched exactly.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int
        Clipped to n - 1 with a warning.
    random_state : int
        Seed of the search and of the pairs; the same seed gives the same result.

    Returns
    -------
    indices, squared_distances : ndarray of shape (n, k)
        Nearest first, the sample itself excluded.
    mean_distance : float
        Mean of ||x_i - x_j|| over random pairs.
    """
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            "approximate neighbours need pynndescent: pip install 'blufs[approx]', or take the "
            "exact graph, blufs.SampleGraph.from_data"
        ) from error
    n = len(X)
    k = clip_n_neighbors(n_neighbors, n)
    searched = min(n, _SURPLUS * k + 1)
    index = NNDescent(X, n_neighbors=searched, random_state=random_state, n_jobs=1)
    found = index.neighbor_graph[0]
    # The sample itself is nearly always first, but not among its duplicates.
    others = np.argsort(found == np.arange(n)[:, None], axis=1, kind="stable")[:, : searched - 1]
    indices = np.take_along_axis(found, others, axis=1)[:, :k].astype(np.intp)
    if indices.min() < 0:  # the index found fewer than k for some sample
        return nearest_neighbors(X, k)
    return indices, neighbor_distances(X, indices), _mean_distance(X, random_state)


def approximate_graph(
    X: np.ndarray,
    n_neighbors: int = 10,
    *,
    n_components: int | None = None,
    scaling: str = "center+unit",
    random_state: int = 0,
) -> SampleGraph:
    """Heat-kernel graph from approximate neighbours of the rows of ``X`` (n x d).

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int
    n_components : int, optional
        Compare the samples by the angle between their leading principal coordinates, whitened, so
        many of them. BLUFS compares by ``2 * n_clusters`` of them unless told otherwise. None
        compares the rows of X themselves, as :meth:`SampleGraph.from_data` does.
    scaling : str
        Scaling of the features before the principal coordinates, see
        :func:`blufs.numerics.scaling.affine_scaling`.
    random_state : int

    Examples
    --------
    >>> import numpy as np
    >>> from blufs import BLUFS
    >>> from blufs.numerics.approximate import approximate_graph
    >>> X = np.random.default_rng(0).standard_normal((300, 20))
    >>> graph = approximate_graph(X, n_components=2 * 3)  # doctest: +SKIP
    >>> BLUFS(5, n_clusters=3).fit(X, precomputed=graph)  # doctest: +SKIP
    """
    X = np.asarray(X)
    if n_components is not None:
        X = scale_samples(principal_vectors(ScaledData(X, scaling), n_components)[1])
    return SampleGraph.from_neighbors(*approximate_neighbors(X, n_neighbors, random_state))


def _mean_distance(X: np.ndarray, random_state: int) -> float:
    """Mean distance of random pairs of samples, a sample with itself among them."""
    rng = np.random.default_rng(random_state)
    total, block = 0.0, max(1, min(_PAIRS, 2**20 // X.shape[1]))
    for start in range(0, _PAIRS, block):
        count = min(block, _PAIRS - start)
        first, second = rng.integers(len(X), size=(2, count))
        total += float(np.linalg.norm(X[first] - X[second], axis=1).sum(dtype=np.float64))
    return total / _PAIRS
