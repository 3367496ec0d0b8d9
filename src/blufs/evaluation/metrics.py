"""Agreement between a clustering and the true classes: the paper's ACC and NMI."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix


def clustering_accuracy(labels_true, labels_pred) -> float:
    """Fraction of samples in the right cluster under the best one-to-one matching (ACC).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Numbers, strings or other labels, none missing; the numbers of classes and clusters may
        differ.
    """
    counts = contingency_matrix(*_pair_of_codes(labels_true, labels_pred))
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def normalized_mutual_info(labels_true, labels_pred) -> float:
    """Mutual information divided by the larger of the two entropies (NMI as in the paper)."""
    codes = _pair_of_codes(labels_true, labels_pred)
    return float(normalized_mutual_info_score(*codes, average_method="max"))


def label_codes(labels, n_samples: int | None = None) -> np.ndarray:
    """The labels as numbers 0, 1, ... in sorted order, shape (n,).

    Raises ValueError if they are no list of labels, if one is missing (NaN, None), if there are
    none, or not ``n_samples``.
    """
    if np.ma.is_masked(labels):
        raise ValueError("a label is masked: leave out samples without one")
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels must be a list with one per sample, got shape {array.shape}")
    if len(array) == 0:
        raise ValueError("there are no labels")
    if n_samples is not None and len(array) != n_samples:
        raise ValueError(f"there are {len(array)} labels for {n_samples} samples")
    if array.dtype.kind not in "iubSU" and any(map(_is_missing, array.tolist())):
        raise ValueError("a label is missing (NaN or None): leave out samples without one")
    if array.dtype == object:
        array = np.array([(type(label).__name__, str(label)) for label in array])
        return np.unique(array, axis=0, return_inverse=True)[1].reshape(-1)
    return np.unique(array, return_inverse=True)[1]


def _is_missing(label) -> bool:
    """None, NaN (the one value that differs from itself) and pandas' NA, which compares as NA."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def _pair_of_codes(labels_true, labels_pred) -> tuple[np.ndarray, np.ndarray]:
    true = label_codes(labels_true)
    return true, label_codes(labels_pred, len(true))
