"""The contract over every type of array that holds the same numbers: it is taken, or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from blufs._numerics.matrix import chunked, row_blocks
from blufs_bench.method_names import CONTROLS
from blufs_bench.registry import known_methods, method_class
from tests.blufs.methods.test_contract import selector
from tests.helpers.beyond_memory import KINDS, beyond_memory

METHODS = tuple(name for name in known_methods() if name not in CONTROLS)
#: Methods that select, from data of any type: their contract is checked in each of them.
IN_CHUNKS = tuple(
    name
    for name in METHODS
    if method_class(name).takes_chunks and not method_class(name).keeps_all_features
)
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


class ArrayType:
    """One of the types, as a conversion of plain arrays; what it needs of files is in a folder."""

    def __init__(self, kind: str, folder: Path):
        self.kind, self._folder, self._count = kind, folder, 0

    def __call__(self, X: np.ndarray):
        conversions = {
            "array": lambda X: X,
            "float32": lambda X: X.astype(np.float32),
            "Fortran order": np.asfortranarray,
            "CSR": sp.csr_array,
            "CSC": sp.csc_array,
            "COO matrix": sp.coo_matrix,
        }
        if self.kind in conversions:
            return conversions[self.kind](X)
        self._count += 1
        (own := self._folder / str(self._count)).mkdir()
        return beyond_memory(self.kind, X, own)


@pytest.fixture(params=[*IN_MEMORY, *LAZY])
def array_type(request, tmp_path, monkeypatch):
    """Blocks of lazy arrays are small."""
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(chunked, "COLUMN_BYTES", 4000)
    return ArrayType(request.param, tmp_path)


def is_taken(name: str, kind: str) -> bool:
    cls = method_class(name)
    if kind in LAZY:
        return cls.takes_chunks
    return cls.takes_sparse or kind not in ("CSR", "CSC", "COO matrix")


def in_memory(values) -> np.ndarray:
    values = values.compute() if hasattr(values, "compute") else values
    return values.toarray() if sp.issparse(values) else np.asarray(values)


@pytest.mark.parametrize("name", METHODS)
def test_a_fit_a_path_and_a_transform_are_those_of_the_plain_array(name, array_type):
    kind, X = array_type.kind, numbers()
    values = array_type(X)
    method = selector(name, 5)
    if not is_taken(name, kind):
        with pytest.raises(TypeError, match=f"{name} does not (take sparse data|read data in ch)"):
            method.fit(values)
        return
    wanted, found = selector(name, 5).fit(X), method.fit(values)
    np.testing.assert_array_equal(found.support_, wanted.support_)
    # The iterations of some methods make more of the last digits.
    bound = 1e-9 if name in IN_CHUNKS and kind != "float32" else 1e-3
    np.testing.assert_allclose(found.scores_, wanted.scores_, rtol=bound, atol=bound / 1000)
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
def test_bad_values_and_other_data_are_refused_in_every_type(name, array_type):
    if not is_taken(name, array_type.kind):
        pytest.skip("refused by its type")
    X = numbers()
    fitted = selector(name, 5).fit(array_type(X))
    with pytest.raises(ValueError, match="13 features"):
        fitted.transform(array_type(X[:, 1:]))
    bad = X.copy()
    bad[40, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        selector(name, 5).fit(array_type(bad))


@pytest.mark.parametrize("name", IN_CHUNKS)
def test_constant_features_come_last_and_no_variance_is_named(name, array_type):
    X = numbers()
    X[:, [2, 9]] = 3.0, 0.0
    fitted = selector(name, 12).fit(array_type(X))
    assert set(fitted.ranking_[[2, 9]]) == {13, 14}
    assert sorted(fitted.ranking_) == list(range(1, 15))
    with pytest.raises(ValueError, match="no variance"):
        selector(name, 1).fit(array_type(np.full((20, 3), 2.5)))


@pytest.mark.parametrize("name", IN_CHUNKS)
def test_features_are_included_and_excluded(name, array_type):
    X = numbers()
    chosen = set(np.flatnonzero(selector(name, 4).fit(X).support_))
    include, exclude = [next(iter(set(range(14)) - chosen))], [min(chosen)]
    fitted, wanted = (
        selector(name, 4, include=include, exclude=exclude).fit(values)
        for values in (array_type(X), X)
    )
    assert fitted.support_[include].all()
    assert not fitted.support_[exclude].any()
    np.testing.assert_array_equal(fitted.support_, wanted.support_)


@pytest.mark.parametrize("name", IN_CHUNKS)
def test_numbers_of_features(name, array_type):
    values = array_type(numbers())
    assert selector(name, 0.25).fit(values).support_.sum() == 3
    assert selector(name, None).fit(values).support_.sum() == 7
    with pytest.raises(ValueError, match=r"=15 .* 14"):
        selector(name, 15).fit(values)


@pytest.mark.parametrize("name", IN_CHUNKS)
def test_precomputed_of_other_data_is_refused(name, array_type):
    X = numbers()
    shared = selector(name).precompute(array_type(X))
    for other in (X[:, :9], X[:50]):
        with pytest.raises(ValueError, match=rf"\(70, 14\), X has \({len(other)}, "):
            selector(name, 3).fit(array_type(other), precomputed=shared)
    with pytest.raises(ValueError, match="other data"):
        selector(name, 3).fit(array_type(X + 1), precomputed=shared)
