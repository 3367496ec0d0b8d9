"""FSPCA: feature-sparse PCA (Tian, Nie, Wang, Li, NeurIPS 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blufs._numerics.eigen import dense_eigenpairs
from blufs._numerics.matrix.scaling import scale_features
from blufs.base import BaseSelector, Solution, check_n_clusters, constraints
from blufs.methods._row_sparse import EPS


class FSPCA(BaseSelector):
    """Principal components that use only s features.

    Maximises ``Tr(W' A W)`` over W (d x m) with ``W' W = I`` and at most s non-zero rows, where A
    is the covariance of the data. The start keeps the s largest diagonal entries of the best rank-m
    approximation of A (exact if A has rank m); then supports are improved with
    ``P = A W (W' A W)^+ W' A``, a lower bound of A that touches it at W, until they stop changing.
    The objective never falls.

    The support is not nested in s and its features have no order of their own; they are ordered by
    the norm of their row of W, the others by their diagonal entry of P.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    n_clusters : int, default=8
        Number of clusters one expects; sets the number of components.
    n_components : int or None, default=None
        m, the columns of W; None takes ``n_clusters``. At most s and the rank of the data are used.
    scaling : str, default="none"
        How features are scaled first, see :mod:`blufs._numerics.matrix.scaling`; the authors
        leave them as they are.
    max_iter : int, default=20
        Most supports that are tried; the authors' code always takes 20 steps.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, m)
        W.
    explained_variance_ : float
        ``Tr(W' A W)``.
    explained_variance_ratio_ : float
        The same as a share of ``Tr(A)``.
    objective_history_ : ndarray
        ``Tr(W' A W)`` of the supports in turn.

    Notes
    -----
    A is never built: the leading singular vectors of the data serve all s, and an iteration costs
    O(n d m + n s^2 + s^3). 7000 samples with 5000 features take tens of seconds on one core.

    References
    ----------
    L. Tian, F. Nie, R. Wang, X. Li. Learning feature sparse principal subspace. NeurIPS 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import FSPCA
    >>> selector = FSPCA(n_features_to_select=3, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("max_iter",)

    _parameter_constraints: ClassVar[dict] = constraints("n_clusters n_components scaling max_iter")

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        n_components=None,
        scaling="none",
        max_iter=20,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.scaling = scaling
        self.max_iter = max_iter
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> CenteredData:
        scaled = scale_features(X.astype(np.float64), self.scaling)
        return CenteredData.from_data(scaled, self.n_components or self.n_clusters)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        check_n_clusters(self.n_clusters, len(X))
        data = self._precompute(X) if precomputed is None else precomputed
        solutions = {}
        for s in s_values:
            solutions[s] = feature_sparse_pca(data, s, min(s, data.rank), self.max_iter)
        return solutions


@dataclass(frozen=True)
class CenteredData:
    """Centred data B = Xc / sqrt(n - 1), so that A = B' B, with its leading singular vectors.

    ``squared_loadings`` (rank x d) are ``sigma_i^2 v_ij^2``, largest sigma first: the sum of the
    first m rows is the diagonal of the best rank-m approximation of A.
    """

    B: np.ndarray
    squared_loadings: np.ndarray
    total_variance: float

    @classmethod
    def from_data(cls, X: np.ndarray, max_rank: int) -> CenteredData:
        B = (X - X.mean(axis=0)) / np.sqrt(len(X) - 1)
        n, d = B.shape
        order = min(n, d)
        top = order - min(max_rank, order), order - 1
        if n < d:
            values, U = dense_eigenpairs(B @ B.T, *top)
            loadings = (U.T @ B) ** 2
        else:
            values, V = dense_eigenpairs(B.T @ B, *top)
            loadings = values[:, None] * V.T**2
        keep = values > max(n, d) * EPS * values[-1]
        return cls(B, loadings[keep][::-1], float(np.einsum("ij,ij->", B, B)))

    @property
    def rank(self) -> int:
        """Rank of the data, at most the number of components asked for."""
        return len(self.squared_loadings)


def feature_sparse_pca(data: CenteredData, s: int, m: int, max_iter: int) -> Solution:
    """Support of s features with much variance in its m leading components, m <= s."""
    support = _largest(data.squared_loadings[:m].sum(axis=0), s)
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        selected = data.B[:, support]
        V = _leading_components(selected, m)
        projected = selected @ V
        variances = np.einsum("ij,ij->j", projected, projected)
        history.append(float(variances.sum()))
        bound = _diagonal_of_bound(data.B, projected, variances)
        improved = _largest(bound, s)
        converged = np.array_equal(improved, support)
        current, support = support, improved
    W = np.zeros((data.B.shape[1], m))
    W[current] = V
    scores = np.einsum("ij,ij->i", W, W)
    outside = np.ones(len(W), dtype=bool)
    outside[current] = False
    # Rounded, because with m = s all selected rows have norm 1 up to rounding errors.
    order = np.lexsort((-bound, -np.round(scores, 12), outside))
    return Solution(
        scores=scores,
        order=order,
        n_iter=len(history),
        converged=converged,
        objective_history=np.array(history),
        per_feature={"coef_": W},
        fitted={
            "explained_variance_": history[-1],
            "explained_variance_ratio_": history[-1] / data.total_variance,
        },
    )


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Sorted positions of the ``count`` largest values, ties to the smaller position."""
    return np.sort(np.argsort(-values, kind="stable")[:count])


def _leading_components(selected: np.ndarray, m: int) -> np.ndarray:
    """Leading m right singular vectors of ``selected`` (n x s), shape (s, m)."""
    n, s = selected.shape
    if m <= n < s:
        U = dense_eigenpairs(selected @ selected.T, n - m, n - 1)[1]
        # The columns are orthogonal; QR also completes them should the rank be below m.
        return np.linalg.qr(selected.T @ U[:, ::-1])[0]
    gram = selected.T @ selected
    return dense_eigenpairs(gram, s - m, s - 1)[1][:, ::-1]


def _diagonal_of_bound(B: np.ndarray, projected: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Diagonal of ``A W (W' A W)^+ W' A`` with ``A = B' B`` and ``projected = B W``, shape (d,)."""
    positive = variances > EPS * len(B) * variances.max()
    cross = B.T @ (projected[:, positive] / np.sqrt(variances[positive]))
    return np.einsum("ij,ij->i", cross, cross)
