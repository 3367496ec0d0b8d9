"""The contract over every type of array that holds the same numbers: it is taken, or refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from blufs._numerics.matrix import chunked, row_blocks
from blufs_bench.method_names import CONTROLS
from blufs_bench.registry import known_methods, method_class
from tests.blufs.methods.test_contract import selector
from tests.helpers.beyond_memory import KINDS, beyond_memory

METHODS = tuple(name for name in known_methods() if name not in CONTROLS)
IN_MEMORY = ("array", "float32", "Fortran order", "CSR", "CSC", "COO matrix", "memmap")
LAZY = tuple(kind for kind in KINDS if kind != "memmap")

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
)


def numbers() -> np.ndarray:
    """Whole numbers in three groups, mostly zeros, which every type holds exactly."""
    rng = np.random.default_rng(3)
    own = rng.integers(3, size=70)[:, None] == np.arange(14) % 3
    X = rng.poisson(np.where(own, 4.0, 0.4)).astype(float)
    return X * (1 + np.arange(14) % 5)


def converted(kind: str, X: np.ndarray, folder):
    conversions = {
        "array": lambda X: X,
        "float32": lambda X: X.astype(np.float32),
        "Fortran order": np.asfortranarray,
        "CSR": sp.csr_array,
        "CSC": sp.csc_array,
        "COO matrix": sp.coo_matrix,
    }
    return conversions[kind](X) if kind in conversions else beyond_memory(kind, X, folder)


@pytest.fixture(params=[*IN_MEMORY, *LAZY])
def array(request, tmp_path, monkeypatch):
    """The kind, the numbers, and the array of that kind; blocks of lazy ones are small."""
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(chunked, "COLUMN_BYTES", 4000)
    X = numbers()
    return request.param, X, converted(request.param, X, tmp_path)


def is_taken(name: str, kind: str) -> bool:
    cls = method_class(name)
    if kind in LAZY:
        return cls.takes_chunks
    return cls.takes_sparse or kind not in ("CSR", "CSC", "COO matrix")


def in_memory(values) -> np.ndarray:
    values = values.compute() if hasattr(values, "compute") else values
    return values.toarray() if sp.issparse(values) else np.asarray(values)


@pytest.mark.parametrize("name", METHODS)
def test_a_fit_a_path_and_a_transform_are_those_of_the_plain_array(name, array):
    kind, X, values = array
    method = selector(name, 5)
    if not is_taken(name, kind):
        with pytest.raises(TypeError, match=f"{name} does not (take sparse data|read data in ch)"):
            method.fit(values)
        return
    wanted, found = selector(name, 5).fit(X), method.fit(values)
    np.testing.assert_array_equal(found.support_, wanted.support_)
    np.testing.assert_allclose(found.scores_, wanted.scores_, rtol=1e-3, atol=1e-6)
    assert found.n_features_in_ == 14
    left = found.transform(values)
    np.testing.assert_array_equal(in_memory(left), X[:, wanted.support_])
    assert sp.issparse(left) == (kind in ("CSR", "CSC", "COO matrix", "backed sparse"))
    if kind.endswith("dask"):
        assert type(left) is type(values)
    shared = selector(name, 5).precompute(values)
    path = selector(name).select_path(values, [3, 5], precomputed=shared)
    if not method.keeps_all_features:
        np.testing.assert_array_equal(path[5].scores, found.scores_)


@pytest.mark.parametrize("name", METHODS)
def test_bad_values_and_other_data_are_refused_in_every_type(name, array, tmp_path):
    kind, X, values = array
    if not is_taken(name, kind):
        pytest.skip("refused by its type")
    fitted = selector(name, 5).fit(values)
    (tmp_path / "bad").mkdir()
    (tmp_path / "less").mkdir()
    with pytest.raises(ValueError, match="13 features"):
        fitted.transform(converted(kind, X[:, 1:], tmp_path / "less"))
    bad = X.copy()
    bad[40, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        selector(name, 5).fit(converted(kind, bad, tmp_path / "bad"))
