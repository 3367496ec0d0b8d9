"""What is done to the features before any method sees them. Every method gets the same input.

A transform never looks at labels. Sparse data stay sparse; a transform that would fill in their
zeros is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs_bench.datasets.errors import DatasetError


def transform(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    """Apply the transform that a definition asks for.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
    spec : canonical definition; ``transform`` names the transform

    Returns
    -------
    X : ndarray or csr_array of the same shape
    description : str
        What was done, in words.
    """
    return TRANSFORMS[spec.get("transform", "none")](X, spec)


def density(X: Any) -> float:
    """Part of the entries that are not zero."""
    n_entries = X.shape[0] * X.shape[1]
    n_nonzero = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    return float(n_nonzero / n_entries) if n_entries else 0.0


def _none(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    return X, "none: as in the file"


def _tfidf(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    """``x_ij (ln((1 + n) / (1 + n_j)) + 1)``, n_j samples have feature j; then unit rows."""
    from sklearn.feature_extraction.text import TfidfTransformer

    _refuse_negative(X, "tfidf")
    weighted = sp.csr_array(TfidfTransformer().fit_transform(sp.csr_array(X)))
    return weighted if sp.issparse(X) else weighted.toarray(), (
        "tf-idf weights, then every sample divided by its Euclidean norm"
    )


def _log(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    """``log2(max(x, floor))``; without a floor, the smallest positive value."""
    _refuse_sparse(X, "log", "log1p")
    positive = X[X > 0]
    if not len(positive):
        raise DatasetError("`transform: log` needs positive values; there are none")
    floor = float(spec.get("floor", positive.min()))
    low = int((floor > X).sum())
    raised = f"{low} values below {floor:g} raised to {floor:g}, then " if low else ""
    return np.log2(np.maximum(X, floor)), f"{raised}logarithm to base 2"


def _log1p(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    _refuse_negative(X, "log1p")
    return (X.log1p() if sp.issparse(X) else np.log1p(X)), "natural logarithm of 1 + value"


def _auto(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    """The logarithm where the values look like raw intensities, otherwise nothing."""
    from blufs._numerics.intensities import looks_like_raw_intensities

    if not looks_like_raw_intensities(X):
        return X, "none: the values do not look like raw intensities"
    X, done = _log1p(X, spec) if sp.issparse(X) else _log(X, spec)
    return X, f"the values look like raw intensities, therefore: {done}"


def _standardise(X: Any, spec: Mapping[str, Any]) -> tuple[Any, str]:
    """Mean 0 and standard deviation 1 in every feature; constant ones become 0."""
    _refuse_sparse(X, "standardise", "none")
    # Dividing by the largest value first keeps the squares of large numbers finite.
    largest = np.abs(X).max(axis=0)
    X = X / np.where(largest > 0, largest, 1)
    X -= X.mean(axis=0)
    constant = np.ptp(X, axis=0) == 0
    X[:, constant] = 0
    spread = X.std(axis=0)
    return X / np.where(constant, 1, spread), "every feature centred and divided by its spread"


def _refuse_sparse(X: Any, name: str, other: str) -> None:
    if sp.issparse(X):
        raise DatasetError(
            f"`transform: {name}` would turn the zeros of sparse data into other numbers; use "
            f"`transform: {other}`, or save the array as a dense one"
        )


def _refuse_negative(X: Any, name: str) -> None:
    if X.min() < 0:
        raise DatasetError(
            f"`transform: {name}` is for counts; the smallest value is {X.min():g}. Use another "
            "transform, or none"
        )


TRANSFORMS: dict[str, Callable[[Any, Mapping[str, Any]], tuple[Any, str]]] = {
    "none": _none,
    "auto": _auto,
    "tfidf": _tfidf,
    "log": _log,
    "log1p": _log1p,
    "standardise": _standardise,
}
