"""Agreement between a clustering and the true classes: the paper's ACC and NMI."""

from __future__ import annotations

from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix


def clustering_accuracy(labels_true, labels_pred) -> float:
    """Fraction of samples in the right cluster under the best one-to-one matching (ACC).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Any hashable labels; the numbers of classes and clusters may differ.
    """
    counts = contingency_matrix(labels_true, labels_pred)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def normalized_mutual_info(labels_true, labels_pred) -> float:
    """Mutual information divided by the larger of the two entropies (NMI as in the paper)."""
    return float(normalized_mutual_info_score(labels_true, labels_pred, average_method="max"))
