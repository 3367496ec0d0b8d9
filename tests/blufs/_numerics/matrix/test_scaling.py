"""The scalings of the features, and the one that is chosen by the data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from blufs._numerics.matrix import scaling
from blufs._numerics.matrix.scaling import (
    _background,
    _stored_background,
    choose_scaling,
    scale_features,
)


def counts(rng, n, d, share):
    """n x d counts, of which about a share is not zero."""
    return rng.poisson(3, (n, d)) * (rng.random((n, d)) < share)


@pytest.mark.parametrize(("share", "expected"), [(0.1, "center"), (0.9, "center+unit")])
def test_mostly_empty_data_keep_their_scale(share, expected):
    X = counts(np.random.default_rng(0), 60, 30, share).astype(float)
    assert choose_scaling(X) == expected
    for same in (X + 7, -2 * X, X * np.random.default_rng(1).uniform(0.1, 10, 30), X[::-1]):
        assert choose_scaling(same) == expected
    for form in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        assert choose_scaling(form(X)) == expected
    assert np.array_equal(scale_features(X, "auto"), scale_features(X, expected))


def test_the_choice_looks_at_some_rows_and_columns_at_a_time(monkeypatch):
    X = counts(np.random.default_rng(0), 60, 30, 0.3)
    monkeypatch.setattr(scaling, "_BLOCK_ENTRIES", 100)
    monkeypatch.setattr(scaling, "_AUTO_ROWS", 20)
    assert choose_scaling(X) == choose_scaling(sp.csr_array(X)) == "center"


def test_dense_data_are_brought_to_unit_norm():
    assert choose_scaling(np.random.default_rng(0).standard_normal((50, 5))) == "center+unit"


def test_center_divides_all_features_by_one_number():
    X = np.random.default_rng(0).standard_normal((50, 5)) * [1, 2, 3, 4, 5] + 8
    A = scale_features(X, "center")
    np.testing.assert_allclose(A.mean(axis=0), 0, atol=1e-15)
    assert np.mean(np.sum(A**2, axis=0)) == pytest.approx(1)
    ratio = A.std(axis=0) / X.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0])


@pytest.mark.parametrize("density", [0.1, 0.45, 0.55, 0.9])
@pytest.mark.parametrize("seed", range(5))
def test_the_background_of_sparse_data_is_that_of_the_dense_copy(seed, density):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 5, size=(40, 30)) * (rng.random((40, 30)) < density)
    X[:, 3], X[:, 4], X[:, 5] = 0, 7, rng.integers(1, 4, size=40)
    X = X.astype(float)
    assert _stored_background(sp.csr_array(X)) == _background(X)
    assert choose_scaling(sp.csr_array(X)) == choose_scaling(X)
