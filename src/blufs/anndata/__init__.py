"""Selecting genes of single cells: works on AnnData objects, in the manners of scanpy."""

from blufs.anndata.genes import select_genes

__all__ = ["select_genes"]
