"""Where the sweeps start: pseudo-labels between the spectral and the principal subspace."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def relaxed_start(
    S: sp.csr_array,
    spectral: np.ndarray,
    principal: np.ndarray,
    squares: np.ndarray,
    alpha: float,
    n_clusters: int,
) -> np.ndarray:
    """Orthonormal Y that minimises a relaxation of the model, shape (n, m).

    Without the constraint on the rows and without the graph term, minimising over W with a ridge
    rho leaves ``-Tr(Y' (K + alpha S) Y)`` with ``K = A (A'A + rho I)^-1 A'``, whose minimisers are
    leading eigenvectors. The ridge stands for what few features can explain: rho is the c-th
    squared singular value, so that c directions are more than half explained. The eigenvectors are
    sought in the span of the spectral and the principal vectors, which are the exact solutions for
    large and for small alpha.

    Parameters
    ----------
    S : sparse array of shape (n, n)
    spectral : ndarray of shape (n, m)
        Leading eigenvectors of S.
    principal, squares : ndarray of shape (n, r) and (r,)
        Leading left singular vectors of A and squared singular values, m of them if A has so many.
    alpha : float
    n_clusters : int
        c, at most m.
    """
    extra = spectral - principal @ (principal.T @ spectral)
    U, values, _ = np.linalg.svd(extra, full_matrices=False)
    Q = np.hstack([principal, U[:, values > 1e-8]])
    explained = np.zeros(Q.shape[1])
    explained[: len(squares)] = squares / (squares + squares[min(n_clusters, len(squares)) - 1])
    reduced = alpha * (Q.T @ (S @ Q))
    reduced[np.diag_indices_from(reduced)] += explained
    return Q @ np.linalg.eigh((reduced + reduced.T) / 2)[1][:, ::-1][:, : spectral.shape[1]]
