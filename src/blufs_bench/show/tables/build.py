"""Build a table by its name."""

from __future__ import annotations

from importlib import import_module

from blufs_bench.compare.attempt import attempt
from blufs_bench.compare.paper import Paper
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.show.tables.catalog import table_spec
from blufs_bench.show.tables.table import Table, nothing, without_absent


def build_or_explain(
    name: str, results: SuiteResults, suite: Suite, paper: Paper
) -> tuple[Table, list[str]]:
    """The table of that name; if it fails, one that says so, and the problem."""
    table, reason = attempt(f"table {name}", lambda: build_table(name, results, suite, paper))
    if table is not None:
        return table, []
    why = f"This table could not be made: {reason}"
    return nothing(name, table_spec(name).title, ["problem"], why), [f"table {name}: {reason}"]


def build_table(name: str, results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """The table of that name; a suite without its data gives one that says so."""
    spec = table_spec(name)
    function = getattr(import_module(spec.qualified_module), spec.function)
    arguments = (results, suite, paper) if spec.takes_paper else (results, suite)
    return without_absent(function(*arguments, **spec.options))
