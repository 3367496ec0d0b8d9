"""What fits with other weights, or another s, share: graph, spectral and principal vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blufs._numerics.graph import SampleGraph
from blufs._numerics.matrix import DataMatrix, scaled_data, scaled_samples
from blufs._numerics.matrix.scaling import choose_softness, softened_norms
from blufs._numerics.principal import count_clusters, principal_graph, principal_vectors
from blufs.solver.p_step import Smoothing, candidate_neighbors, uniform_weights

SIMILARITIES = ("principal", "data")


@dataclass(frozen=True)
class SharedStart:
    """What fits with other weights or another s share.

    Attributes
    ----------
    n_clusters : int
        c.
    graph : SampleGraph of n samples
    neighbors, is_candidate : ndarray of shape (n, k)
        Where the learned graph starts: the neighbours in the similarity graph, and which of these
        places hold one.
    spectral : ndarray of shape (n, m)
        Leading eigenvectors of the normalised similarity; m is c, or more with extra columns.
    squares, principal : ndarray of shape (r,) and (n, r)
        Leading squared singular values and left singular vectors of the scaled data, r <= m.
    weights : ndarray of shape (d,)
        What the scaled features are multiplied by in the search for features, see
        :func:`~blufs._numerics.matrix.scaling.choose_softness`.
    norms, energies : ndarray of shape (d,)
        ``||a_j||^2`` and ``a_j' L a_j`` of the features a_j so weighted, with L the Laplacian of
        the initial learned graph.
    """

    n_clusters: int
    graph: SampleGraph
    neighbors: np.ndarray
    is_candidate: np.ndarray
    spectral: np.ndarray
    squares: np.ndarray
    principal: np.ndarray
    weights: np.ndarray
    norms: np.ndarray
    energies: np.ndarray

    def check(self, shape: tuple[int, int], n_clusters: int | str) -> None:
        """Raise ValueError unless made for data and clusters of this size."""
        made_for = (self.graph.n_samples, len(self.norms), self.n_clusters)
        wanted = self.n_clusters if n_clusters == "auto" else n_clusters
        if made_for != (*shape, wanted):
            raise ValueError(
                f"precomputed was made for (n_samples, n_features, n_clusters) = {made_for}, but "
                f"X has {shape[0]} samples, {shape[1]} varying features, and n_clusters={wanted}"
            )

    def column_norms(self, extra_weight: float) -> np.ndarray:
        """Norms of the m columns of Y: one for the first c, then the extra weight."""
        return np.where(np.arange(self.spectral.shape[1]) < self.n_clusters, 1.0, extra_weight)

    def completed_principal(self) -> np.ndarray:
        """The principal vectors, with others to make m orthonormal columns where A has fewer."""
        n, m = self.spectral.shape
        missing = np.eye(n, m - len(self.squares))
        return np.linalg.qr(np.hstack([self.principal, missing]))[0]


def share(
    X: np.ndarray,
    graph: SampleGraph | None,
    *,
    n_clusters: int | str,
    extra_columns: int,
    scaling: str,
    softness: float | str,
    similarity: str,
    n_neighbors: int,
) -> SharedStart:
    """Compute the shared part; the parameters are those of :class:`~blufs.methods.blufs.BLUFS`."""
    data = scaled_data(X, scaling)
    c = count_clusters(data, n_neighbors) if isinstance(n_clusters, str) else n_clusters
    m = min(X.shape[0], c + extra_columns)
    squares, principal = principal_vectors(data, max(2 * c, m))
    if graph is None and similarity == "principal":
        graph = principal_graph(principal[:, : 2 * c], n_neighbors)
    elif graph is None:
        graph = SampleGraph.from_data(scaled_samples(X, scaling), n_neighbors)
    graph.warn_if_disconnected()
    neighbors, is_candidate = candidate_neighbors(graph, n_neighbors)
    # I + 2 beta L with beta = 1/2: the forms less the norms are then those of the Laplacian L.
    laplacian_plus_one = Smoothing(neighbors, uniform_weights(is_candidate), beta=0.5)
    norms, forms = data.quadratic_forms(laplacian_plus_one)
    if softness == "auto":
        softness = choose_softness(X) if scaling == "auto" else "none"
    weights = np.ones_like(norms)
    if softness != "none":
        own = norms * data.divisor.astype(float) ** 2
        weights = softened_norms(own, float(softness)) / np.sqrt(norms)
    return SharedStart(
        n_clusters=c,
        graph=graph,
        neighbors=neighbors,
        is_candidate=is_candidate,
        spectral=graph.leading_eigenvectors(m)[1],
        squares=squares[:m],
        principal=principal[:, :m].copy(),  # of a view the rest would stay
        weights=weights,
        norms=weights**2 * norms,
        energies=weights**2 * (forms - norms),
    )


def weighted_data(X: np.ndarray, scaling: str, shared: SharedStart) -> DataMatrix:
    """The scaled data matrix with the features weighted as the search sees them."""
    data = scaled_data(X, scaling)
    data.divisor = (data.divisor / shared.weights).astype(data.divisor.dtype, copy=False)
    return data


def random_indicators(n: int, c: int, random_state: np.random.RandomState) -> np.ndarray:
    """Scaled indicators ``E (E'E)^-1/2`` of random non-empty clusters, shape (n, c)."""
    labels = np.concatenate([np.arange(c), random_state.randint(c, size=n - c)])
    random_state.shuffle(labels)
    Y = np.zeros((n, c))
    Y[np.arange(n), labels] = 1
    return Y / np.sqrt(Y.sum(axis=0))
