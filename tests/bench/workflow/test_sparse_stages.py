"""Sparse data in the stages: as they are, or as a dense copy inside the job of a method."""

import scipy.sparse as sp
from sklearn.datasets import load_wine

from blufs_bench.run.isolation import Limits
from blufs_bench.stages.resample import resample_fits
from blufs_bench.stages.select import select
from blufs_bench.stages.time_fit import time_fits
from tests.bench.workflow.test_stages import FRAGILE, LAPSCORE, LIMITS, fits


def test_methods_get_sparse_data_as_they_take_them():
    X = load_wine().data
    sparse = sp.csr_array(X)
    for target in (LAPSCORE, FRAGILE):
        dense_records = fits(X, target, [{}], [2, 4])
        for one, other in zip(fits(sparse, target, [{}], [2, 4]), dense_records, strict=True):
            assert one["status"] == "ok"
            assert one["features"] == other["features"]
    (timed,) = time_fits(sparse, FRAGILE, {}, 2, 0, n_repeats=1, limits=LIMITS)
    assert timed["status"] == "ok"
    (drawn,) = resample_fits(sparse, FRAGILE, {}, [2], 0, seeds=[1], fraction=0.5, limits=LIMITS)
    assert drawn["status"] == "ok"
    assert len(drawn["features"]) == 2


def test_a_dense_copy_above_the_memory_is_skipped_with_both_sizes():
    huge = sp.csr_array(([1.0], ([0], [0])), shape=(400_000, 1000))
    small = Limits(60, 2000)
    (record,) = select(huge, FRAGILE, [{}], [2], {0: 7}, small, default={})
    (timed,) = time_fits(huge, FRAGILE, {}, 2, 0, n_repeats=1, limits=small)
    for found in (record, timed):
        assert found["status"] == "skipped"
        assert "3052 MB, above the limit of 2000 MB" in found["reason"]
