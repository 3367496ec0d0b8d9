"""RNE: robust neighbourhood embedding (Liu et al., Knowledge-Based Systems 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from blufs._numerics.graph import neighbor_matrix
from blufs._numerics.matrix.scaling import scale_samples
from blufs._numerics.neighbors import nearest_neighbors
from blufs._numerics.progress import report
from blufs._numerics.rounding import content_order
from blufs.base import (
    AT_LEAST_ONE,
    POSITIVE,
    BaseSelector,
    MethodLimitError,
    Solution,
    constraints,
    settled,
)

#: Largest number of features: a d x d array in single precision is held, 2.3 GiB at this size.
MAX_FEATURES = 25_000

_EPS = np.finfo(float).eps
#: Entries of H (columns have unit norm) that are too small to change a sum of the others.
_NEGLIGIBLE = 1e-16
#: Entries of H that are set to zero for good, long before their squares become subnormal.
_VANISHED = 1e-100
#: Share of features left with an entry at which the others are taken out of the computation.
_SHRINK_BELOW = 0.8
#: Updates between two looks at which entries of H are negligible.
_PATTERN_AGE = 5
#: Share of entries of H below which sparse products are faster than dense ones.
_SPARSE_BELOW = 0.08
#: Entries of A'A that are computed at a time.
_BLOCK_ENTRIES = 2**24


class RNE(BaseSelector):
    """Robust neighbourhood embedding: features that keep local linear reconstructions.

    With the locally linear embedding weights V (each sample from its k nearest) and
    ``A = (I - V') X``, minimises over non-negative H (d x s), s the number of features,

    ``||A H||_1 + alpha/4 ||H'H - I||^2``

    by the alternating direction method of multipliers with multiplicative updates of H, and ranks
    the features by the norm of their row of H. The result depends strongly on the random start:
    average over seeds.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number s or fraction of features; None takes half. It is the width of H, so every s is a
        fit of its own.
    n_neighbors : int, default=10
        Neighbours that reconstruct a sample (3 to 11 in the authors' code, 10 in the BLUFS paper).
    transpose_weights : bool, default=True
        Whether ``A = (I - V') X``, as the authors' code has it, or ``(I - V) X``, the residual of
        the reconstruction.
    alpha : float, default=1000.0
        Weight of the orthogonality of H (the authors' value).
    penalty, penalty_growth : float, default=10.0 and 1.1
        Penalty of the splitting M = AH at the start and its growth (the authors' values).
    n_updates : int, default=30
        Multiplicative updates of H in one iteration (the authors' value).
    max_iter : int, default=50
        Iterations (the authors' value).
    tol : float, default=0.0
        Stop when the objective changes by less than ``tol * objective``; 0 runs all iterations,
        as the authors' code does.
    init : ndarray of shape (n_features, s), optional
        Positive initial H instead of a uniform random one; X must have no constant feature.
    random_state : int, RandomState instance or None, default=None
        Seeds the initial H. A feature gets the same numbers wherever it stands, see
        :func:`~blufs._numerics.rounding.content_order`.
    verbose : int, default=0
        Whether to print the objective after every iteration.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Notes
    -----
    X is first scaled to samples of unit norm, so that a shift of a feature changes the result. A
    fit takes 1,500 updates with the d x d matrix A'A: 7000 samples with 5000 features take under
    ten minutes on one core for s = 100. More than ``MAX_FEATURES`` features raise
    :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    Y. Liu, D. Ye, W. Li, H. Wang, Y. Gao: Robust neighborhood embedding for unsupervised feature
    selection. Knowledge-Based Systems 193, 105462, 2020. 10.1016/j.knosys.2019.105462.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import RNE
    >>> RNE(n_features_to_select=3, random_state=0).fit_transform(load_wine().data).shape
    (178, 3)
    """

    tuned_parameters: ClassVar[tuple[str, ...]] = (
        "alpha",
        "penalty",
        "penalty_growth",
        "n_updates",
        "max_iter",
        "tol",
        "init",
        "random_state",
    )

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_neighbors max_iter tol random_state verbose",
        transpose_weights=["boolean"],
        alpha=[POSITIVE],
        penalty=[POSITIVE],
        penalty_growth=[Interval(Real, 1, None, closed="left")],
        n_updates=[AT_LEAST_ONE],
        init=["array-like", None],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_neighbors=10,
        transpose_weights=True,
        alpha=1000.0,
        penalty=10.0,
        penalty_growth=1.1,
        n_updates=30,
        max_iter=50,
        tol=0.0,
        init=None,
        random_state=None,
        verbose=0,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.transpose_weights = transpose_weights
        self.alpha = alpha
        self.penalty = penalty
        self.penalty_growth = penalty_growth
        self.n_updates = n_updates
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.verbose = verbose
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> Residuals:
        if X.shape[1] > MAX_FEATURES:
            raise MethodLimitError(
                f"RNE holds d x d arrays and takes at most {MAX_FEATURES} features, got "
                f"{X.shape[1]}; select a subset first, for example by LapScore"
            )
        X = scale_samples(X.astype(float, copy=False))
        V = reconstruction_weights(X, self.n_neighbors)
        return Residuals.from_matrix(X - (V.T if self.transpose_weights else V) @ X)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        residuals = precomputed if precomputed is not None else self._precompute(X)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        order = content_order(X)
        solutions = {s: self._solve_one(residuals, s, seed, order) for s in s_values}
        return solutions

    def _solve_one(self, residuals: Residuals, s: int, seed: int, order: np.ndarray) -> Solution:
        H, history = solve(
            residuals,
            self._initial(order, s, seed),
            alpha=self.alpha,
            penalty=self.penalty,
            penalty_growth=self.penalty_growth,
            n_updates=self.n_updates,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Solution(
            scores=np.linalg.norm(H, axis=1),
            n_iter=len(history) - 1,
            converged=self.tol == 0 or settled(history, self.tol),
            objective_history=np.array(history),
            per_feature={"coef_": H},
        )

    def _initial(self, order: np.ndarray, s: int, seed: int) -> np.ndarray:
        d = len(order)
        if self.init is None:
            H = np.empty((d, s))
            H[order] = np.random.default_rng([seed, s]).random((d, s))
            return H
        H = np.asarray(self.init, dtype=float)
        if H.shape != (d, s) or not (H > 0).all():
            raise ValueError(f"init must be positive and of shape {(d, s)}, got shape {H.shape}")
        return H


@dataclass(frozen=True)
class Residuals:
    """``A`` (n x d) and what is needed of the positive and negative parts of ``A'A`` (d x d).

    With few samples that is ``absolute``, their sum, in single precision: the difference is A'A
    itself, whose products go by way of A. The updates multiply, so that an error of 1e-7 in a sum
    of non-negative numbers stays one. Else it is both ``parts``.
    """

    A: np.ndarray
    absolute: np.ndarray | None
    parts: tuple[np.ndarray, np.ndarray] | None

    @classmethod
    def from_matrix(cls, A: np.ndarray) -> Residuals:
        n, d = A.shape
        if 2 * n < d:
            absolute = np.empty((d, d), dtype=np.float32)
            rows = max(1, _BLOCK_ENTRIES // d)
            for start in range(0, d, rows):
                absolute[start : start + rows] = np.abs(A[:, start : start + rows].T @ A)
            return cls(A, absolute, None)
        gram = A.T @ A
        return cls(A, None, (np.maximum(gram, 0), np.maximum(-gram, 0)))

    def of_features(self, keep: np.ndarray) -> Residuals:
        square = np.ix_(keep, keep)
        absolute = None if self.absolute is None else self.absolute[square]
        parts = None if self.parts is None else (self.parts[0][square], self.parts[1][square])
        return Residuals(self.A[:, keep], absolute, parts)

    def products(self, Ht: np.ndarray, weights) -> tuple[np.ndarray, np.ndarray]:
        """``(B+ H)', (B- H)'`` from H' (s x d), of which ``weights`` is H' or its sparse form."""
        if self.parts is not None:
            return weights @ self.parts[0], weights @ self.parts[1]
        total = (weights.astype(np.float32) @ self.absolute).astype(np.float64)
        plus = (total + (Ht @ self.A.T) @ self.A) / 2
        return plus, np.maximum(total - plus, 0)


def reconstruction_weights(X: np.ndarray, n_neighbors: int) -> sp.csr_array:
    """Weights of locally linear embedding, n x n, rows sum to 1.

    Row i minimises ``||x_i - sum_j v_ij x_j||^2`` over the k nearest neighbours j of x_i. Where
    they leave that undetermined (k > d, duplicates) the Gram matrix gets ``1e-3`` of its trace on
    the diagonal.
    """
    indices, _, _ = nearest_neighbors(X, n_neighbors)
    n, k = indices.shape
    gram = np.empty((n, k, k))
    for i in range(n):
        differences = X[indices[i]] - X[i]
        gram[i] = differences @ differences.T
    trace = np.trace(gram, axis1=1, axis2=2)
    smallest = np.linalg.eigvalsh(gram)[:, 0]
    undetermined = (smallest <= 1e-12 * trace) | (k > X.shape[1])
    # All neighbours equal to the sample: any ridge gives equal weights.
    ridge = np.where(trace > 0, 1e-3 * trace, 1.0) * undetermined
    weights = np.linalg.solve(gram + ridge[:, None, None] * np.eye(k), np.ones((n, k, 1)))[..., 0]
    return neighbor_matrix(indices, weights / weights.sum(axis=1, keepdims=True))


def solve(
    residuals: Residuals,
    H: np.ndarray,
    *,
    alpha: float,
    penalty: float,
    penalty_growth: float,
    n_updates: int,
    max_iter: int,
    tol: float,
) -> tuple[np.ndarray, list[float]]:
    """ADMM for ``min ||M||_1 + alpha/4 ||H'H - I||^2, M = AH, H >= 0`` from the given H (d x s).

    Returns
    -------
    H : ndarray of shape (d, s)
    history : list of float
        The objective with M = AH at the start and after every iteration.
    """
    A = residuals.A
    updater = MultiplicativeUpdates(residuals, alpha)
    Ht, features = np.ascontiguousarray(H.T), np.arange(len(H))
    AH = A @ Ht.T
    M, multiplier = AH, np.zeros_like(AH)
    history = [_objective(AH, Ht, alpha)]
    for _ in range(max_iter):
        alive = np.flatnonzero(Ht.any(axis=0))
        if len(alive) < _SHRINK_BELOW * len(features):
            # A row of zeros stays zero under multiplication.
            features, Ht = features[alive], np.ascontiguousarray(Ht[:, alive])
            updater = MultiplicativeUpdates(updater.residuals.of_features(alive), alpha)
            A = updater.residuals.A
        pull = (M.T @ A) * penalty
        push = multiplier.T @ A
        attract = np.maximum(pull, 0) + np.maximum(push, 0)
        repel = np.maximum(-pull, 0) + np.maximum(-push, 0)
        Ht = updater.run(Ht, attract, repel, penalty, n_updates)
        AH = A @ Ht.T
        shifted = AH - multiplier / penalty
        M = np.sign(shifted) * np.maximum(np.abs(shifted) - 1 / penalty, 0)
        multiplier = multiplier + penalty * (M - AH)
        penalty = min(penalty * penalty_growth, 1e10)
        history.append(_objective(AH, Ht, alpha))
        report(len(history) - 1, history[-1], s=H.shape[1])
        if settled(history, tol):
            break
    result = np.zeros_like(H)
    result[features] = Ht.T
    return result, history


class MultiplicativeUpdates:
    """Updates of H for fixed M, multiplier and penalty g, on its transpose (s x d).

    Columns of H are scaled to unit norm, then, with ``B+-`` the parts of A'A,
    ``H <- H * sqrt((alpha H + attract + g B- H) / (alpha H H'H + repel + g B+ H))``.

    H soon has about one entry per row that is not negligible. The products are then taken over
    those entries alone, which changes no digit of them, while every entry goes on being updated:
    a negligible one may grow again.
    """

    def __init__(self, residuals: Residuals, alpha: float):
        self.residuals = residuals
        self.alpha = alpha

    def run(self, Ht, attract, repel, penalty: float, n_updates: int) -> np.ndarray:
        Ht = Ht.copy()
        # Both sides of the fraction divided by g.
        attract, repel, alpha = attract / penalty, (repel + _EPS) / penalty, self.alpha / penalty
        for update in range(n_updates):
            Ht /= np.sqrt(np.einsum("ij,ij->i", Ht, Ht) + _EPS)[:, None]
            if update % _PATTERN_AGE == 0:
                Ht[Ht < _VANISHED] = 0
                entries = np.flatnonzero(Ht > _NEGLIGIBLE)
            if len(entries) < _SPARSE_BELOW * Ht.size:
                plus, minus, cubic = self._sparse_products(Ht, entries, alpha)
            else:
                plus, minus, cubic = self._dense_products(Ht, alpha)
            plus += cubic
            plus += repel
            minus += attract
            minus += np.multiply(Ht, alpha, out=cubic)
            minus /= plus
            Ht *= np.sqrt(minus, out=minus)
        return Ht

    def _dense_products(self, Ht, alpha: float):
        """``(B+ H)', (B- H)', alpha (H H'H)'``."""
        return *self.residuals.products(Ht, Ht), (alpha * (Ht @ Ht.T)) @ Ht

    def _sparse_products(self, Ht, entries, alpha: float):
        """As ``_dense_products``, over the given flat positions of H' only."""
        s, d = Ht.shape
        rows, columns = np.divmod(entries, d)
        starts = np.searchsorted(rows, np.arange(s + 1))
        sparse = sp.csr_array((Ht.ravel()[entries], columns, starts), shape=(s, d))
        cubic = (alpha * (sparse @ sparse.T)) @ Ht
        return *self.residuals.products(Ht, sparse), cubic


def _objective(AH: np.ndarray, Ht: np.ndarray, alpha: float) -> float:
    defect = Ht @ Ht.T - np.eye(len(Ht))
    return float(np.abs(AH).sum() + alpha / 4 * np.sum(defect**2))
