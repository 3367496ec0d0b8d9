"""Transforms: what they compute, what they say, and that sparse data stay sparse."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs import SampleGraph
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.graph import neighbor_similarity
from blufs_bench.datasets.preparation import prepare, prepare_or_unavailable
from blufs_bench.datasets.storage import read_dataset, read_graph, write_dataset
from blufs_bench.datasets.transforms import transform

rng = np.random.default_rng(0)
COUNTS = rng.poisson(0.05, (80, 200)).astype(float)
COUNTS[:, 0] = 1


def spec_of(**definition):
    return {"name": "demo", "title": "demo", **definition}


def transformed(X, kind, **more):
    return transform(X, {"transform": kind, **more})[0]


def test_none_changes_nothing():
    X, words = transform(COUNTS, {})
    assert X is COUNTS
    assert words == "none: as in the file"


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_tfidf_is_its_formula_with_unit_rows(make):
    n_with = (COUNTS > 0).sum(axis=0)
    weighted = COUNTS * (np.log((1 + 80) / (1 + n_with)) + 1)
    expected = weighted / np.linalg.norm(weighted, axis=1, keepdims=True)
    result = transformed(make(COUNTS), "tfidf")
    assert sp.issparse(result) == (make is sp.csr_array)
    dense = result.toarray() if sp.issparse(result) else result
    np.testing.assert_allclose(dense, expected, rtol=1e-12)


def test_log_raises_small_values_to_a_floor():
    X = np.array([[0.0, 4], [-3, 0.5], [16, 2]])
    result, words = transform(X, {"transform": "log"})
    np.testing.assert_allclose(result, [[-1, 2], [-1, -1], [4, 1]])
    assert words == "2 values below 0.5 raised to 0.5, then logarithm to base 2"
    result, words = transform(X, {"transform": "log", "floor": 4.0})
    np.testing.assert_allclose(result, [[2, 2], [2, 2], [4, 2]])
    assert transform(X + 5, {"transform": "log"})[1] == "logarithm to base 2"


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_log1p_keeps_zeros(make):
    result = transformed(make(COUNTS), "log1p")
    assert sp.issparse(result) == (make is sp.csr_array)
    dense = result.toarray() if sp.issparse(result) else result
    np.testing.assert_allclose(dense, np.log(1 + COUNTS))


@pytest.mark.parametrize("scale", [1.0, 1e130, 1e-130])
def test_standardised_features_have_mean_0_and_spread_1(scale):
    X = scale * rng.standard_normal((50, 4)) * [1, 10, 100, 1000] + scale * 3
    X[:, 2] = scale * 0.1
    result = transformed(X, "standardise")
    np.testing.assert_allclose(result.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(result.std(axis=0), [1, 1, 0, 1])


@pytest.mark.parametrize(
    ("X", "kind", "words"),
    [
        (sp.csr_array(COUNTS), "log", "use `transform: log1p`"),
        (sp.csr_array(COUNTS), "standardise", "would turn the zeros of sparse data"),
        (COUNTS - 1, "tfidf", "is for counts; the smallest value is -1"),
        (COUNTS - 1, "log1p", "is for counts"),
        (-COUNTS, "log", "needs positive values"),
    ],
)
def test_data_that_a_transform_is_not_for_are_refused(X, kind, words):
    with pytest.raises(DatasetError, match=words):
        transformed(X, kind)


def test_counts_of_words_that_are_stored_dense_become_sparse(tmp_path):
    path = tmp_path / "f.npz"
    y = np.arange(80) % 2
    np.savez(path, X=COUNTS.astype(np.uint8), y=y)
    prepared = prepare(spec_of(transform="tfidf"), path)
    assert sp.issparse(prepared.X)
    card = prepared.card
    assert (card["transform"], card["sparse"]) == ("tfidf", True)
    assert card["transformed"].startswith("tf-idf weights, then every sample divided")
    assert card["density"] == np.count_nonzero(COUNTS) / COUNTS.size
    assert not sp.issparse(prepare(spec_of(), path).X)
    np.savez(path, X=COUNTS + 1, y=y)
    assert not sp.issparse(prepare(spec_of(transform="tfidf"), path).X)


def test_transform_sees_the_subset_and_the_noise_comes_after_it(tmp_path):
    path = tmp_path / "f.npz"
    np.savez(path, X=100 * rng.standard_normal((60, 3)), y=np.arange(60) % 2)
    subset = {"samples": 20, "stratified": True, "seed": 0}
    noise = {"features": 2, "scale": 0.5, "seed": 0}
    spec = spec_of(transform="standardise", subset=subset, noise=noise)
    prepared = prepare(spec, path)
    real = prepared.X[:, prepared.card["real_features"]]
    np.testing.assert_allclose(real.std(axis=0), 1)
    assert np.abs(np.delete(prepared.X, prepared.card["real_features"], axis=1)).max() < 3


# ------------------------------------------------------------------------------- sparse arrays


def prepared_sparse(path):
    np.savez(path, X=COUNTS, y=np.arange(80) % 2)
    source = {"status": "ok", "file": str(path)}
    return prepare_or_unavailable(spec_of(transform="tfidf"), source)


def test_sparse_arrays_are_written_by_their_parts_and_read_back(tmp_path):
    prepared = prepared_sparse(tmp_path / "f.npz")
    for name in ("one", "two"):
        paths = [tmp_path / name / file for file in ("dataset.npz", "card.json", "graph.npz")]
        write_dataset(prepared, *paths)
    assert paths[0].read_bytes() == (tmp_path / "one" / "dataset.npz").read_bytes()
    with np.load(paths[0], allow_pickle=False) as archive:
        assert list(archive) == ["X_data", "X_indices", "X_indptr", "X_shape", "y"]
        assert archive["X_indices"].dtype == np.int32
    X, y = read_dataset(paths[0])
    assert isinstance(X, sp.csr_array)
    assert X.has_canonical_format
    assert (X != prepared.X).nnz == 0
    np.testing.assert_array_equal(y, prepared.y)
    assert (read_graph(paths[2]).similarity != prepared.similarity).nnz == 0


def test_graph_of_sparse_data_is_that_of_the_dense_copy(tmp_path, monkeypatch):
    X = prepared_sparse(tmp_path / "f.npz").X
    monkeypatch.setattr("blufs._numerics.matrix.rows.BLOCK_ENTRIES", 1000)  # several blocks
    expected = SampleGraph.from_data(X.toarray(), 10).similarity
    assert abs(neighbor_similarity(X) - expected).max() < 1e-12


def test_constants_and_duplicates_of_sparse_data_are_those_of_the_dense_copy(tmp_path):
    X = COUNTS.copy()
    X[:, 5], X[:, 6] = 0, 2
    X[10] = X[11]
    cards = []
    for name, values in [("dense", X), ("sparse", sp.csr_array(X))]:
        path = tmp_path / f"{name}.npz"
        if name == "dense":
            np.savez(path, X=values)
        else:
            sp.save_npz(path, values)
        cards.append(prepare(spec_of(labelled=False), path).card)
    for key in ("n_constant", "n_duplicate_samples", "density", "n_samples", "n_features"):
        assert cards[0][key] == cards[1][key], key
    assert cards[0]["n_constant"] >= 3
    assert cards[0]["n_duplicate_samples"] >= 1


def test_auto_takes_the_logarithm_of_raw_intensities_only():
    rng = np.random.default_rng(0)
    intensities = np.exp(rng.normal(5, 1.5, 80) + 0.8 * rng.standard_normal((60, 80)))
    X, done = transform(intensities, {"transform": "auto"})
    np.testing.assert_allclose(X, np.log2(intensities))
    assert "look like raw intensities, therefore: logarithm to base 2" in done
    same, done = transform(X, {"transform": "auto"})
    assert same is X
    assert done.startswith("none")
