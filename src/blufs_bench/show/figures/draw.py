"""Draw a figure by its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from blufs_bench.compare.attempt import attempt
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.show.figures.catalog import figure_spec
from blufs_bench.show.figures.style import NoDataError, Style, empty_figure, save, use_style


def save_or_explain(
    name: str, results: SuiteResults, suite: Suite, style: Style, png: str | Path, pdf: str | Path
) -> tuple[list[str], str]:
    """Write the figure of that name; if it fails, one that says so.

    Returns
    -------
    problems : list of str
    why_empty : str
        Why there is nothing to show; "" if there is something.
    """

    def write() -> str:
        figure, why_empty = _drawn(name, results, suite, style)
        save(figure, png, pdf, style)
        return why_empty

    why_empty, reason = attempt(f"figure {name}", write)
    if not reason:
        return [], why_empty or ""
    with use_style(style):
        # A dollar sign would begin a formula.
        text = f"This figure could not be drawn: {reason}".replace("$", r"\$")
        figure, _ = empty_figure(figure_spec(name).title, text)
    save(figure, png, pdf, style)
    return [f"figure {name}: {reason}"], ""


def draw(name: str, results: SuiteResults, suite: Suite, style: Style) -> Figure:
    """The figure of that name; when the suite lacks its data, a small one that says why."""
    return _drawn(name, results, suite, style)[0]


def _drawn(name: str, results: SuiteResults, suite: Suite, style: Style) -> tuple[Figure, str]:
    """The figure, and why there is nothing to show ("" if there is something)."""
    spec = figure_spec(name)
    function = getattr(import_module(spec.qualified_module), spec.function)
    with use_style(style):
        try:
            return function(results, suite, **spec.options)[0], ""
        except NoDataError as reason:
            return empty_figure(spec.title, str(reason))[0], str(reason)
