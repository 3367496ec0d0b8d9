"""Which features are chosen again on other samples: stability selection over any selector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.ensemble._base import _set_random_states
from sklearn.utils import _safe_indexing, check_random_state, get_tags, indexable
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from blufs._numerics.matrix.chunked import (
    as_row_chunks,
    is_beyond_memory,
    is_dask,
    with_known_rows,
)
from blufs._numerics.warn import warn_user
from blufs.base import ColumnsMixin


class StabilitySelector(MetaEstimatorMixin, ColumnsMixin, BaseEstimator):
    """Keep the features that a selector chooses on most random parts of the samples.

    The selector is fitted to many random parts of the samples. A feature is kept if it is chosen in
    a share of at least ``threshold`` of them. How many features that are depends on the data: what
    is chosen by accident of the samples drops out.

    Parameters
    ----------
    estimator : selector
        Any scikit-learn selector, of this library or not; it decides how many features are chosen
        on each part.
    n_resamples : int, default=50
        Number of parts.
    fraction : float, default=0.5
        Share of the samples in a part. With one half, parts come in pairs that share no sample, for
        which the bound on false features holds without further assumptions.
    threshold : float, default=0.6
        Share of the parts on which a feature must be chosen, above one half.
    n_jobs : int, optional
        Parts that are fitted at the same time, as of joblib; None for one.
    random_state : int, RandomState or None, default=0
        Seed of the parts, and of the fits where the selector takes one.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features,)
        Share of the parts on which each feature was chosen.
    intervals_ : ndarray of shape (n_features, 2)
        Wilson's 95 % intervals of the frequencies, for as many parts of the same data.
    n_chosen_ : float
        Mean number q of features chosen on a part.
    error_bound_ : float
        Bound on the expected number of features that are kept although the selector chooses them no
        more often than by chance: ``q^2 / ((2 threshold - 1) d)``.
    supports_ : ndarray of bool of shape (n_resamples, n_features)
        What was chosen on each part.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.

    References
    ----------
    N. Meinshausen, P. Buehlmann. Stability selection. J. R. Statist. Soc. B 72(4), 2010.

    R. D. Shah, R. J. Samworth. Variable selection with error control: another look at stability
    selection. J. R. Statist. Soc. B 75(1), 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLUFS, StabilitySelector
    >>> X = load_wine().data
    >>> selector = StabilitySelector(BLUFS(4, n_clusters=3), n_resamples=10).fit(X)
    >>> bool(selector.frequencies_[selector.support_].min() >= 0.6)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods(["fit", "get_support"])],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "fraction": [Interval(Real, 0, 1, closed="neither")],
        "threshold": [Interval(Real, 0.5, 1, closed="right")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator,
        *,
        n_resamples=50,
        fraction=0.5,
        threshold=0.6,
        n_jobs=None,
        random_state=0,
    ):
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.fraction = fraction
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit the selector to random parts of X (n_samples, n_features).

        Parts of y, if there is one, are handed to the selector.
        """
        validate_data(self, X, skip_check_array=True)  # names and number of the features
        X, y = indexable(with_known_rows(X), y)
        rng = check_random_state(self.random_state)
        d = getattr(self, "n_features_in_", None)  # None if X is no matrix, which no fit takes
        fits = []
        for rows in random_parts(_num_samples(X), self.n_resamples, self.fraction, rng):
            selector = clone(self.estimator)
            _set_random_states(selector, rng)
            fits.append(delayed(_support_on)(selector, X, y, rows, d))
        self.supports_ = np.array(Parallel(n_jobs=self.n_jobs)(fits))
        self.frequencies_ = self.supports_.mean(axis=0)
        self.intervals_ = wilson_intervals(self.frequencies_, self.n_resamples)
        self.n_chosen_ = float(self.supports_.sum(axis=1).mean())
        d = len(self.frequencies_)
        self.error_bound_ = self.n_chosen_**2 / ((2 * self.threshold - 1) * d)
        # Shares are multiples of 1 / n_resamples: rounding must not decide.
        self.support_ = self.supports_.sum(axis=0) >= self.threshold * self.n_resamples - 1e-9
        if not self.support_.any():
            warn_user(
                f"no feature was chosen on {self.threshold:.0%} of the parts, the highest share is "
                f"{self.frequencies_.max():.0%}; lower the threshold, or let the selector choose "
                "more features"
            )
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_


def _support_on(selector: Any, X, y, rows: np.ndarray, d: int | None) -> np.ndarray:
    """What the selector chooses on some rows of X, a boolean array of shape (d,)."""
    part = () if y is None else (_safe_indexing(y, rows),)
    with on_part(X, rows):
        support = np.asarray(selector.fit(some_rows(X, rows), *part).get_support())
    if support.dtype != bool or support.shape != (d,):
        raise TypeError(
            f"{type(selector).__name__}.get_support() must give {d} truth values, one per "
            f"feature; it gave {support.dtype} of shape {support.shape}"
        )
    return support


def some_rows(X, rows: np.ndarray):
    """The rows of X, of any kind, at ascending positions; of a file they are in memory."""
    chunks = as_row_chunks(X) if is_beyond_memory(X) and not is_dask(X) else None
    if chunks is None:
        return _safe_indexing(X, rows)
    mask = np.zeros(chunks.shape[0], dtype=bool)
    mask[rows] = True
    return chunks[mask]


@contextmanager
def on_part(X, rows: np.ndarray) -> Iterator[None]:
    """Say of an error that not all samples were there."""
    try:
        yield
    except ValueError as error:
        share = f"{len(rows)} of the {_num_samples(X)} samples"
        raise ValueError(f"on a random part of the samples, {share}: {error}") from error


def stability_index(supports: np.ndarray) -> float:
    """Stability of several selections of features (Nogueira et al., JMLR 18, 2018).

    1 - mean_f(s_f^2) / (k/d (1 - k/d)), where s_f^2 is the unbiased variance of the selection of
    feature f over the M selections and k the mean number of selected features. 1: always the same
    features; 0: as chance would have it. NaN for fewer than two selections, or if no or all
    features are selected.

    Parameters
    ----------
    supports : ndarray of shape (M, d)
        1 or True where a feature is selected.
    """
    share = np.mean(supports)
    if len(supports) < 2 or share in (0.0, 1.0):
        return float("nan")
    return float(1 - np.var(supports, axis=0, ddof=1).mean() / (share * (1 - share)))


def random_parts(
    n: int, count: int, fraction: float, rng: np.random.RandomState
) -> list[np.ndarray]:
    """``count`` random parts of n samples, ascending positions; halves in pairs without overlap."""
    size = int(fraction * n)
    if size < 2:
        raise ValueError(f"fraction={fraction} of {n} samples are fewer than 2 samples")
    parts: list[np.ndarray] = []
    while len(parts) < count:
        order = rng.permutation(n)
        parts.append(np.sort(order[:size]))
        if fraction == 0.5:
            parts.append(np.sort(order[size : 2 * size]))
    return parts[:count]


def wilson_intervals(shares: np.ndarray, count: int, level: float = 0.95) -> np.ndarray:
    """Intervals of shares (d,) seen in ``count`` trials, shape (d, 2)."""
    z = ndtri((1 + level) / 2)
    middle = (shares + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * np.sqrt(shares * (1 - shares) / count + z**2 / (4 * count**2)) / (1 + z**2 / count)
    return np.clip(np.column_stack([middle - half, middle + half]), 0, 1)
