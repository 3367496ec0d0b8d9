"""Why a feature was chosen or was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.conditioning import varying_columns

if TYPE_CHECKING:
    import pandas as pd

#: A feature is redundant if a chosen one explains this share of its variance.
REDUNDANT_SHARE = 0.5


def explain_features(
    X: np.ndarray, support: np.ndarray, ranking: np.ndarray, gains: np.ndarray, names
) -> pd.DataFrame:
    """One row per feature, in the order of X.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
    support, ranking, gains, names : array of shape (d,)

    Returns
    -------
    DataFrame
        ``status``: ``chosen``; ``constant``; ``redundant`` if a chosen feature explains at least
        half of its variance; else ``low gain``. ``rank``: 1 is best. ``gain``: about how much the
        feature would still lower the objective; NaN if it is chosen or constant. ``most_similar``
        and ``correlation``: the chosen feature, other than itself, that it correlates with most.
    """
    import pandas as pd

    chosen = np.flatnonzero(support)
    data = scaled_data(X, "center+unit")
    varying = varying_columns(X)
    A = data.columns(chosen)
    nearest, correlation = np.empty(X.shape[1], dtype=int), np.empty(X.shape[1])
    width = max(1, 2**20 // X.shape[0])
    for start in range(0, X.shape[1], width):
        block = slice(start, start + width)
        products = data.columns(block).T @ A
        own = np.arange(X.shape[1])[block, None] == chosen
        best = np.where(own, -1, np.abs(products)).argmax(axis=1)
        nearest[block] = chosen[best]
        correlation[block] = np.take_along_axis(products, best[:, None], axis=1)[:, 0]
    alone = support & (len(chosen) == 1)
    correlation[~varying | alone] = np.nan
    status = np.select(
        [~varying, support, correlation**2 >= REDUNDANT_SHARE],
        ["constant", "chosen", "redundant"],
        "low gain",
    )
    names = np.asarray(names, dtype=object)
    return pd.DataFrame(
        {
            "status": status,
            "rank": ranking,
            "gain": np.where(support | ~varying, np.nan, gains),
            "most_similar": np.where(np.isnan(correlation), None, names[nearest]),
            "correlation": correlation,
        },
        index=pd.Index(names, name="feature"),
    )
