"""What the sweeps start from: graph, spectral and principal vectors, and the first pseudo-labels.

Fits with other weights, or another s, share all of it but the pseudo-labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from blufs._numerics.graph import SampleGraph
from blufs._numerics.intensities import looks_like_raw_intensities
from blufs._numerics.matrix import scaled_samples
from blufs._numerics.views import clearest_view, count_clusters
from blufs._numerics.warn import warn_user
from blufs.solver.model import LearnedGraph
from blufs.solver.p_block import candidate_neighbors

SIMILARITIES = ("principal", "data")


@dataclass(frozen=True)
class SharedStart:
    """What fits with other weights or another s share.

    Attributes
    ----------
    n_clusters : int
        c.
    evidence : dict
        How clearly other numbers of clusters show, if c was counted, see
        :func:`~blufs._numerics.views.count_clusters`; empty if it was given.
    scaling : str
        The scaling of the features.
    graph : SampleGraph of n samples
        The similarity, and S.
    neighbors, is_candidate : ndarray of shape (n, k)
        Where the learned graph starts: the neighbours in the similarity graph, and which of these
        places hold one.
    spectral : ndarray of shape (n, c)
        Leading eigenvectors of S.
    squared_singular_values, principal : ndarray of shape (r,) and (n, r)
        Leading squared singular values and left singular vectors of the scaled data, r <= c.
    squared_norms, laplacian_forms : ndarray of shape (d,)
        ``||x_j||^2`` and ``x_j' L_P x_j`` of the scaled features x_j, with P the initial learned
        graph.
    """

    n_clusters: int
    evidence: dict[int, float]
    scaling: str
    graph: SampleGraph
    neighbors: np.ndarray
    is_candidate: np.ndarray
    spectral: np.ndarray
    squared_singular_values: np.ndarray
    principal: np.ndarray
    squared_norms: np.ndarray
    laplacian_forms: np.ndarray

    def check(self, shape: tuple[int, int], n_clusters: int | str) -> None:
        """Raise ValueError unless made for data and clusters of this size."""
        made_for = (self.graph.n_samples, len(self.squared_norms), self.n_clusters)
        wanted = self.n_clusters if n_clusters == "auto" else n_clusters
        if made_for != (*shape, wanted):
            raise ValueError(
                f"precomputed was made for (n_samples, n_features, n_clusters) = {made_for}, but "
                f"X has {shape[0]} samples, {shape[1]} varying features, and n_clusters={wanted}"
            )

    def chosen(self) -> dict[str, Any]:
        """What the data decided, as attributes of a fitted selector."""
        return {
            "n_clusters_": self.n_clusters,
            "cluster_evidence_": self.evidence,
            "scaling_": self.scaling,
        }

    def learned_graph(self) -> LearnedGraph:
        """The initial P."""
        return LearnedGraph.uniform(self.neighbors, self.is_candidate)

    def diagonal(self, beta: float, lam: float, tau: float) -> np.ndarray:
        """Diagonal of the W block's matrix H at the initial P, shape (d,)."""
        return self.squared_norms + 2 * beta * self.laplacian_forms + lam + tau


def share(
    X: np.ndarray,
    graph: SampleGraph | None,
    *,
    n_clusters: int | str,
    scaling: str,
    similarity: str,
    n_neighbors: int,
) -> SharedStart:
    """Compute the shared part; the parameters are those of :class:`~blufs.BLUFSVariant`."""
    if scaling == "auto" and looks_like_raw_intensities(X):
        warn_user(
            "the values look like raw intensities: large ones rule the result. Take logarithms "
            "first: make_pipeline(FunctionTransformer(np.log1p), BLUFS(...))"
        )
    if isinstance(n_clusters, str):
        c, evidence = count_clusters(X, scaling, n_neighbors)
    else:
        c, evidence = n_clusters, {}
    view, principal_graph = clearest_view(X, scaling, c, n_neighbors)
    if graph is None and similarity == "principal":
        graph = principal_graph
    elif graph is None:
        graph = SampleGraph.from_data(scaled_samples(X, view.scaling), n_neighbors)
    graph.warn_if_disconnected()
    neighbors, is_candidate = candidate_neighbors(graph, n_neighbors)
    # beta = 1/2 makes M = I + L_P: its forms less the squared norms are those of L_P.
    identity_plus_laplacian = LearnedGraph.uniform(neighbors, is_candidate).smoothing(beta=0.5)
    squared_norms, forms = view.data.quadratic_forms(identity_plus_laplacian)
    return SharedStart(
        n_clusters=c,
        evidence=evidence,
        scaling=view.scaling,
        graph=graph,
        neighbors=neighbors,
        is_candidate=is_candidate,
        spectral=graph.leading_eigenvectors(c)[1],
        squared_singular_values=view.squares[:c],
        principal=view.vectors[:, :c].copy(),  # a view would keep the whole array alive
        squared_norms=squared_norms,
        laplacian_forms=forms - squared_norms,
    )


def relaxed_start(
    S: sp.csr_array,
    spectral: np.ndarray,
    principal: np.ndarray,
    squared_singular_values: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Orthonormal Y that minimises a relaxation of the model, shape (n, c).

    Without the constraint on the rows and without the graph term, minimising over W with a ridge
    rho leaves ``-Tr(Y' (K + alpha S) Y)`` with ``K = X (X'X + rho I)^-1 X'``, whose minimisers are
    leading eigenvectors. The ridge stands for what few features can explain: rho is the c-th
    squared singular value, so that c directions are more than half explained. The eigenvectors are
    sought in the span of the spectral and the principal vectors, which are the exact solutions for
    large and for small alpha.

    Parameters
    ----------
    S : sparse array of shape (n, n)
    spectral : ndarray of shape (n, c)
        Leading eigenvectors of S.
    principal, squared_singular_values : ndarray of shape (n, r) and (r,)
        Leading left singular vectors of X and squared singular values, c of them if X has so many.
    alpha : float
    """
    r, c = len(squared_singular_values), spectral.shape[1]
    extra = spectral - principal @ (principal.T @ spectral)
    U, values, _ = np.linalg.svd(extra, full_matrices=False)
    Q = np.hstack([principal, U[:, values > 1e-8]])
    explained = np.zeros(Q.shape[1])
    explained[:r] = squared_singular_values / (
        squared_singular_values + squared_singular_values[-1]
    )
    reduced = alpha * (Q.T @ (S @ Q))
    reduced[np.diag_indices_from(reduced)] += explained
    return Q @ np.linalg.eigh((reduced + reduced.T) / 2)[1][:, ::-1][:, :c]


def principal_start(principal: np.ndarray, c: int) -> np.ndarray:
    """The principal vectors (n x r), with others to make c orthonormal columns where r is less."""
    n, r = principal.shape
    return np.linalg.qr(np.hstack([principal, np.eye(n, c - r)]))[0]


def random_start(n: int, c: int, random_state: np.random.RandomState) -> np.ndarray:
    """Scaled indicators ``E (E'E)^-1/2`` of random non-empty clusters, eq. (8), shape (n, c)."""
    labels = np.concatenate([np.arange(c), random_state.randint(c, size=n - c)])
    random_state.shuffle(labels)
    Y = np.zeros((n, c))
    Y[np.arange(n), labels] = 1
    return Y / np.sqrt(Y.sum(axis=0))
