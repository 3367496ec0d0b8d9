"""Smallest eigenvectors of the consensus graph, component by component, and ranks by inertia."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError

from blufs._numerics.eigen import dense_eigenpairs, largest_eigenpairs, takes_lanczos

#: Order of an eigenproblem up to which a dense solver is faster than shift-invert Lanczos.
_DENSE_UP_TO = 799


def connected_blocks(graph: sp.csr_array) -> list[np.ndarray]:
    """Samples of each connected component of a graph (n x n), components by their first sample."""
    _, component = connected_components(graph, directed=False)
    order = np.argsort(component, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)


def dense_laplacian(S: np.ndarray) -> np.ndarray:
    """``diag(S 1) - S`` of a similarity S (n x n)."""
    L = -S
    L[np.diag_indices_from(L)] -= L.sum(axis=1)
    return L


def without_indicator(laplacian: np.ndarray) -> np.ndarray:
    """The Laplacian (n x n) with the constant vector moved to the top of its spectrum."""
    return laplacian + np.trace(laplacian) / len(laplacian)


def smallest_laplacian_eigenvectors(
    blocks: list[tuple[np.ndarray, np.ndarray]], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues, ascending, and eigenvectors of a Laplacian (n x n).

    ``blocks`` holds the samples of each connected component and its Laplacian. Each component has
    its own eigenvectors, first of all its indicator with eigenvalue 0; those of the whole are the
    smallest of all.
    """
    n = sum(len(block) for block, _ in blocks)
    more = max(count - len(blocks), 0)
    values, vectors = [0.0] * len(blocks), []
    for block, _ in blocks:
        vectors.append(np.zeros(n))
        vectors[-1][block] = 1 / np.sqrt(len(block))
    for block, laplacian in blocks if more else []:
        wanted = min(more, len(block) - 1)
        if wanted == 0:
            continue
        block_values, block_vectors = smallest_eigenpairs(without_indicator(laplacian), wanted)
        for value, vector in zip(block_values, block_vectors.T, strict=True):
            values.append(max(float(value), 0.0))
            vectors.append(np.zeros(n))
            vectors[-1][block] = vector
    order = np.argsort(values, kind="stable")[:count]
    return np.array(values)[order], np.column_stack([vectors[i] for i in order])


def smallest_eigenpairs(A: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues, ascending, and eigenvectors of positive semidefinite A (n x n)."""
    n = len(A)
    if takes_lanczos(n, count, _DENSE_UP_TO):
        try:
            return _shift_inverted_eigenpairs(A, count)
        except (np.linalg.LinAlgError, ArpackError):
            pass  # not separated enough for Lanczos
    return dense_eigenpairs(A, 0, count - 1)


def _shift_inverted_eigenpairs(A: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    # A small negative shift makes A definite.
    n = len(A)
    shift = -1e-8 * np.trace(A) / n
    shifted = A.copy()
    shifted[np.diag_indices(n)] -= shift
    # The transpose, equal to it, has the order of memory that LAPACK overwrites.
    factor = scipy.linalg.cho_factor(shifted.T, overwrite_a=True, check_finite=False)
    inverted, vectors = largest_eigenpairs(
        lambda v: scipy.linalg.cho_solve(factor, v, check_finite=False), n, count, tol=1e-12
    )
    return np.maximum(1 / inverted + shift, 0), vectors


def row_space_if_narrow(X: np.ndarray, c: int) -> np.ndarray | None:
    """Orthonormal basis (d x rank) of the rows of X (n x d) where d < n + c and rank <= d - c.

    None elsewhere.
    """
    n, d = X.shape
    c = min(c, d)
    if d >= n + c:
        return None
    gram = X.T @ X
    zero = _rounding(gram)
    if n_eigenvalues_below(gram, zero) < c:
        return None
    values, vectors = scipy.linalg.eigh(gram)
    spanned = values > zero
    return vectors[:, spanned] if spanned.sum() <= d - c else None


def surely_above(A: np.ndarray, bound: float) -> bool:
    """Whether all eigenvalues of A (n x n, positive semidefinite) exceed a bound for certain.

    False where rounding errors leave it open.
    """
    shifted = A.copy()
    shifted[np.diag_indices_from(shifted)] -= bound + _rounding(A)
    try:
        scipy.linalg.cholesky(shifted.T, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return False
    return True


def n_eigenvalues_below(A: np.ndarray, bound: float) -> int:
    """Number of eigenvalues of a symmetric A (n x n) below a bound, by Sylvester's law of inertia.

    Costs a small part of finding them.
    """
    shifted = A.copy()
    shifted[np.diag_indices_from(shifted)] -= bound
    D = scipy.linalg.ldl(shifted, overwrite_a=True, check_finite=False)[1]
    values = scipy.linalg.eigvalsh_tridiagonal(D.diagonal(), D.diagonal(1))
    return int(np.count_nonzero(values < 0))


def _rounding(A: np.ndarray) -> float:
    """How far rounding errors may move the eigenvalues of A (n x n, positive semidefinite)."""
    return len(A) * float(np.finfo(float).eps * np.trace(A))
