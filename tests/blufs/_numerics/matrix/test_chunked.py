"""Matrices that are read in blocks of rows have the products of those in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs._numerics.matrix import chunked, column_variances, row_blocks, scaled_data
from blufs._numerics.matrix.chunked import as_row_chunks
from blufs._numerics.matrix.conditioning import column_ranges, conditioned, varying_columns
from blufs._numerics.matrix.scaling import FEATURE_SCALINGS, choose_scaling
from tests.helpers.beyond_memory import KINDS, SPARSE_KINDS, beyond_memory


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of some rows, and of some columns, of the small matrices here."""
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(chunked, "COLUMN_BYTES", 4000)


def matrix(seed: int = 0, n: int = 90, d: int = 14, density: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(2.0, 3.0, (n, d)) * (rng.random((n, d)) < density)
    X[:, 3] = 1.5  # constant
    X[:, 4] = rng.integers(5, size=n) + 1e7  # far from zero
    return X


def smoothing(n: int) -> sp.csr_array:
    rng = np.random.default_rng(1)
    M = sp.random_array((n, n), density=0.1, rng=rng, format="csr")
    return (M + M.T + sp.eye_array(n)).tocsr()


def test_all_blocks_together_are_the_matrix(tmp_path):
    X = matrix()
    chunks = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    blocks = list(chunks.each(np.copy))
    assert len(blocks) > 3
    np.testing.assert_array_equal(np.vstack([block for _, block in blocks]), X)
    assert [rows.start for rows, _ in blocks[1:]] == [rows.stop for rows, _ in blocks[:-1]]
    assert chunks.passes == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scaling", FEATURE_SCALINGS)
def test_the_products_are_those_in_memory(kind, scaling, tmp_path):
    X = matrix(density=0.3 if kind in SPARSE_KINDS else 1.0)
    source = as_row_chunks(beyond_memory(kind, X, tmp_path))
    inside, outside = (scaled_data(values, scaling) for values in (X, source))
    rng = np.random.default_rng(2)
    V, U = rng.standard_normal((len(X), 3)), rng.standard_normal((X.shape[1], 2))
    features = np.array([7, 0, 12])
    M = smoothing(len(X))
    products = ("correlate", V), ("dot", U), ("columns", features), ("gram", features)
    for name, argument in (*products, ("gram_times", U)):
        found, wanted = (getattr(one, name)(argument) for one in (outside, inside))
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7 * np.abs(wanted).max())
    found, wanted = outside.quadratic_forms(M), inside.quadratic_forms(M)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_the_summary_of_a_pass_is_that_of_the_columns(offset, tmp_path):
    X = np.round(matrix(), 3) + offset
    chunks = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    np.testing.assert_array_equal(column_ranges(chunks), column_ranges(X))
    np.testing.assert_array_equal(varying_columns(chunks), varying_columns(X))
    np.testing.assert_allclose(column_variances(chunks), column_variances(X), rtol=1e-6)
    assert chunks.passes == 1


def test_a_choice_of_columns_needs_no_further_pass_for_its_summary(tmp_path):
    X = matrix()
    chunks = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    assert chunks.summary.mean.shape == (14,)
    chosen = chunks[:, np.array([2, 5])]
    np.testing.assert_allclose(chosen.summary.mean, X[:, [2, 5]].mean(axis=0))
    assert chosen.shape == (90, 2)
    assert chunks.passes == 1


@pytest.mark.parametrize("step", [1, 7, 40])
def test_every_so_manieth_row_and_a_mask(step, tmp_path):
    X = matrix()
    chunks = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    np.testing.assert_array_equal(chunks[::step], X[::step])
    mask = np.arange(len(X)) % 4 == 1
    np.testing.assert_array_equal(chunks[mask], X[mask])
    assert choose_scaling(chunks) == choose_scaling(X)


def test_extreme_values_are_conditioned_as_in_memory(tmp_path):
    X = matrix() * 2.0**300
    chunks = as_row_chunks(beyond_memory("memmap", X, tmp_path))
    arguments = {"ignores_offsets": True, "ignores_scale": False}
    found, wanted = conditioned(chunks, **arguments), conditioned(X, **arguments)
    np.testing.assert_array_equal(found.columns(slice(None)), wanted)


def test_a_copy_on_write_map_keeps_what_was_changed(tmp_path):
    np.save(tmp_path / "x.npy", matrix())
    mapped = np.load(tmp_path / "x.npy", mmap_mode="c")
    mapped[5] = 7.0
    assert (as_row_chunks(mapped).columns(slice(None))[5] == 7.0).all()
    assert (mapped[5] == 7.0).all()


def test_what_cannot_be_read_by_rows_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        with pytest.raises(ValueError, match=r"shape \(4,\)"):
            as_row_chunks(file.create_dataset("line", data=np.zeros(4)))
        with pytest.raises(ValueError, match="not real numbers"):
            as_row_chunks(file.create_dataset("complex", data=np.zeros((4, 2), complex)))
    assert as_row_chunks(np.zeros((3, 3))) is None
    assert as_row_chunks(sp.eye_array(3, format="csr")) is None
