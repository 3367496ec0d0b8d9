"""Build a table by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from blufs_bench.compare.attempt import attempt
from blufs_bench.compare.comparison import Comparison, compare_methods
from blufs_bench.compare.paper import Paper
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import METRICS
from blufs_bench.show.tables.against_paper import paper_vs_ours
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.comparisons import gains, improvability, pair_table, ranks
from blufs_bench.show.tables.datasets import datasets
from blufs_bench.show.tables.measured import (
    agreement,
    criteria,
    redundancy,
    running_time,
    stability,
    synthetic,
)
from blufs_bench.show.tables.profile import profile
from blufs_bench.show.tables.scores import ablation, cases, pixels, score_table
from blufs_bench.show.tables.table import Table, nothing, without_absent

#: What makes a table of the results and the suite alone.
_OF_RESULTS: dict[str, Callable[[SuiteResults, Suite], Table]] = {
    **{metric: partial(score_table, metric=metric) for metric in METRICS},
    "ablation": ablation,
    "pixels": pixels,
    "time": running_time,
    "criteria": criteria,
    "stability": stability,
    "redundancy": redundancy,
    "agreement": agreement,
    "synthetic": synthetic,
}
_OF_PAPER = {"cases": cases, "paper_vs_ours": paper_vs_ours}
_OF_COMPARISON = {
    "ranks": ranks,
    "gains": gains,
    "improvability": improvability,
    "pairs": pair_table,
}


def build_table(
    name: str,
    results: SuiteResults,
    suite: Suite,
    paper: Paper,
    comparison: Comparison | None = None,
) -> Table:
    """The table of that name; a suite without its data gives one that says so."""
    specs = table_specs(suite.datasets)
    if name not in specs:
        raise LookupError(f"no table is called {name!r}; known: {', '.join(specs)}")
    if name == "datasets":
        table = datasets(results, suite, comparison or compare_methods(results, suite))
    elif name in _OF_RESULTS:
        table = _OF_RESULTS[name](results, suite)
    elif name in _OF_PAPER:
        table = _OF_PAPER[name](results, suite, paper)
    elif name in _OF_COMPARISON:
        comparison = comparison or compare_methods(results, suite)
        if comparison.problems:
            return nothing(name, specs[name].title, ["problem"], comparison.problems[0])
        table = _OF_COMPARISON[name](results, suite, comparison)
    else:
        table = profile(results, suite, name=name, dataset=specs[name].dataset)
    return without_absent(table)


def make_table(
    name: str, results: SuiteResults, suite: Suite, paper: Paper, comparison: Comparison | None
) -> tuple[Table, list[str]]:
    """The table of that name; if it fails, one that says so, and the problem."""

    def failed(why: str) -> Table:
        title = table_specs(suite.datasets)[name].title
        return nothing(name, title, ["problem"], f"This table could not be made: {why}")

    make = partial(build_table, name, results, suite, paper, comparison)
    return attempt(f"table {name}", make, failed)
