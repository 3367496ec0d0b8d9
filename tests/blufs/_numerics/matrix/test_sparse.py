"""Sparse data give the products of their dense copy, without being made dense."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.sparse import (
    SparseScaledData,
    canonical_csr,
    centred_squares,
    some_columns,
    sparse_affine_scaling,
    sparse_ranges,
    weighted_squares,
)

SCALINGS = ["center+unit", "unit", "standard", "minmax", "none"]


def random_sparse(seed, n=40, d=25, density=0.15):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=density, rng=rng, format="csr")
    X.data += 0.5
    X = sp.lil_array(X)
    X[:, 3] = 0  # an empty column
    X[7] = 0  # an empty row
    X[:, 4] = 1.0  # a full column
    return sp.csr_array(X)


def graph_matrix(n, seed=0):
    W = sp.random_array((n, n), density=0.1, rng=np.random.default_rng(seed))
    W = W + W.T
    return sp.csr_array(sp.eye_array(n) + sp.diags_array(np.asarray(W.sum(axis=1)).ravel()) - W)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("seed", range(3))
def test_the_products_are_those_of_the_dense_copy(scaling, seed):
    X = random_sparse(seed)
    rng = np.random.default_rng(seed)
    dense = scaled_data(X.toarray(), scaling)
    sparse = SparseScaledData(X, *sparse_affine_scaling(X, scaling))
    V, U = rng.standard_normal((40, 3)), rng.standard_normal((25, 3))
    close = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(sparse.correlate(V), dense.correlate(V), **close)
    np.testing.assert_allclose(sparse.dot(U), dense.dot(U), **close)
    features = np.array([4, 0, 3, 11])
    np.testing.assert_allclose(sparse.columns(features), dense.columns(features), **close)
    M = graph_matrix(40)
    for ours, theirs in zip(sparse.quadratic_forms(M), dense.quadratic_forms(M), strict=True):
        np.testing.assert_allclose(ours, theirs, **close)


def test_blocks_of_rows_add_up_to_the_whole(monkeypatch):
    X = random_sparse(5)
    sparse = SparseScaledData(X, *sparse_affine_scaling(X, "center+unit"))
    whole = sparse.quadratic_forms(graph_matrix(40))
    monkeypatch.setattr("blufs._numerics.matrix.sparse._BLOCK_ENTRIES", 30)
    for one, other in zip(sparse.quadratic_forms(graph_matrix(40)), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_any_way_of_writing_the_same_matrix_is_one_matrix():
    X = random_sparse(1)
    rows, columns, values = sp.find(X)
    doubled = sp.coo_array(
        (
            np.concatenate([values / 2, values / 2, [0.0]]),
            (np.concatenate([rows, rows, [7]]), np.concatenate([columns, columns, [3]])),
        ),
        shape=X.shape,
    )
    shuffled = sp.csr_array(doubled)
    long = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    for written in (doubled, shuffled, sp.csc_array(X), sp.csr_matrix(X), long):
        before = written.copy()
        clean = canonical_csr(written)
        np.testing.assert_allclose(clean.toarray(), X.toarray())
        assert clean.nnz == X.count_nonzero()
        assert clean.has_canonical_format
        assert written.nnz == before.nnz  # not changed in place


def test_columns_without_entries_are_dropped_without_a_copy_of_the_values():
    X = sp.csr_array(np.array([[0.0, 2, 0, 0, 5], [0, 0, 0, 1, 0], [0, 3, 0, 0, 0]]))
    kept = some_columns(X, np.array([1, 3, 4]))
    np.testing.assert_array_equal(kept.toarray(), X.toarray()[:, [1, 3, 4]])
    assert np.shares_memory(kept.data, X.data)
    some = some_columns(X, np.array([3, 4]))
    np.testing.assert_array_equal(some.toarray(), X.toarray()[:, [3, 4]])


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_sums_over_blocks_of_entries_are_those_of_the_dense_copy(block, monkeypatch):
    monkeypatch.setattr("blufs._numerics.matrix.sparse._BLOCK_ENTRIES", block)
    rng = np.random.default_rng(2)
    X = sp.random_array((30, 8), density=0.3, rng=rng, format="csr")
    dense, weights, shift = X.toarray(), rng.random(30), rng.random(8)
    np.testing.assert_allclose(weighted_squares(X, weights), weights @ dense**2)
    np.testing.assert_allclose(centred_squares(X, shift), ((dense - shift) ** 2).sum(axis=0))
    low, high = sparse_ranges(X)
    np.testing.assert_array_equal(low, dense.min(axis=0))
    np.testing.assert_array_equal(high, dense.max(axis=0))
