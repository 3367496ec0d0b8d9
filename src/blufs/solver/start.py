"""Where the sweeps start: pseudo-labels between the spectral and the principal subspace."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from blufs.graph import SampleGraph, fix_signs
from blufs.preprocessing import scale_samples
from blufs.solver.data import ScaledData

#: Blocks of the Krylov space from which principal vectors are taken, and extra columns of a block.
_DEPTH, _EXTRA = 4, 5


def principal_vectors(data: ScaledData, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Leading left singular vectors of the scaled data A (n x d), by block Krylov iteration.

    Returns
    -------
    squares : ndarray of shape (m,)
        Squared singular values, descending; m is ``count`` or the rank of A if that is less.
    vectors : ndarray of shape (n, m)
    """
    n = data.shape[0]
    width = min(n, count + _EXTRA)
    # A basis of half the space would save nothing, so that few samples are treated exactly.
    if n <= 2 * width * (_DEPTH + 1):
        Q = np.eye(n)
        projected = data.correlate(Q)
    else:
        Q, projected = _krylov_basis(data, width)
    values, rotation = np.linalg.eigh(projected.T @ projected)
    keep = np.flatnonzero(values > 1e-10 * values[-1])[::-1][:count]
    return values[keep], fix_signs(Q @ rotation[:, keep])


def _krylov_basis(data: ScaledData, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal basis Q of the block Krylov space of A A', and A'Q.

    Q has the shape (n, m) and A'Q the shape (d, m), with m = width (_DEPTH + 1).
    """
    n, d = data.shape
    size = width * (_DEPTH + 1)
    # Filled in block by block: joining blocks would hold them twice.
    Q, projected = np.empty((n, size)), np.empty((d, size))
    block = np.linalg.qr(np.random.default_rng(0).standard_normal((n, width)))[0]
    for first in range(0, size, width):
        if first:
            block = data.dot(projected[:, first - width : first])
            known = Q[:, :first]
            # Twice is enough to keep the whole basis orthogonal to machine precision.
            for _ in range(2):
                block = np.linalg.qr(block - known @ (known.T @ block))[0]
        Q[:, first : first + width] = block
        projected[:, first : first + width] = data.correlate(block)
    return Q, projected


def principal_graph(vectors: np.ndarray, n_neighbors: int) -> SampleGraph:
    """Heat-kernel graph by the angle between samples in whitened principal coordinates.

    The rows of ``vectors`` (n x m, left singular vectors) are the samples' principal coordinates,
    each scaled to the same variance. Large shared variation such as lighting then counts no more
    than any other leading direction, and trailing directions, mostly noise, do not count.
    """
    return SampleGraph.from_data(scale_samples(vectors), n_neighbors)


def relaxed_start(
    S: sp.csr_array,
    spectral: np.ndarray,
    principal: np.ndarray,
    squares: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Orthonormal Y that minimises a relaxation of the model, shape (n, c).

    Without the constraint on the rows and without the graph term, minimising over W with a ridge
    rho leaves ``-Tr(Y' (K + alpha S) Y)`` with ``K = A (A'A + rho I)^-1 A'``, whose minimisers are
    leading eigenvectors. The ridge stands for what few features can explain: rho is the c-th
    squared singular value, so that c directions are more than half explained. The eigenvectors are
    sought in the span of the spectral and the principal vectors, which are the exact solutions for
    large and for small alpha.

    Parameters
    ----------
    S : sparse array of shape (n, n)
    spectral : ndarray of shape (n, c)
        Leading eigenvectors of S.
    principal, squares : ndarray of shape (n, m) and (m,)
        Leading left singular vectors of A and squared singular values.
    alpha : float
    """
    c = spectral.shape[1]
    extra = spectral - principal @ (principal.T @ spectral)
    U, values, _ = np.linalg.svd(extra, full_matrices=False)
    Q = np.hstack([principal, U[:, values > 1e-8]])
    explained = np.zeros(Q.shape[1])
    explained[: len(squares)] = squares / (squares + squares[-1])
    reduced = alpha * (Q.T @ (S @ Q))
    reduced[np.diag_indices_from(reduced)] += explained
    return Q @ np.linalg.eigh((reduced + reduced.T) / 2)[1][:, ::-1][:, :c]
