"""DSCOFS: double sparsity constrained feature selection (Xiu, Yang, Huang, Li, Liu, 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from blufs._numerics.matrix.scatter import Scatter
from blufs._numerics.projections import maximize_on_stiefel
from blufs._numerics.rounding import scatter_order
from blufs.base import NON_NEGATIVE, POSITIVE, BaseSelector, Solution, check_n_clusters, constraints

#: W counts as found when a step moves it by at most this times the root of m.
_INNER_TOL = 1e-5
#: Random starts of which the one with the largest variance is taken, as the authors do.
_N_STARTS = 10


class DSCOFS(BaseSelector):
    """Principal components near a matrix with s rows and near one with few entries.

    With A the scatter of the centred data, divided by its largest eigenvalue, minimises

    ``-Tr(W'AW) + mu1 ||W - Y||^2 + mu2 ||W - Z||^2``

    over W (d x m) with ``W'W = I``, Y with at most s non-zero rows and Z with at most a given share
    of non-zero entries, in turn. The s rows of Y are the selected features, ordered by the norm of
    their row of W; so are the others after them. The selections for different s are not nested.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number s or fraction of features; None takes half.
    row_coupling, entry_coupling : float, default=0.01
        mu1 and mu2. The larger they are, the closer W stays to its start, and the more the
        selected features depend on the seed.
    entry_share : float, default=0.1
        Share of the entries of Z that may differ from zero, in (0, 1].
    n_clusters : int, default=8
        Number of clusters one expects; sets the number of components.
    n_components : int or None, default=None
        m, the columns of W; None takes ``n_clusters``. At most s and the rank of the data are used.
    scaling : str, default="none"
        How features are scaled before they are centred, see :mod:`blufs._numerics.matrix.scaling`.
    start : {"random", "pca"} or array-like of shape (n_features, m), default="random"
        Where W starts. ``"random"``, the best of ten orthonormal matrices, is what the authors do:
        average over seeds. From ``"pca"`` no seed matters, but W may stay where it is: on COIL20
        the features are those with the largest loadings of plain PCA. An array must have
        orthonormal columns, and X no constant feature.
    max_iter : int, default=100
    tol : float, default=1e-3
        Stops when the objective f changes by at most ``tol * (1 + |f|)``.
    random_state : int, RandomState instance or None, default=None
        Seeds the random start. A feature gets the same numbers wherever it stands, see
        :func:`~blufs._numerics.rounding.scatter_order`.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, m)
        W.
    objective_history_ : ndarray of shape (n_iter_,)
        The objective above after every iteration; it never rises.

    Notes
    -----
    Needs products with the data only; an iteration takes some steps of O(d min(n, d) m) each.

    References
    ----------
    X. Xiu, A. Yang, C. Huang, X. Li, W. Liu. Enhancing unsupervised feature selection via double
    sparsity constrained optimization. arXiv:2501.00726, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import DSCOFS
    >>> selector = DSCOFS(n_features_to_select=3, n_clusters=3, random_state=0)
    >>> selector.fit_transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "row_coupling",
        "entry_coupling",
        "entry_share",
        "n_clusters",
        "n_components",
        "start",
        "max_iter",
        "tol",
        "random_state",
    )

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_clusters n_components scaling max_iter tol random_state",
        row_coupling=[POSITIVE],
        entry_coupling=[NON_NEGATIVE],
        entry_share=[Interval(Real, 0, 1, closed="right")],
        start=[StrOptions({"random", "pca"}), "array-like"],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        row_coupling=0.01,
        entry_coupling=0.01,
        entry_share=0.1,
        n_clusters=8,
        n_components=None,
        scaling="none",
        start="random",
        max_iter=100,
        tol=1e-3,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.row_coupling = row_coupling
        self.entry_coupling = entry_coupling
        self.entry_share = entry_share
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.scaling = scaling
        self.start = start
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    @property
    def _is_random(self) -> bool:
        """Whether another seed can give another result (asked by ``selectors.is_random``)."""
        return isinstance(self.start, str) and self.start == "random"

    def _precompute(self, X: np.ndarray) -> Scatter:
        return Scatter.of(X, self.scaling, relative=True)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        check_n_clusters(self.n_clusters, X.shape[0])
        scatter = self._precompute(X) if precomputed is None else precomputed
        principal = scatter.leading_eigenpairs(self.n_components or self.n_clusters)[1]
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        solutions = {s: self._solve_one(scatter, principal, s, seed) for s in s_values}
        return solutions

    def _solve_one(self, scatter: Scatter, principal: np.ndarray, s: int, seed: int) -> Solution:
        W = self._first(scatter, principal[:, :s], seed)
        sparsity = Sparsity(
            n_rows=s,
            n_entries=max(1, int(self.entry_share * W.size)),
            row_coupling=self.row_coupling,
            entry_coupling=self.entry_coupling,
        )
        W, rows, history, converged = doubly_sparse_components(
            scatter, W, sparsity, max_iter=self.max_iter, tol=self.tol
        )
        norms = np.linalg.norm(W, axis=1)
        return Solution(
            scores=norms,
            order=np.lexsort((-norms, ~rows)),
            n_iter=len(history),
            converged=converged,
            objective_history=np.array(history),
            per_feature={"coef_": W},
        )

    def _first(self, scatter: Scatter, principal: np.ndarray, seed: int) -> np.ndarray:
        if not isinstance(self.start, str):
            W = np.asarray(self.start, dtype=float)
            if W.ndim != 2 or len(W) != len(principal):
                raise ValueError(f"start must have {len(principal)} rows, got shape {W.shape}")
            if not np.allclose(W.T @ W, np.eye(W.shape[1]), atol=1e-6):
                raise ValueError("the columns of start must be orthonormal")
            return W
        if self.start == "pca":
            return principal
        rng = np.random.default_rng([seed, principal.shape[1]])
        place = np.argsort(scatter_order(scatter.times, len(principal)))
        draws = (rng.standard_normal(principal.shape)[place] for _ in range(_N_STARTS))
        starts = [np.linalg.qr(draw)[0] for draw in draws]
        return max(starts, key=lambda W: np.einsum("ij,ij->", W, scatter.times(W)))


