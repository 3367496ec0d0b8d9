"""Pairs of samples that some of several clusterings put together: where a consensus can live."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.rows import row_blocks

#: Entries of one block of rows: stays in the cache of a processor.
_BLOCK_ENTRIES = 2**17
#: Clusterings coded in one word.
_WORD = 16


class JoinedPairs:
    """Pairs i < l joined by at least one of m clusterings of n samples.

    The clusterings are 0/1 matrices S^j; a pair only matters through its pattern, which of them
    join it, and there are few patterns. Sums over clusterings are sums over patterns.

    Attributes
    ----------
    patterns : ndarray of shape (number of patterns, m)
        0/1: row of S^1..S^m entries.
    code : ndarray of shape (n_pairs,)
        The pattern of each pair.
    indptr, columns : ndarray
        The pairs (i, columns[t]), t in indptr[i]..indptr[i + 1], as in a CSR matrix.
    """

    def __init__(self, labels: np.ndarray):
        m, n = labels.shape
        self.n_samples = n
        columns, codes, counts = [], [], []
        for start, stop in _row_blocks(n):
            words = np.zeros((-(-m // _WORD), stop - start, n - start), dtype=np.uint16)
            for j, row in enumerate(labels):
                joined = row[start:stop, None] == row[None, start:]
                words[j // _WORD] |= joined.astype(np.uint16) << np.uint16(j % _WORD)
            above = np.triu(words.any(axis=0), k=1)
            counts.append(above.sum(axis=1))
            columns.append((np.nonzero(above)[1] + start).astype(np.int32))
            codes.append(words[:, above])
        self.columns = np.concatenate(columns)
        self.indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        self.code, self.patterns = _coded(np.hstack(codes), m)

    def combined(self, weights: np.ndarray) -> np.ndarray:
        """``sum_j weights_j S^j`` on the pairs."""
        return (self.patterns @ weights)[self.code]

    def inside(self, values: np.ndarray) -> np.ndarray:
        """Sum of the values of the pairs that clustering j joins, for every j."""
        return np.bincount(self.code, values, minlength=len(self.patterns)) @ self.patterns

    def squared_distances(self, Z: np.ndarray) -> np.ndarray:
        """``||z_i - z_l||^2`` on the pairs for Z (n x c)."""
        half = np.einsum("ij,ij->i", Z, Z) / 2
        left = np.column_stack([Z, np.ones(len(Z)), -half])
        right = np.column_stack([Z, -half, np.ones(len(Z))]).T
        distances = np.empty(len(self.columns))
        for start, stop in _row_blocks(self.n_samples):
            pairs = slice(self.indptr[start], self.indptr[stop])
            product = left[start:stop] @ right[:, start:]
            distances[pairs] = product[self._local_rows(start, stop), self.columns[pairs] - start]
        distances *= -2
        return np.maximum(distances, 0, out=distances)

    def matrix(self, values: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Symmetric n x n matrix of the values, zero elsewhere; ``out`` is an earlier one."""
        n = self.n_samples
        out = np.zeros((n, n)) if out is None else out
        for start, stop in _row_blocks(n):
            pairs = slice(self.indptr[start], self.indptr[stop])
            rows, columns = self._local_rows(start, stop), self.columns[pairs] - start
            strip = np.zeros((stop - start, n - start))
            strip[rows, columns] = values[pairs]
            strip[:, : stop - start] += strip[:, : stop - start].T
            out[start:stop, start:] = strip
            out[start:, start:stop] = strip.T
        return out

    def graph(self, kept: np.ndarray) -> sp.csr_array:
        """The pairs where ``kept`` is true as the edges of a graph, its upper triangle."""
        n = self.n_samples
        edges = sp.csr_array((kept, self.columns, self.indptr), shape=(n, n), copy=True)
        edges.eliminate_zeros()
        return edges

    def _local_rows(self, start: int, stop: int) -> np.ndarray:
        """Row, counted from start, of each pair in the rows start..stop."""
        return np.repeat(np.arange(stop - start), np.diff(self.indptr[start : stop + 1]))


def _row_blocks(n: int) -> Iterator[tuple[int, int]]:
    return ((rows.start, rows.stop) for rows in row_blocks(n, n, _BLOCK_ENTRIES))


def _coded(words: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Number of the pattern of each pair, and the patterns, from their words of bits."""
    code = np.zeros(words.shape[1], dtype=np.int64)
    patterns = np.zeros((1, 0))
    for j, word in enumerate(words):
        bits = min(_WORD, m - j * _WORD)
        present = np.bincount(code * 2**bits + word, minlength=1) > 0
        found = np.flatnonzero(present)
        code = (np.cumsum(present) - 1)[code * 2**bits + word]
        new = (found[:, None] >> np.arange(bits)) & 1
        patterns = np.hstack([patterns[found >> bits], new])
    return code.astype(np.int32), patterns.astype(float)
