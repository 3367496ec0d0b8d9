"""Fits on the workers of a cluster: the same bits with any number of them, and what goes wrong."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

from blufs import BLUFS, MaxVariance, select_genes
from blufs._numerics.matrix.row_blocks import BlockError
from tests.blufs.methods.test_array_types import IN_CHUNKS
from tests.blufs.methods.test_contract import selector
from tests.helpers.beyond_memory import plain_strings
from tests.helpers.clusters import (
    lazy,
    read_rows,
    rows_that_fail,
    rows_that_fill_memory,
    rows_that_kill,
    rows_that_kill_once,
    slow_rows,
)

dask = pytest.importorskip("dask")
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
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0", **options
    )


@pytest.fixture(scope="module")
def workers():
    """The client of a cluster of two workers."""
    with cluster(2) as local, distributed.Client(local) as client:
        yield client


def fitted(X):
    found = BLUFS(5, n_clusters=3).fit(X)
    return found.ranking_, found.coef_, found.objective_history_


def assert_same_bits(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def of_every_method(X) -> list[np.ndarray]:
    found = [selector(name, 5).fit(X) for name in IN_CHUNKS]
    return [values for one in found for values in (one.ranking_, one.scores_)]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_bits_of_every_method_are_those_of_any_number_of_workers_and_of_threads(matrix, sparse):
    X = lazy(matrix, SIZES, read_rows, sparse)
    wanted = of_every_method(X)
    with cluster(1) as local, distributed.Client(local):
        for n_workers in (1, 2, 4):
            local.scale(n_workers)
            local.wait_for_workers(n_workers)
            assert_same_bits(of_every_method(X), wanted)
        assert_same_bits(of_every_method(X.persist()), wanted)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", IN_CHUNKS)
def test_a_fit_on_workers_is_that_in_memory_up_to_rounding(name, sparse, matrix, workers):
    X = np.load(matrix)
    found = selector(name, 5).fit(lazy(matrix, SIZES, read_rows, sparse))
    wanted = selector(name, 5).fit(sp.csr_array(X) if sparse else X)
    np.testing.assert_array_equal(found.support_, wanted.support_)
    # X is of single precision, and products of dense X round by it.
    largest = np.abs(wanted.scores_).max()
    np.testing.assert_allclose(found.scores_, wanted.scores_, rtol=0, atol=1e-5 * largest)


def test_unknown_chunk_sizes_are_counted_on_the_workers(matrix, workers):
    kept = np.load(matrix)
    kept = kept[kept[:, 0] > 0]
    X = lazy(matrix, SIZES)
    X = X[X[:, 0] > 0]
    np.testing.assert_array_equal(fitted(X)[0], fitted(kept)[0])


def test_genes_of_cells_on_workers_are_those_of_cells_in_memory(matrix, workers):
    ad = pytest.importorskip("anndata")
    X = np.abs(np.load(matrix))
    with plain_strings():
        adata = ad.AnnData(X)
        select_genes(adata, 6, n_clusters=3)
        cells = ad.AnnData(dask.array.abs(lazy(matrix, SIZES)))
        select_genes(cells, 6, n_clusters=3)
    assert adata.var["highly_variable"].sum() == 6
    assert cells.var["highly_variable"].tolist() == adata.var["highly_variable"].tolist()


def test_a_worker_that_dies_in_a_pass_changes_nothing(matrix, tmp_path, workers):
    wanted = fitted(lazy(matrix, SIZES))
    mark = tmp_path / "died"
    assert_same_bits(fitted(lazy(matrix, SIZES, rows_that_kill_once, str(mark))), wanted)
    assert mark.exists()


def test_a_worker_that_is_killed_with_the_blocks_that_it_keeps_changes_nothing(matrix, workers):
    sizes = [50] * 6
    wanted = fitted(lazy(matrix, sizes))
    X = lazy(matrix, sizes, slow_rows).persist()
    distributed.wait(X)
    pid, *_ = workers.run(os.getpid).values()
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    assert_same_bits(fitted(X), wanted)
    assert pid not in workers.run(os.getpid).values()


def test_a_block_that_fails_on_a_worker_is_named(matrix, workers):
    with pytest.raises(BlockError, match=r"block \d+ of X \(rows \d+ to \d+\).*no such rows"):
        MaxVariance(3).fit(lazy(matrix, SIZES, rows_that_fail))


@pytest.mark.parametrize("reader", [rows_that_kill, rows_that_fill_memory])
def test_blocks_that_kill_workers_are_told_as_a_lack_of_memory(matrix, reader):
    X = lazy(matrix, [200, 100], reader)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster(1, memory_limit="700 MB") as local,
        distributed.Client(local),
        pytest.raises(MemoryError, match=r"largest of the 2 blocks has 200 rows of 25 features"),
    ):
        MaxVariance(3).fit(X)


def test_a_cluster_that_is_lost_is_told_as_that(matrix):
    with cluster(1) as local, distributed.Client(local) as client:
        X = lazy(matrix, [100, 100, 100], slow_rows)
        client.loop.call_later(0.7, local.scheduler.close)
        with pytest.raises(ConnectionError, match="cluster was lost during a pass"):
            MaxVariance(3).fit(X)


FIT = """
import sys
import distributed
from blufs import BLUFS
from tests.helpers.clusters import lazy, slow_rows
with distributed.Client(sys.argv[1]):
    print("fit", flush=True)
    BLUFS(5, n_clusters=3).fit(lazy(sys.argv[2], [100, 100, 100], slow_rows))
"""


def test_a_client_that_is_lost_leaves_nothing_on_the_workers(matrix, workers):
    wanted = fitted(lazy(matrix, SIZES))
    program = [sys.executable, "-c", FIT, workers.scheduler.address, str(matrix)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as lost:
        assert lost.stdout.readline() == "fit\n"
        time.sleep(2)
        lost.send_signal(signal.SIGKILL)
    assert_same_bits(fitted(lazy(matrix, SIZES)), wanted)
    for _ in range(100):
        if not workers.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
            break
        time.sleep(0.1)
    assert workers.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0