@dataclass(frozen=True)
class Sparsity:
    """Non-zero rows of Y and entries of Z, and the weights mu1 and mu2 that tie them to W."""

    n_rows: int
    n_entries: int
    row_coupling: float
    entry_coupling: float


def doubly_sparse_components(
    scatter: Scatter, W: np.ndarray, sparsity: Sparsity, *, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, list[float], bool]:
    """Minimise the objective of :class:`DSCOFS` from W (d x m); Y and Z start as W.

    Returns
    -------
    W : ndarray of shape (d, m)
    rows : boolean ndarray of shape (d,)
        The non-zero rows of Y.
    history : list of float
        The objective after every iteration.
    converged : bool
        Always true for ``tol=0``, which asks for ``max_iter`` iterations.
    """
    mu1, mu2 = sparsity.row_coupling, sparsity.entry_coupling
    history: list[float] = []
    Y = Z = W
    converged = False
    for _ in range(max_iter):
        # W'W = I makes the couplings linear: ||W - Y||^2 = const - 2 <W, Y>.
        W = maximize_on_stiefel(scatter.times, mu1 * Y + mu2 * Z, W, tol=_INNER_TOL)
        rows = _largest(np.einsum("ij,ij->i", W, W), sparsity.n_rows)
        Y = np.where(rows[:, None], W, 0)
        Z = np.where(_largest(np.abs(W).ravel(), sparsity.n_entries).reshape(W.shape), W, 0)
        variance = np.einsum("ij,ij->", W, scatter.times(W))
        apart = mu1 * np.sum((W - Y) ** 2) + mu2 * np.sum((W - Z) ** 2)
        history.append(float(apart - variance))
        converged = (
            tol > 0
            and len(history) > 1
            and abs(history[-2] - history[-1]) <= tol * (1 + abs(history[-2]))
        )
        if converged:
            break
    return W, rows, history, converged or tol == 0


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Which of the values (any number) are among the ``count`` largest."""
    chosen = np.zeros(len(values), dtype=bool)
    chosen[np.argsort(-values, kind="stable")[:count]] = True
    return chosen
