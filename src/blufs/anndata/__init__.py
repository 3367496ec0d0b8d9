"""Selecting genes of single cells: works on AnnData objects, as scanpy does."""

from blufs.anndata.genes import select_genes

__all__ = ["select_genes"]
