"""SPCAFS: sparse PCA for feature selection (Li, Nie, Bian, Wu, Li, TPAMI 2023)."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from blufs._numerics.matrix.scaling import scale_features
from blufs.base import Solution, check_dense_order, check_n_clusters, constraints
from blufs.methods._row_sparse import (
    DenseForm,
    FactoredForm,
    QuadraticForm,
    RowSparseSelector,
    row_sparse_subspace,
)


class SPCAFS(RowSparseSelector):
    """Principal components whose loadings are sparse in whole features.

    Minimises ``-Tr(W' St W) + gamma sum_r ||w_r||^p`` over W (d x m) with ``W' W = I``, where
    ``St = Xc' Xc`` is the scatter matrix of the centred data and w_r the row of W that belongs to
    feature r. Features are ranked by ``||w_r||^2``, those that agree in ten digits by index. With
    ``gamma=0`` the columns of W are the loadings of PCA.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    gamma : float, default=1.0
        Weight of the penalty. The BLUFS paper tunes it in {1e-4, ..., 1e3}; the authors' code has
        no default.
    n_clusters : int, default=8
        Number of clusters one expects; sets the number of components.
    n_components : int or None, default=None
        m, the columns of W; None takes ``n_clusters``. At most the rank of the data is used.
    p : float, default=1.0
        Exponent of the row norms, in (0, 1]; the authors' code has 1.
    scaling : str, default="center+unit"
        How features are scaled first, see :mod:`blufs._numerics.matrix.scaling`. The scatter
        grows with the number of samples and the range of the data, so that a fixed grid of gamma
        only has a meaning on scaled data; ``"none"`` is what the authors' code does.
    max_iter : int, default=50
    tol : float, default=1e-6
        Stops when the objective f changes by at most ``tol * max(1, |f|)``.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_components)
        W.
    objective_history_ : ndarray of shape (n_iter_,)

    Notes
    -----
    With more features than samples no d x d matrix is built. Otherwise an iteration costs one
    Cholesky factorisation of order d; 7000 samples with 5000 features take minutes on one core.
    More than 12,000 features with half as many samples or more raise
    :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    Z. Li, F. Nie, J. Bian, D. Wu, X. Li. Sparse PCA via l2,p-norm regularization for unsupervised
    feature selection. IEEE TPAMI 45(4), 2023. 10.1109/TPAMI.2021.3121329.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import SPCAFS
    >>> selector = SPCAFS(n_features_to_select=3, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "gamma",
        "n_clusters",
        "n_components",
        "p",
        "max_iter",
        "tol",
    )

    _parameter_constraints: ClassVar[dict] = RowSparseSelector._parameter_constraints | constraints(
        p=[Interval(Real, 0, 1, closed="right")]
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        gamma=1.0,
        n_clusters=8,
        n_components=None,
        p=1.0,
        scaling="center+unit",
        max_iter=50,
        tol=1e-6,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.gamma = gamma
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.p = p
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> QuadraticForm:
        return negative_scatter(scale_features(X.astype(np.float64), self.scaling))

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        check_n_clusters(self.n_clusters, len(X))
        form = self._precompute(X) if precomputed is None else precomputed
        m = self._n_components(min(X.shape[1], len(X) - 1))
        result = row_sparse_subspace(
            form, self.gamma, m, p=self.p, max_iter=self.max_iter, tol=self.tol
        )
        return self._solution(result)


def negative_scatter(X: np.ndarray) -> QuadraticForm:
    """``-Xc' Xc`` of the centred X (n x d), factored when there are few samples."""
    centered = X - X.mean(axis=0)
    n, d = X.shape
    if 2 * n < d:
        return FactoredForm(centered, sign=-1)
    check_dense_order(d)
    negative = centered.T @ centered
    np.negative(negative, out=negative)
    # The Frobenius norm bounds the largest eigenvalue of the scatter.
    return DenseForm(negative, lower_bound=-float(np.linalg.norm(negative)))
