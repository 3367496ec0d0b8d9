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

from blufs._numerics.lanczos import largest_eigenpairs
from blufs._numerics.neighbor_index import is_large, neighbors_of_many, uses_index
from blufs._numerics.ranges import without_offset
from blufs._numerics.rows import inner_product_blocks, squared_differences, squared_norms
from blufs._numerics.smallest import smallest_per_row
from blufs._numerics.sparse_data import canonical_csr

#: Neighbours of a sample where nobody is asked: in criteria, estimates and stored graphs.
N_NEIGHBORS = 10
#: Candidates beyond the k nearest by products among which differences decide.
_SPARE_CANDIDATES = 8
#: Below this number of samples a dense eigensolver is faster than Lanczos.
_DENSE_EIGH_BELOW = 400


def squared_distance_blocks(X):
    """Yield ``(start, D)``: D[i, j] = ||x_{start+i} - x_j||^2, clipped at 0, in blocks of rows.

    By products of samples, fast but wrong by rounding errors of ``||x_i||^2 + ||x_j||^2``: X should
    lie around zero, see :func:`~blufs._numerics.ranges.without_offset`.
    """
    norms = squared_norms(X)
    for start, D in inner_product_blocks(X):
        block = slice(start, start + len(D))
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


def nearest_neighbors(X, n_neighbors: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Exact nearest neighbours of every sample, itself excluded.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
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
    n = X.shape[0]
    k = clip_n_neighbors(n_neighbors, n)
    X = without_offset(canonical_csr(X) if sp.issparse(X) else X)
    # Rounding of products, relative to the squared norms, with room to spare.
    error = 8 * np.sqrt(X.shape[1]) * np.finfo(X.dtype).eps * squared_norms(X)
    indices = np.empty((n, k), dtype=np.intp)
    distances = np.empty((n, k), dtype=X.dtype)
    total = 0.0
    for start, D in squared_distance_blocks(X):
        total += float(np.sqrt(D).sum(dtype=np.float64))
        local = np.arange(len(D))
        D[local, start + local] = np.inf
        block = slice(start, start + len(D))
        candidates, approximate = smallest_per_row(D, min(k + _SPARE_CANDIDATES, n - 1))
        indices[block], distances[block] = candidates[:, :k], approximate[:, :k]
        unsure, lost = _open_questions(approximate, k, error[block] + error.max())
        indices[unsure + start], distances[unsure + start] = _nearest_of(
            X, unsure + start, candidates[unsure], k
        )
        for i in start + lost if candidates.shape[1] < n - 1 else ():
            others = np.delete(np.arange(n), i)[None, :]
            indices[[i]], distances[[i]] = _nearest_of(X, np.array([i]), others, k)
    return indices, distances, total / n**2


def _open_questions(distances, k: int, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of distances from products (m x candidates, ascending) that rounding leaves open.

    Parameters
    ----------
    error : ndarray of shape (m,)
        Bound of the rounding error of each row.

    Returns
    -------
    unsure : ndarray of int
        Rows where the order of the k nearest, or a digit of their distances that matters, is open.
    lost : ndarray of int
        Rows where a sample that is no candidate may be nearer, by more than a tie in the last
        digits.
    """
    digits = np.sqrt(np.finfo(distances.dtype).eps)
    close = np.diff(distances[:, : k + 1], axis=1) <= 2 * error[:, None]
    unsure = close.any(axis=1) | (error > digits * distances[:, 0])
    open_end = distances[:, -1] - distances[:, k - 1] <= 2 * error
    lost = open_end & (error > digits * distances[:, k - 1])
    return np.flatnonzero(unsure), np.flatnonzero(lost)


def _nearest_of(X, samples, candidates, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of the candidates (m x any) of each of m samples, from their differences.

    Returns indices and squared distances (float64), both (m, k); ties by smaller index.
    """
    candidates = np.sort(candidates, axis=1)
    distances = squared_differences(X, samples, candidates)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, 1), np.take_along_axis(distances, order, 1)


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
        self.similarity = sp.csr_array(similarity)
        self._eigen: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    @classmethod
    def from_data(cls, X, n_neighbors: int = 10) -> SampleGraph:
        """Heat-kernel k-nearest-neighbour graph of the rows of ``X`` (n x d), dense or sparse.

        ``S_ij = exp(-||x_i - x_j||^2 / (2 t^2))`` if i is among the k nearest of j or j among those
        of i, else 0; t is the mean distance over all pairs. The neighbours of more than 20,000
        samples come from an index or from products in single precision, see
        :mod:`blufs._numerics.neighbor_index`.
        """
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
        if isinstance(graph, cls):
            _check_similarity(graph.similarity)
            return graph
        try:
            if np.iscomplexobj(graph):
                raise TypeError("complex numbers")
            similarity = sp.csr_array(graph if sp.issparse(graph) else np.asarray(graph, float))
            similarity = similarity.astype(float)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "a similarity graph must be a SampleGraph or a square matrix of numbers, got "
                f"{type(graph).__name__}"
            ) from error
        _check_similarity(similarity)
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
        S, scale = self.similarity, self._inverse_sqrt_degree
        values = np.repeat(scale, np.diff(S.indptr))
        values *= S.data
        values *= scale[S.indices]
        # The index arrays are those of the similarity, which of many samples are large.
        return sp.csr_array((values, S.indices, S.indptr), shape=S.shape)

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
                stacklevel=4,
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
        known = self._component_vectors(count)
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
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"a similarity graph must be square, got shape {similarity.shape}")
    if not np.isfinite(similarity.data).all():
        raise ValueError("a similarity graph must not have NaN or infinite entries")
    if not similarity.data.any():
        raise ValueError("a similarity graph must have edges, and all entries of this one are zero")
    if similarity.data.min() < 0:
        raise ValueError("a similarity graph must not have negative entries")
    if abs(similarity - similarity.T).max() > 1e-10 * max(1.0, abs(similarity).max()):
        raise ValueError("a similarity graph must be symmetric")


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Flip columns so that the entry of largest modulus is positive (first one on ties)."""
    # Rounding makes near-equal moduli compare equal, so the choice does not hang on the last bit.
    magnitude = np.round(np.abs(vectors) / np.abs(vectors).max(axis=0, keepdims=True), 6)
    pivots = magnitude.argmax(axis=0)
    signs = np.sign(vectors[pivots, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs)
