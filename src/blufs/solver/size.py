"""How many features, where nobody says."""

from __future__ import annotations

import numpy as np

#: The next feature must gain this share of what the features before it gained together.
LEAST_SHARE = 0.005


def count_features(gains: np.ndarray, least_share: float = LEAST_SHARE) -> int:
    """Number of features after which the pursuit gains little.

    With g_1, g_2, ... the gains of the forward pursuit, it is the smallest m with

        g_{m+1} <= least_share (g_1 + ... + g_m),

    or all features where there is none.

    Parameters
    ----------
    gains : ndarray of shape (q,), q >= 1
        What each choice of the pursuit lowers the objective by, in order.
    least_share : float
    """
    little = gains[1:] <= least_share * np.cumsum(gains)[:-1]
    return int(np.argmax(little)) + 1 if little.any() else len(gains)


def most_features(d: int, least_share: float = LEAST_SHARE) -> int:
    """Features after which :func:`count_features` has found an end, at most d.

    While gains fall, the next one is at most the mean of those before it, so that the end comes
    after ``1 / least_share`` features or before.
    """
    return min(d, int(1 / least_share) + 1)
