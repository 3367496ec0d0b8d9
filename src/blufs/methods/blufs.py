"""BLUFS: bi-level unsupervised feature selection (J. Liu, Ju, Xiu, W. Liu, arXiv 2505.20563)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from blufs._numerics.graph import SampleGraph, neighbor_matrix
from blufs._numerics.matrix.scaling import FEATURE_SCALINGS
from blufs.base import GraphSelector, Solution, check_n_clusters
from blufs.solver.explain import explain_features, feature_order
from blufs.solver.objective import Weights
from blufs.solver.p_step import uniform_weights
from blufs.solver.shared import SIMILARITIES, SharedStart, random_indicators, share, weighted_data
from blufs.solver.size import count_features, most_features
from blufs.solver.start import relaxed_start
from blufs.solver.sweeps import Neighbors, Problem, Result, State, minimize, start_states
from blufs.solver.w_step import feature_gains, start_support
from blufs.solver.y_step import Y_SOLVERS

#: What makes the model the paper's, see :meth:`BLUFS.paper`.
PAPER = {
    "similarity": "data",
    "scaling": "unit",
    "init": "random",
    "y_solver": "penalty",
    "extra_columns": 0,
    "feedback": 0,
}
WEIGHTS = ("alpha", "beta", "lam", "mu")
CONSTRAINTS = ("every", "final", "none")
INITS = ("relaxed", "spectral", "random")


class BLUFS(GraphSelector):
    """Bi-level unsupervised feature selection with the row-sparsity constraint held throughout.

    Minimises, over a projection W with at most s non-zero rows, pseudo-labels Y with orthonormal
    columns and a neighbour graph P whose columns lie on the simplex and have few non-zeros,

        ||XW - Y||^2 + lam ||W||^2 - alpha Tr(Y' S Y)
        + beta sum_ij ||W'x_i - W'x_j||^2 P_ij + mu ||P||^2,

    with S the normalised heat-kernel similarity of the samples, by sweeps over P, W and Y that
    never raise it. The features of the non-zero rows are selected.

    Users set what stands under Parameters; Other Parameters are for experiments.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number s or fraction of features; None takes half, ``"auto"`` stops where one feature more
        would gain little, see :func:`blufs.solver.size.count_features`.
    n_clusters : int or "auto", default=8
        The number of clusters c that one expects in the data; ``"auto"`` takes the widest gap
        between the leading eigenvalues of a neighbour graph.
    scaling : {"auto", "center+unit", "center", "unit", "standard", "minmax", "none"}, \
            default="auto"
        Scaling of the features inside ``fit``; ``"auto"`` leaves features of mostly empty data,
        such as word counts, at their own scale and brings all others to unit norm.
    n_neighbors : int, default=10
        Neighbours in the similarity graph and in the learned one.
    extra_columns : int, default=0
        Columns of Y and W beyond c, which serve prediction more than clustering.
    extra_weight : float, default=0.25
        Norm of those columns of Y; the others have norm one.
    alpha : float, default=10.0
        Weight of the similarity of the pseudo-labels. A small one follows the principal
        components, a large one the clusters of the similarity graph.
    beta : float, default=1.0
        Weight of the smoothness along the learned graph; 0 learns none (the paper's Case III).
    lam : float, default=3.0
        Weight of the ridge. A large one prefers features that agree with many others.
    mu : float, default=1.0
        How evenly the learned graph spreads its weights over the neighbours.
    random_state : int, RandomState or None, default=None
        Seed of ``init="random"``; otherwise the result is deterministic.

    Other Parameters
    ----------------
    similarity : {"principal", "data"}, default="principal"
        What the similarity S compares: the samples' leading principal coordinates, 2 c of them,
        whitened; or the scaled samples, as in the paper. Ignored where ``fit`` is given a graph.
    softness : float, "auto" or "none", default="auto"
        How much of their own norms features keep in the search: 0 for equal norms, more for norms
        nearer to their own, see :func:`~blufs._numerics.matrix.scaling.softened_norms`.
        ``"none"`` leaves them as scaled; ``"auto"`` too, but follows their tails where
        ``scaling`` is ``"auto"``.
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
        Case II). The last two select the same features and differ in ``coef_``.
    y_solver : {"polar", "penalty"}, default="polar"
        Polar iteration, or the paper's exact-penalty method.
    tau : float, default=1e-3
        Weight of the proximal terms.
    max_iter : int, default=50
        Most sweeps.
    tol : float, default=1e-4
        Stop when the objective changes by less than this, relative to max(|objective|, 1).

    Attributes
    ----------
    n_clusters_ : int
        c, given or estimated.
    coef_ : ndarray of shape (n_features, c + extra_columns)
        W.
    embedding_ : ndarray of shape (n_samples, c + extra_columns)
        Y.
    graph_ : sparse array of shape (n_samples, n_samples)
        P; its columns sum to one.
    gains_ : ndarray of shape (n_features,)
        About how much each feature that was not chosen would still lower the objective.
    scores_ : ndarray of shape (n_features,)
        Row norms of W.
    ranking_, support_, n_iter_, converged_, objective_history_
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
    tuned_parameters: ClassVar[tuple[str, ...]] = (
        *WEIGHTS,
        "extra_weight",
        "learn_neighbors",
        "feedback",
    )

    _parameter_constraints: ClassVar[dict] = {
        **GraphSelector._parameter_constraints,
        "n_features_to_select": [
            StrOptions({"auto"}),
            *GraphSelector._parameter_constraints["n_features_to_select"],
        ],
        "n_clusters": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        **{name: [Interval(Real, 0, None, closed="left")] for name in (*WEIGHTS, "tol")},
        "extra_columns": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        **{name: ["boolean"] for name in ("clustering_level", "learn_neighbors")},
        "similarity": [StrOptions(set(SIMILARITIES))],
        "scaling": [StrOptions(set(FEATURE_SCALINGS))],
        "softness": [StrOptions({"auto", "none"}), Interval(Real, 0, None, closed="left")],
        "init": [StrOptions(set(INITS))],
        "constraint": [StrOptions(set(CONSTRAINTS))],
        "y_solver": [StrOptions(set(Y_SOLVERS))],
        "feedback": [Interval(Real, 0, 1, closed="both")],
        "extra_weight": [Interval(Real, 0, None, closed="neither")],
        "tau": [Interval(Real, 0, None, closed="neither")],
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
        similarity="principal",
        scaling="auto",
        softness="auto",
        init="relaxed",
        clustering_level=True,
        constraint="every",
        y_solver="polar",
        learn_neighbors=True,
        feedback=0.25,
        extra_columns=0,
        extra_weight=0.25,
        tau=1e-3,
        max_iter=50,
        tol=1e-4,
        random_state=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.lam = lam
        self.mu = mu
        self.n_neighbors = n_neighbors
        self.similarity = similarity
        self.scaling = scaling
        self.softness = softness
        self.init = init
        self.clustering_level = clustering_level
        self.constraint = constraint
        self.y_solver = y_solver
        self.learn_neighbors = learn_neighbors
        self.feedback = feedback
        self.extra_columns = extra_columns
        self.extra_weight = extra_weight
        self.tau = tau
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @property
    def _is_random(self) -> bool:
        """Whether another seed can give another result (asked by ``selectors.is_random``)."""
        return self.init == "random"

    def _precompute(self, X: np.ndarray) -> SharedStart:
        return self._share(X, None)

    def _share(self, X: np.ndarray, graph: SampleGraph | None) -> SharedStart:
        return share(
            X,
            graph,
            n_clusters=self.n_clusters,
            extra_columns=self.extra_columns,
            scaling=self.scaling,
            softness=self.softness,
            similarity=self.similarity,
            n_neighbors=self.n_neighbors,
        )

    def _solve(self, X: np.ndarray, s_values: list, precomputed) -> dict:
        if self.n_clusters != "auto":
            check_n_clusters(self.n_clusters, X.shape[0])
        # Of what fits share only the problem is left here: of many samples it is much to hold.
        problem, sizes, states = self._begin(X, s_values, self._shared(X, precomputed))
        # Taken off the list, so that the arrays of a start are given back as soon as they may.
        limits = self.max_iter, self.tol
        results = [minimize(problem, states.pop(0), *limits) for _ in range(len(states))]
        results *= len(sizes) // len(results)
        return {
            wanted: self._solution(problem, result, s)
            for wanted, s, result in zip(s_values, sizes, results, strict=True)
        }

    def _shared(self, X: np.ndarray, precomputed) -> SharedStart:
        if precomputed is None:
            return self._precompute(X)
        if isinstance(precomputed, SharedStart):
            precomputed.check(X.shape, self.n_clusters)
            return precomputed
        return self._share(X, self._graph(X, precomputed))

    def _begin(
        self, X: np.ndarray, s_values: list, shared: SharedStart
    ) -> tuple[Problem, list[int], list[State]]:
        """The problem, the numbers of features, and a start for each, or one for all of them."""
        problem = self._problem(X, shared)
        Y, p = self._start(problem, shared), uniform_weights(shared.is_candidate)
        neighbors = Neighbors(shared.neighbors, shared.is_candidate)
        sizes = s_values
        if self.constraint == "every" or None in s_values:
            most = max(most_features(X.shape[1]) if s is None else s for s in s_values)
            ridge, smoothing = self.lam + self.tau, neighbors.smoothing
            found = start_support(
                problem.data, smoothing(p, self.beta), Y, ridge, problem.diagonal, most
            )
            sizes = [count_features(found.gains) if s is None else s for s in s_values]
        every = np.arange(X.shape[1])
        if self.constraint == "every":
            own = np.copy if len(sizes) > 1 else np.ascontiguousarray  # each start changes its own
            supports = [(found.chosen[:s], own(found.A[:, :s])) for s in sizes]
            del found
        else:
            supports = [(every, problem.data.columns(every))]
        return problem, sizes, start_states(problem, supports, Y, neighbors, p, self.max_iter > 0)

    def _problem(self, X: np.ndarray, shared: SharedStart) -> Problem:
        alpha = self.alpha if self.clustering_level else 0.0
        weights = Weights(alpha, self.beta, self.lam, self.mu, self.tau)
        diagonal = shared.norms + 2 * self.beta * shared.energies + self.lam + self.tau
        return Problem(
            data=weighted_data(X, self.scaling, shared),
            S=shared.graph.normalized,
            diagonal=diagonal,
            weights=weights,
            n_clusters=shared.n_clusters,
            y_solver=self.y_solver,
            learn_neighbors=self.learn_neighbors,
            feedback=self.feedback,
        )

    def _start(self, problem: Problem, shared: SharedStart) -> np.ndarray:
        """Initial Y of shape (n, m): orthogonal columns, the first c of norm one."""
        norms = shared.column_norms(self.extra_weight)
        if self.init == "random":
            n, m = shared.spectral.shape
            return norms * random_indicators(n, m, check_random_state(self.random_state))
        if not self.clustering_level:
            return norms * shared.completed_principal()
        if self.init == "spectral":
            return norms * shared.spectral
        return norms * relaxed_start(
            problem.S,
            shared.spectral,
            shared.principal,
            shared.squares,
            self.alpha,
            shared.n_clusters,
        )

    def _solution(self, problem: Problem, result: Result, s: int) -> Solution:
        state = result.state
        norms = np.linalg.norm(state.W, axis=1)
        scores = np.zeros(problem.data.shape[1])
        scores[state.support] = norms
        coef = np.zeros((len(scores), state.W.shape[1]))
        coef[state.support] = state.W
        gains = state.gains
        if gains is None:
            gains = feature_gains(problem.data, state.Y - state.Z, problem.diagonal)
        order = np.argsort(-scores, kind="stable")
        if self.constraint == "every":
            order = feature_order(state.support, norms, gains)
        elif self.constraint == "final":
            coef[order[s:]] = 0
        return Solution(
            scores=scores,
            order=order,
            n_features=s,
            n_iter=result.n_iter,
            converged=result.converged,
            objective_history=result.history,
            per_feature={"coef_": coef, "gains_": gains},
            fitted={
                "n_clusters_": problem.n_clusters,
                "embedding_": state.Y,
                "graph_": neighbor_matrix(state.neighbors.indices, state.p).T.tocsr(),
            },
        )

    def explain(self, X):
        """Why each feature was chosen or not, as a DataFrame with one row per feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data that was fitted.

        Returns
        -------
        DataFrame
            The columns are those of :func:`blufs.solver.explain.explain_features`, the index has
            the names of the features.
        """
        check_is_fitted(self, "support_")
        names = _check_feature_names_in(self)
        return explain_features(self._validate(X), self.support_, self.ranking_, self.gains_, names)

    @classmethod
    def paper(cls, n_features_to_select=None, **parameters) -> BLUFS:
        """The model as the paper and its authors' code have it, other parameters at the defaults.

        Similarity of the scaled samples, features of unit norm that are not centred, random first
        labels, c columns, neighbours in the projected space, the penalty method for the labels. The
        weights have to be chosen: the paper takes the best by the labels.
        """
        return cls(n_features_to_select, **{**PAPER, **parameters})
