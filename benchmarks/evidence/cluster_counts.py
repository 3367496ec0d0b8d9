"""The number of clusters that BLUFS counts by itself, and what other numbers cost.

``python -m benchmarks.evidence.cluster_counts`` writes results/cluster_counts.json: for every
dataset of the wide data the scores of 60 features for several numbers of clusters c, and the
leading eigenvalues of the graphs by which clusters are counted. Rules are applied to the
eigenvalues; the scores in between two c are interpolated in log c.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchmarks.evidence.wide_defaults import Dataset, measure_missing
from benchmarks.harness import markdown, read
from blufs import BLUFSVariant
from blufs._numerics.matrix import scaled_data
from blufs._numerics.principal import principal_graph, principal_vectors

COUNTS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
COORDINATES = (10, 20, 40)
S = 60
MOST = 30
#: Likely numbers of clusters and spreads of :func:`widest_gap` that were tried.
LIKELY, SPREADS = (6, 8, 10, 12), (0.7, 1.0, 1.5, 2.0)


def widest_gap(values: np.ndarray, likely: float = 10, spread: float = 1.5) -> int:
    """The c of the widest gap, weighted by ``exp(-(log(c / likely) / spread)^2 / 2)``."""
    counts = np.arange(2, len(values))
    weights = np.exp(-0.5 * (np.log(counts / likely) / spread) ** 2)
    return int(counts[np.argmax(weights * (values[1:-1] - values[2:]))])


def measured(data: Dataset) -> dict:
    n, d = data.X.shape
    by_count = {}
    for c in sorted({*(c for c in COUNTS if c <= n // 4), data.c}):
        solution = BLUFSVariant(n_clusters=c, feedback=0).select_path(data.X, [min(S, d)])[
            min(S, d)
        ]
        scores = data.score(solution.ranked[: min(S, d)], False, False)
        by_count[c] = {"acc": scores["acc"], "knn": scores["knn"]}
    vectors = principal_vectors(scaled_data(data.X, "auto"), max(COORDINATES))[1]
    most = min(MOST, n // 4)
    eigenvalues = {}
    for m in COORDINATES:
        values = principal_graph(vectors[:, :m], 10).leading_eigenvectors(most + 1)[0]
        eigenvalues[m] = [float(f"{value:.5f}") for value in values]
    return {"classes": data.c, "by_count": by_count, "eigenvalues": eigenvalues}


def rules() -> dict:
    """By name, the number of clusters from what was measured of a dataset."""
    found = {}
    for m in COORDINATES:
        found[f"widest gap, {m} coordinates"] = lambda one, m=m: widest_gap(
            np.array(one["eigenvalues"][str(m)]), spread=np.inf
        )
    for likely in LIKELY:
        for spread in SPREADS:
            found[f"weighted gap, {likely} and {spread:g}"] = (
                lambda one, likely=likely, spread=spread: widest_gap(
                    np.array(one["eigenvalues"]["40"]), likely, spread
                )
            )
    found["always 8"] = lambda one: 8
    found["half the classes"] = lambda one: max(2, one["classes"] // 2)
    found["twice the classes"] = lambda one: 2 * one["classes"]
    return found


def score(one: dict, c: int, key: str) -> float:
    counts = sorted(map(int, one["by_count"]))
    values = [one["by_count"][str(count)][key] for count in counts]
    return float(np.interp(np.log(c), np.log(counts), values))


def losses(report: dict, rule, key: str) -> np.ndarray:
    """What the rule loses against the number of classes, by dataset."""
    return np.array(
        [score(one, one["classes"], key) - score(one, rule(one), key) for one in report.values()]
    )


def table() -> str:
    report = read("cluster_counts")
    rows = []
    for title, rule in rules().items():
        errors = [abs(np.log2(rule(one) / one["classes"])) for one in report.values()]
        acc, knn = losses(report, rule, "acc"), losses(report, rule, "knn")
        numbers = [acc.mean(), acc.max(), knn.mean(), np.mean(errors)]
        rows.append([title, *map(float, numbers)])
    rows.append(held_out(report))
    header = [
        "number of clusters",
        "ACC lost",
        "at most",
        "5-NN lost",
        "off by, in doublings",
    ]
    return markdown(header, rows)


def held_out(report: dict) -> list:
    """The weighted gap chosen without a dataset, by ACC on the others, and judged on it."""
    weighted = {title: rule for title, rule in rules().items() if title.startswith("weighted")}
    acc = {title: losses(report, rule, "acc") for title, rule in weighted.items()}
    knn = {title: losses(report, rule, "knn") for title, rule in weighted.items()}
    n = len(report)
    picks = [min(acc, key=lambda title: acc[title].sum() - acc[title][i]) for i in range(n)]
    lost = np.array([acc[pick][i] for i, pick in enumerate(picks)])
    shown = ", ".join(
        f"{title.removeprefix('weighted gap, ')} ({count})"
        for title, count in Counter(picks).most_common()
    )
    lost_knn = np.mean([knn[pick][i] for i, pick in enumerate(picks)])
    title = f"weighted gap chosen without the dataset: {shown}"
    return [title, float(lost.mean()), float(lost.max()), float(lost_knn), ""]


def main() -> None:
    report = read("cluster_counts") or {}
    measure_missing("cluster_counts", report, report, measured)
    print(table())


if __name__ == "__main__":
    main()
