"""BSUFS: bi-sparse unsupervised feature selection (Xiu, Huang, Shang, Liu, TIP 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Options

from blufs._numerics.matrix.scatter import Scatter
from blufs._numerics.projections import maximize_on_stiefel
from blufs.base import (
    NON_NEGATIVE,
    POSITIVE,
    BaseSelector,
    Solution,
    check_n_clusters,
    constraints,
    settled,
)

#: Exponents with a closed form.
EXPONENTS = (0, 1 / 2, 2 / 3)


class BSUFS(BaseSelector):
    """Principal components with few non-zero rows and, in these, few non-zero entries.

    With A the scatter of the centred data, divided by its largest eigenvalue, minimises

    ``-Tr(W'AW) + l1 ||U||_q^q + b1/2 ||W - U||^2 + l2 ||V||_{2,p}^p + b2/2 ||W - V||^2``

    over W (d x m) with ``W'W = I``, U (few entries) and V (few rows), in turn. Features are ranked
    by the norm of their row of V, those without a row by the norm of their row of W.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    row_penalty : float, default=0.5
        l2, as a share: at 1 a W with d equal rows pays as much as its variance can be, which is
        ``l2 = (m/d)^(1 - p/2)``. So it means the same for every number of features.
    entry_penalty : float, default=0.5
        l1 in the same way, ``l1 = d^(q/2 - 1)`` at 1. At 0 there is no U.
    row_coupling, entry_coupling : float, default=4.0 and 0.5
        b2 and b1, how closely V and U follow W.
    p, q : 0, 1/2 or 2/3, default=2/3
        Exponents of the rows and of the entries.
    n_clusters : int, default=8
        Number of clusters one expects; sets the number of components.
    n_components : int or None, default=None
        m, the columns of W; None takes ``n_clusters``. At most the rank of the data is used.
    scaling : str, default="none"
        How features are scaled before they are centred, see :mod:`blufs._numerics.matrix.scaling`.
    max_iter : int, default=100
    tol : float, default=1e-4
        Stops when the objective f changes by at most ``tol * max(1, |f|)``.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, m)
        W.
    n_nonzero_rows_ : int
        Features with a row in V.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective above at the start and after every iteration; it never rises.

    Notes
    -----
    Starts from principal components, so the result does not depend on a seed. Needs products with
    the data only; an iteration takes some steps of O(d min(n, d) m) each.

    References
    ----------
    X. Xiu, C. Huang, P. Shang, W. Liu. Bi-sparse unsupervised feature selection. IEEE TIP 34,
    2025. 10.1109/TIP.2025.3620667.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BSUFS
    >>> selector = BSUFS(n_features_to_select=3, n_clusters=3, scaling="standard")
    >>> selector.fit_transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "row_penalty",
        "entry_penalty",
        "row_coupling",
        "entry_coupling",
        "p",
        "q",
        "n_clusters",
        "n_components",
        "max_iter",
        "tol",
    )

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_clusters n_components scaling max_iter tol",
        row_penalty=[NON_NEGATIVE],
        entry_penalty=[NON_NEGATIVE],
        row_coupling=[POSITIVE],
        entry_coupling=[POSITIVE],
        p=[Options(Real, set(EXPONENTS))],
        q=[Options(Real, set(EXPONENTS))],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        row_penalty=0.5,
        entry_penalty=0.5,
        row_coupling=4.0,
        entry_coupling=0.5,
        p=2 / 3,
        q=2 / 3,
        n_clusters=8,
        n_components=None,
        scaling="none",
        max_iter=100,
        tol=1e-4,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.row_penalty = row_penalty
        self.entry_penalty = entry_penalty
        self.row_coupling = row_coupling
        self.entry_coupling = entry_coupling
        self.p = p
        self.q = q
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> Scatter:
        return Scatter.of(X, self.scaling, relative=True)

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        check_n_clusters(self.n_clusters, X.shape[0])
        scatter = self._precompute(X) if precomputed is None else precomputed
        W = scatter.leading_eigenpairs(self.n_components or self.n_clusters)[1]
        d, m = W.shape
        weights = Weights(
            rows=self.row_penalty * (m / d) ** (1 - self.p / 2),
            entries=self.entry_penalty * d ** (self.q / 2 - 1),
            row_coupling=self.row_coupling,
            entry_coupling=self.entry_coupling if self.entry_penalty else 0.0,
            p=self.p,
            q=self.q,
        )
        W, V, history, converged = bi_sparse_components(
            scatter, W, weights, max_iter=self.max_iter, tol=self.tol
        )
        scores, loadings = np.linalg.norm(V, axis=1), np.linalg.norm(W, axis=1)
        return Solution(
            scores=scores,
            order=np.lexsort((-loadings, -scores)),
            n_iter=len(history) - 1,
            converged=converged,
            objective_history=np.array(history),
            per_feature={"coef_": W},
            fitted={"n_nonzero_rows_": int(np.count_nonzero(scores))},
        )


