"""Draw a figure by its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from blufs.analysis.attempt import attempt
from blufs.analysis.figures.catalog import figure_spec
from blufs.analysis.figures.style import NoDataError, Style, empty_figure, save, use_style
from blufs.results.suite import Suite, SuiteResults


def save_or_explain(
    name: str, results: SuiteResults, suite: Suite, style: Style, png: str | Path, pdf: str | Path
) -> list[str]:
    """Write the figure of that name; if it fails, one that says so, and return the problem."""
    _, reason = attempt(
        f"figure {name}", lambda: save(draw(name, results, suite, style), png, pdf, style)
    )
    if not reason:
        return []
    with use_style(style):
        # A dollar sign would begin a formula.
        text = f"This figure could not be drawn: {reason}".replace("$", r"\$")
        figure, _ = empty_figure(figure_spec(name).title, text)
    save(figure, png, pdf, style)
    return [f"figure {name}: {reason}"]


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
