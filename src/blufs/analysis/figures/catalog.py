"""Every figure by name: the function that draws it, what it reads and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from blufs.analysis.figures.features import correlation, pixels, selected_plane
from blufs.analysis.figures.ranks import critical_difference, overview
from blufs.analysis.figures.runs import convergence, scaling
from blufs.analysis.figures.scores import boxplots, score_curves
from blufs.analysis.figures.sparsity import sparsity
from blufs.analysis.figures.style import NoDataError, Style, applied, notice
from blufs.analysis.figures.tuning import sensitivity
from blufs.analysis.results import Results, Suite

#: Figures of one dataset are named by this prefix and the dataset.
SCATTER = "scatter_"


@dataclass(frozen=True)
class FigureSpec:
    """One figure.

    Attributes
    ----------
    draw : function of (results, suite, style) that returns the figure and its axes
    tables : result files it reads (stem of the Parquet file)
    data : whether it reads the prepared data of the datasets
    title, caption : what the report says of it
    """

    draw: Callable[..., tuple[Figure, Any]]
    tables: tuple[str, ...]
    title: str
    caption: str
    data: bool = False


_FIGURES = {
    "overview": FigureSpec(
        overview,
        ("results",),
        "Overview",
        "Mean clustering accuracy over the datasets with 95 % bootstrap intervals over the "
        "datasets (left) and average rank (right), when the settings are chosen by the labels "
        "(oracle), left at their default, or chosen without labels.",
    ),
    "acc_curves": FigureSpec(
        partial(score_curves, metric="acc"),
        ("results",),
        "ACC against the number of features",
        "Mean clustering accuracy of the repeated clusterings against the number of selected "
        "features; the settings are the oracle's. The dashed grey line uses all features.",
    ),
    "nmi_curves": FigureSpec(
        partial(score_curves, metric="nmi"),
        ("results",),
        "NMI against the number of features",
        "Mean normalised mutual information of the repeated clusterings against the number of "
        "selected features; the settings are the oracle's. The dashed grey line uses all "
        "features.",
    ),
    "critical_difference": FigureSpec(
        critical_difference,
        ("results",),
        "Critical difference of average ranks",
        "Average ranks by ACC. Methods joined by a bar cannot be told apart by Nemenyi's test at "
        "the level printed; CD is the critical difference.",
    ),
    "boxplots": FigureSpec(
        boxplots,
        ("results",),
        "Spread over the repeated clusterings",
        "ACC of the repeated clusterings at the number of features that the oracle proposes: "
        "median, quartiles, whiskers to 1.5 times the quartile distance.",
    ),
    "sensitivity": FigureSpec(
        sensitivity,
        ("grid",),
        "Sensitivity to the weights",
        "ACC of BLUFS, averaged over the numbers of features, at every pair of weights that was "
        "tried: as bars and as heat maps with the same colours. The other two weights stay fixed.",
    ),
    "convergence": FigureSpec(
        convergence,
        ("selections",),
        "Convergence",
        "Objective of BLUFS after every sweep, scaled to 1 at its largest and 0 at its least "
        "value, with the settings of each choice.",
    ),
    "scaling": FigureSpec(
        scaling,
        ("timing",),
        "Time against the size of the data",
        "Median seconds of one fit with a fixed number of threads, against the number of samples "
        "and of features. Every vertical line is a dataset.",
    ),
    "sparsity": FigureSpec(
        sparsity,
        ("selections",),
        "Sparsity of the weights",
        "Entries of W under the l2,1-norm (BLSFS) and under the l2,0-constraint (BLUFS), and the "
        "norms of their rows: the constraint leaves exactly s rows.",
        data=True,
    ),
    "pixels": FigureSpec(
        pixels,
        ("selections",),
        "Selected pixels",
        "Pixels selected by the ablation cases and by BLUFS, on sample images.",
        data=True,
    ),
    "correlation": FigureSpec(
        correlation,
        ("selections",),
        "Correlation of selected features",
        "Absolute correlation of ten selected features, BLSFS against BLUFS; the mean is over the "
        "pairs of different features.",
        data=True,
    ),
}


def figure_names(synthetic: tuple[str, ...] | list[str] = ()) -> list[str]:
    """Names of all figures of a suite with these synthetic datasets."""
    return [*_FIGURES, *(f"{SCATTER}{dataset}" for dataset in synthetic)]


def figure_spec(name: str) -> FigureSpec:
    """What is known of a figure."""
    if name in _FIGURES:
        return _FIGURES[name]
    if name.startswith(SCATTER):
        dataset = name.removeprefix(SCATTER)
        return FigureSpec(
            partial(selected_plane, dataset=dataset),
            ("selections",),
            f"Selected features of {dataset}",
            f"Samples of {dataset} in the two features that each method selects first, coloured "
            "by class. Two features are real, the rest is noise.",
            data=True,
        )
    raise LookupError(
        f"no figure is called {name!r}; known: {', '.join(_FIGURES)}, scatter_<dataset>"
    )


def draw(name: str, results: Results, suite: Suite, style: Style) -> Figure:
    """The figure of that name; when the suite lacks its data, a small one that says why."""
    spec = figure_spec(name)
    with applied(style):
        try:
            figure, _ = spec.draw(results, suite, style)
        except NoDataError as reason:
            figure, _ = notice(spec.title, str(reason))
    return figure
