"""Graphs between samples: neighbours, heat-kernel similarity, Laplacian, leading eigenvectors.

Every method takes its graph from here. Nothing here holds an n x n array: distances are made in
blocks of rows and only the k nearest are kept.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state, check_scalar

from blufs._numerics.chunked_neighbors import neighbors_of_chunks
from blufs._numerics.eigen import fix_signs, largest_eigenpairs, takes_lanczos
from blufs._numerics.matrix.chunked import RowChunks, is_lazy
from blufs._numerics.matrix.scaling import scale_samples
from blufs._numerics.neighbors import (
    clip_n_neighbors,
    is_large,
    nearest_neighbors,
    neighbors_of_many,
    uses_index,
)
from blufs._numerics.rounding import significant
from blufs._numerics.warn import warn_user

#: Default number of neighbours, in criteria, estimates and stored graphs.
N_NEIGHBORS = 10
#: Samples up to which a dense eigensolver is faster than Lanczos iterations.
_DENSE_UP_TO = 399


def neighbor_matrix(indices: np.ndarray, values: np.ndarray) -> sp.csr_array:
    """Sparse n x n matrix with ``values[i, j]`` at row i, column ``indices[i, j]``."""
    n, k = indices.shape
    rows = np.arange(0, n * k + 1, k)
    # Copies, because sorting works in place.
    matrix = sp.csr_array((values.ravel().copy(), indices.ravel().copy(), rows), shape=(n, n))
    matrix.sort_indices()
    return matrix


def adaptive_neighbors(
    indices: np.ndarray, squared_distances: np.ndarray
) -> tuple[sp.csr_array, float]:
    """Adaptive-neighbour graph in closed form.

    Minimises ``sum_j e_ij a_ij + r_i a_ij^2`` over the simplex for every sample i, with the r_i
    that leaves exactly k neighbours:
    ``a_ij = (e_{i,k+1} - e_ij) / (k e_{i,k+1} - sum_{l<=k} e_il)``.

    Parameters
    ----------
    indices, squared_distances : ndarray of shape (n, k + 1)
        The k + 1 nearest neighbours of each sample, nearest first. A single one gets weight 1.

    Returns
    -------
    A : csr_array of shape (n, n), rows sum to 1
    regularization : float
        Mean of ``r_i = (k e_{i,k+1} - sum_{l<=k} e_il) / 2``.
    """
    if indices.shape[1] == 1:  # two samples: no distance is left to compare with
        return neighbor_matrix(indices, np.ones(indices.shape)), 0.0
    nearest, last = squared_distances[:, :-1], squared_distances[:, -1:]
    gaps = last - nearest
    total = gaps.sum(axis=1, keepdims=True)
    k = nearest.shape[1]
    # All k + 1 neighbours equally far (duplicates, lattices): the limit is equal weights.
    weights = np.where(total > 0, gaps / np.where(total > 0, total, 1), 1 / k)
    return neighbor_matrix(indices[:, :-1], weights), float(total.mean() / 2)


def laplacian(W: sp.csr_array) -> sp.csr_array:
    """Laplacian ``diag(w) - (W + W^T)/2`` of the symmetrised W, with w its row sums.

    Then ``sum_ij ||y_i - y_j||^2 W_ij = 2 Tr(Y^T L Y)`` holds for every W >= 0, symmetric or not,
    and L is positive semidefinite.
    """
    symmetric = (W + W.T) / 2
    return (sp.diags_array(symmetric.sum(axis=1)) - symmetric).tocsr()


class SampleGraph:
    """Similarity graph between samples and what is derived from it, each computed once.

    Parameters
    ----------
    similarity : sparse array of shape (n, n)
        Symmetric, non-negative, zero diagonal.

    Attributes
    ----------
    neighbor_search : {"exact", "index", "given"}
        How the neighbours were found; "given" if the similarity was handed in.
    """

    neighbor_search: str = "given"

    def __init__(self, similarity):
        try:
            if np.iscomplexobj(similarity):
                raise TypeError("complex numbers")
            S = similarity if sp.issparse(similarity) else np.asarray(similarity, dtype=float)
            self.similarity = sp.csr_array(S).astype(float, copy=False)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "a similarity graph must be a SampleGraph or a square matrix of numbers, got "
                f"{type(similarity).__name__}"
            ) from error
        shape = self.similarity.shape
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(f"a similarity graph must be square, got shape {shape}")
        self._eigen: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    @classmethod
    def from_data(cls, X, n_neighbors: int = 10) -> SampleGraph:
        """Heat-kernel k-nearest-neighbour graph of the rows of ``X`` (n x d), of any kind.

        ``S_ij = exp(-||x_i - x_j||^2 / (2 t^2))`` if i is among the k nearest of j or j among those
        of i, else 0; t is the mean distance over all pairs. The neighbours of more than 20,000
        samples come from an index or from products in single precision, see
        :mod:`blufs._numerics.neighbors`.
        """
        if isinstance(X, RowChunks):
            graph = cls.from_neighbors(*neighbors_of_chunks(X, n_neighbors))
            graph.neighbor_search = "exact"
            return graph
        if is_lazy(X):
            raise TypeError("a graph compares samples in memory; load X first")
        X = check_array(
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_min_samples=2,
            input_name="X",
        )
        n_neighbors = int(check_scalar(n_neighbors, "n_neighbors", Integral, min_val=1))
        if is_large(X):
            found = neighbors_of_many(X, clip_n_neighbors(n_neighbors, X.shape[0]))
        else:
            found = nearest_neighbors(X, n_neighbors)
        graph = cls.from_neighbors(*found)
        graph.neighbor_search = "index" if uses_index(X) else "exact"
        return graph

    @classmethod
    def from_neighbors(cls, indices, squared_distances, width: float) -> SampleGraph:
        """Heat-kernel graph from known neighbours (each (n, k)) and kernel width."""
        scale = 2 * width**2 if width > 0 else 1.0
        directed = neighbor_matrix(indices, np.exp(-squared_distances / scale))
        return cls(directed.maximum(directed.T))

    @classmethod
    def coerce(cls, graph) -> SampleGraph:
        """Accept a SampleGraph, or a symmetric similarity matrix (sparse or dense)."""
        graph = graph if isinstance(graph, cls) else cls(graph)
        _check_similarity(graph.similarity)
        return graph

    @property
    def n_samples(self) -> int:
        return self.similarity.shape[0]

    @cached_property
    def degree(self) -> np.ndarray:
        """Row sums of the similarity, shape (n,)."""
        return np.asarray(self.similarity.sum(axis=1)).ravel()

    @cached_property
    def _inverse_sqrt_degree(self) -> np.ndarray:
        positive = self.degree > 0
        return np.where(positive, 1 / np.sqrt(np.where(positive, self.degree, 1)), 0)

    @cached_property
    def normalized(self) -> sp.csr_array:
        """``D^-1/2 S D^-1/2``; rows of isolated samples are zero. Eigenvalues lie in [-1, 1]."""
        S, scale = self.similarity, self._inverse_sqrt_degree
        values = np.repeat(scale, np.diff(S.indptr))
        values *= S.data
        values *= scale[S.indices]
        # The index arrays are those of the similarity, which of many samples are large.
        return sp.csr_array((values, S.indices, S.indptr), shape=S.shape)

    @cached_property
    def components(self) -> np.ndarray:
        """Number of the connected component of each sample, the one of largest degree first.

        Where components stand in the data must not decide which of them lead: those of equal
        degree are ordered by their size, and only then by their first sample.
        """
        part = connected_components(self.similarity, directed=False)[1]
        degree = significant(np.bincount(part, weights=self.degree))
        order = np.lexsort((-np.bincount(part), -degree))
        return np.argsort(order)[part]

    @property
    def n_components(self) -> int:
        return int(self.components.max()) + 1

    def warn_if_disconnected(self) -> None:
        if self.n_components > 1:
            warn_user(
                f"the neighbour graph has {self.n_components} connected components; its leading "
                "eigenvectors are the component indicators (raise n_neighbors to connect it)",
            )

    def leading_eigenvectors(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Largest eigenvalues of ``normalized`` and orthonormal eigenvectors, descending.

        Where the eigenvalue 1 is multiple (disconnected graph) its eigenvectors are the scaled
        indicators ``D^1/2 1_component``, largest component first, which makes the result unique.
        The sign is fixed so that the largest entry of a vector is positive.

        Returns
        -------
        eigenvalues : ndarray of shape (count,)
        eigenvectors : ndarray of shape (n, count)
        """
        if count not in self._eigen:
            self._eigen[count] = self._compute_leading_eigenvectors(count)
        return self._eigen[count]

    def _compute_leading_eigenvectors(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        n = self.n_samples
        count = min(count, n)
        known = self._component_vectors(count)
        wanted = count - known.shape[1]
        if wanted <= 0:
            return np.ones(count), known[:, :count]
        # Move the known eigenvalue 1 to -2, below the spectrum, and ask for the rest.
        if not takes_lanczos(n, wanted, _DENSE_UP_TO):
            dense = self.normalized.toarray() - 3 * known @ known.T
            values, vectors = np.linalg.eigh((dense + dense.T) / 2)
            values, vectors = values[::-1][:wanted], vectors[:, ::-1][:, :wanted]
        else:
            S = self.normalized
            values, vectors = largest_eigenpairs(
                lambda v: S @ v - 3 * (known @ (known.T @ v)), n, wanted, tol=1e-10
            )
        vectors = np.hstack([known, fix_signs(vectors)])
        return np.concatenate([np.ones(known.shape[1]), values]), vectors

    def _component_vectors(self, most: int) -> np.ndarray:
        """Unit vectors ``D^1/2 1_component`` of the first components with an edge.

        Shape (n, their number or ``most``): of many samples that fall into many parts, all would
        not fit into memory.
        """
        joined = self.degree > 0
        first = np.unique(self.components[joined])[:most]
        position = np.full(self.n_components, -1)
        position[first] = np.arange(len(first))
        owner = np.where(joined, position[self.components], -1)
        rows = np.flatnonzero(owner >= 0)
        indicators = np.zeros((self.n_samples, len(first)))
        indicators[rows, owner[rows]] = np.sqrt(self.degree[rows])
        return indicators / np.linalg.norm(indicators, axis=0)


def _check_similarity(similarity: sp.csr_array) -> None:
    if not np.isfinite(similarity.data).all():
        raise ValueError("a similarity graph must not have NaN or infinite entries")
    if not similarity.data.any():
        raise ValueError("a similarity graph must have edges, and all entries of this one are zero")
    if similarity.data.min() < 0:
        raise ValueError("a similarity graph must not have negative entries")
    if abs(similarity - similarity.T).max() > 1e-10 * max(1.0, abs(similarity).max()):
        raise ValueError("a similarity graph must be symmetric")


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
