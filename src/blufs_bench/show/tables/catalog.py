"""Every table by name: the one place where a table is added.

Imports nothing heavy, so that the workflow can read it while it plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

#: Tables of one dataset are named by this prefix and the dataset.
PROFILE = "profile_"


@dataclass(frozen=True)
class TableSpec:
    """One table.

    Attributes
    ----------
    module, function : where ``function(results, suite, **options)`` is, which returns a ``Table``
    title : what it is called in a list of contents
    reads : result files it reads (stem of the Parquet file), besides the dataset cards
    in_paper : number of the paper's table of the same kind, if there is one
    takes_paper : whether the function takes the paper's numbers as third argument
    """

    module: str
    function: str
    title: str
    reads: tuple[str, ...] = ()
    in_paper: str = ""
    takes_paper: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def qualified_module(self) -> str:
        return f"blufs_bench.show.tables.{self.module}"


_SELECTED = ("scores", "selections")

TABLES = {
    "datasets": TableSpec("datasets", "datasets", "Datasets", (), "I"),
    "clustering_acc": TableSpec(
        *("scores", "score_table", "ACC", ("scores",), "II"),
        options={"metric": "clustering_acc"},
    ),
    "nmi": TableSpec(
        *("scores", "score_table", "NMI", ("scores",), "III"), options={"metric": "nmi"}
    ),
    "cases": TableSpec("ablation", "cases", "Variants", ("scores",), "IV", takes_paper=True),
    "ablation": TableSpec("ablation", "ablation", "Ablation", ("scores",), "V"),
    "pixels": TableSpec("ablation", "pixels", "Pixels", ("scores",), "VI"),
    "knn_accuracy": TableSpec(
        *("scores", "score_table", "k-NN accuracy", ("scores",), "VII"),
        options={"metric": "knn_accuracy"},
    ),
    "forest_accuracy": TableSpec(
        *("scores", "score_table", "Random-forest accuracy", ("scores",)),
        options={"metric": "forest_accuracy"},
    ),
    "time": TableSpec("running_time", "running_time", "Running time", ("timing",), "VIII"),
    "paper_vs_ours": TableSpec(
        *("against_paper", "paper_vs_ours", "The paper against ours", ("scores", "timing")),
        takes_paper=True,
    ),
    "ranks": TableSpec("ranks", "ranks", "Ranks", ("scores",)),
    "gains": TableSpec("gains", "gains", "Gain over random features", ("scores",)),
    "pairs": TableSpec("pairs", "pair_table", "Every pair of methods", ("scores",)),
    "criteria": TableSpec("criteria", "criteria", "Label-free criteria", ("scores",)),
    "stability": TableSpec("stability", "stability", "Stability", ("stability",)),
    "redundancy": TableSpec("redundancy", "redundancies", "Redundancy", _SELECTED),
    "agreement": TableSpec("agreement", "agreement", "Agreement", _SELECTED),
    "synthetic": TableSpec("synthetic", "synthetic", "Real features found", _SELECTED),
}


def table_names(datasets: Sequence[str] = ()) -> list[str]:
    """Names of all tables of a suite with these datasets."""
    return [*TABLES, *(f"{PROFILE}{dataset}" for dataset in datasets)]


def table_spec(name: str) -> TableSpec:
    """What is known of a table."""
    if name in TABLES:
        return TABLES[name]
    if not name.startswith(PROFILE):
        known = ", ".join(table_names(["<dataset>"]))
        raise LookupError(f"no table is called {name!r}; known: {known}")
    dataset = name.removeprefix(PROFILE)
    reads = ("scores", "selections", "timing", "stability")
    return TableSpec(
        *("profile", "profile", f"Methods on {dataset}", reads), options={"dataset": dataset}
    )


def table_modules() -> list[str]:
    """The modules that hold the tables, for a digest of their code."""
    return sorted({table_spec(name).qualified_module for name in table_names(["<dataset>"])})


def read_by_tables() -> list[str]:
    """The result files that any table reads."""
    specs = [table_spec(name) for name in table_names(["<dataset>"])]
    return sorted({stem for spec in specs for stem in spec.reads})
