"""BLAS has one thread where X is small, all where it is large, and all of them afterwards."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from blufs import BLUFS
from blufs._numerics.threads import threads_for
from blufs.base import BaseSelector, Solution


def threads() -> int:
    return max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


class Counting(BaseSelector):
    """Tells how many threads a fit has."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _precompute(self, X):
        return threads()

    def _rank(self, X, precomputed):
        return Solution(np.ones(X.shape[1]), fitted={"threads_": threads()})


@pytest.mark.parametrize(("shape", "expected"), [((50, 20), 1), ((2000, 800), 2)])
def test_threads_of_a_fit(shape, expected):
    X = np.random.default_rng(0).standard_normal(shape)
    assert Counting().fit(X).threads_ == expected
    assert Counting().select_path(X, [2])[2].fitted["threads_"] == expected
    assert Counting().precompute(X).value == expected
    assert threads() == 2


def test_threads_come_back_after_an_error_and_after_fits_at_once():
    with pytest.raises(RuntimeError), threads_for(np.ones((3, 3))):
        raise RuntimeError
    assert threads() == 2
    both, X = Barrier(2), np.ones((3, 3))

    def work(_):
        with threads_for(X):
            both.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert threads() == 2


def test_a_fit_of_small_data_is_the_same_with_any_number_of_threads():
    X = np.random.default_rng(0).standard_normal((120, 30))
    fits = []
    for count in (1, 2):
        with threadpool_limits(count, user_api="blas"):
            fits.append(BLUFS(5, n_clusters=3).fit(X))
    np.testing.assert_array_equal(fits[0].scores_, fits[1].scores_)
