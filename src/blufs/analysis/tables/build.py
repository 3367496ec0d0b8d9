"""Build a table by its name."""

from __future__ import annotations

from importlib import import_module

from blufs.analysis.paper import Paper
from blufs.analysis.tables.catalog import table_spec
from blufs.analysis.tables.table import Table
from blufs.results.suite import Suite, SuiteResults


def build_table(name: str, results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """The table of that name; a suite without its data gives one that says so."""
    spec = table_spec(name)
    function = getattr(import_module(spec.qualified_module), spec.function)
    arguments = (results, suite, paper) if spec.takes_paper else (results, suite)
    return function(*arguments, **spec.options)
