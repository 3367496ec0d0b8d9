"""Principal vectors of the scaled data, and the graph of the samples in their coordinates."""

from __future__ import annotations

import numpy as np

from blufs._numerics.eigen import fix_signs
from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix import DataMatrix
from blufs._numerics.matrix.chunked import ChunkedScaledData
from blufs._numerics.matrix.scaling import scale_samples

#: Blocks of the Krylov space from which principal vectors are taken, and extra columns of a block.
_DEPTH, _EXTRA = 4, 5
#: Share of the largest norm below which a combination of Krylov vectors is rounding.
_MADE_UP = 1e-12


def principal_vectors(data: DataMatrix, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Leading left singular vectors of the scaled data A (n x d), by block Krylov iteration.

    Returns
    -------
    squares : ndarray of shape (m,)
        Squared singular values, descending; m is ``count`` or the rank of A if that is less.
    vectors : ndarray of shape (n, m)
    """
    n = data.shape[0]
    width = min(n, count + _EXTRA)
    if isinstance(data, ChunkedScaledData) and n > 2 * width * (_DEPTH + 1):
        return _by_features(data, count, width)
    # A basis of half the space would save nothing, so that few samples are treated exactly.
    if n <= 2 * width * (_DEPTH + 1):
        Q = np.eye(n)
        projected = data.correlate(Q)
        inner = projected.T @ projected
    else:
        Q, inner = _krylov_basis(data, width)
    values, rotation = np.linalg.eigh(inner)
    keep = np.flatnonzero(values > 1e-10 * values[-1])[::-1][:count]
    return values[keep], fix_signs(Q @ rotation[:, keep])


def _krylov_basis(data: DataMatrix, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal basis Q of the block Krylov space of A A', and ``(A'Q)'(A'Q)``.

    Q has the shape (n, m) and the other (m, m), with m = width (_DEPTH + 1). ``A A' Q_j`` lies in
    the first j + 1 blocks of the space, so that only blocks next to each other have products other
    than zero, and ``A'Q_j`` (d x width) is held for two of them at a time.
    """
    n = data.shape[0]
    size = width * (_DEPTH + 1)
    # Filled in block by block: joining blocks would hold them twice.
    Q, inner = np.empty((n, size)), np.zeros((size, size))
    block = np.linalg.qr(np.random.default_rng(0).standard_normal((n, width)))[0]
    previous = None
    for first in range(0, size, width):
        if previous is not None:
            block = data.dot(previous)
            known = Q[:, :first]
            # Twice is enough to keep the whole basis orthogonal to machine precision.
            for _ in range(2):
                block -= known @ (known.T @ block)
                block = np.linalg.qr(block)[0]
        own = slice(first, first + width)
        Q[:, own] = block
        projected = data.correlate(block)
        inner[own, own] = projected.T @ projected
        if previous is not None:
            across = inner[own, first - width : first] = projected.T @ previous
            inner[first - width : first, own] = across.T
        previous = projected
    return Q, inner


def _by_features(data: ChunkedScaledData, count: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """As by :func:`_krylov_basis`, with vectors of d entries: of data in blocks less travels.

    The Krylov space of ``A A'`` from Q is spanned by Q and ``A U``, where U spans that of ``A' A``
    from ``A' Q``. The inner products of these vectors, and of their images by A', follow from
    ``A' Q``, U and ``A' A U``: the principal vectors are those of a small generalised eigenproblem.
    """
    n, d = data.shape
    data = ChunkedScaledData(data.X.astype(np.float64), data.shift, data.divisor)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, width)))[0]
    first = data.correlate(Q)
    if d <= width * _DEPTH:
        U = np.eye(d)
        images = data.gram_times(U)
    else:
        U, images = np.empty((d, width * _DEPTH)), np.empty((d, width * _DEPTH))
        image = first
        for start in range(0, width * _DEPTH, width):
            own, known, block = slice(start, start + width), U[:, :start], image
            for _ in range(2):
                block = np.linalg.qr(block - known @ (known.T @ block))[0]
            U[:, own] = block
            image = images[:, own] = data.gram_times(block)
    across, inner = first.T @ U, U.T @ images
    norms = np.block([[np.eye(width), across], [across.T, (inner + inner.T) / 2]])
    both = np.hstack([first, images])
    # Orthonormal combinations of Q and A U, without those that rounding makes up.
    scale = 1 / np.sqrt(np.maximum(norms.diagonal(), 1e-30 * norms.diagonal().max()))
    values, rotation = np.linalg.eigh(scale[:, None] * norms * scale)
    kept = values > _MADE_UP * values[-1]
    combined = scale[:, None] * rotation[:, kept] / np.sqrt(values[kept])
    projected = both @ combined
    values, rotation = np.linalg.eigh(projected.T @ projected)
    keep = np.flatnonzero(values > 1e-10 * values[-1])[::-1][:count]
    weights = combined @ rotation[:, keep]
    return values[keep], fix_signs(Q @ weights[:width] + data.dot(U @ weights[width:]))


def principal_graph(vectors: np.ndarray, n_neighbors: int) -> SampleGraph:
    """Heat-kernel graph by the angle between samples in whitened principal coordinates.

    The rows of ``vectors`` (n x m, left singular vectors) are the samples' principal coordinates,
    each scaled to the same variance. Large shared variation such as lighting then counts no more
    than any other leading direction, and trailing directions, mostly noise, do not count.
    """
    return SampleGraph.from_data(scale_samples(vectors), n_neighbors)
