"""Dominant eigenvectors of a symmetric operator: Lanczos iterations, from a vector or a block.

A block costs more, but makes use of a guess of all eigenvectors and misses no copy of a multiple
eigenvalue.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

#: Columns beyond the wanted ones in a Krylov block, so that no eigenvector stays hidden.
_GUARD_COLUMNS = 4
#: Blocks that a Krylov basis holds before it is restarted.
_BASIS_BLOCKS = 12
#: Blocks in the basis before it is worth looking at the residuals.
_FIRST_CHECK = 2
#: Restarts of Lanczos iterations after which a dense eigensolver would have been faster.
_RESTARTS = 20
#: From version 1.17 on SciPy draws new vectors at random where a Krylov space is exhausted: without
#: a seed no two calls agree. Older versions draw them from a fixed sequence.
_SEEDED = {"rng": 0} if "rng" in signature(eigsh).parameters else {}
#: B -> its image, for B of shape (d,) or (d, any).
Operator = Callable[[np.ndarray], np.ndarray]
#: Columns of a panel of a product, of which one triangle is made.
_PANEL = 128


def takes_lanczos(order: int, count: int, dense_up_to: int) -> bool:
    """Whether Lanczos iterations find ``count`` eigenvectors faster than a dense eigensolver.

    ``dense_up_to`` is the order up to which they never do; it depends on what a product costs.
    """
    return order > max(dense_up_to, 4 * count)


def dense_eigenpairs(A: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues number ``first`` to ``last``, ascending, and eigenvectors of a symmetric A."""
    try:
        return eigh(A, subset_by_index=[first, last], check_finite=False)
    except np.linalg.LinAlgError:  # LAPACK's driver for some of them gives up on tight clusters
        values, vectors = np.linalg.eigh(A)
        return values[first : last + 1], vectors[:, first : last + 1]


