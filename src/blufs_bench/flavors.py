"""Scanpy's highly variable genes as a selector, to compare with in the benchmark.

Needs scanpy. In a configuration it is a method of one's own, by its class path:
``class: blufs_bench.flavors:HighlyVariableGenes``.
"""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from blufs.base import BaseSelector, Solution


class HighlyVariableGenes(BaseSelector):
    """Normalised dispersion of every gene, as ``scanpy.pp.highly_variable_genes`` has it.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of genes; None takes half.
    flavor : {"seurat", "cell_ranger"}, default="seurat"
        How dispersions are normalised among genes of like mean. Both take log-normalised values.
    n_bins : int, default=20
        Groups of genes of like mean, for ``flavor="seurat"``.
    """

    takes_sparse: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("flavor", "n_bins")

    _parameter_constraints: ClassVar[dict] = {
        **BaseSelector._parameter_constraints,
        "flavor": [StrOptions({"seurat", "cell_ranger"})],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(self, n_features_to_select=None, *, flavor="seurat", n_bins=20):
        self.n_features_to_select = n_features_to_select
        self.flavor = flavor
        self.n_bins = n_bins

    def _rank(self, X, precomputed) -> Solution:
        import scanpy
        from anndata import AnnData

        X = sp.csr_matrix(X) if sp.issparse(X) else X  # scanpy knows no sparse arrays
        table = scanpy.pp.highly_variable_genes(
            AnnData(X), flavor=self.flavor, n_bins=self.n_bins, inplace=False
        )
        scores = table["dispersions_norm"].to_numpy(dtype=float)
        # A gene alone in its group of means has none.
        return Solution(scores=np.nan_to_num(scores, nan=np.nanmin(scores) - 1))
