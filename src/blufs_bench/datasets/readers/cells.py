"""Single cells as AnnData writes them: cells x genes, and what is known of the cells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.mat import refuse_other_files, stated_bytes
from blufs_bench.datasets.readers.raw import (
    LABEL_KEYS,
    RawData,
    check_memory,
    expects_labels,
    some,
    unlabelled_note,
)
from blufs_bench.files.schema import suggestion


def read_h5ad(path: Path, spec: Mapping[str, Any]) -> RawData:
    """``X`` or the ``layer`` of the definition; the classes are a column of ``obs``."""
    import h5py

    try:
        from anndata.io import read_elem
    except ImportError as error:
        raise DatasetError(
            "files of AnnData are read by that package; install it by `pip install anndata`"
        ) from error
    layer = spec.get("layer")
    with h5py.File(path, "r") as archive:
        refuse_other_files(archive)
        layers = archive.get("layers", {})
        if layer is not None and layer not in layers:
            raise DatasetError(f"there is no layer {layer!r}; {suggestion(layer, layers)}")
        stored = archive["X"] if layer is None else layers[layer]
        check_memory(stated_bytes(stored), spec)
        if isinstance(stored, h5py.Group):
            # A file of a few bytes may state any shape, and there are arrays as long as its sides.
            check_memory(8 * sum(map(float, stored.attrs["shape"])), spec)
        X = read_elem(stored)
        obs, var = read_elem(archive["obs"]), read_elem(archive["var"])
    if sp.issparse(X):
        X = sp.csr_array(X)
        X.check_format(full_check=True)
    if X.shape != (len(obs), len(var)):
        raise DatasetError(f"{X.shape} values, but {len(obs)} cells and {len(var)} genes")
    y, notes = _classes(obs, spec)
    return RawData(X, y, [str(name) for name in var.index], notes)


def _classes(obs: Any, spec: Mapping[str, Any]) -> tuple[np.ndarray | None, list[str]]:
    """The classes of the cells, and notes where there are none."""
    columns = [str(column) for column in obs.columns]
    label = spec.get("label")
    if spec.get("labelled") is False:
        return None, []
    if label is None:
        label = next((column for column in columns if column in LABEL_KEYS), None)
    if label is None and not expects_labels(spec):
        return None, [unlabelled_note(f"no column of obs is called {' or '.join(LABEL_KEYS)}")]
    if label not in columns:
        meant = f" ({suggestion(label, columns)})" if label else ""
        raise DatasetError(
            f"obs has no column of the classes{meant}; name it by `label: ...` out of "
            f"{some(columns)}"
        )
    column = obs[label].astype(object)
    return column.where(column.notna(), None).to_numpy(dtype=object), []
