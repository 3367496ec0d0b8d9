"""The tables by name, apart from their code: the workflow is planned without loading it."""

from __future__ import annotations

#: Table -> the result files it reads, besides the dataset cards.
TABLES: dict[str, list[str]] = {
    "datasets": [],
    "clustering_acc": ["results"],
    "nmi": ["results"],
    "cases": ["results"],
    "ablation": ["results"],
    "pixels": ["results"],
    "classification": ["results"],
    "time": ["timing"],
    "paper_vs_ours": ["results", "timing"],
    "stability": ["stability"],
    "redundancy": ["selections"],
    "ranks": ["results"],
    "synthetic": ["selections"],
}
