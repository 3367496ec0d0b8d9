"""Draw a figure by its name."""

from __future__ import annotations

from importlib import import_module

from matplotlib.figure import Figure

from blufs.analysis.figures.catalog import figure_spec
from blufs.analysis.figures.style import NoDataError, Style, empty_figure, use_style
from blufs.results.suite import Suite, SuiteResults


def draw(name: str, results: SuiteResults, suite: Suite, style: Style) -> Figure:
    """The figure of that name; when the suite lacks its data, a small one that says why."""
    spec = figure_spec(name)
    function = getattr(import_module(spec.qualified_module), spec.function)
    with use_style(style):
        try:
            figure, _ = function(results, suite, **spec.options)
        except NoDataError as reason:
            figure, _ = empty_figure(spec.title, str(reason))
    return figure
