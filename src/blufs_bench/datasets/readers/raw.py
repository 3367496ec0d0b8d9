"""What readers give, and the rules that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from blufs_bench.datasets.errors import DatasetError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Usual names of the arrays in a .mat or .npz file, and of a table's label column.
FEATURE_KEYS = ("X", "x", "data", "fea", "features")
LABEL_KEYS = ("y", "Y", "label", "labels", "gnd", "target", "class")
#: Megabytes that the contents of a file may take in memory unless its definition allows more.
DEFAULT_MAX_SIZE_MB = 2000


@dataclass
class RawData:
    """What a file holds.

    Attributes
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
    y : ndarray of any shape with one class per sample, or None for data without labels
        A missing label is None or NaN.
    feature_names : list of str, or None
    notes : list of str
        What a reader of the results should know about how the file was read.
    """

    X: np.ndarray | csr_array
    y: np.ndarray | None = None
    feature_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)


def usual_separator(path: Path) -> str:
    """What separates the columns of a text file of this name."""
    return "," if path.suffix.lower() == ".csv" else "\t"


def max_megabytes(spec: Mapping[str, Any]) -> float:
    """Megabytes that the contents of a file may take."""
    return spec.get("max_size_mb", DEFAULT_MAX_SIZE_MB)


def check_memory(n_bytes: float, spec: Mapping[str, Any]) -> None:
    """Refuse contents above the allowed size, before any memory is taken for them."""
    allowed = max_megabytes(spec)
    if n_bytes > allowed * 2**20:
        raise DatasetError(
            f"its contents take {n_bytes / 2**20:.0f} MB of memory or more, the limit is "
            f"{allowed} MB; if the file is right, raise the limit by `max_size_mb: "
            f"{int(n_bytes / 2**20) + 1}`"
        )


def expects_labels(spec: Mapping[str, Any]) -> bool:
    """Whether a definition says that there are classes, so that their absence is an error."""
    declared = "label" in spec or "y" in spec.get("keys", {}) or "class_axis" in spec
    return declared or spec.get("labelled", False) or "n_classes" in spec.get("expect", {})


def unlabelled_note(where: str) -> str:
    """Note for data that are taken without labels because none were found."""
    return f"no classes were found ({where}); the data are taken as unlabelled"


def some(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    names = list(names)
    shown = ", ".join(map(repr, names[:6]))
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")
