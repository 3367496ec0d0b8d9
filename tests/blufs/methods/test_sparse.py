"""Methods that take sparse data select the same features as from the dense copy."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags

from blufs import BLUFS, BLUFSVariant
from blufs_bench.method_names import CONTROLS, known_methods
from blufs_bench.registry import method_class
from tests.blufs.methods.test_contract import selector

METHODS = tuple(name for name in known_methods() if name not in CONTROLS)
SPARSE = tuple(name for name in METHODS if method_class(name).takes_sparse)

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
)


def topics(seed: int, n: int = 60, d: int = 30, density: float = 0.2) -> sp.csr_array:
    """Three groups of samples, each rich in a third of the features; empty rows and columns."""
    rng = np.random.default_rng(seed)
    own = rng.integers(3, size=n)[:, None] == np.arange(d)[None, :] % 3
    stored = rng.random((n, d)) < np.where(own, 2.5, 0.6) * density
    X = np.where(stored, rng.lognormal(0.0, 0.5, (n, d)), 0.0)
    X[:, 4] = 0.0  # an empty feature
    X[7] = 0.0  # an empty sample
    X[:, 5] = 2.0 + rng.random(n)  # a feature without zeros
    X[:, 6] = 3.0  # a constant one
    return sp.csr_array(X)


def same_selection(name: str, sparse, dense: np.ndarray, s: int = 6, **parameters) -> None:
    ours = selector(name, s, **parameters).fit(sparse)
    theirs = selector(name, s, **parameters).fit(dense)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    if not method_class(name).keeps_all_features:
        best = np.argsort(ours.ranking_)[:s]
        np.testing.assert_array_equal(best, np.argsort(theirs.ranking_)[:s])
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-5, atol=1e-7)


def test_which_methods_take_sparse_data():
    graph_or_none = {"BLUFS", "LapScore", "MCFS", "MaxVariance", "RandomFeatures", "AllFeatures"}
    by_products = {"FSCA", "PivotedQR", "BSUFS", "DSCOFS", "VCSDFS"}
    assert set(SPARSE) == graph_or_none | by_products
    for name in METHODS:
        assert get_tags(method_class(name)()).input_tags.sparse == (name in SPARSE)


@pytest.mark.parametrize("density", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SPARSE)
def test_the_selection_is_that_of_the_dense_copy(name, seed, density):
    X = topics(seed, density=density)
    same_selection(name, X, X.toarray())


@pytest.mark.parametrize("name", SPARSE)
def test_more_features_than_samples(name):
    X = topics(11, n=40, d=90)
    same_selection(name, X, X.toarray())


def written_badly(X: sp.csr_array) -> sp.csr_array:
    """The same matrix with explicit zeros, entries in two halves, unsorted, 64-bit indices."""
    rows, columns, values = sp.find(X)
    rows = np.concatenate([rows, rows, np.arange(X.shape[0])])
    columns = np.concatenate([columns, columns, np.full(X.shape[0], 4)])
    values = np.concatenate([values / 2, values / 2, np.zeros(X.shape[0])])
    order = np.lexsort((np.random.default_rng(0).random(len(rows)), rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    parts = values[order], columns[order].astype(np.int64), starts.astype(np.int64)
    return sp.csr_array(parts, shape=X.shape)


@pytest.mark.parametrize("name", SPARSE)
def test_zeros_repeats_and_disorder_in_the_entries_change_nothing(name):
    X = topics(3)
    bad = written_badly(X)
    assert not bad.has_canonical_format
    before = bad.data.copy(), bad.indices.copy()
    same_selection(name, bad, X.toarray())
    np.testing.assert_array_equal(bad.data, before[0])
    np.testing.assert_array_equal(bad.indices, before[1])


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_data_frames(name):
    pd = pytest.importorskip("pandas")
    X = topics(4)
    names = [f"word {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=names)
    same_selection(name, frame, X.toarray())
    fitted = selector(name, 3).fit(frame)
    chosen = [names[j] for j in np.flatnonzero(fitted.support_)]
    assert list(fitted.get_feature_names_out()) == chosen


@pytest.mark.parametrize("offset", [1e3, 1.7e9])
@pytest.mark.parametrize("name", [n for n in SPARSE if method_class(n).ignores_offsets])
def test_an_offset_of_a_full_feature_changes_nothing(name, offset):
    X = topics(6).toarray()
    X[:, 5] = np.round(X[:, 5] * 1024) / 1024
    shifted = X.copy()
    shifted[:, 5] += offset
    np.testing.assert_array_equal(
        selector(name, 6).fit(sp.csr_array(shifted)).support_,
        selector(name, 6).fit(sp.csr_array(X)).support_,
    )


@pytest.mark.parametrize("exponent", [-530, 530])
@pytest.mark.parametrize("name", [n for n in SPARSE if n not in ("MCFS", "AllFeatures")])
def test_values_near_the_ends_of_the_numbers(name, exponent):
    X = topics(8)
    extreme = sp.csr_array((np.ldexp(X.data, exponent), X.indices, X.indptr), shape=X.shape)
    np.testing.assert_array_equal(
        selector(name, 6).fit(extreme).support_, selector(name, 6).fit(X).support_
    )


@pytest.mark.parametrize("name", ["BLUFS", "LapScore", "MCFS", "MaxVariance", "PivotedQR"])
def test_multiples_of_a_feature_are_ordered_as_in_the_dense_copy(name):
    """Words of a single document are multiples of each other: rounding must not order them.

    To the others, such as FSCA, they are all the same.
    """
    X = topics(9).toarray()
    X[:, 10:20] = 0.0
    X[3, 10:20] = np.random.default_rng(0).random(10) + 0.5
    for s in (6, 12):
        ours, theirs = (selector(name, s).fit(data).support_ for data in (sp.csr_array(X), X))
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "scaling", ["auto", "center", "center+unit", "unit", "standard", "minmax", "none"]
)
@pytest.mark.parametrize("similarity", ["principal", "data"])
def test_blufs_with_every_scaling_and_similarity(scaling, similarity):
    X = topics(10, n=90)
    selector = BLUFSVariant(6, n_clusters=5, scaling=scaling, similarity=similarity)
    ours, theirs = (clone(selector).fit(data) for data in (X, X.toarray()))
    np.testing.assert_array_equal(ours.ranking_[ours.support_], theirs.ranking_[theirs.support_])
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-5, atol=1e-7)


def test_the_number_of_clusters_and_the_reasons_are_those_of_the_dense_copy():
    pd = pytest.importorskip("pandas")
    X = topics(1, n=90)
    ours, theirs = (BLUFS(5, n_clusters="auto").fit(data) for data in (X, X.toarray()))
    assert ours.n_clusters_ == theirs.n_clusters_
    pd.testing.assert_frame_equal(ours.explain(X), theirs.explain(X.toarray()))


def test_single_precision_is_taken():
    X = topics(1).astype(np.float32)
    ours, theirs = BLUFS(6, n_clusters=3).fit(X), BLUFS(6, n_clusters=3).fit(X.toarray())
    np.testing.assert_array_equal(ours.support_, theirs.support_)


def test_what_was_precomputed_from_sparse_data_serves_a_fit():
    X = topics(1)
    for name in ("BLUFS", "LapScore", "FSCA"):
        shared = selector(name, 5).precompute(X)
        direct = selector(name, 5).fit(X)
        np.testing.assert_array_equal(
            selector(name, 5).fit(X, precomputed=shared).scores_, direct.scores_
        )
        with pytest.raises(ValueError, match="other data of the same shape"):
            selector(name, 5).fit(X[::-1], precomputed=shared)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SPARSE])
def test_other_methods_name_themselves_and_the_remedy(name):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame.sparse.from_spmatrix(topics(0))
    for X in (topics(0), sp.csc_matrix(topics(0)), frame):
        with pytest.raises(TypeError, match=rf"{name} does not take sparse data.*X.toarray\(\)"):
            selector(name, 3).fit(X)


@pytest.mark.parametrize("name", SPARSE)
def test_bad_sparse_values_are_named(name):
    X = topics(0)
    X.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        selector(name, 3).fit(X)
    with pytest.raises(ValueError, match="no variance"):
        selector(name, 3).fit(sp.csr_array((20, 8)))
