"""Graphs between samples: neighbours, heat-kernel similarity, Laplacian, leading eigenvectors.

Every method takes its graph from here. Nothing here holds an n x n array: distances are made in
blocks of rows and only the k nearest are kept.
"""

from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

#: Entries of one block of distances (8 MiB of float64).
_BLOCK_ENTRIES = 2**20
#: Below this number of samples a dense eigensolver is faster than Lanczos.
_DENSE_EIGH_BELOW = 400


def squared_distance_blocks(X: np.ndarray):
    """Yield ``(start, D)``: D[i, j] = ||x_{start+i} - x_j||^2, clipped at 0, in blocks of rows."""
    norms = np.einsum("ij,ij->i", X, X)
    rows = max(1, _BLOCK_ENTRIES // len(X))
    for start in range(0, len(X), rows):
        block = slice(start, start + rows)
        D = X[block] @ X.T
        D *= -2
        D += norms[block, None]
        D += norms[None, :]
        np.maximum(D, 0, out=D)
        local = np.arange(len(D))
        D[local, start + local] = 0
        yield start, D


def clip_n_neighbors(n_neighbors: int, n_samples: int) -> int:
    """``n_neighbors``, or ``n_samples - 1`` with a warning when there are too few samples."""
    if n_neighbors < n_samples:
        return n_neighbors
    warnings.warn(
        f"n_neighbors={n_neighbors} is not below n_samples={n_samples}; using {n_samples - 1}",
        UserWarning,
        stacklevel=3,
    )
    return n_samples - 1


def nearest_neighbors(X: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Exact nearest neighbours of every sample, itself excluded.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int
        Clipped to n - 1 with a warning.

    Returns
    -------
    indices : ndarray of shape (n, k)
        In order of increasing distance; equal distances in order of increasing index, so that
        duplicates give the same graph every time.
    squared_distances : ndarray of shape (n, k)
    mean_distance : float
        Mean of ||x_i - x_j|| over all n^2 pairs, the customary width of the heat kernel.
    """
    n = len(X)
    k = clip_n_neighbors(n_neighbors, n)
    indices = np.empty((n, k), dtype=np.intp)
    distances = np.empty((n, k), dtype=X.dtype)
    total = 0.0
    for start, D in squared_distance_blocks(X):
        total += float(np.sqrt(D).sum(dtype=np.float64))
        local = np.arange(len(D))
        D[local, start + local] = np.inf
        block = slice(start, start + len(D))
        indices[block], distances[block] = smallest_per_row(D, k)
    return indices, distances, total / n**2


def smallest_per_row(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and values of the k smallest entries of each row, ties by smaller position."""
    kth = np.partition(D, k - 1, axis=1)[:, k - 1]
    columns = np.empty((len(D), k), dtype=np.intp)
    candidates = kth[:, None] >= D
    unique = candidates.sum(axis=1) == k
    columns[unique] = np.flatnonzero(candidates[unique]).reshape(-1, k) % D.shape[1]
    for i in np.flatnonzero(~unique):
        tied = np.flatnonzero(candidates[i])
        columns[i] = np.sort(tied[np.argsort(D[i, tied], kind="stable")[:k]])
    values = np.take_along_axis(D, columns, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)


def neighbor_distances(X: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """``||x_i - x_j||^2`` of every sample i and the samples j at ``indices``, shape (n, k)."""
    distances = np.empty(indices.shape, dtype=X.dtype)
    for position, neighbor in enumerate(indices.T):
        difference = X - X[neighbor]
        distances[:, position] = np.einsum("ij,ij->i", difference, difference)
    return distances


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
        The k + 1 nearest neighbours of each sample, nearest first.

    Returns
    -------
    A : csr_array of shape (n, n), rows sum to 1
    regularization : float
        Mean of ``r_i = (k e_{i,k+1} - sum_{l<=k} e_il) / 2``.
    """
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
    """

    def __init__(self, similarity):
        self.similarity = sp.csr_array(similarity)
        self._eigen: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    @classmethod
    def from_data(cls, X: np.ndarray, n_neighbors: int = 10) -> SampleGraph:
        """Heat-kernel k-nearest-neighbour graph of the rows of ``X`` (n x d).

        ``S_ij = exp(-||x_i - x_j||^2 / (2 t^2))`` if i is among the k nearest of j or j among those
        of i, else 0; t is the mean distance over all pairs.
        """
        indices, distances, width = nearest_neighbors(X, n_neighbors)
        return cls.from_neighbors(indices, distances, width)

    @classmethod
    def from_neighbors(cls, indices, squared_distances, width: float) -> SampleGraph:
        """Heat-kernel graph from known neighbours (each (n, k)) and kernel width."""
        scale = 2 * width**2 if width > 0 else 1.0
        directed = neighbor_matrix(indices, np.exp(-squared_distances / scale))
        return cls(directed.maximum(directed.T))

    @classmethod
    def coerce(cls, graph) -> SampleGraph:
        """Accept a SampleGraph, or a symmetric similarity matrix (sparse or dense)."""
        if isinstance(graph, cls):
            return graph
        similarity = sp.csr_array(graph, dtype=float)
        if similarity.shape[0] != similarity.shape[1]:
            raise ValueError(f"a similarity graph must be square, got shape {similarity.shape}")
        if similarity.nnz and similarity.data.min() < 0:
            raise ValueError("a similarity graph must not have negative entries")
        if abs(similarity - similarity.T).max() > 1e-10 * max(1.0, abs(similarity).max()):
            raise ValueError("a similarity graph must be symmetric")
        return cls(similarity)

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
        scale = sp.diags_array(self._inverse_sqrt_degree)
        return (scale @ self.similarity @ scale).tocsr()

    @cached_property
    def components(self) -> np.ndarray:
        """Number of the connected component of each sample, in order of first appearance."""
        return connected_components(self.similarity, directed=False)[1]

    @property
    def n_components(self) -> int:
        return int(self.components.max()) + 1

    def warn_if_disconnected(self) -> None:
        if self.n_components > 1:
            warnings.warn(
                f"the neighbour graph has {self.n_components} connected components; its leading "
                "eigenvectors are the component indicators (raise n_neighbors to connect it)",
                UserWarning,
                stacklevel=3,
            )

    def leading_eigenvectors(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Largest eigenvalues of ``normalized`` and orthonormal eigenvectors, descending.

        Where the eigenvalue 1 is multiple (disconnected graph) its eigenvectors are the scaled
        indicators ``D^1/2 1_component``, components ordered by their first sample, which makes the
        result unique. The sign is fixed so that the largest entry of a vector is positive.

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
        known = self._component_vectors()
        wanted = count - known.shape[1]
        if wanted <= 0:
            return np.ones(count), known[:, :count]
        # Move the known eigenvalue 1 to -2, below the spectrum, and ask for the rest.
        if n < _DENSE_EIGH_BELOW or wanted > n // 4:
            dense = self.normalized.toarray() - 3 * known @ known.T
            values, vectors = np.linalg.eigh((dense + dense.T) / 2)
            values, vectors = values[::-1][:wanted], vectors[:, ::-1][:, :wanted]
        else:
            S = self.normalized
            operator = LinearOperator(
                (n, n),
                matvec=lambda v: S @ v - 3 * (known @ (known.T @ v)),
                matmat=lambda V: S @ V - 3 * (known @ (known.T @ V)),
                dtype=np.float64,
            )
            start = np.random.default_rng(0).standard_normal(n)
            values, vectors = eigsh(operator, k=wanted, which="LA", v0=start, tol=1e-10)
            order = np.argsort(-values, kind="stable")
            values, vectors = values[order], vectors[:, order]
        vectors = np.hstack([known, fix_signs(vectors)])
        return np.concatenate([np.ones(known.shape[1]), values]), vectors

    def _component_vectors(self) -> np.ndarray:
        """Unit vectors ``D^1/2 1_component``, shape (n, number of components with an edge)."""
        n, m = self.n_samples, self.n_components
        indicators = np.zeros((n, m))
        indicators[np.arange(n), self.components] = np.sqrt(self.degree)
        norms = np.linalg.norm(indicators, axis=0)
        return indicators[:, norms > 0] / norms[norms > 0]


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Flip columns so that the entry of largest modulus is positive (first one on ties)."""
    # Rounding makes near-equal moduli compare equal, so the choice does not hang on the last bit.
    magnitude = np.round(np.abs(vectors) / np.abs(vectors).max(axis=0, keepdims=True), 6)
    pivots = magnitude.argmax(axis=0)
    signs = np.sign(vectors[pivots, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs)
