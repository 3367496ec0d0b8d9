"""Fits on the workers of a cluster: the same bits with any number of them, and what goes wrong."""

import numpy as np
import pytest

from blufs import BLUFS
from tests.helpers.clusters import (
    lazy,
)

pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow

#: Blocks of unequal size, one of them empty.
SIZES = [40, 7, 0, 60, 33, 40, 12, 8, 50, 30, 20]


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((sum(SIZES), 25)).astype(np.float32)
    X[:, :9] += 2 * rng.standard_normal((3, 9)).astype(np.float32)[rng.integers(3, size=len(X))]
    X[:, 12] += 1000
    path = tmp_path_factory.mktemp("data") / "x.npy"
    np.save(path, X)
    return path


def cluster(n_workers: int, **options):
    return distributed.LocalCluster(
        n_workers, threads_per_worker=1, processes=True, dashboard_address=None, **options
    )


def fitted(X):
    found = BLUFS(5, n_clusters=3).fit(X)
    return found.ranking_, found.coef_, found.objective_history_


def assert_same_bits(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_bits_are_those_of_any_number_of_workers_and_of_threads(matrix):
    wanted = fitted(lazy(matrix, SIZES))
    np.testing.assert_array_equal(wanted[0], fitted(np.load(matrix))[0])
    with cluster(1) as local, distributed.Client(local):
        for n_workers in (1, 2, 4):
            local.scale(n_workers)
            local.wait_for_workers(n_workers)
            assert_same_bits(fitted(lazy(matrix, SIZES)), wanted)
        assert_same_bits(fitted(lazy(matrix, SIZES).persist()), wanted)