def add_upper_product(target: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """Add a symmetric product ``left' right`` (d x d) to ``target``, on and above its diagonal.

    Below the diagonal ``target`` holds nothing of use afterwards, see :func:`mirror_upper`.
    """
    for start in range(0, len(target), _PANEL):
        panel = slice(start, start + _PANEL)
        target[panel, start:] += left[:, panel].T @ right[:, start:]


def mirror_upper(A: np.ndarray) -> np.ndarray:
    """Fill in what :func:`add_upper_product` has left below the diagonal of A (d x d), in place."""
    for start in range(0, len(A), _PANEL):
        panel = slice(start, start + _PANEL)
        A[start:, panel] = A[panel, start:].T
    return A


def largest_eigenpairs(
    apply: Operator,
    order: int,
    count: int,
    *,
    tol: float,
    seed: int = 0,
    basis_size: int | None = None,
    max_restarts: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues (count,), descending, and eigenvectors (order x count) of ``apply``.

    The operator is symmetric and is applied to one vector at a time. The same call gives the same
    result every time. Raises :class:`~scipy.sparse.linalg.ArpackError` where iterations from one
    vector take more than ``max_restarts``.

    Parameters
    ----------
    tol : float
        Relative error of the eigenvalues.
    seed : int
        Of the random vector from which the iterations start.
    basis_size : int, optional
        Vectors kept between restarts; None leaves it to ARPACK.
    """
    values, vectors = eigsh(
        LinearOperator((order, order), apply, dtype=np.float64),
        count,
        which="LA",
        v0=np.random.default_rng(seed).standard_normal(order),
        ncv=basis_size,
        maxiter=max_restarts,
        tol=tol,
        **_SEEDED,
    )
    descending = np.argsort(-values, kind="stable")
    return values[descending], vectors[:, descending]


def lanczos_eigenvectors(apply: Operator, known: np.ndarray, count: int) -> np.ndarray:
    """Dominant eigenvectors (d x count) of ``apply`` beyond the known ones (d x any).

    Raises :class:`~scipy.sparse.linalg.ArpackError` where they take long.
    """
    images = apply(known)
    return largest_eigenpairs(
        lambda v: apply(v) - images @ (known.T @ v),
        len(known),
        count,
        # Another start than without known vectors: that one has no part in the copies left to find.
        seed=known.shape[1],
        max_restarts=_RESTARTS,
        tol=1e-12,
    )[1]


def block_lanczos_eigenvectors(
    apply: Operator,
    d: int,
    m: int,
    max_blocks: int,
    start: np.ndarray | None = None,
    tol: float = 1e-7,
) -> np.ndarray | None:
    """Dominant m eigenvectors (d x m) of the symmetric positive operator ``apply`` of order d.

    None if ``max_blocks`` applications of the operator to a block of vectors do not suffice.

    Parameters
    ----------
    start : ndarray of shape (d, any), optional
        Guess of the eigenvectors: speeds things up, does not change the result.
    tol : float
        Relative residual at which an eigenvector counts as found.
    """
    block = _orthonormal(_start_block(start, d, m))
    return _block_lanczos(apply, block, m, max_blocks, tol)


def _block_lanczos(
    apply: Operator, block: np.ndarray, m: int, max_blocks: int, tol: float
) -> np.ndarray | None:
    """Dominant m eigenvectors of the symmetric positive operator ``apply``, or None.

    Block Lanczos with full reorthogonalisation from the orthonormal ``block`` (d x b, b >= m),
    restarted from the Ritz vectors whenever the basis is full; at most ``max_blocks`` applications
    of the operator to a block.
    """
    b = block.shape[1]
    capacity = b * max(2, min(_BASIS_BLOCKS, len(block) // (2 * b)))
    basis = np.empty((len(block), capacity), order="F")
    projected = np.zeros((capacity, capacity))
    size, next_check, previous = 0, min(_FIRST_CHECK * b, capacity), None
    for _ in range(max_blocks):
        basis[:, size : size + b] = block
        size += b
        known = basis[:, :size]
        image = apply(block)
        coefficients = known.T @ image
        projected[:size, size - b : size] = coefficients
        projected[size - b : size, :size] = coefficients.T
        image -= known @ coefficients
        image -= known @ (known.T @ image)
        block, remainder = np.linalg.qr(image)
        if size < next_check:
            continue
        values, S = np.linalg.eigh(projected[:size, :size])
        values, S = values[::-1][:b], S[:, ::-1][:, :b]
        residuals = np.linalg.norm(remainder @ S[-b:, :m], axis=0)
        if np.all(residuals <= tol * values[:m]):
            # One more application of the operator makes the tiny entries accurate, too.
            return _orthonormal(apply(known @ S[:, :m]))
        excess = float(np.max(residuals / (tol * values[:m])))
        next_check = min(size + b * _blocks_to_go(previous, excess), capacity)
        previous = excess
        if size == capacity:
            block, size, previous = _orthonormal(known @ S), 0, None
            next_check = min(_FIRST_CHECK * b, capacity)
    return None


def _blocks_to_go(previous: float | None, excess: float) -> int:
    """Blocks until the residual, now ``excess`` times too large, falls below 1, at least 1.

    It is taken to fall from block to block as from ``previous`` to now, at most.
    """
    if previous is None or not 1 < excess < previous < np.inf:
        return 1
    return max(1, int(np.log(excess) / np.log(previous / excess)))


def _start_block(start: np.ndarray | None, d: int, m: int) -> np.ndarray:
    known = np.empty((d, 0)) if start is None else start[:, :m]
    missing = m + _GUARD_COLUMNS - known.shape[1]
    return np.hstack([known, np.random.default_rng(0).standard_normal((d, missing)) / np.sqrt(d)])


def _orthonormal(V: np.ndarray) -> np.ndarray:
    return np.linalg.qr(V)[0]


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Flip columns so that the entry of largest modulus is positive (first one on ties)."""
    # Rounding makes near-equal moduli compare equal, so the choice does not hang on the last bit.
    magnitude = np.round(np.abs(vectors) / np.abs(vectors).max(axis=0, keepdims=True), 6)
    pivots = magnitude.argmax(axis=0)
    signs = np.sign(vectors[pivots, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs)
