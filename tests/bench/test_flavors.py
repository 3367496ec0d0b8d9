"""Scanpy's flavours as selectors, where scanpy is installed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from anndata import AnnData

from blufs.base import MethodLimitError
from blufs_bench.flavors import HighlyVariableGenes, counts_of


def counts() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.poisson(rng.gamma(0.5, 2, size=(1, 300)) * rng.gamma(2, 0.5, size=(200, 1)))
    return X[:, np.ptp(X, axis=0) > 0].astype(float)


@pytest.mark.parametrize("flavor", ["seurat", "cell_ranger", "seurat_v3"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_genes_are_those_of_scanpy(flavor, sparse):
    scanpy = pytest.importorskip("scanpy")
    X = counts()
    if flavor == "seurat_v3":
        pytest.importorskip("skmisc")
    else:
        X = np.log1p(X)
    table = scanpy.pp.highly_variable_genes(
        AnnData(sp.csr_matrix(X)), flavor=flavor, n_top_genes=25, inplace=False
    )
    found = HighlyVariableGenes(25, flavor=flavor).fit(sp.csr_array(X) if sparse else X)
    np.testing.assert_array_equal(found.support_, table["highly_variable"])


def test_seurat_v3_standardises_by_the_curve_and_clips():
    """With a curve through all genes alike, the score is the clipped variance over the curve's."""
    pytest.importorskip("scanpy")
    loess = pytest.importorskip("skmisc.loess").loess
    X = counts()
    X[0, 7] = 500  # one cell only: the clip takes it
    n, mean, variance = len(X), X.mean(axis=0), X.var(axis=0, ddof=1)
    curve = loess(np.log10(mean), np.log10(variance), span=0.3, degree=2)
    curve.fit()
    spread = np.sqrt(10**curve.outputs.fitted_values)
    z = np.minimum(X, spread * np.sqrt(n) + mean) - mean
    found = HighlyVariableGenes(25, flavor="seurat_v3").fit(X)
    np.testing.assert_allclose(found.scores_, (z**2).sum(axis=0) / (n - 1) / spread**2, rtol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_counts_are_found_behind_logarithms_and_nowhere_else(kind):
    X = counts()
    for values in (X, np.log1p(X), np.log1p(X).astype(np.float32)):
        found = counts_of(kind(values))
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, X)
    normalised = np.log1p(X / X.sum(axis=1, keepdims=True) * 100)
    for values in (normalised, X - 1):
        with pytest.raises(MethodLimitError, match="needs counts"):
            counts_of(kind(values))
