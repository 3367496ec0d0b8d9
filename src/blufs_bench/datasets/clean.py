"""Checks of what a file held, and the one form in which everything else uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs._numerics.matrix.sparse import canonical_csr
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.readers.raw import RawData, check_memory, some
from blufs_bench.datasets.transforms import density

_SIZES = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}
#: Largest modulus of a dataset's values: sums of squares stay finite, and those of values of which
#: none is above the smallest would be zero.
LARGEST, SMALLEST = 1e140, 1e-140
#: Counts of words with a smaller part of entries that are not zero become a sparse array.
SPARSE_BELOW = 0.1


def clean(
    raw: RawData, spec: Mapping[str, Any]
) -> tuple[np.ndarray | sp.csr_array, np.ndarray | None, list[str], RawData]:
    """Features, labels (None without) and the names of the classes, checked against ``spec``.

    Last comes the raw data without what was left out for missing values, with notes on it.

    Features become float64, C-contiguous or canonical CSR; labels 0 .. c-1 in sorted order.
    """
    raw = _without_missing(raw, spec)
    X = _clean_features(raw, spec)
    y, class_names = (None, []) if raw.y is None else _factorize(raw.y, X.shape)
    _check_size(spec, X, y, class_names)
    return X, y, class_names, raw


def _without_missing(raw: RawData, spec: Mapping[str, Any]) -> RawData:
    """Do what a definition says about missing values, and note it."""
    how, X = spec.get("missing"), raw.X
    if how is None or sp.issparse(X) or X.dtype.kind != "f" or not (lacks := np.isnan(X)).any():
        return raw
    names = raw.feature_names or [str(number) for number in range(X.shape[1])]
    features, samples = lacks.any(axis=0), lacks.any(axis=1)
    where = f"in {features.sum()} features ({some(names[f] for f in np.flatnonzero(features))})"
    found = f"{lacks.sum()} values were missing {where}"
    kept_samples, kept_features = np.full(len(X), True), np.full(X.shape[1], True)
    if how == "drop_samples":
        kept_samples, done = ~samples, f"their {samples.sum()} samples were left out"
    elif how == "drop_features":
        kept_features, done = ~features, "these features were left out"
    else:
        kept_features = ~lacks.all(axis=0)
        medians = np.nanmedian(X[:, kept_features], axis=0)
        X = X.copy()
        X[:, kept_features] = np.where(lacks[:, kept_features], medians, X[:, kept_features])
        done = "they were replaced by the medians of their features"
        if not kept_features.all():
            done += f"; {(~kept_features).sum()} features without any value were left out"
    y = raw.y if raw.y is None or len(raw.y) != len(X) else raw.y[kept_samples]
    kept_names = [name for name, kept in zip(names, kept_features, strict=True) if kept]
    return RawData(
        X[np.ix_(kept_samples, kept_features)],
        y,
        kept_names if raw.feature_names else None,
        [*raw.notes, f"{found}; {done}"],
    )


def _clean_features(raw: RawData, spec: Mapping[str, Any]) -> np.ndarray | sp.csr_array:
    X, names = raw.X, raw.feature_names
    if X.dtype.kind not in "biuf":
        kind = "complex numbers" if X.dtype.kind == "c" else "something else than numbers"
        raise DatasetError(f"the features hold {kind}; save them as real numbers")
    if min(X.shape) < 2:
        raise DatasetError(
            f"there are {X.shape[0]} samples and {X.shape[1]} features; at least 2 of each are "
            "needed"
        )
    is_text = spec.get("transform") == "tfidf"
    if sp.issparse(X) or (is_text and density(X) < SPARSE_BELOW):
        X = canonical_csr(sp.csr_array(X, dtype=np.float64))
        _check_values(X.data, lambda first: _sparse_place(X, first), names, can_be_treated=False)
        return X
    check_memory(8 * X.size, spec)
    X = np.ascontiguousarray(X, dtype=np.float64)
    _check_values(
        X.reshape(-1), lambda first: divmod(first, X.shape[1]), names, can_be_treated=True
    )
    return X


def _sparse_place(X: sp.csr_array, position: int) -> tuple[int, int]:
    row = int(np.searchsorted(X.indptr, position, side="right")) - 1
    return row, int(X.indices[position])


def _check_values(
    values: np.ndarray, place: Any, names: list[str] | None, *, can_be_treated: bool
) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = place(int(bad.argmax()))
        called = f" called {names[column]!r}" if names else ""
        remedy = "correct them"
        if np.isnan(values).any() and can_be_treated:
            remedy = "say `missing: impute`, `drop_features` or `drop_samples`, or correct them"
        raise DatasetError(
            f"{int(bad.sum())} values are missing or infinite, the first in sample {row}, feature "
            f"{column} (counted from 0){called}; {remedy}"
        )
    largest = max(values.max(initial=0), -values.min(initial=0))
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise DatasetError(
            f"the largest absolute value is {largest:.3g}; it must be between {SMALLEST:g} and "
            f"{LARGEST:g}, so that squares can be computed. Rescale the features"
        )


# ----------------------------------------------------------------------------------------- labels


def _factorize(labels: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, list[str]]:
    """Labels of any kind as 0 .. c-1 in their sorted order, and their names."""
    _check_label_shape(labels, shape)
    n_samples = shape[0]
    values = np.array([_unwrap(value) for value in labels.ravel()], dtype=object)
    missing = np.array([value is None or value != value for value in values])
    if missing.any():
        raise DatasetError(
            f"{int(missing.sum())} labels are missing, the first of sample {missing.argmax()} "
            "(counted from 0); fill them in or leave out those samples. If a class is called NA or "
            'the like, say which texts mean a missing label: `missing_labels: [""]`'
        )
    if all(isinstance(value, int) for value in values):
        values = np.array([int(value) for value in values], dtype=object)  # of any size
    elif all(isinstance(value, (int, float)) for value in values):
        values = values.astype(np.float64) + 0.0  # -0 and 0 are one class, called 0
    else:
        values = np.array([str(value).strip() for value in values])
    classes, y = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise DatasetError("all samples are of one class; at least 2 classes are needed")
    if len(classes) > n_samples // 2:
        raise DatasetError(
            f"there are {len(classes)} different labels among {n_samples} samples; the label must "
            "be a class, not an identifier or a measurement"
        )
    names = [f"{c:.15g}" if values.dtype.kind == "f" else str(c) for c in classes]
    if len(set(names)) < len(names):
        names = [repr(float(c)) for c in classes]
    return y.astype(np.int64), names


def _check_label_shape(labels: np.ndarray, shape: tuple[int, ...]) -> None:
    n_samples, n_features = shape
    if labels.size == n_samples and (labels.ndim <= 1 or max(labels.shape) == labels.size):
        return
    hint = ""
    if labels.size == n_features:
        hint = "; if the array is features x samples, say `transpose: true`"
    elif labels.ndim == 2 and n_samples in labels.shape:
        hint = "; if each sample has a row of zeros and a single 1, say `one_hot: true`"
    raise DatasetError(
        f"there are labels of shape {labels.shape} for {n_samples} samples; one class per sample "
        f"is needed{hint}"
    )


def _unwrap(value: Any) -> Any:
    """A Python scalar out of numpy's scalars and cells with one element."""
    while isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return value.item() if isinstance(value, np.generic) else value


