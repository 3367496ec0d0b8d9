"""The number of features that BLUFS takes by itself, against fixed ones, over the wide data.

``python -m benchmarks.evidence.feature_counts`` writes results/feature_counts.json: for every
dataset the gains of the pursuit, the scores of the defaults for some s, and what
``n_features_to_select="auto"`` takes and is worth. The rules that were tried are applied to the
gains; a rule's scores are those of the nearest s of the grid.
"""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.wide_defaults import Dataset, measure_missing
from benchmarks.evidence.wide_summary import METRICS
from benchmarks.harness import markdown, read
from blufs import BLUFSVariant
from blufs.solver.pursuit import count_features
from blufs.solver.sweeps import search_for

GRID = (5, 10, 20, 40, 60, 100, 150, 200)
MOST = 200


def pursuit_gains(data: Dataset) -> np.ndarray:
    """Gains of the first choices of the pursuit with default parameters."""
    selector = BLUFSVariant(n_clusters=data.c, feedback=0)
    shared = selector.precompute(data.X).value
    problem = selector._problem(data.X, shared, included=np.empty(0, dtype=int))
    search = search_for(problem, shared.learned_graph(), selector._first_labels(problem, shared))
    return search.start(min(MOST, data.X.shape[1])).gains


def measured(data: Dataset) -> dict:
    sizes = [s for s in GRID if s <= data.X.shape[1]]
    path = BLUFSVariant(n_clusters=data.c, feedback=0).select_path(data.X, sizes)
    auto = BLUFSVariant("auto", n_clusters=data.c, feedback=0).fit(data.X)
    counted = data.score(np.flatnonzero(auto.support_), False, False)
    scores = {s: data.score(path[s].ranked[:s], False, False) for s in sizes}
    return {
        "gains": [float(f"{gain:.4g}") for gain in pursuit_gains(data)],
        "by_s": {s: {key: one[key] for key in METRICS} for s, one in scores.items()},
        "auto": {"s": auto.n_features_to_select_, **{key: counted[key] for key in METRICS}},
    }


def knee(gains: np.ndarray) -> int:
    """Where the curve of the sums is farthest above the line between its ends."""
    explained = np.cumsum(gains) / gains.sum()
    return int(np.argmax(explained - np.arange(1, len(gains) + 1) / len(gains))) + 1


def reaching(gains: np.ndarray, share: float) -> int:
    """Features that gain this share of what the longest pursuit gains."""
    return int(np.searchsorted(np.cumsum(gains), share * gains.sum())) + 1


#: What was tried: the number of features by the gains of the pursuit.
RULES = {
    "next below 2 % of the sum": lambda gains: count_features(gains, 0.02),
    "next below 1 % of the sum": lambda gains: count_features(gains, 0.01),
    "next below 0.5 % of the sum": lambda gains: count_features(gains, 0.005),
    "next below 0.25 % of the sum": lambda gains: count_features(gains, 0.0025),
    "knee of 200": knee,
    "80 % of the gain of 200": lambda gains: reaching(gains, 0.8),
    "90 % of the gain of 200": lambda gains: reaching(gains, 0.9),
}


def at(scores: dict, s: int) -> dict:
    """The scores of the nearest s that was tried, by ratio."""
    return scores[min(scores, key=lambda known: abs(np.log(int(known) / s)))]


def table() -> str:
    """Mean scores of the rules, of fixed s and of the s that is best by the labels."""
    report = read("feature_counts")
    rows = []
    for title, rule in RULES.items():
        chosen = {name: rule(np.array(found["gains"])) for name, found in report.items()}
        rows.append(
            _row(title, chosen.values(), [at(report[n]["by_s"], chosen[n]) for n in report])
        )
    for s in (20, 60, 100):
        rows.append(_row(f"s = {s}", [s], [at(found["by_s"], s) for found in report.values()]))
    rows.append(
        _row(
            '`"auto"`',
            [found["auto"]["s"] for found in report.values()],
            [found["auto"] for found in report.values()],
        )
    )
    best = [
        {key: max(one[key] for one in found["by_s"].values()) for key in METRICS}
        for found in report.values()
    ]
    rows.append(_row("best s of each score (oracle)", [], best))
    return markdown(["number of features", "s: median (least, most)", *METRICS.values()], rows)


def _row(title: str, sizes, scores: list[dict]) -> list:
    sizes = sorted(sizes)
    shown = f"{np.median(sizes):.0f} ({sizes[0]}, {sizes[-1]})" if sizes else ""
    return [title, shown, *(float(np.mean([one[key] for one in scores])) for key in METRICS)]


def main() -> None:
    report = read("feature_counts") or {}
    measure_missing("feature_counts", report, report, measured)
    print(table())


if __name__ == "__main__":
    main()
