"""The same matrix in every form that is read in chunks of rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

#: What a matrix can be stored as.
KINDS = ("memmap", "dask", "sparse dask", "hdf5", "backed dense", "backed sparse")
SPARSE_KINDS = ("sparse dask", "backed sparse")


def beyond_memory(kind: str, X: np.ndarray, folder: Path):
    """X (n x d) as a kind of array beyond memory, in files of a folder where it needs them."""
    if kind == "memmap":
        np.save(folder / "x.npy", X)
        return np.load(folder / "x.npy", mmap_mode="r")
    if kind == "hdf5":
        h5py = pytest.importorskip("h5py")
        with h5py.File(folder / "x.h5", "w") as file:
            file.create_dataset("X", data=X, chunks=(min(8, len(X)), X.shape[1]))
        return h5py.File(folder / "x.h5", "r")["X"]
    if kind.endswith("dask"):
        da = pytest.importorskip("dask.array")
        lazy = da.from_array(X, chunks=(max(1, len(X) // 7), X.shape[1]))
        return lazy.map_blocks(sp.csr_array) if kind == "sparse dask" else lazy
    return backed(sp.csr_matrix(X) if kind == "backed sparse" else X, folder).X


def backed(X, folder: Path):
    """An AnnData object of X that stays in its file."""
    ad = pytest.importorskip("anndata")
    with plain_strings():
        return on_disk(ad.AnnData(X), folder)


def on_disk(adata, folder: Path):
    """An AnnData object, made with plain strings, that stays in its file."""
    import anndata as ad

    adata.write_h5ad(folder / "x.h5ad")
    return ad.read_h5ad(folder / "x.h5ad", backed="r")


@contextmanager
def plain_strings() -> Iterator[None]:
    """Without the strings of newer pandas, which some versions of anndata do not write."""
    pd = pytest.importorskip("pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the option is to go
        with pd.option_context("future.infer_string", False):
            yield