# ------------------------------------------------------------------------------------------ sizes


def _check_size(
    spec: Mapping[str, Any], X: Any, y: np.ndarray | None, class_names: list[str]
) -> None:
    expected = dict(spec.get("expect", {}))
    class_sizes = expected.pop("class_sizes", None)
    share = expected.pop("density", None)
    actual = {"n_samples": X.shape[0], "n_features": X.shape[1], "n_classes": len(class_names)}
    wrong = [
        f"{actual[key]} {_SIZES[key]} instead of {number}"
        for key, number in expected.items()
        if actual[key] != number
    ]
    if class_sizes is not None and y is not None:
        counts = np.bincount(y)
        if [counts.min(), counts.max()] != class_sizes:
            wrong.append(
                f"classes of {counts.min()} to {counts.max()} samples instead of "
                f"{class_sizes[0]} to {class_sizes[1]}"
            )
    if share is not None and abs(density(X) - share) > 0.05 * share:
        wrong.append(f"a density of {density(X):.2g} instead of {share:g}")
    if wrong:
        turned = X.shape[::-1] == (expected.get("n_samples"), expected.get("n_features"))
        hint = "; the array is turned: correct `transpose`" if turned else ""
        raise DatasetError(
            f"there are {', '.join(wrong)}; this is another file, or `expect` in the definition "
            f"of the dataset is wrong{hint}"
        )
    if "image" in spec and np.prod(spec["image"]["shape"]) != X.shape[1]:
        raise DatasetError(
            f"images of shape {spec['image']['shape']} do not have {X.shape[1]} pixels; correct "
            "`image` in the definition of the dataset"
        )
    if spec.get("n_clusters", 0) >= X.shape[0]:
        raise DatasetError(
            f"`n_clusters: {spec['n_clusters']}` is not below the {X.shape[0]} samples"
        )
