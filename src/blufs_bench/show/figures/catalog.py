"""The words of every figure: what it reads, its title, caption and what it is for the blind.

Imports nothing heavy, so that the workflow can read it while it plans; what draws the figure of a
name is in :mod:`blufs_bench.show.figures.draw`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Figures that the paper has not; the others are of its kinds, in its order.
OWN_FIGURES = ("overview", "multi_comparison", "score_time", "agreement")


@dataclass(frozen=True)
class FigureSpec:
    """One figure.

    Attributes
    ----------
    reads : result files it reads (stem of the Parquet file)
    title, caption, alt : what the report says of it; ``alt`` for those who do not see it
    dataset : the one dataset that it is about, if there is one
    """

    reads: tuple[str, ...]
    title: str
    caption: str
    alt: str
    dataset: str = ""


FIGURES = {
    "overview": FigureSpec(
        ("scores",),
        "Overview",
        "Mean clustering accuracy over the datasets with 95 % bootstrap intervals over the "
        "datasets (left) and average rank (right), for every way to choose the settings; hollow "
        "marks look at the labels. Only datasets on which every method has a score count; all "
        "features are not ranked.",
        "Dot plots of mean ACC and of average rank, one row per method, a dot for every choice.",
    ),
    "multi_comparison": FigureSpec(
        ("scores",),
        "Every method against every other",
        "Method of the row less method of the column, with default settings: mean difference in "
        "points (blue: the row is better), wins / ties / losses over the datasets, and the p-value "
        "of Wilcoxon's test corrected by Holm; bold below the level of the tests.",
        "Square matrix of the methods, coloured by the mean difference of their scores.",
    ),
    "score_time": FigureSpec(
        ("scores", "selections"),
        "Score against time",
        "Mean score over the datasets against the median seconds of a selection, both with default "
        "settings. Methods on the grey line are beaten by no other in both. Horizontal lines: all "
        "features, random features.",
        "Scatter plot of the methods: mean score against seconds, the Pareto front as a line.",
    ),
    "acc_curves": FigureSpec(
        ("scores",),
        "ACC against the number of features",
        "Mean clustering accuracy of the repeated clusterings against the number of selected "
        "features; the settings are the oracle's. The dashed grey line uses all features. "
        "Datasets with a single number of features are in the tables only.",
        "Line charts of ACC against s, one panel per dataset, one line per method.",
    ),
    "nmi_curves": FigureSpec(
        ("scores",),
        "NMI against the number of features",
        "Mean normalised mutual information of the repeated clusterings against the number of "
        "selected features; the settings are the oracle's. The dashed grey line uses all "
        "features. Datasets with a single number of features are in the tables only.",
        "Line charts of NMI against s, one panel per dataset, one line per method.",
    ),
    "critical_difference": FigureSpec(
        ("scores",),
        "Critical difference of average ranks",
        "Average ranks by ACC with the oracle's settings and with those chosen without labels. "
        "Methods joined by a bar cannot be told apart by Nemenyi's test at the level printed; CD "
        "is the critical difference.",
        "Critical-difference diagrams: methods on an axis of average ranks, joined by bars.",
    ),
    "boxplots": FigureSpec(
        ("scores",),
        "Spread over the repeated clusterings",
        "ACC of the repeated clusterings with the settings and the number of features of the "
        "oracle: median, quartiles, whiskers to 1.5 times the quartile distance.",
        "Box plots of ACC, one panel per dataset, one box per method.",
    ),
    "sensitivity": FigureSpec(
        ("screened",),
        "Sensitivity to the weights",
        "ACC of BLUFS (a label-free criterion where the data have no labels), averaged over the "
        "numbers of features, at every pair of weights that was tried, as bars and as heat maps in "
        "the same colours. The other two weights stay fixed.",
        "Three-dimensional bars and heat maps of ACC over pairs of weights, one row per dataset.",
    ),
    "convergence": FigureSpec(
        ("scores", "selections"),
        "Convergence",
        "Objective of BLUFS after every sweep, scaled to 1 at its largest and 0 at its least "
        "value, with the settings of each choice at the largest number of features.",
        "Line charts of the objective against the sweep, one panel per dataset.",
    ),
    "scaling": FigureSpec(
        ("timing",),
        "Time against the size of the data",
        "Median seconds of one fit with a fixed number of threads, against the numbers of samples "
        "and of features; every vertical line is a dataset.",
        "Two log-log charts of seconds, against the number of samples and of features.",
    ),
    "sparsity": FigureSpec(
        ("scores", "selections"),
        "Sparsity of the weights",
        "Norms of the rows of W under the l2,1-norm (BLSFS) and under the l2,0-constraint (BLUFS), "
        "with default settings: by feature, and in descending order.",
        "Bars of the row norms of two weight matrices by feature, and a line chart of them sorted.",
    ),
    "pixels": FigureSpec(
        ("scores", "selections"),
        "Selected pixels",
        "Pixels selected by the ablation cases and by BLUFS (orange), on sample images; settings "
        "are the oracle's, or the default without labels.",
        "Sample images with the selected pixels coloured, one column per method.",
    ),
    "correlation": FigureSpec(
        ("scores", "selections"),
        "Correlation of selected features",
        "Absolute correlation of ten selected features, BLSFS against BLUFS; the mean is over the "
        "pairs of different features; settings are the oracle's, or the default without labels.",
        "Heat maps of correlations, one column per dataset, one row per method.",
    ),
    "agreement": FigureSpec(
        ("scores", "selections"),
        "Agreement of the methods",
        "Features that two methods both select over those that either selects, with default "
        "settings and the number of features that the tables report. No labels are needed.",
        "Heat maps of the agreement of every two methods, one panel per dataset and their mean.",
    ),
}


def figure_specs(synthetic: Sequence[str] = ()) -> dict[str, FigureSpec]:
    """Name -> figure, for all figures of a suite with these synthetic datasets, each of which has
    its own."""
    return FIGURES | {f"scatter_{dataset}": _scatter(dataset) for dataset in synthetic}


def _scatter(dataset: str) -> FigureSpec:
    return FigureSpec(
        ("scores", "selections"),
        f"Selected features of {dataset}",
        f"Samples of {dataset} in the two features that each method selects first, at the smallest "
        "number of features, by class. Two features are real, the others are noise. Settings are "
        "the oracle's, or the default without labels.",
        "Scatter plots of the samples in two selected features, one panel per method.",
        dataset,
    )


def read_by_figures() -> list[str]:
    """The result files that any figure reads."""
    return sorted({stem for spec in figure_specs(["any"]).values() for stem in spec.reads})
