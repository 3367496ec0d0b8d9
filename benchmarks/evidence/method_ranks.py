"""Average rank of methods with default parameters over the wide data.

``python -m benchmarks.evidence.method_ranks`` adds the missing rows to results/wide_defaults.json
(see :mod:`benchmarks.evidence.wide_defaults`) and prints the table. Methods that take minutes on
one of these sets are left out.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from benchmarks.evidence.wide_defaults import main
from benchmarks.evidence.wide_summary import METRICS, domains, mean
from benchmarks.harness import markdown, read

#: Row of the results, and how it is called in the table.
RANKED = {
    "default": "BLUFS",
    "MCFS": "MCFS",
    "FSCA": "FSCA",
    "FSPCA": "FSPCA",
    "PivotedQR": "PivotedQR",
    "LapScore": "LapScore",
    "variance": "variance",
    "random": "random",
}
RANKED_METRICS = {**METRICS, "forest": "forest"}


def average_ranks(report: dict, names: list[str]) -> np.ndarray:
    """Mean over the datasets of the rank (1 is best) of every row, shape (rows, metrics)."""
    scores = [
        [[report[row][name][key] for row in RANKED] for key in RANKED_METRICS] for name in names
    ]
    return rankdata(-np.array(scores), axis=2).mean(axis=0).T


def table() -> str:
    report = {row: read("wide_defaults")[row] for row in RANKED}
    names = domains(report)["all"]
    ranks = average_ranks(report, names)
    rows = [
        [
            title,
            *(float(rank) for rank in ranks[i]),
            float(ranks[i].mean()),
            *(mean(report[row], names, key) for key in RANKED_METRICS),
        ]
        for i, (row, title) in enumerate(RANKED.items())
    ]
    header = ["method", *(f"rank {title}" for title in RANKED_METRICS.values()), "mean rank"]
    return markdown([*header, *RANKED_METRICS.values()], sorted(rows, key=lambda row: row[5]))


def by_domain() -> str:
    """Mean rank over the four metrics in every domain."""
    report = {row: read("wide_defaults")[row] for row in RANKED}
    groups = domains(report)
    ranks = [average_ranks(report, names).mean(axis=1) for names in groups.values()]
    rows = [[title, *(float(r[i]) for r in ranks)] for i, title in enumerate(RANKED.values())]
    return markdown(["method", *groups], sorted(rows, key=lambda row: row[1]))


if __name__ == "__main__":
    main(list(RANKED))
    print(table(), by_domain(), sep="\n\n")
