"""GeneBasis: the features without which neighbours predict the others badly (Missarova et al.)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from sklearn.utils._param_validation import Interval

from blufs._numerics.graph import neighbor_matrix
from blufs._numerics.matrix.rows import rows_at_a_time
from blufs._numerics.neighbors import clip_n_neighbors, nearest_neighbors
from blufs._numerics.rounding import content_order, significant
from blufs._numerics.units import Units
from blufs.base import AT_LEAST_ONE, BaseSelector, MethodLimitError, Solution, constraints

#: Largest number of samples: an n x n array of distances is held, 3 GiB at this size.
MAX_SAMPLES = 20_000


class GeneBasis(BaseSelector):
    """The feature that neighbours predict worst, compared with the neighbours in all features.

    With N the k nearest neighbours of the samples in the features G, the error of feature g is

    ``e_G(g) = (sum_i |x_ig - mean of x_lg over l in N(i)|^p)^(1/p)``

    Features are taken one after the other, each time the one of largest ``e_G(g) - e_all(g)``,
    where e_all is the error with the neighbours in the principal components of all features. It
    was made to choose a panel of genes whose neighbourhoods are those of all genes.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number or fraction of features; None takes half.
    n_neighbors : int, default=5
        k.
    power : int, default=3
        p: large errors of few samples count more the larger it is.
    n_components : int, default=50
        Principal components in which the neighbours in all features are looked for.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    costs, groups : array-like or dict, optional
        What each feature costs, which makes ``n_features_to_select`` a budget; and which features
        are chosen together, which makes it count groups. See :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    scores_, gains_ : ndarray of shape (n_features,)
        By how much the error of a selected feature was above the one with all features when it was
        taken; of the others now. Constant and excluded features have no gain, 0.

    Notes
    -----
    Errors are not divided by the spread of a feature, so features of large scale are preferred: the
    method is meant for values in one unit, such as logarithms of counts. The first feature is the
    one that its mean predicts worst. Samples at equal distances are taken in an order that their
    values decide, see :func:`~blufs._numerics.rounding.content_order`.

    A step takes O(n^2 + n d k), and an n x n array is held: more than ``MAX_SAMPLES`` samples raise
    :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    A. Missarova, J. Jain, A. Butler, S. Ghazanfar, T. Stuart, M. Brusko, C. Wasserfall, H. Nick,
    T. Brusko, M. Atkinson, R. Satija, J. C. Marioni. geneBasis: an iterative approach for
    unsupervised selection of targeted gene panels from scRNA-seq. Genome Biology 22, 333, 2021.
    10.1186/s13059-021-02548-z.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import GeneBasis
    >>> GeneBasis(3).fit_transform(load_wine().data).shape
    (178, 3)
    """

    ignores_offsets: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict] = constraints(
        "costs groups n_neighbors",
        power=[Interval(Integral, 1, 10, closed="both")],
        n_components=[AT_LEAST_ONE],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_neighbors=5,
        power=3,
        n_components=50,
        include=None,
        exclude=None,
        costs=None,
        groups=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.power = power
        self.n_components = n_components
        self.include = include
        self.exclude = exclude
        self.costs = costs
        self.groups = groups

    def _precompute(self, X: np.ndarray) -> PredictedData:
        if len(X) > MAX_SAMPLES:
            raise MethodLimitError(
                f"GeneBasis holds the distances of all pairs of samples and takes at most "
                f"{MAX_SAMPLES} samples, got {len(X)}; take a random part of them"
            )
        X = X.astype(np.float64)
        X = X[content_order(X.T)]
        return PredictedData.from_data(X, self.n_neighbors, self.power, self.n_components)

    def _solve_given(
        self, X: np.ndarray, s_values: list[float], precomputed, units: Units
    ) -> dict[float, Solution]:
        data = self._precompute(X) if precomputed is None else precomputed
        solutions = {}
        panel = Panel(data, units)
        for s in s_values:
            if not units.cost_the_same:  # what a smaller budget buys need not be a part of it
                panel = Panel(data, units)
            panel.spend(s)
            solutions[s] = panel.solution()
        return solutions


@dataclass(frozen=True)
class PredictedData:
    """Data X (n x d), divided by ``unit``, with ``errors`` (d,), e_all; k and p."""

    X: np.ndarray
    unit: float
    errors: np.ndarray
    n_neighbors: int
    power: int

    @classmethod
    def from_data(cls, X: np.ndarray, n_neighbors: int, power: int, n_components: int):
        # Powers of p and their roots stay finite; by a power of two, which changes no digit.
        unit = float(np.ldexp(1.0, int(np.frexp(np.abs(X).max())[1])))
        X = X / unit
        k = clip_n_neighbors(n_neighbors, len(X))
        indices = nearest_neighbors(principal_scores(X, n_components), k)[0]
        return cls(X, unit, prediction_errors(X, indices, power), k, power)


def principal_scores(X: np.ndarray, count: int) -> np.ndarray:
    """Leading principal coordinates of the samples; X itself where they would be two or fewer."""
    n, d = X.shape
    count = min(count, n - 1, d - 1)
    if count <= 2:
        return X
    centred = X - X.mean(axis=0)
    order = min(n, d)
    top = [order - count, order - 1]
    if d <= n:
        V = eigh(centred.T @ centred, subset_by_index=top, check_finite=False)[1]
    else:
        U = eigh(centred @ centred.T, subset_by_index=top, check_finite=False)[1]
        V = np.linalg.qr(centred.T @ U)[0]
    # Rounded, so that equal samples stay equal.
    return significant(centred @ V)


def prediction_errors(X: np.ndarray, indices: np.ndarray, power: int) -> np.ndarray:
    """e(g) of every feature g when neighbours (n x k) predict it, shape (d,)."""
    k = indices.shape[1]
    means = neighbor_matrix(indices, np.full(indices.shape, 1 / k)) @ X
    return _norms(X - means, power)


def _norms(differences: np.ndarray, power: int) -> np.ndarray:
    """The p-norm of every column."""
    size = np.abs(differences, out=differences)
    powers = size.copy()
    for _ in range(power - 1):
        powers *= size
    return powers.sum(axis=0) ** (1 / power)


class Panel:
    """Features chosen so far, with the squared distances of the samples in them.

    At first it has the units that must be chosen.
    """

    def __init__(self, data: PredictedData, units: Units):
        n = len(data.X)
        self.data, self.units = data, units
        self.open = np.ones(len(units.costs), dtype=bool)
        self.chosen: list[int] = []
        self.taken_at: list[float] = []
        self.distances = np.zeros((n, n))
        self.distances.flat[:: n + 1] = np.inf
        self.gains = _norms(data.X - data.X.mean(axis=0), data.power) - data.errors
        for unit in units.included:
            self.add(int(unit))

    def spend(self, budget: float) -> None:
        """Add units as long as the budget buys one."""
        while (unit := self.next(budget)) is not None:
            self.add(unit)

    def next(self, budget: float) -> int | None:
        """The unit of largest gain per cost that the budget buys and is not in the panel."""
        costs = self.units.costs
        affordable = self.open & (costs <= budget - self.units.cost(~self.open))
        if not affordable.any():
            return None
        gains = self.units.sums(self.gains)
        gains /= np.where(gains > 0, costs, 1)
        return int(np.argmax(np.where(affordable, gains, -np.inf)))

    def add(self, unit: int) -> None:
        """Put the features of a unit into the panel."""
        features = self.units.features(unit)
        self.taken_at += self.gains[features].tolist()
        self.chosen += features.tolist()
        self.open[unit] = False
        for feature in features:
            indices = self._nearest_after(self.data.X[:, feature])
        self.gains = prediction_errors(self.data.X, indices, self.data.power) - self.data.errors

    def solution(self) -> Solution:
        chosen = np.array(self.chosen, dtype=np.intp)
        others = np.setdiff1d(np.arange(len(self.gains)), chosen)
        rest = others[np.argsort(-self.gains[others], kind="stable")]
        scores = self.gains.copy()
        scores[chosen] = self.taken_at
        scores *= self.data.unit
        return Solution(
            scores=scores,
            order=np.concatenate([chosen, rest]),
            n_features=len(chosen),
            per_feature={"gains_": scores},
        )

    def _nearest_after(self, column: np.ndarray) -> np.ndarray:
        """Add a feature to the distances; the k nearest of every sample, in no order (n x k)."""
        n, k = len(column), self.data.n_neighbors
        indices = np.empty((n, k), dtype=np.intp)
        rows = rows_at_a_time(n)
        for start in range(0, n, rows):
            D = self.distances[start : start + rows]
            D += (column[start : start + rows, None] - column) ** 2
            indices[start : start + rows] = positions_of_smallest(D, k)
        return indices


def positions_of_smallest(D: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k smallest entries of each row, ascending; of ties the first ones.

    With few features most distances are equal to others, so nothing is sorted.
    """
    bound = np.partition(D, k - 1, axis=1)[:, k - 1 : k]
    near = bound >= D
    crowded = np.flatnonzero(near.sum(axis=1) > k)
    if len(crowded):
        below, tied = D[crowded] < bound[crowded], D[crowded] == bound[crowded]
        left = k - below.sum(axis=1, keepdims=True)
        near[crowded] = below | (tied & (np.cumsum(tied, axis=1) <= left))
    return np.nonzero(near)[1].reshape(len(D), k)
