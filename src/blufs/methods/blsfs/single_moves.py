"""Discrete labels by moves of single samples: the label step of BLSFS."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

_MAX_SWEEPS = 20


def label_step(prediction: np.ndarray, S: sp.csr_array, labels: np.ndarray, alpha: float):
    """Move single samples between clusters while that lowers the objective; empties no cluster.

    Moving sample i from cluster a to b changes ``||prediction - Y||^2`` by
    ``2 (prediction_ia - prediction_ib)`` and the trace term ``sum_k T_k / n_k``, with T_k the
    similarity inside cluster k and n_k its size, by what :func:`_move_gains` says.
    """
    labels = labels.copy()
    c = prediction.shape[1]
    every = np.arange(len(labels))
    for _ in range(_MAX_SWEEPS):
        links = S @ np.eye(c)[labels]
        sizes = np.bincount(labels, minlength=c).astype(float)
        inside = np.bincount(labels, weights=links[every, labels], minlength=c)
        gains = _move_gains(
            prediction - prediction[every, labels][:, None],
            links,
            links[every, labels][:, None],
            (inside, sizes),
            (inside[labels][:, None], sizes[labels][:, None]),
            alpha,
        )
        gains[every, labels] = 0
        moved = False
        best = gains.max(axis=1)
        # Those with the most to gain first: the order of the samples should not matter.
        for i in np.argsort(-best, kind="stable")[: np.count_nonzero(best > 0)]:
            own = labels[i]
            neighbors = slice(S.indptr[i], S.indptr[i + 1])
            link = np.bincount(labels[S.indices[neighbors]], S.data[neighbors], minlength=c)
            gain = _move_gains(
                prediction[i] - prediction[i, own],
                link,
                link[own],
                (inside, sizes),
                (inside[own], sizes[own]),
                alpha,
            )
            gain[own] = 0
            target = int(gain.argmax())
            if gain[target] <= 0:
                continue
            inside[own] -= 2 * link[own]
            inside[target] += 2 * link[target]
            sizes[own] -= 1
            sizes[target] += 1
            labels[i] = target
            moved = True
        if not moved:
            break
    return labels


def _move_gains(advantage, links, own_link, clusters, own, alpha: float) -> np.ndarray:
    """How much the objective falls if a sample alone moves to each of the clusters.

    For one sample with scalars in ``own_link`` and ``own``, result of shape (c,), or for m samples
    with columns there, result of shape (m, c).

    Parameters
    ----------
    advantage : prediction for each cluster minus that for its own
    links, own_link : similarity to each cluster and to its own
    clusters, own : similarity inside and size of each cluster and of its own
    """
    inside, sizes = clusters
    own_inside, own_size = own
    # A cluster of one is never left, an empty one has nothing inside.
    leave = (own_inside - 2 * own_link) / np.maximum(own_size - 1, 1) - own_inside / own_size
    join = (inside + 2 * links) / (sizes + 1) - inside / np.maximum(sizes, 1)
    gains = 2 * advantage + alpha * (join + leave)
    # Rounding must not let a sample wander between equally good clusters.
    return gains * ((gains >= 1e-12 * (1 + alpha)) & (own_size > 1))


def label_objective(prediction: np.ndarray, S: sp.csr_array, labels, alpha: float) -> float:
    """``||prediction - Y||^2 + alpha sum_k (1 - y_k'S y_k / n_k)``, one-hot Y with columns y_k."""
    Y = np.eye(prediction.shape[1])[labels]
    inside = np.einsum("ij,ij->j", Y, S @ Y) / np.maximum(Y.sum(axis=0), 1)
    return float(np.sum((prediction - Y) ** 2) + alpha * np.sum(1 - inside))
