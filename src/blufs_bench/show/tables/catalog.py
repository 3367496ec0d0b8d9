"""The words of every table: its title, what it reads, and whether the paper has one of its kind.

Imports nothing heavy, so that the workflow can read it while it plans; what makes a table of a name
is in :mod:`blufs_bench.show.tables.build`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blufs_bench.results.vocabulary import METRICS


@dataclass(frozen=True)
class TableSpec:
    """One table.

    Attributes
    ----------
    title : what it is called in a list of contents
    reads : result files it reads (stem of the Parquet file), besides the dataset cards
    in_paper : number of the paper's table of the same kind, if there is one
    dataset : the one dataset that it is about, if there is one
    """

    title: str
    reads: tuple[str, ...] = ()
    in_paper: str = ""
    dataset: str = ""


_SCORES, _SELECTED = ("scores",), ("scores", "selections")

TABLES = {
    "datasets": TableSpec("Datasets", (), "I"),
    "clustering_acc": TableSpec("ACC", _SCORES, "II"),
    "nmi": TableSpec("NMI", _SCORES, "III"),
    "cases": TableSpec("Variants", _SCORES, "IV"),
    "ablation": TableSpec("Ablation", _SCORES, "V"),
    "pixels": TableSpec("Pixels", _SCORES, "VI"),
    "knn_accuracy": TableSpec("k-NN accuracy", _SCORES, "VII"),
    **{
        key: TableSpec(metric.title, _SCORES)
        for key, metric in METRICS.items()
        if key not in ("clustering_acc", "nmi", "knn_accuracy")
    },
    "time": TableSpec("Running time", ("timing",), "VIII"),
    "paper_vs_ours": TableSpec("The paper against ours", ("scores", "timing")),
    "ranks": TableSpec("Ranks"),
    "gains": TableSpec("Gain over random features"),
    "improvability": TableSpec("Distance to the best method"),
    "pairs": TableSpec("Every pair of methods"),
    "criteria": TableSpec("Label-free criteria", _SCORES),
    "stability": TableSpec("Stability", ("stability",)),
    "redundancy": TableSpec("Redundancy", _SELECTED),
    "agreement": TableSpec("Agreement", _SELECTED),
    "synthetic": TableSpec("Real features found", _SELECTED),
}


def table_specs(datasets: Sequence[str] = ()) -> dict[str, TableSpec]:
    """Name -> table, for all tables of a suite with these datasets, each of which has its own."""
    reads = ("scores", "selections", "timing", "stability")
    own = {
        f"profile_{name}": TableSpec(f"Methods on {name}", reads, dataset=name) for name in datasets
    }
    return TABLES | own


def read_by_tables() -> list[str]:
    """The result files that any table reads."""
    return sorted({stem for spec in table_specs(["any"]).values() for stem in spec.reads})
