"""Scalings of the data matrix that the methods apply inside ``fit``."""

from __future__ import annotations

import numpy as np

FEATURE_SCALINGS = ("center+unit", "unit", "standard", "minmax", "none")


def scale_features(X: np.ndarray, scaling: str) -> np.ndarray:
    """Scale the columns of ``X`` (n x d) and return a new array (``X`` itself for ``"none"``).

    - ``"center+unit"``: subtract the mean, divide by the Euclidean norm;
    - ``"unit"``: divide by the Euclidean norm;
    - ``"standard"``: subtract the mean, divide by the standard deviation;
    - ``"minmax"``: map the range onto [0, 1];
    - ``"none"``: leave as it is.

    A column whose divisor is zero is only shifted.
    """
    if scaling == "none":
        return X
    if scaling == "unit":
        return X / _nonzero(np.sqrt(np.einsum("ij,ij->j", X, X)))
    if scaling == "minmax":
        low = X.min(axis=0)
        return (X - low) / _nonzero(X.max(axis=0) - low)
    if scaling not in FEATURE_SCALINGS:
        raise ValueError(f"scaling must be one of {FEATURE_SCALINGS}, got {scaling!r}")
    scaled = X - X.mean(axis=0)
    norms = np.sqrt(np.einsum("ij,ij->j", scaled, scaled))
    if scaling == "standard":
        norms /= np.sqrt(len(X))
    scaled /= _nonzero(norms)
    return scaled


def scale_samples(X: np.ndarray) -> np.ndarray:
    """Divide every row of ``X`` (n x d) by its Euclidean norm; zero rows stay zero."""
    return X / _nonzero(np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]


def _nonzero(divisors: np.ndarray) -> np.ndarray:
    return np.where(divisors > 0, divisors, 1)
