"""Designs of BLUFS that were tried and not taken, over the wide data.

``python -m benchmarks.evidence.tried_designs [name ...]`` adds rows to results/tried_designs.json:
for every dataset the mean over s = 20, 60 and 100 of ACC, NMI and 5-NN accuracy, as in
:mod:`benchmarks.evidence.wide_defaults`, whose row "no feedback" they are compared with, because
they were tried with
``feedback=0``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from benchmarks.evidence.wide_defaults import S_VALUES, Dataset, measure_missing
from benchmarks.evidence.wide_summary import METRICS, domains
from benchmarks.harness import markdown, read
from blufs import BLUFSVariant, SampleGraph
from blufs._numerics.matrix import scaled_data
from blufs._numerics.matrix.scaling import scale_samples
from blufs._numerics.principal import principal_graph, principal_vectors


def fit_path(
    X: np.ndarray, selector: BLUFSVariant, graph: SampleGraph | None = None
) -> list[np.ndarray]:
    sizes = sorted({min(s, X.shape[1]) for s in S_VALUES})
    path = selector.select_path(X, sizes, precomputed=graph)
    return [solution.ranked[:s] for s, solution in path.items()]


def with_norms(norms_of: Callable[[np.ndarray], np.ndarray]):
    """Features of norms that are a function of their squared norms, in graph and search alike."""

    def design(X: np.ndarray, c: int) -> list[np.ndarray]:
        centred = X - X.mean(axis=0)
        squares = np.einsum("ij,ij->j", centred, centred)
        norms = norms_of(squares)
        scaled = centred * (norms / np.sqrt(np.mean(norms**2) * squares))
        return fit_path(scaled, BLUFSVariant(n_clusters=c, feedback=0, scaling="none"))

    return design


def averaged_graphs(X: np.ndarray, c: int) -> list[np.ndarray]:
    """The mean of the graphs of c, 2 c and 4 c principal coordinates."""
    vectors = principal_vectors(scaled_data(X, "auto"), 4 * c)[1]
    graphs = [principal_graph(vectors[:, : max(2, m * c)], 10).similarity for m in (1, 2, 4)]
    return fit_path(X, BLUFSVariant(n_clusters=c, feedback=0), SampleGraph(sum(graphs) / 3))


def graded_coordinates(power: float, multiple: float):
    """Principal coordinates weighted by a power of their singular value."""

    def design(X: np.ndarray, c: int) -> list[np.ndarray]:
        count = int(np.ceil(multiple * c))
        squares, vectors = principal_vectors(scaled_data(X, "auto"), count)
        samples = scale_samples(vectors * (squares / squares[0]) ** (power / 2))
        return fit_path(
            X, BLUFSVariant(n_clusters=c, feedback=0), SampleGraph.from_data(samples, 10)
        )

    return design


def second_fit(graph_of: Callable[[BLUFSVariant, np.ndarray, int], sp.csr_array], share: float):
    """Fit, mix a graph of the fit into the similarity, fit again; for each s on its own."""

    def design(X: np.ndarray, c: int) -> list[np.ndarray]:
        first = principal_graph(principal_vectors(scaled_data(X, "auto"), 2 * c)[1], 10)
        found = []
        for s in sorted({min(s, X.shape[1]) for s in S_VALUES}):
            selector = BLUFSVariant(s, n_clusters=c, feedback=0).fit(X, precomputed=first)
            mixed = (1 - share) * first.normalized + share * graph_of(selector, X, c)
            again = BLUFSVariant(s, n_clusters=c, feedback=0).fit(
                X, precomputed=SampleGraph(sp.csr_array(mixed))
            )
            found.append(np.flatnonzero(again.support_))
        return found

    return design


def learned_graph(selector: BLUFSVariant, X: np.ndarray, c: int) -> sp.csr_array:
    """P of the fit, symmetric and normalised."""
    P = sp.csr_array(selector.graph_)
    return SampleGraph(sp.csr_array((P + P.T) / 2)).normalized


def graph_of_the_selection(selector: BLUFSVariant, X: np.ndarray, c: int) -> sp.csr_array:
    """The similarity of the 2 c principal coordinates of the selected features."""
    selected = scaled_data(np.ascontiguousarray(X[:, selector.support_]), "auto")
    return principal_graph(principal_vectors(selected, 2 * c)[1], 10).normalized


DESIGNS: dict[str, Callable[[np.ndarray, int], list[np.ndarray]]] = {
    "softness 0.3, graph too": with_norms(lambda q: np.sqrt(q / (q + 0.3 * q.mean()))),
    "softness 1, graph too": with_norms(lambda q: np.sqrt(q / (q + q.mean()))),
    "square roots of the norms": with_norms(lambda q: q**0.25),
    "c, 2 c and 4 c coordinates averaged": averaged_graphs,
    "1.5 c coordinates": graded_coordinates(0, 1.5),
    "coordinates by root of singular value": graded_coordinates(0.5, 2),
    "second fit, half learned graph": second_fit(learned_graph, 0.5),
    "second fit, a quarter learned graph": second_fit(learned_graph, 0.25),
    "second fit, half graph of the selection": second_fit(graph_of_the_selection, 0.5),
    "learned graph of weight 10": lambda X, c: fit_path(
        X, BLUFSVariant(n_clusters=c, feedback=0, beta=10.0)
    ),
    "learned graph, few neighbours": lambda X, c: fit_path(
        X, BLUFSVariant(n_clusters=c, feedback=0, mu=0.01)
    ),
}


def row(design: str, data: Dataset) -> dict[str, float]:
    scores = [data.score(one, False, False) for one in DESIGNS[design](data.X, data.c)]
    return {key: float(np.mean([one[key] for one in scores])) for key in METRICS}


def table() -> str:
    """Gains over the default without feedback: mean, worst, and mean by domain, ACC / 5-NN."""
    tried, default = read("tried_designs"), read("wide_defaults")["no feedback"]
    groups = domains({**tried, "default": default})
    rows = []
    for design, scores in tried.items():
        gains = {
            key: {name: scores[name][key] - default[name][key] for name in groups["all"]}
            for key in ("acc", "knn")
        }
        worst = " / ".join(f"{min(gain.values()):.1f}" for gain in gains.values())
        means = [
            " / ".join(f"{np.mean([gain[n] for n in names]):+.1f}" for gain in gains.values())
            for names in groups.values()
        ]
        rows.append([design, means[0], worst, *means[1:]])
    header = ["design", "mean gain, ACC / 5-NN", "worst", *list(groups)[1:]]
    return markdown(header, rows)


def main(designs: list[str]) -> None:
    report = read("tried_designs") or {}
    for design in designs:
        found = report.setdefault(design, {})
        measure_missing("tried_designs", report, found, lambda data, key=design: row(key, data))
        print(design, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(DESIGNS))
    print(table())
