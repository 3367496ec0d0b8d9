"""The tables: each a function from the results of a suite to a :class:`Table`."""

from __future__ import annotations

from blufs.analysis.paper import Paper
from blufs.analysis.tables import against_paper, properties, scores, variants
from blufs.analysis.tables.catalog import TABLES
from blufs.analysis.tables.render import to_csv, to_latex, to_markdown, write_table
from blufs.analysis.tables.table import Block, Table
from blufs.results.suite import Suite, SuiteResults

__all__ = ["TABLES", "Block", "Table", "build_table", "to_csv", "to_latex", "to_markdown"]
__all__ += ["write_table"]


def build_table(name: str, results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """The table ``name`` of :data:`TABLES`."""
    simple = {
        "datasets": properties.datasets,
        "clustering_acc": scores.acc,
        "nmi": scores.nmi,
        "ablation": variants.ablation,
        "pixels": variants.pixels,
        "classification": scores.classification,
        "time": properties.running_time,
        "stability": properties.stability,
        "redundancy": properties.redundancies,
        "ranks": scores.ranks,
        "synthetic": properties.synthetic,
    }
    if name in simple:
        return simple[name](results, suite)
    with_paper = {"cases": variants.cases, "paper_vs_ours": against_paper.paper_vs_ours}
    if name in with_paper:
        return with_paper[name](results, suite, paper)
    raise KeyError(f"unknown table {name!r}; known: {', '.join(TABLES)}")
