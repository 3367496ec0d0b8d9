"""The smallest entries of every row are those of a sorted row, ties by position."""

import numpy as np
import pytest

from blufs._numerics.neighbors import smallest_per_row


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [3, 17, 40, 130, 1000])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_they_are_the_first_of_the_sorted_row(n, k, ties):
    k = min(k, n)
    rng = np.random.default_rng(n + k)
    D = rng.integers(4, size=(25, n)).astype(float) if ties else rng.random((25, n))
    D[3, n // 2] = np.inf
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    positions, values = smallest_per_row(D, k)
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(values, np.take_along_axis(D, order, axis=1))


def test_smallest_per_row_with_many_ties():
    columns, values = smallest_per_row(np.array([[2.0, 1.0, 1.0, 1.0], [3.0, 3.0, 3.0, 0.0]]), 2)
    assert columns.tolist() == [[1, 2], [3, 0]]
    assert values.tolist() == [[1, 1], [0, 3]]
