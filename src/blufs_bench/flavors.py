"""Scanpy's highly variable genes as a selector, to compare with in the benchmark.

Needs scanpy; the flavour "seurat_v3" needs scikit-misc too. In a configuration it is a method of
one's own, by its class path: ``class: blufs_bench.flavors:HighlyVariableGenes``.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from blufs.base import BaseSelector, MethodLimitError, Solution

#: The column of scanpy's table that each flavour ranks genes by.
_SCORES = {
    "seurat": "dispersions_norm",
    "cell_ranger": "dispersions_norm",
    "seurat_v3": "variances_norm",
}


class HighlyVariableGenes(BaseSelector):
    """Variability of every gene by itself, as ``scanpy.pp.highly_variable_genes`` has it.

    - ``"seurat"`` and ``"cell_ranger"`` take log-normalised values. A gene's score is its
      dispersion (variance over mean), normalised among genes of like mean.
    - ``"seurat_v3"`` takes counts, or their ``log(1 + x)``, which it turns back. A smooth curve
      (loess of degree 2) of log10 variance over log10 mean says how much a gene of its mean varies.
      The score is the variance of ``(x - mean) / sqrt(variance of the curve)``, clipped at
      ``sqrt(n)`` from above (Stuart et al., Cell 2019).

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of genes; None takes half.
    flavor : {"seurat", "cell_ranger", "seurat_v3"}, default="seurat"
    n_bins : int, default=20
        Groups of genes of like mean, for ``flavor="seurat"``.
    span : float, default=0.3
        Share of the genes that the curve takes into account at each point, for
        ``flavor="seurat_v3"``.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    """

    takes_sparse: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = ("flavor", "n_bins", "span")

    _parameter_constraints: ClassVar[dict] = {
        **BaseSelector._parameter_constraints,
        "flavor": [StrOptions(set(_SCORES))],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "span": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        flavor="seurat",
        n_bins=20,
        span=0.3,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.flavor = flavor
        self.n_bins = n_bins
        self.span = span
        self.include = include
        self.exclude = exclude

    def _rank(self, X, precomputed) -> Solution:
        import scanpy
        from anndata import AnnData

        X = sp.csr_matrix(X) if sp.issparse(X) else X  # scanpy knows no sparse arrays
        if self.flavor == "seurat_v3":
            X = counts_of(X)
        table = scanpy.pp.highly_variable_genes(
            AnnData(X), flavor=self.flavor, n_bins=self.n_bins, span=self.span, inplace=False
        )
        scores = table[_SCORES[self.flavor]].to_numpy(dtype=float)
        # A gene alone in its group of means has none.
        return Solution(scores=np.nan_to_num(scores, nan=np.nanmin(scores) - 1))


def counts_of(X):
    """X (n x d) if it holds counts, or the counts x of which it holds ``log(1 + x)``."""
    values = X.data if sp.issparse(X) else X
    if values.min(initial=0) >= 0:
        for counts in (values, np.expm1(values)):
            whole = np.round(counts)
            if np.allclose(counts, whole, rtol=1e-4, atol=1e-4):
                if sp.issparse(X):
                    return sp.csr_matrix((whole, X.indices, X.indptr), shape=X.shape)
                return whole
    raise MethodLimitError(
        'flavor="seurat_v3" needs counts, or log(1 + x) of counts, and these values are neither: '
        'give it the counts before any normalisation, or take flavor="seurat"'
    )
