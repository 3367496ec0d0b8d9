"""Methods that read data in chunks select the same features as from the matrix in memory."""

from collections import Counter

import numpy as np
import pytest

from blufs import BLUFS, BLUFSVariant
from blufs._numerics.matrix import chunked, row_blocks
from blufs._numerics.matrix.chunked import as_row_chunks
from blufs.solver import pursuit
from blufs.solver.w_block import SupportSearch
from tests.blufs.methods.test_array_types import IN_CHUNKS
from tests.blufs.methods.test_contract import selector
from tests.helpers.beyond_memory import beyond_memory

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 4000)
    monkeypatch.setattr(chunked, "COLUMN_BYTES", 8000)
    monkeypatch.setattr(chunked, "MAPPED_SHARE", 0)  # as if memory could not hold a mapped file


def clusters(seed: int, n: int = 130, d: int = 30, dtype=np.float64) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, :9] += 2 * rng.standard_normal((3, 9))[rng.integers(3, size=n)]
    X[:, 11] = 4.0  # constant
    X[:, 12] += 1e5  # far from zero
    return X.astype(dtype)


def test_which_methods_read_in_chunks():
    baselines = {"MaxVariance", "RandomFeatures"}
    assert set(IN_CHUNKS) == baselines | {"BLUFS", "LapScore", "MCFS", "FSCA", "PivotedQR"}


@pytest.mark.parametrize("seed", range(12))
def test_the_whole_ranking_of_blufs_is_the_same(seed, tmp_path):
    X = clusters(seed, n=60 + 17 * seed)
    source = beyond_memory("memmap", X, tmp_path)
    ours, theirs = (BLUFS(5, n_clusters=3).fit(values) for values in (source, X))
    np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
    np.testing.assert_allclose(ours.objective_history_, theirs.objective_history_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_single_precision_is_kept_and_selects_the_same(seed, tmp_path):
    X = clusters(seed, dtype=np.float32)
    source = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    assert {block.dtype for _, block in source.each(np.copy)} == {np.dtype(np.float32)}
    ours, theirs = (BLUFS(6, n_clusters=3).fit(values) for values in (source, X))
    np.testing.assert_array_equal(ours.support_, theirs.support_)


def test_whole_numbers_are_read_as_numbers(tmp_path):
    X = np.random.default_rng(0).poisson(3.0, (80, 12))
    source = beyond_memory("memmap", X, tmp_path)
    ours, theirs = (BLUFS(4, n_clusters=2).fit(values) for values in (source, X))
    np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)


@pytest.mark.parametrize("s", [4, 20])
def test_the_passes_of_a_fit_are_those_that_the_documentation_states(s, tmp_path, monkeypatch):
    """docs/performance.md: 10 here, one a part of the columns, 2 a block and 2 a search."""
    calls = Counter()

    def counted(module, name):
        function = getattr(module, name)

        def call(*arguments, **options):
            calls[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    counted(pursuit, "_predict_choices")
    counted(SupportSearch, "improve")
    X = clusters(0, n=400)
    X[:, 11:13] = X[:, 13:15] + np.random.default_rng(1).standard_normal((400, 2))
    source = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    BLUFS(s, n_clusters=3).fit(source)
    columns_at_a_time = 30 * 8000 // X.nbytes
    assert calls["_predict_choices"] >= 1
    assert calls["improve"] >= 2
    assert source.passes == 10 + -(-30 // columns_at_a_time) + 2 * calls.total()


def test_a_variance_takes_one_pass(tmp_path):
    source = as_row_chunks(beyond_memory("memmap", clusters(0), tmp_path))
    selector("MaxVariance", 3).fit(source)
    assert source.passes <= 2  # the second because of the feature far from zero


def test_the_path_over_s_and_what_fits_share(tmp_path):
    X = clusters(1)
    source = beyond_memory("memmap", X, tmp_path)
    method = BLUFS(n_clusters=3)
    shared = method.precompute(source)
    ours = method.select_path(source, [3, 7], precomputed=shared)
    theirs = method.select_path(X, [3, 7])
    for s in (3, 7):
        np.testing.assert_array_equal(ours[s].ranked, theirs[s].ranked)
    with pytest.raises(ValueError, match="other data"):
        method.select_path(beyond_memory("memmap", X + 1.0, tmp_path), [3], precomputed=shared)


def test_why_features_were_chosen_is_told(tmp_path):
    X = clusters(2)
    source = beyond_memory("memmap", X, tmp_path)
    fitted = BLUFS(5, n_clusters=3).fit(source)
    found, wanted = fitted.explain(source), BLUFS(5, n_clusters=3).fit(X).explain(X)
    for column in ("status", "rank", "most_similar"):
        assert found[column].tolist() == wanted[column].tolist()
    np.testing.assert_allclose(found["correlation"], wanted["correlation"], atol=1e-9)


def test_a_method_that_needs_all_data_at_once_says_so(tmp_path):
    source = beyond_memory("hdf5", clusters(0), tmp_path)
    with pytest.raises(TypeError, match="NDFS does not read data in chunks; load X first"):
        selector("NDFS", 3).fit(source)
    with pytest.raises(ValueError, match='similarity="principal"'):
        BLUFSVariant(3, similarity="data").fit(source)


def test_values_that_change_while_they_are_read_are_told():
    da = pytest.importorskip("dask.array")
    X, reads = clusters(0), []

    def changing(block):
        reads.append(len(block))
        return block if len(reads) < 6 else np.full_like(block, np.nan)

    source = da.from_array(X, chunks=(65, 30)).map_blocks(changing, dtype=float, meta=X[:0])
    with pytest.raises(ValueError, match=r"X gives NaN .* has changed meanwhile"):
        BLUFS(5, n_clusters=3).fit(source)
    assert len(reads) >= 6
