"""How much a method's selection changes with the samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np


def nogueira_index(selections: Sequence[Collection[int]], n_features: int) -> float:
    """Stability of several selections from the same d features (Nogueira et al., JMLR 18, 2018).

    1 - mean_f(s_f^2) / (k/d (1 - k/d)), where s_f^2 is the unbiased variance of the selection of
    feature f over the M selections and k the mean number of selected features. 1: always the same
    features; 0: as chance would have it. NaN for fewer than two selections, or if no or all
    features are selected.
    """
    chosen = _indicator(selections, n_features)
    if len(chosen) < 2:
        return float("nan")
    share = chosen.mean()
    if share in (0.0, 1.0):
        return float("nan")
    return float(1 - chosen.var(axis=0, ddof=1).mean() / (share * (1 - share)))


def kuncheva_index(selections: Sequence[Collection[int]], n_features: int) -> float:
    """Mean over all pairs of (r d - k^2) / (k (d - k)), r = number of common features (2007).

    All selections must have the same size k; NaN for fewer than two of them or if k is 0 or d.
    """
    sets = [set(selection) for selection in selections]
    sizes = {len(selection) for selection in sets}
    if len(sizes) > 1:
        raise ValueError(f"Kuncheva's index needs selections of one size, got {sorted(sizes)}")
    k = sizes.pop() if sizes else 0
    if len(sets) < 2 or k in (0, n_features):
        return float("nan")
    common = [len(a & b) for a, b in combinations(sets, 2)]
    return float((np.mean(common) * n_features - k**2) / (k * (n_features - k)))


def _indicator(selections: Sequence[Collection[int]], n_features: int) -> np.ndarray:
    chosen = np.zeros((len(selections), n_features))
    for row, selection in zip(chosen, selections, strict=True):
        row[np.asarray(list(selection), dtype=int)] = 1
    return chosen
