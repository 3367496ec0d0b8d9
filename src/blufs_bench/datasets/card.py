"""The card of a dataset: what a reader of the results should know about it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from blufs_bench.datasets.definitions import DEFAULT_DOMAIN
from blufs_bench.datasets.transforms import density

_SIZES = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}


def make_card(
    spec: Mapping[str, Any], X: Any, y: np.ndarray | None, class_names: list[str]
) -> dict[str, Any]:
    """Facts about prepared arrays, JSON-able.

    ``study`` and ``role`` are those of the definition: samples of one study are not independent,
    and only of a ``develop`` set may the labels be used to choose a default.
    ``labelled`` says whether there are classes; without them ``n_classes`` is None. ``n_clusters``
    is the number that methods are given: the definition's, else the number of classes, else None
    (to be estimated).
    """
    image = spec.get("image", {})
    counts = [] if y is None else np.bincount(y, minlength=len(class_names)).tolist()
    n_classes = None if y is None else len(class_names)
    return {
        "name": spec["name"],
        "title": spec["title"],
        "domain": spec.get("domain", DEFAULT_DOMAIN),
        "study": spec.get("study", spec["name"]),
        "role": spec.get("role"),
        "status": "ok",
        "reason": "",
        "labelled": y is not None,
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "n_classes": n_classes,
        "n_clusters": spec.get("n_clusters", n_classes),
        "class_counts": counts,
        "class_names": class_names,
        "sparse": bool(sp.issparse(X)),
        "density": density(X),
        "scale_ratio": scale_ratio(X),
        "transform": spec.get("transform", "none"),
        "transformed": "",
        "n_constant": _n_constant(X),
        "n_duplicate_samples": _n_duplicates(X),
        "image_shape": image.get("shape"),
        "image_order": image.get("order", "C"),
        "sha256": _digest(X, y),
        "origin": spec.get("origin", spec.get("path", spec.get("url", ""))),
        "terms": spec.get("terms", ""),
        "paper": spec.get("paper"),
        "notes": [],
        "feature_names": None,
        "real_features": None,
        "include": [],
        "exclude": [],
    }


def differences_from_paper(spec: Mapping[str, Any], actual: Mapping[str, Any]) -> list[str]:
    """Where the sizes of a dataset are not those that the paper prints."""
    return [
        f"{spec['name']}: {actual[key]} {_SIZES[key]} in the file, the paper prints {number}"
        for key, number in spec.get("paper", {}).items()
        if actual.get(key, number) != number and not (key == "n_samples" and "subset" in spec)
    ]


def scale_ratio(X: Any) -> float:
    """How far the features' standard deviations are apart: the 95th percentile by the 5th, of those
    that vary; 1 where nothing varies."""
    if 0 in X.shape:
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.sqrt(StandardScaler(with_mean=not sp.issparse(X)).fit(X).var_)
    spread = spread[(spread > 0) & np.isfinite(spread)]
    if not spread.size:
        return 1.0
    low, high = np.percentile(spread, [5, 95])
    return float(high / low)


def _n_constant(X: Any) -> int:
    if not sp.issparse(X):
        return int((X[:1] == X).all(axis=0).sum())
    lowest, highest = (np.asarray(bound.todense()).ravel() for bound in (X.min(0), X.max(0)))
    return int((lowest == highest).sum())


def _n_duplicates(X: Any) -> int:
    if sp.issparse(X):
        rows = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        distinct = {(X.indices[a:b].tobytes(), X.data[a:b].tobytes()) for a, b in rows}
    else:
        # Adding zero makes -0.0 and 0.0 the same bytes.
        distinct = {((row + 0.0).tobytes(), b"") for row in X}
    return X.shape[0] - len(distinct)


def _digest(X: Any, y: np.ndarray | None) -> str:
    """SHA-256 of the arrays as they are stored."""
    if sp.issparse(X):
        parts = [X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)]
    else:
        parts = [X]
    digest = hashlib.sha256()
    for part in parts if y is None else [*parts, y]:
        digest.update(part.data)
    return digest.hexdigest()
