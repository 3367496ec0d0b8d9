"""Evenly spaced bands."""

import numpy as np
import pytest

from blufs_bench.bands import EvenlySpaced


@pytest.mark.parametrize("s", [1, 3, 7, 20])
def test_bands_are_the_middles_of_equal_parts(s):
    X = np.random.default_rng(0).random((5, 20))
    bands = np.flatnonzero(EvenlySpaced(s).fit(X).support_)
    assert len(bands) == s
    gaps = np.diff(bands)
    assert gaps.size == 0 or gaps.max() - gaps.min() <= 1
    # As far from one end as from the other, but for rounding.
    assert abs(bands[0] - (19 - bands[-1])) <= 1
    np.testing.assert_array_equal(bands, np.flatnonzero(EvenlySpaced(s).fit(-(X**3)).support_))


def test_sizes_are_sets_of_their_own():
    X = np.random.default_rng(0).random((5, 20))
    path = EvenlySpaced().select_path(X, [2, 3])
    assert {s: sorted(found.ranked[:s]) for s, found in path.items()} == {
        2: [5, 15],
        3: [3, 10, 16],
    }
