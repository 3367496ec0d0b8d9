"""VCSDFS: variance-covariance subspace distance (Karami et al., Neural Networks 2023)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from blufs._numerics.matrix.scatter import Scatter
from blufs._numerics.rounding import scatter_order
from blufs.base import NON_NEGATIVE, BaseSelector, Solution, constraints, settled


class VCSDFS(BaseSelector):
    """Features whose weighted combinations keep the inner products of the samples.

    Minimises over non-negative W (d x k)

    ``1/2 ||XX' - XWW'X'||^2 + rho (sum of the inner products of different rows of W)``

    by multiplicative updates and ranks the features by the norm of their row of W. The penalty
    makes rows compete. The result depends on the random start: average over seeds.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    rho : float, default=1.0
        Weight of the penalty, in units of the squared largest eigenvalue of X'X over d, so that it
        means the same whatever the scale of the data.
    n_components : int or None, default=None
        k, the columns of W. None takes the number of features to select, as the authors do, so
        that every s is a fit of its own; a number gives one ranking for all s.
    scaling : {"minmax", "unit", "none"}, default="minmax"
        How features are scaled first, see :mod:`blufs._numerics.matrix.scaling`. The updates need
        non-negative data; with ``"unit"`` and ``"none"`` negative values are refused.
    max_iter : int, default=100
    tol : float, default=1e-3
        Stops when the objective changes by at most ``tol`` times its value; 0 takes ``max_iter``
        updates, as the authors' code does.
    init : array-like of shape (n_features, k), optional
        Non-negative start instead of a uniform random one; X must have no constant feature.
    random_state : int, RandomState instance or None, default=None
        Seeds the start. A feature gets the same numbers wherever it stands, see
        :func:`~blufs._numerics.rounding.scatter_order`.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, k)
        W.
    objective_history_ : ndarray of shape (n_iter_,)
        The objective in units of the squared largest eigenvalue of X'X, after every update.

    Notes
    -----
    Needs products with the data only. An update costs O(d min(n, d) k).

    References
    ----------
    S. Karami, F. Saberi-Movahed, P. Tiwari, P. Marttinen, S. Vahdati. Unsupervised feature
    selection based on variance-covariance subspace distance. Neural Networks 166, 2023.
    10.1016/j.neunet.2023.06.018.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import VCSDFS
    >>> VCSDFS(n_features_to_select=3, random_state=0).fit_transform(load_wine().data).shape
    (178, 3)
    """

    takes_sparse: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "rho",
        "n_components",
        "max_iter",
        "tol",
        "init",
        "random_state",
    )

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_components max_iter tol random_state",
        rho=[NON_NEGATIVE],
        scaling=[StrOptions({"minmax", "unit", "none"})],
        init=["array-like", None],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        rho=1.0,
        n_components=None,
        scaling="minmax",
        max_iter=100,
        tol=1e-3,
        init=None,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.rho = rho
        self.n_components = n_components
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> Scatter:
        if self.scaling != "minmax" and X.min() < 0:
            raise ValueError(
                f"VCSDFS needs non-negative data, but the least value of X is {X.min():.3g}; "
                'use scaling="minmax"'
            )
        return Scatter.of(X, self.scaling, center=False, relative=True)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        scatter = self._precompute(X) if precomputed is None else precomputed
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        widths = {s: self.n_components or s for s in s_values}
        fits = {k: self._solve_one(scatter, k, seed) for k in sorted(set(widths.values()))}
        return {s: fits[k] for s, k in widths.items()}

    def _solve_one(self, scatter: Scatter, k: int, seed: int) -> Solution:
        W, history, converged = multiplicative_updates(
            scatter,
            self._initial(scatter, k, seed),
            self.rho / scatter.n_features,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Solution(
            scores=np.linalg.norm(W, axis=1),
            n_iter=len(history),
            converged=converged,
            objective_history=np.array(history),
            per_feature={"coef_": W},
        )

    def _initial(self, scatter: Scatter, k: int, seed: int) -> np.ndarray:
        d = scatter.n_features
        if self.init is None:
            W = np.empty((d, k))
            W[scatter_order(scatter.times, d)] = np.random.default_rng([seed, k]).random((d, k))
            return W
        W = np.asarray(self.init, dtype=float)
        if W.shape != (d, k) or not (W >= 0).all():
            raise ValueError(f"init must be non-negative and of shape {(d, k)}, got {W.shape}")
        return W


def multiplicative_updates(
    scatter: Scatter, W: np.ndarray, rho: float, *, max_iter: int, tol: float
) -> tuple[np.ndarray, list[float], bool]:
    """Minimise the objective of :class:`VCSDFS` from W (d x k), W >= 0, with G = X'X >= 0.

    ``W <- W o ((G A + rho W) / (A (W'A) + rho 1 1'W))^(1/4)`` with ``A = G W``: the gradient's
    negative over its positive part. The power 1/4 makes the objective fall.

    Returns
    -------
    W : ndarray of shape (d, k)
    history : list of float
        The objective after every update.
    converged : bool
        Always true for ``tol=0``, which asks for ``max_iter`` updates.
    """
    constant = float(scatter.diagonal_and_squared_norms()[1].sum())
    tiny = np.finfo(float).tiny
    history: list[float] = []
    converged = False
    # Sums of what is not negative, but for rounding where a shift is taken off a sparse product.
    A = np.maximum(scatter.times(W), 0)
    while not converged and len(history) < max_iter:
        above = np.maximum(scatter.times(A), 0) + rho * W
        below = A @ (W.T @ A) + rho * W.sum(axis=0)
        W = W * np.sqrt(np.sqrt(above / np.maximum(below, tiny)))
        A = np.maximum(scatter.times(W), 0)
        history.append(_objective(constant, W, A, rho))
        converged = settled(history, tol)
    return W, history, converged or tol == 0


def _objective(constant: float, W: np.ndarray, A: np.ndarray, rho: float) -> float:
    """The objective, with ``constant = ||G||^2``: ``||XX' - XWW'X'||^2`` by traces."""
    distance = constant - 2 * np.sum(A**2) + np.sum((W.T @ A) ** 2)
    return float(distance / 2 + rho * (np.sum(W.sum(axis=0) ** 2) - np.sum(W**2)))
