"""Draw a figure by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from blufs_bench.compare.attempt import attempt
from blufs_bench.compare.comparison import Comparison, compare_methods
from blufs_bench.results.suite import MissingDataError, Suite, SuiteResults
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.figures.comparisons import (
    agreement,
    critical_difference,
    multi_comparison,
    overview,
    score_time,
)
from blufs_bench.show.figures.features import correlation, pixels, selected_plane, sparsity
from blufs_bench.show.figures.runs import convergence, scaling
from blufs_bench.show.figures.scores import boxplots, score_curves
from blufs_bench.show.figures.sensitivity import sensitivity
from blufs_bench.show.figures.style import NoDataError, Style, empty_figure, save, use_style

#: What draws a figure of the results and the suite alone: it returns the figure and its axes.
_OF_RESULTS: dict[str, Callable[[SuiteResults, Suite], tuple[Figure, Any]]] = {
    "acc_curves": partial(score_curves, metric="clustering_acc"),
    "nmi_curves": partial(score_curves, metric="nmi"),
    "boxplots": boxplots,
    "sensitivity": sensitivity,
    "convergence": convergence,
    "scaling": scaling,
    "sparsity": sparsity,
    "pixels": pixels,
    "correlation": correlation,
    "agreement": agreement,
}
_OF_COMPARISON: dict[str, Callable[..., tuple[Figure, Any]]] = {
    "overview": overview,
    "multi_comparison": multi_comparison,
    "score_time": score_time,
    "critical_difference": critical_difference,
}


def draw(
    name: str,
    results: SuiteResults,
    suite: Suite,
    style: Style,
    comparison: Comparison | None = None,
) -> tuple[Figure, str]:
    """The figure of that name, and "".

    When the suite lacks its data: a small one that says why, and why.
    """
    specs = figure_specs(suite.datasets)
    if name not in specs:
        raise LookupError(f"no figure is called {name!r}; known: {', '.join(specs)}")
    with use_style(style):
        try:
            if name in _OF_RESULTS:
                return _OF_RESULTS[name](results, suite)[0], ""
            if name in _OF_COMPARISON:
                comparison = comparison or compare_methods(results, suite)
                if comparison.problems:
                    raise NoDataError(comparison.problems[0])
                return _OF_COMPARISON[name](results, suite, comparison)[0], ""
            return selected_plane(results, suite, dataset=specs[name].dataset)[0], ""
        except (NoDataError, MissingDataError) as reason:
            return empty_figure(specs[name].title, str(reason))[0], str(reason)


def _write_failed(title: str, style: Style, png: str | Path, pdf: str | Path, why: str) -> str:
    """Write what stands in the place of a figure that failed."""
    with use_style(style):
        # A dollar sign would begin a formula.
        text = f"This figure could not be drawn: {why}".replace("$", r"\$")
        figure, _ = empty_figure(title, text)
    save(figure, png, pdf, style)
    return ""


def write_figure(
    name: str,
    results: SuiteResults,
    suite: Suite,
    style: Style,
    comparison: Comparison | None,
    png: str | Path,
    pdf: str | Path,
) -> tuple[str, list[str]]:
    """Write the figure of that name; if it fails, one that says so.

    Returns
    -------
    why_empty : str
        Why there is nothing to show; "" if there is something.
    problems : list of str
    """

    def write() -> str:
        figure, why_empty = draw(name, results, suite, style, comparison)
        save(figure, png, pdf, style)
        return why_empty

    title = figure_specs(suite.datasets)[name].title
    return attempt(f"figure {name}", write, partial(_write_failed, title, style, png, pdf))
