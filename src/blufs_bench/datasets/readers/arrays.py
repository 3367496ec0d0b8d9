"""Readers of files that hold arrays by name: .mat, .npz, .npy, .RData."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.raw import (
    FEATURE_KEYS,
    LABEL_KEYS,
    RawData,
    check_memory,
    expects_labels,
    unlabelled_note,
)

#: Members of every .npz that `scipy.sparse.save_npz` writes.
_SPARSE_NPZ = {"data", "shape", "format"}


def read_arrays(path: Path, spec: Mapping[str, Any]) -> RawData:
    """Features and labels out of a file that holds arrays."""
    return from_arrays(load_arrays(path, spec), spec)


def load_arrays(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by name; None for what is no array of numbers or text."""
    load = {".mat": _load_mat, ".npz": _load_npz, ".npy": _load_npy}
    return load.get(path.suffix.lower(), _load_rdata)(path, spec)


def _load_mat(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A MATLAB file of any version."""
    from blufs_bench.datasets.readers import mat

    return mat.load_hdf5(path, spec) if mat.is_hdf5(path) else mat.load_mat(path, spec)


def _load_npz(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by name, or what `scipy.sparse.save_npz` wrote (with labels added, or without)."""
    with zipfile.ZipFile(path) as archive:
        # zipfile never reads more of a member than is stated here.
        check_memory(sum(member.file_size for member in archive.infolist()), spec)
        for member in archive.namelist():
            with archive.open(member) as stream:
                _check_npy_header(stream, spec)
    with np.load(path, allow_pickle=False) as archive:
        arrays: dict[str, Any] = dict(archive)
    if set(arrays) >= _SPARSE_NPZ:
        shape, kind = arrays.pop("shape"), arrays.pop("format").item()
        kind = kind.decode() if isinstance(kind, bytes) else kind
        if kind not in ("csr", "csc"):
            raise DatasetError(f"it holds a sparse array in format {kind}; save it as CSR")
        parts = [arrays.pop(name) for name in ("data", "indices", "indptr")]
        build = sp.csr_array if kind == "csr" else sp.csc_array
        arrays["X"] = build(tuple(parts), shape=tuple(int(size) for size in shape))
    return arrays


def _load_npy(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """One array: all columns are features, except `label`."""
    with path.open("rb") as stream:
        _check_npy_header(stream, spec)
    return {"X": np.load(path, allow_pickle=False)}


def _check_npy_header(stream: Any, spec: Mapping[str, Any]) -> None:
    """Compare the size that an array's header states with the limit."""
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
        version, np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read(stream)
    check_memory(float(np.prod(np.asarray(shape, dtype=float))) * dtype.itemsize, spec)


def _load_rdata(path: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Objects that R saved; the members of a list are called `list.member`."""
    try:
        from blufs_bench.datasets.readers import r
    except ImportError as error:
        raise DatasetError(
            "R files are read by the package rdata; install it by `pip install 'blufs[r]'`"
        ) from error
    return r.load_rdata(path, spec)


# ---------------------------------------------------------------------- features, and the classes


def from_arrays(arrays: Mapping[str, Any], spec: Mapping[str, Any]) -> RawData:
    """Features and labels out of named arrays, as the definition lays them out."""
    keys, label = spec.get("keys", {}), spec.get("label")
    X = _pick(arrays, keys.get("X"), FEATURE_KEYS, "features", "keys: {X: ...}")
    if sp.issparse(X):
        # A file of a few bytes may state any shape, and there are arrays as long as its sides.
        check_memory(8 * sum(map(float, X.shape)), spec)
    if "class_axis" in spec:
        return _class_along_an_axis(X, spec)
    if "sample_axes" in spec:
        X = _samples_along_axes(X, spec["sample_axes"])
    if X.ndim != 2:
        raise DatasetError(
            f"the features have shape {X.shape}; it must be samples x features (if there are three "
            "axes, say by `sample_axes` which of them the samples are, or by `class_axis` along "
            "which one the class changes)"
        )
    X = X.T if spec.get("transpose") else X
    if isinstance(label, int):
        return _class_in_a_column(X, label)
    name = keys.get("y", label)
    if spec.get("labelled") is False:
        return RawData(X)
    if name is None and not expects_labels(spec) and not set(LABEL_KEYS) & set(arrays):
        return RawData(X, notes=[unlabelled_note(f"no array is called {' or '.join(LABEL_KEYS)}")])
    y = _pick(arrays, name, LABEL_KEYS, "labels", "label: ...")
    if spec.get("one_hot"):
        return RawData(X, _from_one_hot(y, X.shape[0]))
    y = y.toarray() if sp.issparse(y) else y
    y = y.ravel() if "sample_axes" in spec else y
    return _without(spec["no_class"], X, y) if "no_class" in spec else RawData(X, y)


def _samples_along_axes(X: Any, axes: list[int]) -> np.ndarray:
    """Samples x features out of three axes, each side in the order of its axes."""
    if sp.issparse(X) or X.ndim != 3:
        raise DatasetError(
            f"the features have shape {X.shape}; `sample_axes` is for arrays of three axes"
        )
    others = [axis for axis in range(3) if axis not in axes]
    n_samples = int(np.prod([X.shape[axis] for axis in axes]))
    return X.transpose(*axes, *others).reshape(n_samples, -1)


def _without(no_class: int, X: Any, y: np.ndarray) -> RawData:
    """The samples that have a class."""
    if y.size != X.shape[0]:
        return RawData(X, y)  # the check of the labels explains it
    kept = y.ravel() != no_class
    return RawData(X[kept], y.ravel()[kept])


def _pick(
    arrays: Mapping[str, Any], name: str | None, usual: tuple[str, ...], what: str, remedy: str
) -> Any:
    present = list(arrays)
    candidates = (name,) if name is not None else usual
    found = next((key for key in candidates if key in present), None)
    if found is None:
        raise DatasetError(
            f"there are no {what}: no array is called {' or '.join(map(repr, candidates))}; the "
            f"file holds {', '.join(map(repr, present)) or 'nothing'}. Name it by `{remedy}`"
        )
    array = arrays[found]
    if array is None:
        raise DatasetError(f"{found!r} is not an array of numbers; save it as one")
    if sp.issparse(array):
        # A damaged file may have indices beyond the shape, which would be read out of bounds.
        array.check_format(full_check=True)
    return array


def _class_in_a_column(X: Any, column: int) -> RawData:
    n_columns = X.shape[1]
    if not -n_columns <= column < n_columns:
        raise DatasetError(f"there is no column {column}; the array has {n_columns}")
    column %= n_columns
    kept = np.delete(np.arange(n_columns), column)
    if sp.issparse(X):
        X = X.tocsc()
        return RawData(X[:, kept], X[:, [column]].toarray())
    return RawData(X[:, kept], X[:, column])


def _class_along_an_axis(X: Any, spec: Mapping[str, Any]) -> RawData:
    """Three axes: features, samples (or with these exchanged) and the class, counted from 1."""
    axis = spec["class_axis"]
    if X.ndim != 3:
        raise DatasetError(
            f"the features have shape {X.shape}; `class_axis` is for arrays of three axes"
        )
    by_class = np.moveaxis(X, axis, 0)
    if spec.get("transpose"):
        by_class = by_class.swapaxes(1, 2)
    n_classes, n_each, n_features = by_class.shape
    y = np.repeat(np.arange(1, n_classes + 1), n_each)
    return RawData(by_class.reshape(-1, n_features), y)


def _from_one_hot(Y: Any, n_samples: int) -> np.ndarray:
    """Class of each row, counted from 1, of a samples x classes table with one 1 in each row."""
    Y = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    shape = Y.shape
    if Y.ndim == 2 and shape[0] != n_samples and shape[1] == n_samples:
        Y = Y.T
    right = Y.ndim == 2 and len(Y) == n_samples and Y.dtype.kind in "biuf"
    if not right or not np.isin(Y, (0, 1)).all() or (Y.sum(axis=1) != 1).any():
        raise DatasetError(
            f"the labels, of shape {shape}, are not one-hot: {n_samples} samples x classes with a "
            "single 1 in each row; correct `one_hot`, `keys` or `transpose`"
        )
    return Y.argmax(axis=1) + 1
