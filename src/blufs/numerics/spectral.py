"""Spectral clustering of a sample graph."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from blufs.numerics.graph import SampleGraph
from blufs.numerics.scaling import scale_samples


def spectral_labels(graph: SampleGraph, n_clusters: int, random_state: Any) -> np.ndarray:
    """Spectral clustering: k-means on the unit rows of the leading eigenvectors, shape (n,)."""
    _, vectors = graph.leading_eigenvectors(n_clusters)
    # Rounding keeps the clustering the same where eigenvectors differ in their last bits only.
    rows = np.round(scale_samples(vectors), 8)
    kmeans = KMeans(n_clusters, n_init=10, random_state=check_random_state(random_state))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        return kmeans.fit_predict(rows).astype(np.intp)
