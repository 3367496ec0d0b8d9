"""BLUFS: bi-level unsupervised feature selection (J. Liu, Ju, Xiu, W. Liu, arXiv 2505.20563)."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix import scaled_data
from blufs._numerics.units import Units
from blufs.base import (
    AT_LEAST_ONE,
    NON_NEGATIVE,
    POSITIVE,
    GraphSelector,
    Solution,
    check_n_clusters,
    constraints,
)
from blufs.solver.model import LearnedGraph, Problem, State, Weights
from blufs.solver.start import (
    SIMILARITIES,
    SharedStart,
    principal_start,
    random_start,
    relaxed_start,
    share,
)
from blufs.solver.sweeps import (
    Result,
    drop_losses,
    minimize_each,
    pursue,
    start_path,
    start_state,
    unselected_gains,
)
from blufs.solver.y_block import Y_SOLVERS

WEIGHTS = ("alpha", "beta", "lam", "mu")
#: What makes the model the paper's, see :meth:`blufs.BLUFS.paper`.
PAPER = {
    "similarity": "data",
    "scaling": "unit",
    "init": "random",
    "y_solver": "penalty",
    "feedback": 0,
}
CONSTRAINTS = ("every", "final", "none")
INITS = ("relaxed", "spectral", "random")


class BLUFS(GraphSelector):
    """Bi-level unsupervised feature selection with the row-sparsity constraint held throughout.

    Minimises, over a projection W with at most s non-zero rows, pseudo-labels Y with orthonormal
    columns and a neighbour graph P whose columns lie on the simplex and have few non-zeros,

        ||XW - Y||^2 + lam ||W||^2 - alpha Tr(Y' S Y)
        + beta sum_ij ||W'x_i - W'x_j||^2 P_ij + mu ||P||^2,

    with S the normalised similarity of the samples, by sweeps over P, W and Y. The features of the
    non-zero rows are selected.

    X are the features after ``scaling``. S compares the leading principal coordinates of X. The
    sweeps come in two rounds, of which the second has three quarters of S and one quarter of the
    normalised P as its S. Within a round no sweep raises the objective; between the rounds the
    objective itself changes. :class:`~blufs.BLUFSVariant` has all these choices as parameters, and
    :meth:`paper` makes them as the paper does.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number s or fraction of features; None takes half, ``"auto"`` stops where one feature more
        would gain little, see :func:`blufs.solver.pursuit.count_features`.
    n_clusters : int or "auto", default=8
        The number of clusters c that one expects in the data; ``"auto"`` takes the one that stands
        out, or one in the middle of those that show, with a warning, where none does.
    alpha : float, default=10.0
        Weight of the similarity of the pseudo-labels. A small one follows the principal
        components, a large one the clusters of the similarity graph.
    beta : float, default=1.0
        Weight of the smoothness along the learned graph; 0 learns none (the paper's Case III).
    lam : float, default=3.0
        Weight of the ridge. A large one prefers features that agree with many others.
    mu : float, default=1.0
        How evenly the learned graph spreads its weights over the neighbours.
    n_neighbors : int, default=10
        Neighbours in the similarity graph and in the learned one.
    scaling : {"auto", "center+unit", "center", "unit", "standard", "minmax", "none"}, \
            default="auto"
        Scaling of the features inside ``fit``. ``"auto"`` takes ``"center+unit"`` (all features
        equally loud) or ``"center"`` (each at its own scale), whichever shows the clusters more
        clearly; mostly empty data, such as word counts, keep their scale. See
        :mod:`blufs._numerics.views`.
    max_iter : int, default=50
        Most sweeps.
    tol : float, default=1e-4
        Stop when the objective changes by less than this, relative to max(|objective|, 1).
    verbose : int, default=0
        Whether to print the objective after every iteration.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    costs, groups : array-like or dict, optional
        What each feature costs, which makes ``n_features_to_select`` a budget; and which features
        are chosen together, which makes it count groups. See :class:`~blufs.base.BaseSelector`.

    Attributes
    ----------
    n_clusters_ : int
        c, given or estimated.
    cluster_evidence_ : dict
        How clearly each number of clusters shows, the clearest first; empty if c was given.
    scaling_ : str
        The scaling that was used.
    coef_ : ndarray of shape (n_features, c)
        W.
    embedding_ : ndarray of shape (n_samples, c)
        Y.
    graph_ : sparse array of shape (n_samples, n_samples)
        P; its columns sum to one.
    gains_ : ndarray of shape (n_features,)
        By how much the objective would rise if a chosen feature were dropped, given P and Y; about
        how much it would still fall if another one were added, as of the last search for a better
        selection. If all features are chosen, the latter for all.
    scores_ : ndarray of shape (n_features,)
        Row norms of W.
    objective_history_ : ndarray
        The objective at the start and after every sweep of the last round.
    n_iter_ : int
        Sweeps of both rounds.
    ranking_, support_, converged_
        See :class:`~blufs.base.BaseSelector`.

    References
    ----------
    J. Liu, X. Ju, X. Xiu, W. Liu. Bi-level unsupervised feature selection. arXiv:2505.20563, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLUFS
    >>> selector = BLUFS(n_features_to_select=4, n_clusters=3).fit(load_wine().data)
    >>> selector.transform(load_wine().data).shape
    (178, 4)
    """

    ignores_offsets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True
    tuned_parameters: ClassVar[tuple[str, ...]] = WEIGHTS

    _parameter_constraints: ClassVar[dict] = constraints(
        "costs groups n_neighbors scaling tol verbose",
        n_features_to_select=[
            StrOptions({"auto"}),
            *GraphSelector._parameter_constraints["n_features_to_select"],
        ],
        n_clusters=[StrOptions({"auto"}), AT_LEAST_ONE],
        max_iter=[Interval(Integral, 0, None, closed="left")],
        **{name: [NON_NEGATIVE] for name in WEIGHTS},
    )

    # Fixed here, parameters of BLUFSVariant.
    similarity: str = "principal"
    learn_neighbors: bool = True
    feedback: float = 0.25
    y_solver: str = "polar"
    tau: float = 1e-3

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        alpha=10.0,
        beta=1.0,
        lam=3.0,
        mu=1.0,
        n_neighbors=10,
        scaling="auto",
        max_iter=50,
        tol=1e-4,
        verbose=0,
        include=None,
        exclude=None,
        costs=None,
        groups=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.lam = lam
        self.mu = mu
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.include = include
        self.exclude = exclude
        self.costs = costs
        self.groups = groups

    def _precompute(self, X: np.ndarray) -> SharedStart:
        return self._share(X, None)

    def _share(self, X: np.ndarray, graph: SampleGraph | None) -> SharedStart:
        if self.n_clusters != "auto":
            check_n_clusters(self.n_clusters, X.shape[0])
        return share(
            X,
            graph,
            n_clusters=self.n_clusters,
            scaling=self.scaling,
            similarity=self.similarity,
            n_neighbors=self.n_neighbors,
        )

    def _shared(self, X: np.ndarray, precomputed) -> SharedStart:
        if precomputed is None:
            return self._precompute(X)
        if isinstance(precomputed, SharedStart):
            precomputed.check(X.shape, self.n_clusters)
            return precomputed
        return self._share(X, self._graph(X, precomputed))

    def _solve_given(self, X: np.ndarray, s_values: list, precomputed, units: Units) -> dict:
        chosen, problem, states = self._begin(X, s_values, precomputed, units)
        results = minimize_each(problem, states, self.max_iter, self.tol)
        return {
            wanted: self._solution(problem, result, chosen)
            for wanted, result in zip(s_values, results, strict=True)
        }

    def _begin(
        self, X: np.ndarray, s_values: list, precomputed, units: Units
    ) -> tuple[dict[str, Any], Problem, list[State]]:
        """What the data decided, the problem, and a state to start from for each s."""
        shared = self._shared(X, precomputed)
        problem = self._problem(X, shared, units)
        Y, P = self._first_labels(problem, shared), shared.learned_graph()
        return shared.chosen(), problem, self._start_states(problem, Y, P, s_values)

    def _problem(self, X: np.ndarray, shared: SharedStart, units: Units) -> Problem:
        return Problem(
            data=scaled_data(X, shared.scaling),
            S=shared.graph.normalized,
            diagonal=shared.diagonal(self.beta, self.lam, self.tau),
            weights=Weights(self.alpha, self.beta, self.lam, self.mu, self.tau),
            n_clusters=shared.n_clusters,
            units=units,
            y_solver=self.y_solver,
            learn_neighbors=self.learn_neighbors,
            feedback=self.feedback,
        )

    def _first_labels(self, problem: Problem, shared: SharedStart) -> np.ndarray:
        """Orthonormal Y of shape (n, c) to start from."""
        return relaxed_start(
            problem.S,
            shared.spectral,
            shared.principal,
            shared.squared_singular_values,
            self.alpha,
        )

    def _start_states(
        self, problem: Problem, Y: np.ndarray, P: LearnedGraph, s_values: list
    ) -> list[State]:
        return start_path(problem, Y, P, s_values, sweeps_follow=self.max_iter > 0)

    def _solution(self, problem: Problem, result: Result, chosen: dict[str, Any]) -> Solution:
        state, d = result.state, problem.data.shape[1]
        norms = np.linalg.norm(state.W, axis=1)
        scores, coef = np.zeros(d), np.zeros((d, state.W.shape[1]))
        scores[state.support], coef[state.support] = norms, state.W
        gains = unselected_gains(problem, state)
        order = _order(state.support, norms, gains)
        if len(state.support) < d:
            gains[state.support] = drop_losses(problem, state)
        fitted: dict[str, Any] = {
            **chosen,
            "embedding_": state.Y,
            "graph_": state.P.matrix(),
        }
        return Solution(
            scores=scores,
            order=order,
            n_features=len(state.support),
            n_iter=result.n_iter,
            converged=result.converged,
            objective_history=result.history,
            per_feature={"coef_": coef, "gains_": gains},
            fitted=fitted,
        )

    @staticmethod
    def paper(n_features_to_select=None, **parameters) -> BLUFSVariant:
        """The model as the paper and its authors' code have it, other parameters at the defaults.

        Similarity of the scaled samples, features of unit norm that are not centred, random first
        labels, one round of sweeps, the penalty method for the labels. The weights have to be
        chosen: the paper takes the best by the labels.
        """
        return BLUFSVariant(n_features_to_select, **{**PAPER, **parameters})


class BLUFSVariant(BLUFS):
    """BLUFS with the choices of its model and solver as parameters, for experiments.

    With the defaults it is :class:`~blufs.BLUFS`, whose parameters and attributes it has too.

    Parameters
    ----------
    n_features_to_select, n_clusters, alpha, beta, lam, mu, n_neighbors, scaling, max_iter, tol
        See :class:`~blufs.BLUFS`.
    similarity : {"principal", "data"}, default="principal"
        What the similarity S compares: the samples' leading principal coordinates, 2 c of them,
        whitened; or the scaled samples, as in the paper. Ignored where ``fit`` is given a graph.
    init : {"relaxed", "spectral", "random"}, default="relaxed"
        Start of Y: the minimiser of a relaxation of the model, between the principal vectors of X
        (small alpha) and the leading eigenvectors of S (large alpha); the latter; or scaled
        indicators of random clusters.
    learn_neighbors : bool, default=True
        Whether the neighbours in P are learned, as the nearest samples in the projected space; if
        not, only the weights of the neighbours in the similarity graph are.
    feedback : float, default=0.25
        Share of the learned graph in the similarity S of a second round of sweeps, so that the
        pseudo-labels follow it too; 0 for one round, as in the paper.
    clustering_level : bool, default=True
        False drops the clustering level (the paper's Case I): alpha counts as 0, Y is only an
        orthonormal scale for XW, and starts from the leading principal components.
    constraint : {"every", "final", "none"}, default="every"
        When W has at most s non-zero rows: at every iteration; only at the end, by keeping the s
        largest rows of the unconstrained solution; never, the rows being only ranked (the paper's
        Case II). The last two select the same features and differ in ``coef_``; their ``gains_``
        are those at the unconstrained solution.
    y_solver : {"polar", "penalty"}, default="polar"
        Polar iteration, or the paper's exact-penalty method.
    tau : float, default=1e-3
        Weight of the proximal terms.
    random_state : int, RandomState or None, default=None
        Seed of ``init="random"``; otherwise the result is deterministic.
    verbose : int, default=0
        Whether to print the objective after every iteration.
    include, exclude : array-like, optional
        Features that must be chosen and that must not be: positions, names or a mask, see
        :class:`~blufs.base.BaseSelector`.
    costs, groups : array-like or dict, optional
        What each feature costs, which makes ``n_features_to_select`` a budget; and which features
        are chosen together, which makes it count groups. See :class:`~blufs.base.BaseSelector`.

    References
    ----------
    J. Liu, X. Ju, X. Xiu, W. Liu. Bi-level unsupervised feature selection. arXiv:2505.20563, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from blufs import BLUFSVariant
    >>> one_round = BLUFSVariant(4, n_clusters=3, feedback=0).fit(load_wine().data)
    >>> len(one_round.objective_history_) == one_round.n_iter_ + 1
    True
    """

    tuned_parameters: ClassVar[tuple[str, ...]] = (
        *BLUFS.tuned_parameters,
        "learn_neighbors",
        "feedback",
    )

    _parameter_constraints: ClassVar[dict] = {
        **BLUFS._parameter_constraints,
        "similarity": [StrOptions(set(SIMILARITIES))],
        "init": [StrOptions(set(INITS))],
        "learn_neighbors": ["boolean"],
        "feedback": [Interval(Real, 0, 1, closed="both")],
        "clustering_level": ["boolean"],
        "constraint": [StrOptions(set(CONSTRAINTS))],
        "y_solver": [StrOptions(set(Y_SOLVERS))],
        "tau": [POSITIVE],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_clusters=8,
        alpha=10.0,
        beta=1.0,
        lam=3.0,
        mu=1.0,
        n_neighbors=10,
        scaling="auto",
        max_iter=50,
        tol=1e-4,
        similarity="principal",
        init="relaxed",
        learn_neighbors=True,
        feedback=0.25,
        clustering_level=True,
        constraint="every",
        y_solver="polar",
        tau=1e-3,
        random_state=None,
        verbose=0,
        include=None,
        exclude=None,
        costs=None,
        groups=None,
    ):
        super().__init__(
            n_features_to_select,
            n_clusters=n_clusters,
            alpha=alpha,
            beta=beta,
            lam=lam,
            mu=mu,
            n_neighbors=n_neighbors,
            scaling=scaling,
            max_iter=max_iter,
            tol=tol,
            verbose=verbose,
            include=include,
            exclude=exclude,
            costs=costs,
            groups=groups,
        )
        self.similarity = similarity
        self.init = init
        self.learn_neighbors = learn_neighbors
        self.feedback = feedback
        self.clustering_level = clustering_level
        self.constraint = constraint
        self.y_solver = y_solver
        self.tau = tau
        self.random_state = random_state

    @property
    def _is_random(self) -> bool:
        """Whether another seed can give another result."""
        return self.init == "random"

    def _problem(self, X: np.ndarray, shared: SharedStart, units: Units) -> Problem:
        problem = super()._problem(X, shared, units)
        if self.clustering_level:
            return problem
        return replace(problem, weights=replace(problem.weights, alpha=0.0))

    def _first_labels(self, problem: Problem, shared: SharedStart) -> np.ndarray:
        if self.init == "random":
            seed = check_random_state(self.random_state)
            return random_start(len(shared.spectral), shared.n_clusters, seed)
        if not self.clustering_level:
            return principal_start(shared.principal, shared.n_clusters)
        if self.init == "spectral":
            return shared.spectral
        return super()._first_labels(problem, shared)

    def _solve_given(self, X: np.ndarray, s_values: list, precomputed, units: Units) -> dict:
        if self.constraint == "every":
            return super()._solve_given(X, s_values, precomputed, units)
        # One W without the constraint serves for every s.
        chosen, problem, states = self._begin(X, s_values, precomputed, units)
        sizes = [state.s for state in states]
        (result,) = minimize_each(problem, states[:1], self.max_iter, self.tol)
        return {
            wanted: self._ranked(problem, result, s, chosen)
            for wanted, s in zip(s_values, sizes, strict=True)
        }

    def _start_states(
        self, problem: Problem, Y: np.ndarray, P: LearnedGraph, s_values: list
    ) -> list[State]:
        if self.constraint == "every":
            return super()._start_states(problem, Y, P, s_values)
        sizes = pursue(problem, Y, P, s_values)[0] if None in s_values else s_values
        every = np.arange(problem.data.shape[1])
        state = start_state(problem, sizes[0], every, problem.data.columns(every), Y, P)
        return [replace(state, s=s) for s in sizes]

    def _ranked(
        self, problem: Problem, result: Result, s: float, chosen: dict[str, Any]
    ) -> Solution:
        solution, units = super()._solution(problem, result, chosen), problem.units
        priority = units.sums(solution.scores**2) / units.costs
        priority[units.included] = np.inf
        support = units.features(units.bought(priority, s))
        order = _order(support, solution.scores[support], solution.scores)
        coef = solution.per_feature["coef_"]
        if self.constraint == "final":
            coef[order[len(support) :]] = 0
        return replace(solution, order=order, n_features=len(support))


def _order(support: np.ndarray, norms: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """All d features: the support by row norm, then the others by what they would still gain.

    ``support`` and ``norms`` have the shape (s,), ``gains`` (none negative) the shape (d,).
    """
    chosen = support[np.argsort(-norms, kind="stable")]
    gains = gains.copy()
    gains[chosen] = -1
    rest = np.argsort(-gains, kind="stable")[: len(gains) - len(chosen)]
    return np.concatenate([chosen, rest])