@dataclass(frozen=True)
class Weights:
    """l2, l1, b2, b1 and the exponents of rows and entries."""

    rows: float
    entries: float
    row_coupling: float
    entry_coupling: float
    p: float
    q: float


def bi_sparse_components(
    scatter: Scatter, W: np.ndarray, weights: Weights, *, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, list[float], bool]:
    """Minimise the objective of :class:`BSUFS` from W (d x m), its principal components.

    Returns
    -------
    W, V : ndarray of shape (d, m)
    history : list of float
        The objective at the start and after every iteration.
    converged : bool
        Always true for ``tol=0``, which asks for ``max_iter`` iterations.
    """
    U, V = _sparse_entries(W, weights), _sparse_rows(W, weights)
    history = [_objective(scatter, W, U, V, weights)]
    converged = False
    while not converged and len(history) <= max_iter:
        # W'W = I makes the couplings linear: b/2 ||W - V||^2 = const - b <W, V>.
        B = (weights.entry_coupling * U + weights.row_coupling * V) / 2
        W = maximize_on_stiefel(scatter.times, B, W)
        U, V = _sparse_entries(W, weights), _sparse_rows(W, weights)
        history.append(_objective(scatter, W, U, V, weights))
        converged = settled(history, tol, at_least=1)
    return W, V, history, converged or tol == 0


def _sparse_entries(W: np.ndarray, weights: Weights) -> np.ndarray:
    if weights.entry_coupling == 0:
        return np.zeros_like(W)
    return shrink(W, weights.entries / weights.entry_coupling, weights.q)


def _sparse_rows(W: np.ndarray, weights: Weights) -> np.ndarray:
    norms = np.linalg.norm(W, axis=1)
    shrunk = shrink(norms, weights.rows / weights.row_coupling, weights.p)
    return W * (shrunk / np.maximum(norms, np.finfo(float).tiny))[:, None]


def _objective(scatter: Scatter, W, U, V, weights: Weights) -> float:
    variance = np.einsum("ij,ij->", W, scatter.times(W))
    entries = weights.entries * _power_sum(np.abs(U), weights.q)
    rows = weights.rows * _power_sum(np.linalg.norm(V, axis=1), weights.p)
    apart = weights.row_coupling * np.sum((W - V) ** 2)
    if weights.entry_coupling:
        apart += weights.entry_coupling * np.sum((W - U) ** 2)
    return float(entries + rows + apart / 2 - variance)


def _power_sum(sizes: np.ndarray, exponent: float) -> float:
    return float(np.sum(sizes[sizes > 0] ** exponent))


def shrink(a: np.ndarray, weight: float, p: float) -> np.ndarray:
    """Minimiser of ``weight |x|^p + (x - a)^2 / 2`` for every entry of a, p one of `EXPONENTS`.

    Entries up to a threshold that depends on ``weight`` become exactly zero.
    """
    if weight == 0:
        return a.copy()
    size = np.abs(a)
    kept = size > shrinkage_threshold(weight, p)
    x = np.zeros_like(a)
    if not kept.any():  # powers of a very large weight would overflow
        return x
    x[kept] = np.sign(a[kept]) * _ROOTS[p](size[kept], weight)
    return x


def shrinkage_threshold(weight: float, p: float) -> float:
    """The largest modulus that :func:`shrink` sets to zero."""
    if p == 0:
        return float(np.sqrt(2 * weight))
    if p == 1 / 2:
        return float(1.5 * weight ** (2 / 3))
    return float((128 / 27) ** 0.25 * weight**0.75)


def _root_half(size: np.ndarray, weight: float) -> np.ndarray:
    angle = np.arccos(weight / 4 * (3 / size) ** 1.5)
    return 4 / 3 * size * np.cos((np.pi - angle) / 3) ** 2


def _root_two_thirds(size: np.ndarray, weight: float) -> np.ndarray:
    half = size**2 / 2
    # Not negative above the threshold, but for rounding.
    inner = np.sqrt(np.maximum(half**2 - (8 * weight / 9) ** 3, 0))
    t = np.cbrt(half + inner) + np.cbrt(half - inner)
    return (np.sqrt(t) + np.sqrt(2 * size / np.sqrt(t) - t)) ** 3 / 8


_ROOTS = {0: lambda size, weight: size, 1 / 2: _root_half, 2 / 3: _root_two_thirds}
