"""BLFSE: bi-level feature selection ensemble (Zhou, Wang, Du, Information Fusion 2023).

The BLUFS paper calls it BLSFE and BLSEF.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from blufs._numerics.eigen import add_upper_product, mirror_upper
from blufs._numerics.matrix.scaling import scale_samples
from blufs._numerics.rounding import content_order
from blufs.base import (
    AT_LEAST_ONE,
    BaseSelector,
    MethodLimitError,
    Solution,
    check_n_clusters,
    constraints,
)
from blufs.methods.blfse.eigenvectors import (
    connected_blocks,
    dense_laplacian,
    row_space_if_narrow,
    smallest_eigenpairs,
    smallest_laplacian_eigenvectors,
    surely_above,
    without_indicator,
)
from blufs.methods.blfse.infinite_selection import infinite_selection_weights
from blufs.methods.blfse.joined_pairs import JoinedPairs
from blufs.methods.blfse.score_step import hadamard, score_step

#: Largest numbers of samples and features: several n x n and d x d arrays are held.
MAX_SAMPLES = 12_000
MAX_FEATURES = 25_000

_EPS = np.finfo(float).eps
#: Self-paced thresholds of the authors' code.
_PACES = (0.9, 0.8, 0.7, 0.6, 0.5)
_INNER_ITERATIONS = 5
#: Eigenvalues of a graph that differ by less than this times their size count as equal.
_EQUAL = 1e-9
#: Below this the c + 1 smallest eigenvalues together count as zero (authors' code).
_ZERO_SUM = 1e-11


class BLFSE(BaseSelector):
    """Bi-level feature selection ensemble: consensus of base scores and of base clusterings.

    Base scores v^j come from infinite feature selection on disjoint parts of the samples, base
    clusterings (0/1 matrices S^j) from k-means on the s best features of each. Minimises

    ``sum_il ||P diag(v) (x_i - x_l)||^2 S_il + sum_j b_j^2 ||R o (S - S^j)||^2 - lambda ||R||_1
    + sum_j a_j^2 ||v - v^j||^2``

    over the consensus scores v, the ensemble weights a and b (all on the simplex), the consensus
    similarity S in [0, 1] with c connected components, self-paced weights R in [0, 1] and a
    projection P with ``P P' = I_c``; features are ranked by v.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number s or fraction of features; None takes half. The base clusterings depend on it, so
        every s is a fit of its own; the base scores are shared.
    n_clusters : int, default=8
        Number c of clusters.
    n_base : int, default=10
        Number of base results (the authors' value); at most a third of the samples.
    kmeans_restarts : int, default=20
        Restarts of each base clustering (the authors' value).
    base : tuple of (weights, labels), optional
        Base results instead of computed ones: ndarrays of shape (n_base, n_features), larger is
        better, and (n_base, n_samples). X must have no constant feature.
    random_state : int, RandomState instance or None, default=None
        Seeds the split of the samples and the k-means. A sample gets the same part wherever it
        stands, see :func:`~blufs._numerics.rounding.content_order`.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.

    Notes
    -----
    X is first scaled to samples of unit norm, so that a shift of a feature changes the result.
    Where ``X diag(v)`` has a null space of c or more dimensions, P lies in it and is not unique:
    for d >= n + c the c best features are projected onto it, else the mean over all P is taken.
    Where eigenvalues c and c + 1 of the graph are equal (that of the base clusterings, if many
    samples are alike to all of them), its eigenvectors are not unique: those of that eigenvalue are
    left out.

    7000 samples with 5000 features take five minutes on one core. More than ``MAX_SAMPLES`` samples
    or ``MAX_FEATURES`` features raise :class:`~blufs.base.MethodLimitError`.

    References
    ----------
    P. Zhou, X. Wang, L. Du: Bi-level ensemble method for unsupervised feature selection.
    Information Fusion 100, 101910, 2023. 10.1016/j.inffus.2023.101910.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLFSE
    >>> selector = BLFSE(n_features_to_select=3, n_clusters=3, random_state=0)
    >>> selector.fit_transform(load_wine().data).shape
    (178, 3)
    """

    tuned_parameters: ClassVar[tuple[str, ...]] = ("n_clusters", "kmeans_restarts")

    _parameter_constraints: ClassVar[dict] = constraints(
        "n_clusters random_state",
        n_base=[AT_LEAST_ONE],
        kmeans_restarts=[AT_LEAST_ONE],
        base=[tuple, None],
    )

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        n_base=10,
        kmeans_restarts=20,
        base=None,
        random_state=None,
        include=None,
        exclude=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_base = n_base
        self.kmeans_restarts = kmeans_restarts
        self.base = base
        self.random_state = random_state
        self.include = include
        self.exclude = exclude

    def _precompute(self, X: np.ndarray) -> BaseScores:
        n, d = X.shape
        if n > MAX_SAMPLES or d > MAX_FEATURES:
            raise MethodLimitError(
                f"BLFSE holds n x n and d x d arrays and takes at most {MAX_SAMPLES} samples and "
                f"{MAX_FEATURES} features, got {n} x {d}"
            )
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        X = scale_samples(X.astype(float, copy=False))
        if self.base is not None:
            if len(self.base) != 2:
                raise ValueError(f"base must be (weights, labels), got {len(self.base)} values")
            weights = _normalized(np.asarray(self.base[0], dtype=float), (len(self.base[0]), d))
        else:
            # Random parts and centres stay with the samples, wherever these stand in X.
            X = X[content_order(X.T)]
            weights = base_scores(X, self.n_base, np.random.default_rng(seed))
        return BaseScores(X, weights, seed)

    def _solve(self, X: np.ndarray, s_values: list[int], precomputed) -> dict[int, Solution]:
        check_n_clusters(self.n_clusters, len(X))
        base = precomputed if precomputed is not None else self._precompute(X)
        return {s: self._solve_one(base, s) for s in s_values}

    def _solve_one(self, base: BaseScores, s: int) -> Solution:
        if self.base is not None:
            labels = _checked_labels(self.base[1], (len(base.weights), len(base.X)))
        else:
            labels = base_labels(base, s, self.n_clusters, self.kmeans_restarts)
        ensemble = Ensemble(base.X, base.weights, labels, self.n_clusters)
        history = list(ensemble.iterate())
        return Solution(
            scores=ensemble.v,
            n_iter=len(history),
            objective_history=np.array(history),
            fitted={"base_weights_": ensemble.a, "clustering_weights_": ensemble.b},
        )


@dataclass(frozen=True)
class BaseScores:
    """X with samples of unit norm, base scores (n_base x d, rows sum to 1), seed of the rest."""

    X: np.ndarray
    weights: np.ndarray
    seed: int


def base_scores(X: np.ndarray, n_base: int, rng: np.random.Generator) -> np.ndarray:
    """Infinite feature selection on disjoint random parts of the rows of X, shape (n_base, d)."""
    n_base = max(1, min(n_base, len(X) // 3))
    size = len(X) // n_base
    order = rng.permutation(len(X))
    parts = [order[j * size : (j + 1) * size] for j in range(n_base)]
    return np.array([infinite_selection_weights(X[part]) for part in parts])


def base_labels(base: BaseScores, s: int, n_clusters: int, restarts: int) -> np.ndarray:
    """k-means on the s best features of each base score, shape (n_base, n)."""
    labels = []
    for j, weights in enumerate(base.weights):
        best = np.sort(np.argsort(-weights, kind="stable")[:s])
        seed = int(np.random.SeedSequence([base.seed, s, j]).generate_state(1)[0])
        kmeans = KMeans(n_clusters, init="random", n_init=restarts, random_state=seed)
        labels.append(kmeans.fit_predict(base.X[:, best]))
    return np.array(labels)


class Ensemble:
    """State of the minimisation; names of arrays as in the objective of :class:`BLFSE`.

    S and R are held on the pairs that some S^j joins, see :class:`JoinedPairs`. Elsewhere S stays 0
    and R stays 1; on the diagonal both are 1.
    """

    def __init__(self, X, weights, labels, n_clusters: int):
        self.X, self.weights, self.c = X, weights, n_clusters
        self.pairs = JoinedPairs(np.asarray(labels))
        m = len(weights)
        self.a = self.b = np.full(m, 1 / m)
        self.v = weights.mean(axis=0)
        self.S = self.pairs.combined(self.b)
        self.R = np.ones_like(self.S)
        self.row_space = row_space_if_narrow(X, n_clusters)
        self._dense: np.ndarray | None = None
        self.rho = 1.0
        self.F = np.empty((len(X), 0))
        self._embed()

    def iterate(self) -> Iterator[float]:
        """Run the authors' schedule; yields the objective after every iteration."""
        for pace in _PACES:
            penalty = 2 * pace * (1 - pace) / len(self.weights)
            with np.errstate(divide="ignore"):
                self.R = np.minimum(1, penalty / (2 * self._disagreement()))
            total_R = 2 * np.sum(self.R - 1) + len(self.X) ** 2
            for inner in range(_INNER_ITERATIONS):
                Q = self._scatter()
                P = self._projection(Q)
                self.v = score_step(hadamard(Q, P), self.a, self.weights, self.v)
                spread = self._similarity_step(P)
                previous, eigenvalues = self.F, self._embed()
                errors, distances = self._errors(), self._distances()
                self.b, self.a = _inverse_weights(errors), _inverse_weights(distances)
                yield float(spread + self.b**2 @ errors - penalty * total_R + self.a**2 @ distances)
                if eigenvalues[: self.c].sum() > 1e-9:
                    self.rho *= 2
                elif eigenvalues.sum() < _ZERO_SUM:
                    self.rho /= 2
                    self.F = previous
                elif inner > 0:
                    break

    def _disagreement(self) -> np.ndarray:
        """``sum_j b_j^2 (S - S^j)^2`` entry by entry, using that S^j is its own square."""
        total = self.pairs.combined(self.b**2)
        return np.maximum(np.sum(self.b**2) * self.S**2 + total * (1 - 2 * self.S), 0)

    def _laplacian_times(self, V: np.ndarray) -> np.ndarray:
        """``L V`` for V (n x any), with L the Laplacian of S, component by component."""
        if len(self.blocks) == 1:
            return self.blocks[0][1] @ V
        product = np.empty_like(V)
        for block, laplacian in self.blocks:
            product[block] = laplacian @ V[block]
        return product

    def _scatter(self) -> np.ndarray | LinearOperator:
        """``Q = X' L X``, d x d; an operator where d is above n + c."""
        n, d = self.X.shape
        if d >= n + min(self.c, d):
            return LinearOperator(
                (d, d),
                matvec=lambda u: self.X.T @ self._laplacian_times(self.X @ u.reshape(d, 1)),
                matmat=lambda U: self.X.T @ self._laplacian_times(self.X @ U),
                dtype=float,
            )
        product = self._laplacian_times(self.X)
        Q = np.zeros((d, d))
        add_upper_product(Q, self.X, product)
        return mirror_upper(Q)

    def _projection(self, Q: np.ndarray | LinearOperator) -> np.ndarray:
        """``P'`` (d x c): the c smallest eigenvectors of ``diag(v) Q diag(v)``.

        Or, with more columns, a matrix whose ``P'P`` is the mean over all that are as good.
        """
        c = min(self.c, self.X.shape[1])
        if self.row_space is not None:
            n_spanned = self.row_space.shape[1]
            null = scipy.linalg.qr(self.v[:, None] * self.row_space)[0][:, n_spanned:]
            return np.sqrt(c / null.shape[1]) * null
        if isinstance(Q, np.ndarray):
            return smallest_eigenpairs(self.v[:, None] * Q * self.v, c)[1]
        best = np.argsort(-self.v, kind="stable")[:c]
        basis = scipy.linalg.qr((self.X * self.v).T, mode="economic")[0]
        null = -basis @ basis[best].T
        null[best, np.arange(c)] += 1
        return scipy.linalg.qr(null, mode="economic")[0]

    def _similarity_step(self, P: np.ndarray) -> float:
        """Minimise over S; returns ``sum_il ||P diag(v) (x_i - x_l)||^2 S_il``."""
        projected = (self.X * self.v) @ P
        cost = self.pairs.squared_distances(projected)
        S = self.pairs.squared_distances(self.F)
        S *= -self.rho
        S -= cost
        S /= 2 * self.R**2
        S += self.pairs.combined(self.b**2)
        S /= np.sum(self.b**2)
        self.S = np.clip(S, 0, 1, out=S)
        return float(2 * (cost @ self.S))

    def _embed(self) -> np.ndarray:
        """Set F to the c smallest eigenvectors of L; returns the c + 1 smallest eigenvalues."""
        S = self._dense = self.pairs.matrix(self.S, self._dense)
        blocks = connected_blocks(self.pairs.graph(self.S > 0))
        whole = len(blocks) == 1
        self.blocks = [(b, dense_laplacian(S if whole else S[np.ix_(b, b)])) for b in blocks]
        count = min(self.c + 1, len(self.X))
        if len(blocks) == self.c < count and self._firmly_connected():
            # The eigenvalue c + 1 only matters where it may count as zero.
            values, self.F = smallest_laplacian_eigenvectors(self.blocks, self.c)
            return np.append(values, 2 * _ZERO_SUM)
        values, vectors = smallest_laplacian_eigenvectors(self.blocks, count)
        self.F = vectors[:, : self.c]
        if count > self.c:
            self.F = self.F[:, values[: self.c] < (1 - _EQUAL) * values[self.c]]
        return values

    def _firmly_connected(self) -> bool:
        """Whether the non-zero eigenvalues of L are sure to be above ``2 * _ZERO_SUM``."""
        return all(
            surely_above(without_indicator(laplacian), 2 * _ZERO_SUM)
            for block, laplacian in self.blocks
            if len(block) > 1
        )

    def _errors(self) -> np.ndarray:
        """``||R o (S - S^j)||^2`` for every j."""
        squared = self.R**2
        common = squared @ self.S**2
        squared *= 1 - 2 * self.S
        return 2 * (common + self.pairs.inside(squared))

    def _distances(self) -> np.ndarray:
        """``||v - v^j||^2`` for every j."""
        return np.sum((self.weights - self.v) ** 2, axis=1)


def _inverse_weights(errors: np.ndarray) -> np.ndarray:
    inverse = 1 / np.maximum(errors, _EPS)
    return inverse / inverse.sum()


def _normalized(weights: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    if weights.shape != shape or not (weights >= 0).all():
        raise ValueError(f"base scores must be >= 0 and of shape {shape}, got {weights.shape}")
    total = weights.sum(axis=1, keepdims=True)
    if not (np.isfinite(total) & (total > 0)).all():
        raise ValueError("base scores must be finite, and not all zero for any base result")
    return weights / total


def _checked_labels(labels, shape: tuple[int, int]) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.shape != shape:
        raise ValueError(f"base labels must have shape {shape}, got {labels.shape}")
    return labels
