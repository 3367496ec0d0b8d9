"""The order by content does not depend on how rows and columns are arranged."""

import numpy as np
import pytest

from blufs._numerics.rounding import content_order, scatter_order


@pytest.mark.parametrize("kind", ["normal", "whole"])
def test_columns_keep_their_place_in_the_order(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 15)) if kind == "normal" else rng.poisson(1.0, (40, 15)) * 1.0
    expected = X[:, content_order(X)]
    for _ in range(5):
        rows, columns = rng.permutation(40), rng.permutation(15)
        shuffled = X[rows][:, columns]
        found = shuffled[:, content_order(shuffled)]
        np.testing.assert_array_equal(found, expected[rows])


def test_the_order_by_products_ignores_places_and_offsets():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 15)) * np.logspace(0, 6, 15)

    def by_products(data):
        Z = data - data.mean(axis=0)
        return scatter_order(lambda V: Z.T @ (Z @ V), 15)

    expected = X[:, by_products(X)]
    for _ in range(5):
        rows, columns = rng.permutation(40), rng.permutation(15)
        shuffled = X[rows][:, columns]
        found = by_products(shuffled + np.arange(15))
        np.testing.assert_array_equal(shuffled[:, found], expected[rows])


def test_equal_columns_keep_the_order_they_have():
    X = np.array([[1.0, 0.0, 1.0], [2.0, 5.0, 2.0]])
    assert content_order(X).tolist() == [1, 0, 2]
