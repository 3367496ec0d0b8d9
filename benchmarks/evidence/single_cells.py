"""Write pbmc68k.npz from the file that comes with scanpy, for benchmarks/config/single_cells.yaml.

700 cells, log-normalised counts of 765 genes, and the kinds of cells by their sorting. Then, with
scanpy and scikit-misc in the environment:

    snakemake --cores 2 --configfile benchmarks/config/single_cells.yaml
"""

from __future__ import annotations

from pathlib import Path

import numpy as np


def export(path: Path) -> None:
    import scanpy

    adata = scanpy.datasets.pbmc68k_reduced()
    X = adata.raw.X.toarray().astype(float)
    np.savez(path, X=X, y=adata.obs["bulk_labels"].to_numpy(dtype=str))


if __name__ == "__main__":
    export(Path("pbmc68k.npz"))
