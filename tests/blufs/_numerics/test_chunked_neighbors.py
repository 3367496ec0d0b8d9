"""Neighbours of samples in chunks are those of the samples in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs import BLUFS, LapScore, sample_graph
from blufs._numerics import chunked_neighbors
from blufs._numerics.chunked_neighbors import neighbors_of_chunks
from blufs._numerics.matrix.chunked import as_row_chunks
from blufs._numerics.neighbors import nearest_neighbors

da = pytest.importorskip("dask.array")


def samples(n: int = 90, d: int = 6) -> np.ndarray:
    X = np.random.default_rng(0).integers(4, size=(n, d)).astype(float)  # with many ties
    X[40] = X[7]
    X[:, 2] += 1e6
    return X


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_bytes", [10**9, 1000])
@pytest.mark.parametrize("chunk", [90, 17, 3])
def test_neighbors_ties_and_the_mean_distance_are_those_in_memory(
    kind, n_bytes, chunk, monkeypatch
):
    monkeypatch.setattr(chunked_neighbors, "COLUMN_BYTES", n_bytes)
    X = samples()
    chunks = as_row_chunks(da.from_array(X, chunks=(chunk, 6)).map_blocks(kind))
    indices, distances, mean = neighbors_of_chunks(chunks, 5)
    wanted = nearest_neighbors(X, 5)
    np.testing.assert_array_equal(indices, wanted[0])
    np.testing.assert_allclose(distances, wanted[1], rtol=1e-12, atol=1e-12)
    assert mean == pytest.approx(wanted[2], rel=1e-10)


def test_of_too_many_samples_it_says_which_graph_to_hand_in(monkeypatch):
    monkeypatch.setattr(chunked_neighbors, "EXACT_UP_TO", 80)
    X = da.from_array(samples(), chunks=(20, 6))
    with pytest.raises(ValueError, match=r"precomputed=sample_graph\(X\)"):
        LapScore(2).fit(X)
    assert LapScore(2).fit(X, precomputed=sample_graph(X)).support_.sum() == 2


def test_the_graph_of_principal_coordinates_is_that_of_blufs():
    X = np.random.default_rng(1).standard_normal((120, 9))
    graph = sample_graph(da.from_array(X, chunks=(50, 9)), n_clusters=3)
    wanted = BLUFS(3, n_clusters=3).precompute(X).value.graph
    np.testing.assert_allclose(
        graph.similarity.toarray(), wanted.similarity.toarray(), rtol=1e-6, atol=1e-9
    )
