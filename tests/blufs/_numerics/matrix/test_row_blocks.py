"""Passes over blocks of rows: the order of additions, and what blocks may be like."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs import BLUFS, FSCA, MaxVariance, StabilitySelector, path
from blufs._numerics.matrix.chunked import as_row_chunks
from blufs._numerics.matrix.row_blocks import FAN, BlockError, DaskRows, joined_in_order
from tests.blufs.methods.test_array_types import IN_CHUNKS
from tests.blufs.methods.test_contract import selector
from tests.helpers.beyond_memory import beyond_memory
from tests.helpers.clusters import lazy, rows_that_fail

da = pytest.importorskip("dask.array")


def matrix(n: int = 60, d: int = 8) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X[:, :3] += 3 * rng.standard_normal((2, 3))[rng.integers(2, size=n)]
    return X


def by_levels(parts: list[str]) -> str:
    """The tree, level after level, each result as the expression that it is."""
    while len(parts) > 1:
        groups = [parts[start : start + FAN] for start in range(0, len(parts), FAN)]
        parts = []
        for group in groups:
            total = group[0]
            for part in group[1:]:
                total = f"({total}+{part})"
            parts.append(total)
    return parts[0]


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 16, 63, 64, 65, 130, 513])
def test_results_are_joined_by_a_tree_over_the_numbers_of_the_blocks(count):
    parts = [str(number) for number in range(count)]
    assert joined_in_order(parts, lambda one, other: f"({one}+{other})") == by_levels(parts)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_a_file_and_dask_have_the_same_sums(scheduler, monkeypatch, tmp_path):
    import dask

    from blufs._numerics.matrix import row_blocks

    X = matrix(200) * 10.0 ** np.arange(-4, 4)
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 13 * X.shape[1] * 8)
    file = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    with dask.config.set(scheduler=scheduler):
        tasks = as_row_chunks(da.from_array(X, chunks=(13, 8)))
        np.testing.assert_array_equal(tasks.summary.squares, file.summary.squares)
        np.testing.assert_array_equal(tasks.summary.mean, file.summary.mean)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", IN_CHUNKS)
def test_one_pass_is_one_call_of_the_scheduler(name, kind):
    from dask.callbacks import Callback

    calls = []
    with Callback(start=calls.append):
        chunks = as_row_chunks(da.from_array(matrix(), chunks=(7, 8)).map_blocks(kind))
        selector(name, 3).fit(chunks)
    assert len(calls) == chunks.passes
    assert name != "FSCA" or chunks.passes == 2


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_of_the_first_block_only_a_row_comes_here(kind, monkeypatch):
    results = []

    def computed(source, tasks):
        results.extend(compute(source, tasks))
        return results[-1:]

    compute = DaskRows._computed
    monkeypatch.setattr(DaskRows, "_computed", computed)
    chunks = as_row_chunks(da.from_array(matrix(), chunks=(25, 8)).map_blocks(kind))
    np.testing.assert_array_equal(chunks.first_row(), matrix()[0])
    assert [result.shape for result in results] == [(8,)]


@pytest.mark.parametrize("sizes", [(60,), (1, 1, 58), (20, 0, 0, 39, 1, 0), (0, 60)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_blocks_may_be_unequal_empty_and_sparse(sizes, kind):
    X = matrix() * (np.random.default_rng(1).random((60, 8)) < 0.7)
    blocks = da.from_array(X, chunks=(sizes, (8,))).map_blocks(kind)
    ours, theirs = FSCA(4).fit(blocks), FSCA(4).fit(X)
    np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-12)


def test_unknown_chunk_sizes_are_counted_and_the_array_stays_as_it_is():
    X = matrix()
    wanted = X[X[:, 0] > 0]
    unknown = da.from_array(X, chunks=(11, 8))
    unknown = unknown[unknown[:, 0] > 0]
    assert np.isnan(unknown.shape[0])
    fitted = BLUFS(3, n_clusters=2).fit(unknown)
    assert np.isnan(unknown.shape[0])
    np.testing.assert_array_equal(fitted.ranking_, BLUFS(3, n_clusters=2).fit(wanted).ranking_)
    np.testing.assert_array_equal(fitted.transform(unknown).compute(), wanted[:, fitted.support_])
    stable = [StabilitySelector(FSCA(3), n_resamples=2).fit(x) for x in (unknown, wanted)]
    np.testing.assert_array_equal(stable[0].supports_, stable[1].supports_)
    tables = [path(FSCA(), x, [2], n_clusters=2, n_resamples=2) for x in (unknown, wanted)]
    assert tables[0]["stability"][0] == tables[1]["stability"][0]


def test_chunks_along_the_features_are_refused_with_the_line_that_helps():
    X = da.from_array(matrix(), chunks=(20, 3))
    with pytest.raises(ValueError, match=r'X = X.rechunk\(\{0: "auto", 1: -1\}\)'):
        MaxVariance(2).fit(X)
    MaxVariance(2).fit(X.rechunk({0: "auto", 1: -1}))


def test_masked_values_are_refused():
    X = da.ma.masked_less(da.from_array(matrix(), chunks=(20, 8)), -1)
    with pytest.raises(ValueError, match="fill them in first"):
        MaxVariance(2).fit(X)
    X = da.from_array(matrix(), chunks=(20, 8))
    hidden = X.map_blocks(lambda block: np.ma.masked_less(block, -1), meta=X._meta)
    with pytest.raises(BlockError, match=r"block \d of X \(rows \d+ to \d+\).*masked"):
        MaxVariance(2).fit(hidden)


def test_a_block_that_cannot_be_read_is_named(tmp_path):
    np.save(tmp_path / "x.npy", matrix())
    X = lazy(tmp_path / "x.npy", [25, 30, 5], rows_that_fail)
    with pytest.raises(BlockError, match=r"block 1 of X \(rows 25 to 54\).*no such rows: 25"):
        MaxVariance(2).fit(X)


@pytest.mark.parametrize("kind", [complex, str, object])
def test_a_block_of_another_type_than_it_said_is_named(kind):
    X = da.from_array(matrix(), chunks=(20, 8))
    other = X.map_blocks(lambda block: block.astype(kind), meta=X._meta)
    with pytest.raises(BlockError, match=r"block \d of X .*which are not real numbers"):
        MaxVariance(2).fit(other)


def test_a_block_of_another_shape_than_it_said_is_named():
    X = da.from_array(matrix(), chunks=(20, 8))
    short = X.map_blocks(lambda block: block[1:], meta=X._meta, chunks=X.chunks)
    with pytest.raises(BlockError, match=r"block \d of X .*shape is \(19, 8\), not \(20, 8\)"):
        MaxVariance(2).fit(short)
