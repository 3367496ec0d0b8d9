"""Genes of single cells, and on with scanpy.

Counts of 600 made-up cells of five kinds and 1,000 genes, of which 60 differ between the kinds; the
matrix is sparse and stays so. `select_genes` takes the place of
`scanpy.pp.highly_variable_genes`, and what follows goes on as before: with scanpy where it is
installed, else with scikit-learn.

What to see: with the genes on the left each of the five kinds has a place of its own, though flat
pictures let neighbours overlap; with those on the right three kinds are one cloud. The printed
agreements of clusters with the kinds say the same. The made-up cells have markers for every kind,
which is what BLUFS looks for.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from anndata import AnnData
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

from blufs.anndata import select_genes

rng = np.random.default_rng(0)
kinds = rng.integers(5, size=600)
rates = rng.lognormal(-2.0, 1.2, size=1000) * np.ones((5, 1))
rates[:, :60] *= np.where(np.arange(60) % 5 == np.arange(5)[:, None], 7.0, 1.0)
counts = rng.poisson(rates[kinds] * rng.lognormal(0.0, 0.3, size=(600, 1)))
counts = counts[:, order := rng.permutation(1000)]
marker = order < 60

adata = AnnData(sparse.csr_matrix(counts, dtype=np.float32))
totals = np.asarray(adata.X.sum(axis=1)).ravel()
adata.X = sparse.csr_matrix(sparse.diags(1e4 / totals) @ adata.X).log1p()  # as scanpy does

select_genes(adata, n_top_genes=60, n_clusters=5)
chosen = adata.var["highly_variable"].to_numpy()
variable = np.zeros(1000, dtype=bool)
variable[np.argsort(-adata.X.toarray().var(axis=0))[:60]] = True
print(f"{marker[chosen].sum()} of 60 chosen genes differ between the kinds of cells,")
print(f"{marker[variable].sum()} of the 60 genes of largest variance")


def coordinates(genes: np.ndarray) -> np.ndarray:
    """Ten principal coordinates of the cells by some genes."""
    part = adata[:, genes].copy()
    if find_spec("scanpy"):
        import scanpy as sc

        sc.pp.pca(part, n_comps=10)
        return part.obsm["X_pca"]
    return PCA(10, random_state=0).fit_transform(part.X.toarray())


fig, axes = plt.subplots(1, 2, figsize=(8, 3.6))
for ax, (name, genes) in zip(axes, {"BLUFS": chosen, "variance": variable}.items(), strict=True):
    Z = coordinates(genes)
    found = KMeans(5, n_init=5, random_state=0).fit_predict(Z)
    agreement = adjusted_rand_score(kinds, found)
    print(f"clusters and kinds agree by {agreement:.2f} (adjusted Rand index), genes by {name}")
    ax.scatter(*Z[:, :2].T, c=kinds, s=6, cmap="tab10")
    ax.set(title=f"60 genes by {name}", xlabel="first component", ylabel="second component")
fig.tight_layout()
plt.show()
