"""SPDFS: discriminative projection of s features, with fuzzy clusters (Dong, Nie et al., 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from blufs._numerics.eigen import largest_eigenpairs
from blufs._numerics.matrix.scaling import FEATURE_SCALINGS
from blufs._numerics.matrix.scatter import scaled_values
from blufs._numerics.rounding import content_order
from blufs.base import BaseSelector, Solution, check_n_clusters

#: Most passes of one sparse step, and of the updates at a fixed ratio, as in the authors' code.
_MAX_PASSES = 50
#: Up to this order the largest eigenvalue comes from a dense solver.
_DENSE_ORDER = 400


class SPDFS(BaseSelector):
    """Features of a sparse projection in which samples lie close to the centres of fuzzy clusters.

    Minimises the trace ratio

    ``sum_ij u_ij^p ||W' x_i - m_j||^2 / Tr(W' X' X W)``

    over W (d x m) with ``W' W = I`` and s non-zero rows, the centres m_j and memberships
    ``u_ij >= 0``, ``sum_j u_ij = 1``. The ratio is lowered as Dinkelbach does; at a fixed ratio one
    step of fuzzy c-means and the search for s rows take turns. Features are ranked by the norm of
    their row of W.

    The random start decides much of the result: five starts share hardly more features than random
    sets do. Average over several seeds.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number s or fraction of features; None takes half. Every s is a fit of its own.
    n_clusters : int, default=8
        Number of fuzzy clusters.
    fuzziness : float, default=1.2
        p, above 1 (1.1 to 1.3 in the authors' demo).
    n_components : int or None, default=None
        m, the columns of W; None takes a third of s (the first of the authors' demo).
    scaling : str, default="center+unit"
        How features are scaled first, see :mod:`blufs._numerics.matrix.scaling`; they are always
        centred. The default is the authors'.
    max_iter : int, default=50
        Updates of the ratio.
    tol : float, default=1e-4
        Stops when the ratio falls by less, and the search at a fixed ratio when its objective falls
        by less (the authors' value, both absolute).
    init : tuple of (memberships, W), optional
        Initial memberships, ndarray of shape (n_samples, n_clusters) whose rows sum to 1, and W of
        shape (n_features, m), instead of random ones; X must have no constant feature.
    random_state : int, RandomState instance or None, default=None
        Seeds the start. A sample and a feature get the same numbers wherever they stand, see
        :func:`~blufs._numerics.rounding.content_order`.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, m)
        W.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        u.
    objective_history_ : ndarray
        The ratio before every search.

    Notes
    -----
    No d x d matrix is built: a pass of the search takes O(n d m + s^3).

    References
    ----------
    X. Dong, F. Nie, L. Tian, R. Wang, X. Li. Unsupervised discriminative feature selection with
    l2,0-norm constrained sparse projection. IEEE TPAMI, 2025. 10.1109/TPAMI.2025.3580669.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import SPDFS
    >>> SPDFS(3, n_clusters=3, random_state=0).fit_transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        *("n_clusters", "fuzziness", "n_components", "max_iter", "tol", "init", "random_state"),
    )

    _parameter_constraints: ClassVar[dict] = {
        **BaseSelector._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "fuzziness": [Interval(Real, 1.01, None, closed="left")],
        "n_components": [None, Interval(Integral, 1, None, closed="left")],
        "scaling": [StrOptions(set(FEATURE_SCALINGS))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "init": [tuple, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        fuzziness=1.2,
        n_components=None,
        scaling="center+unit",
        max_iter=50,
        tol=1e-4,
        init=None,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.n_components = n_components
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> CenteredSamples:
        X = scaled_values(X, self.scaling, center=True)
        # The tolerance is absolute, for features whose squares sum to 1 on average.
        return CenteredSamples.from_data(X * (np.sqrt(X.shape[1]) / np.linalg.norm(X)))

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        check_n_clusters(self.n_clusters, len(X))
        data = self._precompute(X) if precomputed is None else precomputed
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        orders = content_order(data.X.T), content_order(data.X)
        return {s: self._solve_one(data, s, seed, orders) for s in s_values}

    def _solve_one(self, data: CenteredSamples, s: int, seed: int, orders) -> Solution:
        m = min(self.n_components or max(1, s // 3), s)
        U, W = self._initial(seed, s, m, orders)
        found = discriminative_projection(
            data, U, W, s, power=self.fuzziness, max_iter=self.max_iter, tol=self.tol
        )
        scores = np.linalg.norm(found.W, axis=1)
        outside = np.ones(len(scores), dtype=bool)
        outside[found.support] = False
        # Rounded, because with m = s all rows have norm 1 up to rounding errors.
        order = np.lexsort((-found.weights, -np.round(scores, 12), outside))
        return Solution(
            scores=scores,
            order=order,
            n_iter=len(found.history),
            converged=found.converged,
            objective_history=np.array(found.history),
            per_feature={"coef_": found.W},
            fitted={"memberships_": found.U},
        )

    def _initial(self, seed: int, s: int, m: int, orders) -> tuple[np.ndarray, np.ndarray]:
        of_samples, of_features = orders
        n, d, c = len(of_samples), len(of_features), self.n_clusters
        if self.init is not None:
            U, W = (np.asarray(part, dtype=float) for part in self.init)
            if U.shape != (n, c) or W.shape != (d, m):
                raise ValueError(
                    f"init must hold arrays of shape {(n, c)} and {(d, m)}, got {U.shape} and "
                    f"{W.shape}"
                )
            return U, W
        rng = np.random.default_rng([seed, s])
        U, W = np.empty((n, c)), np.empty((d, m))
        U[of_samples] = rng.random((n, c))
        W[of_features] = rng.random((d, m))
        return U / U.sum(axis=1, keepdims=True), np.linalg.qr(W)[0]


@dataclass(frozen=True)
class CenteredSamples:
    """Centred data X (n x d) and R (min(n, d) square or n x d) with ``R R'`` or X'X known.

    ``square`` is X (n x d) where d <= n, else L (n x n) with ``L L' = X X'``: the largest
    eigenvalue of ``square' M square`` is that of ``X' M X`` for every symmetric M (n x n), but for
    zeros.
    """

    X: np.ndarray
    square: np.ndarray

    @classmethod
    def from_data(cls, X: np.ndarray) -> CenteredSamples:
        n, d = X.shape
        if d <= n:
            return cls(X, X)
        values, vectors = eigh(X @ X.T, check_finite=False)
        return cls(X, vectors * np.sqrt(np.maximum(values, 0)))


@dataclass(frozen=True)
class Projection:
    """What the search found: W, its support, the weights that chose it, memberships, ratios."""

    W: np.ndarray
    support: np.ndarray
    weights: np.ndarray
    U: np.ndarray
    history: list[float]
    converged: bool


class FuzzyScatter:
    """``S_m = X' L X`` of fuzzy clusters, ``L = diag(F 1) - F diag(F' 1)^-1 F'``, ``F = U^p``.

    L is a graph Laplacian: ``Tr(Z' L Z)`` is the sum of squared distances of the rows of Z to the
    fuzzy centres, weighted by F.
    """

    def __init__(self, U: np.ndarray, power: float):
        F = U**power
        self.degrees = F.sum(axis=1)
        sizes = F.sum(axis=0)
        # An empty cluster holds nothing together.
        self.scaled = F / np.sqrt(np.where(sizes > 0, sizes, 1))

    def times(self, Z: np.ndarray) -> np.ndarray:
        """``L Z`` for Z (n x any)."""
        return self.degrees[:, None] * Z - self.scaled @ (self.scaled.T @ Z)

    def within(self, Z: np.ndarray) -> float:
        """``Tr(Z' L Z)``."""
        return float(np.einsum("ij,ij->", Z, self.times(Z)))


def discriminative_projection(
    data: CenteredSamples,
    U: np.ndarray,
    W: np.ndarray,
    s: int,
    *,
    power: float,
    max_iter: int,
    tol: float,
) -> Projection:
    """Lower the trace ratio of :class:`SPDFS` from memberships U (n x c) and W (d x m)."""
    X = data.X
    U = memberships(X, fuzzy_centres(X, U, power), power)
    scatter = FuzzyScatter(U, power)
    centres = fuzzy_centres(X, U, power)
    Z = X @ W
    ratio = scatter.within(Z) / np.sum(Z**2)
    W, support, weights = sparse_rows(data, scatter, ratio, W, s)
    centres = centres @ W
    history: list[float] = []
    converged = False
    Z = X @ W
    within, total = scatter.within(Z), float(np.sum(Z**2))
    for _ in range(max_iter):
        ratio = within / total
        history.append(ratio)
        converged = len(history) > 1 and history[-2] - ratio < tol
        if converged:
            break
        before = 0.0
        for step in range(_MAX_PASSES):
            Z = X @ W
            within, total = scatter.within(Z), float(np.sum(Z**2))
            # Of the start, zero by definition (the ratio may be one update older).
            value = within - ratio * total if step else 0.0
            if step and before - value < tol:
                break
            before = value
            centres = fuzzy_centres(Z, U, power, centres)
            U = memberships(Z, centres, power)
            scatter = FuzzyScatter(U, power)
            W, support, weights = sparse_rows(data, scatter, ratio, W, s)
    return Projection(W, support, weights, U, history, converged)


def fuzzy_centres(
    Z: np.ndarray, U: np.ndarray, power: float, before: np.ndarray | None = None
) -> np.ndarray:
    """``sum_i u_ij^p z_i / sum_i u_ij^p``, c x any; an empty cluster keeps its place."""
    F = U**power
    sizes = F.sum(axis=0)
    centres = (F.T @ Z) / np.where(sizes > 0, sizes, 1)[:, None]
    if before is not None:
        centres[sizes == 0] = before[sizes == 0]
    return centres


def memberships(Z: np.ndarray, centres: np.ndarray, power: float) -> np.ndarray:
    """``u_ij`` in proportion to ``||z_i - m_j||^(-2 / (p - 1))``, n x c, rows sum to 1.

    By logarithms, because the exponent is large; a sample on a centre belongs to it alone.
    """
    distances = np.stack([np.sum((Z - centre) ** 2, axis=1) for centre in centres], axis=1)
    logs = np.log(np.maximum(distances, np.finfo(float).tiny))
    closeness = np.exp((logs.min(axis=1, keepdims=True) - logs) / (power - 1))
    return closeness / closeness.sum(axis=1, keepdims=True)


def sparse_rows(
    data: CenteredSamples, scatter: FuzzyScatter, ratio: float, W: np.ndarray, s: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Raise ``Tr(W' A W)`` over W with s rows, ``A = g I - X' (L - ratio I) X`` with A >= 0.

    A pass takes the s largest diagonal entries of the bound ``A W (W' A W)^+ W' A`` and the leading
    eigenvectors of A on them.

    Returns
    -------
    W : ndarray of shape (d, m)
    support : ndarray of shape (s,), sorted
    weights : ndarray of shape (d,)
        The diagonal that chose the support.
    """
    X, m = data.X, W.shape[1]
    shift = max(0.0, _largest_eigenvalue(data.square, scatter, ratio))

    def gap(Z: np.ndarray) -> np.ndarray:
        return scatter.times(Z) - ratio * Z

    before = None
    for _ in range(_MAX_PASSES):
        AW = shift * W - X.T @ gap(X @ W)
        weights = np.einsum("ij,ij->i", AW @ np.linalg.pinv(W.T @ AW, hermitian=True), AW)
        support = np.sort(np.argsort(-weights, kind="stable")[:s])
        if before is not None and np.array_equal(support, before):
            break
        selected = X[:, support]
        inner = -(selected.T @ gap(selected))
        inner.flat[:: s + 1] += shift
        inner = (inner + inner.T) / 2
        vectors = eigh(inner, subset_by_index=[s - m, s - 1], check_finite=False)[1]
        W = np.zeros_like(W)
        W[support] = vectors[:, ::-1]
        before = support
    return W, support, weights


def _largest_eigenvalue(square: np.ndarray, scatter: FuzzyScatter, ratio: float) -> float:
    """Of ``square' (L - ratio I) square``."""

    def times(v: np.ndarray) -> np.ndarray:
        Z = square @ v.reshape(square.shape[1], -1)
        return square.T @ (scatter.times(Z) - ratio * Z)

    order = square.shape[1]
    if order <= _DENSE_ORDER:
        M = times(np.eye(order))
        return float(eigh((M + M.T) / 2, eigvals_only=True, subset_by_index=[order - 1] * 2)[0])
    return float(largest_eigenpairs(lambda v: times(v)[:, 0], order, 1, tol=1e-13)[0][0])
