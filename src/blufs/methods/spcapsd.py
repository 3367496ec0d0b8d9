"""SPCAPSD: sparse PCA by a positive semidefinite matrix (Zheng, Zhang, Liu et al., 2023)."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, eigh, qr, solve_triangular
from sklearn.utils._param_validation import Interval

from blufs._numerics.matrix.scatter import scaled_values
from blufs._numerics.progress import report
from blufs.base import NON_NEGATIVE, BaseSelector, MethodLimitError, Solution, constraints, settled
from blufs.methods._row_sparse import EPS

#: Eigenvalues below this times the largest count as zero.
_ZERO = 1e-10
#: Vectors beyond the positive eigenvectors that are kept: an eigenvalue may become positive.
_GUARD = 10
#: Largest order of a dense eigenproblem, one per iteration (1.3 GiB).
MAX_DENSE_ORDER = 6_000
#: With more features than this many times the samples, no d x d matrix is built.
_LOW_RANK_ABOVE = 4
#: Change of the row norms, relative to the largest, at which eigenvectors are good enough, and most
#: rounds to get there.
_SETTLED, _MAX_ROUNDS = 1e-6, 20


class SPCAPSD(BaseSelector):
    """Features that a low-rank, row-sparse reconstruction of the data needs (SPCA-PSD).

    With Z the centred data, divided by its largest singular value, minimises the convex function

    ``||Z - Z Om||^2 + lam ||Om||_{2,1} + eta Tr(Om)``

    over symmetric positive semidefinite Om (d x d) by reweighting: a step minimises it with the
    row norms replaced by weighted squares, without the constraint, and then cuts the negative
    eigenvalues. Features are ranked by the norm of their row of Om.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    lam : float, default=0.01
        Weight of the row norms.
    eta : float, default=0.01
        Weight of the trace. Principal directions with less than about eta/2 of the largest
        variance are left out.
    scaling : str, default="none"
        How features are scaled before they are centred, see :mod:`blufs._numerics.matrix.scaling`.
    ridge : float, default=1e-6
        Added to the weights of the rows, so that every step has one solution; at least 1e-12.
    max_iter : int, default=100
    tol : float, default=1e-6
        Stops when the objective changes by at most ``tol`` times its value.
    verbose : int, default=0
        Whether to print the objective after every iteration.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    rank_ : int
        Rank of Om.
    objective_history_ : ndarray of shape (n_iter_,)
        Cutting eigenvalues after a step is a heuristic: the objective may rise.

    Notes
    -----
    The start is the identity, so the result does not depend on a seed. An iteration takes all
    eigenvectors of a d x d matrix, O(d^3). With more than four times as many features as samples no
    such matrix is built: Om has at most n - 1 positive eigenvalues, and each iteration improves the
    eigenvectors of the one before, O(n d r + d r^2) for r of them. Other data with more than 6,000
    features raise :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    J. Zheng, X. Zhang, Y. Liu, W. Jiang, K. Huo, L. Liu. Fast sparse PCA via positive semidefinite
    projection for unsupervised feature selection. arXiv:2309.06202, 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import SPCAPSD
    >>> selector = SPCAPSD(n_features_to_select=3, scaling="standard").fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("lam", "eta", "ridge", "max_iter", "tol")

    _parameter_constraints: ClassVar[dict] = constraints(
        "scaling max_iter tol verbose",
        lam=[NON_NEGATIVE],
        eta=[NON_NEGATIVE],
        ridge=[Interval(Real, 1e-12, None, closed="left")],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        lam=0.01,
        eta=0.01,
        scaling="none",
        ridge=1e-6,
        max_iter=100,
        tol=1e-6,
        verbose=0,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.lam = lam
        self.eta = eta
        self.scaling = scaling
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> np.ndarray:
        Z = scaled_values(X, self.scaling, center=True)
        Z /= np.linalg.norm(Z, 2)
        return Z

    def _rank(self, X: np.ndarray, precomputed) -> Solution:
        n, d = X.shape
        if d > MAX_DENSE_ORDER and d <= _LOW_RANK_ABOVE * n:
            raise MethodLimitError(
                f"SPCAPSD takes at most {MAX_DENSE_ORDER} features, or more than "
                f"{_LOW_RANK_ABOVE} times as many as there are samples; got {n} samples with {d} "
                "features"
            )
        Z = self._precompute(X) if precomputed is None else precomputed
        # The rows of the identity.
        norms, rank, history, converged = solve(
            Z,
            np.ones(d),
            weights=(self.lam, self.eta, self.ridge),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Solution(
            scores=norms,
            n_iter=len(history),
            converged=converged,
            objective_history=np.array(history),
            fitted={"rank_": rank},
        )


def solve(
    Z: np.ndarray,
    norms: np.ndarray,
    *,
    weights: tuple[float, float, float],
    max_iter: int,
    tol: float,
    low_rank: bool | None = None,
) -> tuple[np.ndarray, int, list[float], bool]:
    """Reweighted steps with semidefinite projection, see :class:`SPCAPSD`.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    norms : ndarray of shape (d,)
        Row norms of the Om to start from.
    weights : lam, eta, ridge
    low_rank : bool, optional
        Whether to find eigenvectors without a d x d matrix; by default where d is much above n.

    Returns
    -------
    norms : ndarray of shape (d,)
        Row norms of Om.
    rank : int
    history : list of float
        The objective after every iteration.
    converged : bool
        Always true for ``tol=0``, which asks for ``max_iter`` iterations.
    """
    lam, eta, ridge = weights
    n, d = Z.shape
    low_rank = d > _LOW_RANK_ABOVE * n if low_rank is None else low_rank
    gram = None if low_rank else Z.T @ Z
    total = float(np.einsum("ij,ij->", Z, Z))
    basis = qr(Z.T, mode="economic")[0] if low_rank else np.empty((d, 0))
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        diagonal = lam / (2 * np.sqrt(norms**2 + EPS)) + ridge
        if gram is None:
            values, vectors, basis = _low_rank_step(Z, diagonal, eta, basis)
        else:
            values, vectors = positive_part(_dense_step(gram, diagonal, eta))
        norms = np.sqrt(vectors**2 @ values**2)
        variances = np.sum((Z @ vectors) ** 2, axis=0)
        fit = total + np.sum((values**2 - 2 * values) * variances)
        history.append(float(fit + lam * norms.sum() + eta * values.sum()))
        report(len(history), history[-1])
        converged = settled(history, tol)
    return norms, len(values), history, converged or tol == 0


def _dense_step(gram: np.ndarray, diagonal: np.ndarray, eta: float) -> np.ndarray:
    """Symmetric part of ``(S - eta/2 I) B^-1`` with S the Gram matrix, ``B = S + diag(diagonal)``.

    It equals ``I - C B^-1`` with ``C = diag(diagonal) + eta/2 I``.
    """
    d = len(gram)
    B = gram.copy()
    B.flat[:: d + 1] += diagonal
    factor = cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
    inverse = cho_solve(factor, np.eye(d), overwrite_b=True, check_finite=False)
    half = (diagonal + eta / 2) / 2
    step = -(inverse * half[:, None] + inverse * half)
    step.flat[:: d + 1] += 1
    return (step + step.T) / 2


def _low_rank_step(
    Z: np.ndarray, diagonal: np.ndarray, eta: float, basis: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positive eigenvalues and eigenvectors of :func:`_dense_step` without a d x d matrix.

    With ``h = 1 / diagonal`` and ``N = Z'(I + Z diag(h) Z')^-1 Z`` the matrix is ``P - D``,
    ``P = (hN + Nh)/2 + eta/2 hNh`` and ``D = eta/2 h``, h standing for diag(h). P has n positive
    eigenvalues, and D takes some away. An eigenvector is ``v = (l + D)^-1 P v``, l its eigenvalue:
    these, made from the approximate ones, are added to them, and the best eigenvectors in the
    space of all are taken, until the row norms that they give settle.

    Parameters
    ----------
    basis : ndarray of shape (d, any)
        Orthonormal; its span holds approximate eigenvectors, those of the step before.

    Returns
    -------
    values : ndarray of shape (r,)
    vectors : ndarray of shape (d, r)
    basis : ndarray of shape (d, any)
        For the next step: the vectors and some more.
    """
    n = len(Z)
    h = 1 / diagonal
    inner = (Z * h) @ Z.T
    inner.flat[:: n + 1] += 1
    # N = Y'Y
    Y = solve_triangular(cholesky(inner, lower=True), Z, lower=True, check_finite=False)
    h, D = h[:, None], eta / 2 * h[:, None]

    def image_of(V: np.ndarray) -> np.ndarray:
        N_scaled = Y.T @ (Y @ (h * V))
        return (h * (Y.T @ (Y @ V)) + N_scaled) / 2 + eta / 2 * (h * N_scaled)

    image = image_of(basis)
    M = basis.T @ (image - D * basis)
    norms = None
    for _ in range(_MAX_ROUNDS):
        values, rotation = eigh((M + M.T) / 2, check_finite=False)
        n_positive = int(np.sum(values > _ZERO * max(values[-1], 0)))
        kept = min(n_positive + _GUARD, len(values))
        values, rotation = values[-kept:], rotation[:, -kept:]
        vectors = basis @ rotation
        positive = slice(kept - n_positive, None)
        before, norms = norms, np.sqrt(vectors[:, positive] ** 2 @ values[positive] ** 2)
        if before is not None and np.abs(norms - before).max() <= _SETTLED * norms.max():
            break
        image = image @ rotation
        better = image / (np.maximum(values, 0) + D + EPS * values[-1])
        better /= np.linalg.norm(better, axis=0)
        for _ in range(2):  # twice, because most of it is in the span already
            better = qr(better - vectors @ (vectors.T @ better), mode="economic")[0]
        further = image_of(better)
        inside = better.T @ (further - D * better)
        across = better.T @ (image - D * vectors)
        M = np.block([[np.diag(values), across.T], [across, inside]])
        basis, image = np.hstack([vectors, better]), np.hstack([image, further])
    return values[positive], vectors[:, positive], vectors


def positive_part(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive eigenvalues (r,) and their eigenvectors (d x r) of a symmetric M (d x d)."""
    values, vectors = eigh(M, check_finite=False, driver="evd")
    keep = values > _ZERO * max(values[-1], 0)
    return values[keep], vectors[:, keep]
