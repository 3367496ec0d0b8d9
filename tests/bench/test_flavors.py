"""Scanpy's flavours as selectors, where scanpy is installed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from anndata import AnnData

from blufs_bench.flavors import HighlyVariableGenes

scanpy = pytest.importorskip("scanpy")


@pytest.mark.parametrize("flavor", ["seurat", "cell_ranger"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_genes_are_those_of_scanpy(flavor, sparse):
    rng = np.random.default_rng(0)
    X = np.log1p(rng.poisson(rng.gamma(0.5, 2, size=(1, 300)) * rng.gamma(2, 0.5, size=(200, 1))))
    X = X[:, np.ptp(X, axis=0) > 0].astype(float)
    table = scanpy.pp.highly_variable_genes(
        AnnData(sp.csr_matrix(X)), flavor=flavor, n_top_genes=25, inplace=False
    )
    found = HighlyVariableGenes(25, flavor=flavor).fit(sp.csr_array(X) if sparse else X)
    np.testing.assert_array_equal(found.support_, table["highly_variable"])
