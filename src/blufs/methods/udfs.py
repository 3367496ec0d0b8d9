"""UDFS: discriminative feature selection (Yang, Shen, Ma, Huang, Zhou, IJCAI 2011)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.rows import row_blocks
from blufs._numerics.matrix.scaling import scale_features
from blufs._numerics.neighbors import nearest_neighbors
from blufs.base import POSITIVE, Solution, check_n_clusters, constraints
from blufs.methods._row_sparse import (
    QuadraticForm,
    RowSparseSelector,
    laplacian_form,
    row_sparse_subspace,
)

#: Entries of one batch of neighbourhoods (64 MiB of float64).
_BLOCK_ENTRIES = 2**23


class UDFS(RowSparseSelector):
    """Features of a subspace in which the neighbourhoods of all samples are discriminated.

    Minimises ``Tr(W' X' L X W) + gamma sum_r ||w_r||`` over W (d x m) with ``W' W = I``. L sums up
    what the neighbourhoods of all samples cannot discriminate: with Z_i the k + 1 rows of X around
    sample i, centred, and H the centring matrix of order k + 1,
    ``L = sum_i H (Z_i Z_i' + lam I)^-1 H``, placed at the rows and columns of the neighbourhood.
    Features are ranked by ``||w_r||^2``, those that agree in ten digits by index.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    gamma : float, default=0.1
        Weight of the row penalty; the benchmark tunes it in {1e-4, ..., 1e3}. The authors' scripts
        try powers of ten from 1e-6 to 1e6.
    lam : float, default=1.0
        Regularisation of the local scatter (1000 in the authors' scripts).
    n_clusters : int, default=8
        Number of clusters one expects; sets the number of columns of W.
    n_components : int or None, default=None
        m, the columns of W; None takes ``n_clusters``. At most d are used.
    n_neighbors : int, default=5
        k, as in the authors' scripts.
    scaling : str, default="none"
        How features are scaled first, see :func:`~blufs._numerics.matrix.scaling.scale_features`.
    max_iter : int, default=20
        Steps, as in the authors' code.
    tol : float, default=0.0
        Stops when the objective f changes by at most ``tol * max(1, |f|)``. The authors' code has
        no stopping test: 0 always takes ``max_iter`` steps.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, m)
        W.
    objective_history_ : ndarray

    Notes
    -----
    With more features than samples the minimiser of the first term is not unique: any m directions
    without variance will do. Reweighting then starts from the mean of ``||w_r||^2`` over all of
    them, which makes the result unique and independent of the order of the features.

    With ``scaling="none"`` the result depends on the unit of X, by way of ``lam`` and ``gamma``.

    An iteration costs one Cholesky factorisation of order min(n, d) and some products with X; 7000
    samples with 5000 features take minutes on one core. More than 12,000 features with half as many
    samples or more raise :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    Y. Yang, H. T. Shen, Z. Ma, Z. Huang, X. Zhou. l2,1-norm regularized discriminative feature
    selection for unsupervised learning. IJCAI 2011. 10.5591/978-1-57735-516-8/IJCAI11-267.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import UDFS
    >>> selector = UDFS(n_features_to_select=3, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "gamma",
        "n_clusters",
        "n_components",
        "max_iter",
        "tol",
    )

    _parameter_constraints: ClassVar[dict] = RowSparseSelector._parameter_constraints | constraints(
        "n_neighbors", lam=[POSITIVE]
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        gamma=0.1,
        lam=1.0,
        n_clusters=8,
        n_components=None,
        n_neighbors=5,
        scaling="none",
        max_iter=20,
        tol=0.0,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.gamma = gamma
        self.lam = lam
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> QuadraticForm:
        X = scale_features(X.astype(np.float64), self.scaling)
        return laplacian_form(X, discriminative_laplacian(X, self.n_neighbors, self.lam))

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        check_n_clusters(self.n_clusters, len(X))
        form = self._precompute(X) if precomputed is None else precomputed
        m = self._n_components(X.shape[1])
        result = row_sparse_subspace(form, self.gamma, m, max_iter=self.max_iter, tol=self.tol)
        return self._solution(result)


def discriminative_laplacian(X: np.ndarray, n_neighbors: int, lam: float) -> sp.csr_array:
    """``L = sum_i H (Z_i Z_i' + lam I)^-1 H`` scattered to the neighbourhoods, shape (n, n)."""
    indices = nearest_neighbors(X, n_neighbors)[0]
    n, k = indices.shape
    members = np.column_stack([np.arange(n), indices])
    centering = np.eye(k + 1) - 1 / (k + 1)
    blocks = np.empty((n, k + 1, k + 1))
    for part in row_blocks(n, (k + 1) * X.shape[1], _BLOCK_ENTRIES):
        Z = X[members[part]]
        Z -= Z.mean(axis=1, keepdims=True)
        scatter = Z @ Z.transpose(0, 2, 1)
        spread = np.trace(scatter, axis1=1, axis2=2)[:, None, None]
        # Constants are centred away: a large eigenvalue there keeps small lam from being lost.
        scatter += lam * np.eye(k + 1) + spread / (k + 1)
        _check_lam(lam, scatter)
        blocks[part] = centering @ np.linalg.inv(scatter) @ centering
    coordinates = (np.repeat(members, k + 1, axis=1).ravel(), np.tile(members, k + 1).ravel())
    L = sp.coo_array((blocks.ravel(), coordinates), shape=(n, n)).tocsr()
    return (L + L.T) / 2


def _check_lam(lam: float, scatter: np.ndarray) -> None:
    """Refuse a lam that is lost next to the scatter (m x k x k) of neighbourhoods of low rank."""
    traces = np.trace(scatter, axis1=1, axis2=2)
    doubtful = np.flatnonzero(traces * np.finfo(float).eps > lam)
    if len(doubtful):
        smallest = np.linalg.eigvalsh(scatter[doubtful])[:, 0]
        lost = smallest < 10 * scatter.shape[1] * np.finfo(float).eps * traces[doubtful]
        if lost.any():
            raise ValueError(
                f"UDFS: lam={lam:g} is lost next to the scatter of neighbourhoods, which reaches "
                f"{traces[doubtful][lost].max():.1e}; raise lam or scale the features"
            )
