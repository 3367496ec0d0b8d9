"""Spectral clustering of a sample graph."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from blufs._numerics.graph import SampleGraph
from blufs._numerics.scaling import scale_samples


def spectral_labels(graph: SampleGraph, n_clusters: int, random_state: Any) -> np.ndarray:
    """Spectral clustering: k-means on the unit rows of the leading eigenvectors, shape (n,).

    The rows are sorted first: k-means draws its starts by position, and the order of the samples
    should not matter.
    """
    _, vectors = graph.leading_eigenvectors(n_clusters)
    # Rounding keeps the clustering the same where eigenvectors differ in their last bits only.
    rows = np.round(scale_samples(vectors), 8)
    order = np.lexsort(rows.T[::-1])
    labels = np.empty(len(rows), dtype=np.intp)
    kmeans = KMeans(n_clusters, n_init=10, random_state=check_random_state(random_state))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        labels[order] = kmeans.fit_predict(rows[order])
    return labels
