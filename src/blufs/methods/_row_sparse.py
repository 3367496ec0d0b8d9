"""Smallest eigenvectors of M + diag(q) and the row-sparse subspace problem built on them.

UDFS, SOGFS and SPCAFS all minimise ``Tr(W' M W) + gamma sum_r ||w_r||^p`` over ``W' W = I`` by
reweighting: each step takes the m smallest eigenvectors of ``M + gamma diag(q)``. M comes in two
forms, dense (:class:`DenseForm`) or as plus or minus ``R' R`` with few rows (:class:`FactoredForm`,
for more features than samples, where no d x d matrix is ever built).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError

from blufs._numerics.eigen import (
    Operator,
    add_upper_product,
    block_lanczos_eigenvectors,
    dense_eigenpairs,
    lanczos_eigenvectors,
    mirror_upper,
    takes_lanczos,
)
from blufs._numerics.rounding import ten_digits
from blufs.base import NON_NEGATIVE, BaseSelector, Solution, check_dense_order, constraints, settled

EPS = float(np.finfo(float).eps)
#: Eigenvalues closer than this times the norm of their matrix count as equal.
_ROUNDING = 30 * EPS
#: Up to this order a dense eigensolver is faster than shift-and-invert.
_DENSE_UP_TO = 300
#: The same for single vectors at a time.
_DENSE_INVERSE_UP_TO = 2000
#: Relative residual of the eigenvectors of a reweighting step. Smaller ones change no score of the
#: reference by 1e-8; with 1e-3 selections change.
_STEP_TOL = 1e-6


@dataclass(frozen=True)
class Unregularized:
    """Minimiser of ``Tr(W' M W)`` alone: where reweighting starts, whatever gamma is.

    ``squared_norms`` are the squared row norms of W, shape (d,). Where the minimiser is not unique
    (the smallest eigenvalues are multiple, as always for more features than samples), ``W`` is None
    and ``squared_norms`` is the mean over all minimisers.
    """

    squared_norms: np.ndarray
    W: np.ndarray | None


class QuadraticForm(ABC):
    """A symmetric matrix M of shape (d, d), known through what the eigensolver needs of it.

    ``lower_bound`` lies below all eigenvalues; ``max_blocks`` is the number of Lanczos blocks after
    which a dense eigensolver would have been faster.
    """

    max_blocks: int
    lower_bound: float

    def __init__(self) -> None:
        self._unregularized: dict[int, Unregularized] = {}

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @abstractmethod
    def times(self, V: np.ndarray) -> np.ndarray:
        """``M V``."""

    @abstractmethod
    def dense(self) -> np.ndarray:
        """A new array that holds M."""

    @abstractmethod
    def solver(self, delta: np.ndarray) -> Operator:
        """``B -> (M + diag(delta))^-1 B`` for a positive definite matrix."""

    @abstractmethod
    def _compute_unregularized(self, m: int) -> Unregularized: ...

    def unregularized(self, m: int) -> Unregularized:
        """Minimiser of ``Tr(W' M W)`` over W (d x m), ``W' W = I``; computed once per m."""
        if m not in self._unregularized:
            self._unregularized[m] = self._compute_unregularized(m)
        return self._unregularized[m]


class DenseForm(QuadraticForm):
    """Symmetric M of shape (d, d) with a known lower bound of its eigenvalues."""

    def __init__(self, M: np.ndarray, lower_bound: float = 0.0):
        super().__init__()
        check_dense_order(len(M))
        self.M = M
        self.rounding = _ROUNDING * float(np.linalg.norm(self.M))
        self.lower_bound = lower_bound - self.rounding
        self.max_blocks = len(M) // 50

    @property
    def n_features(self) -> int:
        return len(self.M)

    def times(self, V: np.ndarray) -> np.ndarray:
        return self.M @ V

    def negative_times(self, V: np.ndarray) -> np.ndarray:
        return -(self.M @ V)

    def dense(self) -> np.ndarray:
        return self.M.copy()

    def solver(self, delta: np.ndarray) -> Operator:
        shifted = self.M.copy()
        shifted.flat[:: len(shifted) + 1] += delta
        # The transpose of a symmetric array in C order is the same one in LAPACK's order.
        factor = cho_factor(shifted.T, lower=True, overwrite_a=True, check_finite=False)
        return lambda B: cho_solve(factor, B, check_finite=False)

    def _compute_unregularized(self, m: int) -> Unregularized:
        d = self.n_features
        W = _separated_eigenvectors(self, m)
        if W is not None:
            return Unregularized(np.einsum("ij,ij->i", W, W), W)
        last = min(m, d - 1)
        values, W = dense_eigenpairs(self.M, 0, last)
        if m == d or values[m] - values[m - 1] > self.rounding:
            W = W[:, :m]
            return Unregularized(np.einsum("ij,ij->i", W, W), W)
        values, W = eigh(self.M, check_finite=False)
        below = int(np.searchsorted(values, values[m - 1] - self.rounding))
        above = int(np.searchsorted(values, values[m - 1] + self.rounding, side="right"))
        squares = W[:, :above] ** 2
        share = (m - below) / (above - below)
        mean = squares[:, :below].sum(axis=1) + share * squares[:, below:].sum(axis=1)
        return Unregularized(mean, None)


class FactoredForm(QuadraticForm):
    """``M = sign * R' R`` with R of shape (r, d), r well below d."""

    def __init__(self, R: np.ndarray, sign: int = 1):
        super().__init__()
        check_dense_order(len(R))
        self.R, self.sign = R, sign
        self._values, self._vectors = eigh(R @ R.T, check_finite=False)
        keep = self._values > max(R.shape) * EPS * max(self._values[-1], 0)
        self._values, self._vectors = self._values[keep], self._vectors[:, keep]
        lowest = 0.0 if sign > 0 else -1.001 * float(self._values[-1])
        self.lower_bound = lowest - _ROUNDING * float(np.linalg.norm(self._values))
        self.max_blocks = 500

    @property
    def n_features(self) -> int:
        return self.R.shape[1]

    def times(self, V: np.ndarray) -> np.ndarray:
        return self.sign * (self.R.T @ (self.R @ V))

    def dense(self) -> np.ndarray:
        check_dense_order(self.n_features)
        return self.sign * (self.R.T @ self.R)

    def solver(self, delta: np.ndarray) -> Operator:
        """``B -> (M + diag(delta))^-1 B`` by the Woodbury identity, delta > 0.

        With ``Z = R D^-1/2``, D = diag(delta) and t the sign, the inverse is
        ``D^-1/2 (I - t Z' (I + t Z Z')^-1 Z) D^-1/2``.
        """
        if delta.min() <= 0:
            raise LinAlgError("delta must be positive")
        root = 1 / np.sqrt(delta)
        Z = self.R * root
        core = self.sign * (Z @ Z.T)
        core.flat[:: len(core) + 1] += 1
        factor = cho_factor(core, lower=True, overwrite_a=True, check_finite=False)

        def solve(B: np.ndarray) -> np.ndarray:
            scaled = B * root[:, None]
            inner = cho_solve(factor, Z @ scaled, check_finite=False)
            return (scaled - self.sign * (Z.T @ inner)) * root[:, None]

        return solve

    def _compute_unregularized(self, m: int) -> Unregularized:
        rank, d = len(self._values), self.n_features
        if self.sign > 0 and m < d - rank:
            V = self._right_vectors(rank)
            null = np.maximum(1 - np.einsum("ij,ij->i", V, V), 0)
            return Unregularized(m / (d - rank) * null, None)
        if self.sign < 0 and m <= rank:
            W = self._right_vectors(m)
            return Unregularized(np.einsum("ij,ij->i", W, W), W)
        return DenseForm(self.dense(), self.lower_bound).unregularized(m)

    def _right_vectors(self, count: int) -> np.ndarray:
        """Eigenvectors of R'R to its ``count`` largest eigenvalues, shape (d, count)."""
        U, values = self._vectors[:, ::-1][:, :count], self._values[::-1][:count]
        return (self.R.T @ U) / np.sqrt(values)


def _separated_eigenvectors(form: DenseForm, m: int) -> np.ndarray | None:
    """The m smallest eigenvectors of M (d x m) by Lanczos iterations.

    None where a dense eigensolver is faster or eigenvalue m + 1 is not clearly larger.
    """
    d = form.n_features
    semidefinite = form.lower_bound >= -2 * form.rounding
    if not takes_lanczos(d, m, _DENSE_INVERSE_UP_TO if semidefinite else _DENSE_UP_TO):
        return None
    try:
        # The smallest eigenvalues of a semidefinite matrix are far apart in its inverse only. The
        # shift keeps a null vector from drowning the others in rounding errors.
        shift = 1e-8 * np.linalg.norm(form.M)
        apply = form.solver(np.full(d, shift)) if semidefinite else form.negative_times
        W = lanczos_eigenvectors(apply, np.empty((d, 0)), m)
        # Iterations from one vector may miss copies of a multiple eigenvalue: look again without
        # those that were found.
        following = lanczos_eigenvectors(apply, W, 1)
    except (LinAlgError, ArpackError):
        return None
    largest = np.einsum("ij,ij->j", W, form.times(W)).max()
    gap = np.einsum("ij,ij->", following, form.times(following)) - largest
    return W if gap > 10 * form.rounding else None


def laplacian_form(X: np.ndarray, L: sp.csr_array) -> QuadraticForm:
    """``X' L X`` for X (n x d) and a positive semidefinite L (n x n), factored when 2 n < d.

    L annihilates what is constant on each connected component of its graph, and nothing else.
    """
    n, d = X.shape
    n_parts, part = connected_components(L, directed=False)
    # The means of the components add nothing but rounding errors, which would hide the null space.
    means = indicator_rows(part) @ X / np.bincount(part)[:, None]
    X = X - means[part]
    if 2 * n < d:
        check_dense_order(n)
        values, vectors = eigh(L.toarray(), check_finite=False)
        # One eigenvalue per component is zero; what LAPACK finds there is noise.
        values, vectors = np.maximum(values[n_parts:], 0), vectors[:, n_parts:]
        return FactoredForm(np.sqrt(values)[:, None] * (vectors.T @ X))
    check_dense_order(d)
    product = np.zeros((d, d))
    add_upper_product(product, X, L @ X)
    return DenseForm(mirror_upper(product))


def indicator_rows(labels: np.ndarray) -> sp.csr_array:
    """0/1 matrix (number of labels x n) with a one where a sample (column) has the label (row)."""
    n = len(labels)
    return sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(labels.max() + 1, n))


def smallest_eigenvectors(
    form: QuadraticForm,
    diagonal: np.ndarray,
    m: int,
    start: np.ndarray | None = None,
    tol: float = 1e-7,
) -> np.ndarray:
    """The m smallest eigenvectors of ``M + diag(diagonal)``, ascending, shape (d, m).

    Parameters
    ----------
    form : DenseForm or FactoredForm
    diagonal : ndarray of shape (d,)
    start : ndarray of shape (d, any), optional
        Guess of the eigenvectors: speeds things up, does not change the result.
    tol : float
        Relative residual at which an eigenvector counts as found.
    """
    if not takes_lanczos(form.n_features, m, _DENSE_UP_TO):
        return _dense_eigenvectors(form, diagonal, m)
    solve = _factored_outside_spectrum(form, diagonal, start)
    if solve is None:
        return _dense_eigenvectors(form, diagonal, m)
    W = block_lanczos_eigenvectors(solve, form.n_features, m, form.max_blocks, start=start, tol=tol)
    return _dense_eigenvectors(form, diagonal, m) if W is None else W


def _factored_outside_spectrum(form: QuadraticForm, diagonal: np.ndarray, start) -> Operator | None:
    """Solver of ``M + diag(diagonal) - shift I`` with the shift below all eigenvalues.

    The closer the shift, the faster the eigenvectors converge. Where the safe bound is far off,
    first comes a guess just below the Rayleigh quotients of ``start``; if that is too high, the
    Cholesky factorisation fails and says so.
    """
    smallest = float(diagonal.min())
    safe = form.lower_bound + smallest - 1e-6 * abs(smallest)
    shifts = [safe]
    if start is not None and form.lower_bound < -abs(smallest):
        ritz = np.linalg.eigvalsh(start.T @ (form.times(start) + diagonal[:, None] * start))
        guess = ritz[0] - 0.1 * (ritz[-1] - ritz[0])
        shifts = [guess, safe] if guess > safe else [safe]
    for shift in shifts:
        try:
            return form.solver(diagonal - shift)
        except LinAlgError:
            continue
    return None


def _dense_eigenvectors(form: QuadraticForm, diagonal: np.ndarray, m: int) -> np.ndarray:
    A = form.dense()
    A.flat[:: len(A) + 1] += diagonal
    return dense_eigenpairs(A.T, 0, m - 1)[1]


@dataclass(frozen=True)
class SparseSubspace:
    """Result of :func:`row_sparse_subspace`; ``W`` is None if only its mean norms are known."""

    squared_norms: np.ndarray
    W: np.ndarray | None
    history: np.ndarray
    n_iter: int
    converged: bool


def row_sparse_subspace(
    form: QuadraticForm, gamma: float, m: int, *, p: float = 1.0, max_iter: int, tol: float
) -> SparseSubspace:
    """Minimise ``Tr(W' M W) + gamma sum_r ||w_r||^p`` over W (d x m) with ``W' W = I``.

    Iteratively reweighted: W is the m smallest eigenvectors of ``M + gamma diag(q)`` with
    ``q_r = (p/2) (||w_r||^2 + eps)^(p/2 - 1)``, starting from q = 1. Stops when the objective f
    changes by at most ``tol * max(1, |f|)``; ``tol=0`` takes ``max_iter`` steps, no more is asked.
    """
    first = form.unregularized(m)
    W, squared_norms = first.W, first.squared_norms
    history = [] if W is None else [_objective(form, W, squared_norms, gamma, p)]
    n_iter, converged = 1, gamma == 0
    while n_iter < max_iter and not converged:
        q = p / 2 * (squared_norms + EPS) ** (p / 2 - 1)
        W = smallest_eigenvectors(form, gamma * q, m, start=W, tol=_STEP_TOL)
        squared_norms = np.einsum("ij,ij->i", W, W)
        history.append(_objective(form, W, squared_norms, gamma, p))
        n_iter += 1
        converged = settled(history, tol, at_least=1)
    return SparseSubspace(squared_norms, W, np.array(history), n_iter, converged or tol == 0)


def _objective(form: QuadraticForm, W, squared_norms, gamma: float, p: float) -> float:
    penalty = float(np.sum(squared_norms ** (p / 2)))
    return float(np.einsum("ij,ij->", W, form.times(W))) + gamma * penalty


class RowSparseSelector(BaseSelector):
    """Base of the methods that rank by the row norms of an orthonormal W with a row penalty.

    A large penalty leaves m features, all with a row of norm 1 but for rounding errors: norms that
    agree in ten digits count as equal, and the feature with the smaller index comes first.
    """

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_clusters n_components scaling max_iter tol", gamma=[NON_NEGATIVE]
    )

    gamma: float
    n_clusters: int
    n_components: int | None
    max_iter: int
    tol: float

    def _n_components(self, limit: int) -> int:
        return min(self.n_components or self.n_clusters, limit)

    def _solution(self, result: SparseSubspace, **fitted) -> Solution:
        return Solution(
            scores=result.squared_norms,
            order=np.argsort(-ten_digits(result.squared_norms), kind="stable"),
            n_iter=result.n_iter,
            converged=result.converged,
            objective_history=result.history,
            per_feature={} if result.W is None else {"coef_": result.W},
            fitted=fitted,
        )
