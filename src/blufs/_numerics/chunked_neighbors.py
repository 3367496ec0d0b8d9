"""Nearest neighbours of samples that are read in blocks of rows: all pairs, some at a time."""

from __future__ import annotations

from functools import partial

import numpy as np

from blufs._numerics.matrix.chunked import COLUMN_BYTES, RowChunks
from blufs._numerics.matrix.conditioning import without_offset
from blufs._numerics.matrix.rows import squared_differences
from blufs._numerics.neighbors import (
    EXACT_UP_TO,
    SPARE,
    clip_n_neighbors,
    smallest_per_row,
    squared_distance_blocks,
)


def neighbors_of_chunks(X: RowChunks, n_neighbors: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Exact neighbours as :func:`~blufs._numerics.neighbors.nearest_neighbors` finds them.

    Samples of 64 MiB at a time are compared with all blocks, where these are: two passes for each
    part of that size. Refused for more than 20,000 samples.
    """
    n = X.shape[0]
    if n > EXACT_UP_TO:
        raise ValueError(
            f"all pairs of samples are compared where X is read in chunks, up to {EXACT_UP_TO:,} "
            f"samples, and X has {n:,}; hand in a graph: fit(X, precomputed=sample_graph(X)) with "
            "sample_graph from blufs compares principal coordinates of any number of samples"
        )
    k = clip_n_neighbors(n_neighbors, n)
    X = without_offset(X)
    at_once = max(1, n * COLUMN_BYTES // max(1, X.summary.n_bytes))
    numbers = np.arange(n)
    indices, distances, total = [], [], 0.0
    for start in range(0, n, at_once):
        own = X[(numbers >= start) & (numbers < start + at_once)]
        found = X.reduce(_nearest_in, partial(_nearer, k=k), own, start, k, by_row=numbers)
        indices.append(found[0])
        distances.append(found[1])
        total += found[2]
    return np.concatenate(indices), np.concatenate(distances), total / n**2


def _nearest_in(block, numbers: np.ndarray, own, start: int, k: int):
    """The rows of a block that are nearest to each of m samples, which are the rows of ``own``.

    Parameters
    ----------
    numbers : ndarray of int
        Of the rows of the block, ascending.
    start : int
        Number of the first sample.

    Returns
    -------
    indices, squared_distances : ndarray of shape (m, at most k)
        Nearest first, ties by smaller index; a sample itself is infinitely far.
    total : float
        Sum of the distances of all pairs.
    """
    block, own = block.astype(np.float64), own.astype(np.float64)
    indices = np.empty((own.shape[0], min(k, len(numbers))), dtype=np.intp)
    distances, total = np.empty(indices.shape), 0.0
    for first, D in squared_distance_blocks(own, block):
        samples = np.arange(first, first + len(D))
        itself = numbers == start + samples[:, None]
        D[itself] = 0
        total += float(np.sqrt(D).sum())
        D[itself] = np.inf
        candidates = np.sort(smallest_per_row(D, min(k + SPARE, len(numbers)))[0], axis=1)
        exact = squared_differences(own, samples, block, candidates)
        exact[np.take_along_axis(itself, candidates, axis=1)] = np.inf
        order = np.argsort(exact, axis=1, kind="stable")[:, : indices.shape[1]]
        indices[samples] = numbers[np.take_along_axis(candidates, order, axis=1)]
        distances[samples] = np.take_along_axis(exact, order, axis=1)
    return indices, distances, total


def _nearer(one, other, k: int):
    """The k nearest of two results, of which the second is from later rows."""
    indices, distances = (np.hstack(pair) for pair in zip(one[:2], other[:2], strict=True))
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    found = (np.take_along_axis(a, order, axis=1) for a in (indices, distances))
    return *found, one[2] + other[2]
