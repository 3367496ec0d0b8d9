"""Clustering quality: against the number of features, and its spread over repetitions."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES, CHOICES, METRICS
from blufs_bench.show.figures import frames
from blufs_bench.show.figures.style import NoDataError, facets, method_legend, method_styles


def score_curves(
    results: SuiteResults,
    suite: Suite,
    *,
    metric: str = "clustering_acc",
    choice: str = "oracle",
) -> tuple[Figure, list[Axes]]:
    """Mean of a metric against s, a panel per dataset (with several s) and a line per method."""
    rows = frames.scores(results, suite, metric, choice)
    means = rows.groupby(["dataset", "method", "s"])["value"].mean()
    sizes = rows[rows["method"] != ALL_FEATURES].groupby("dataset")["s"].nunique()
    datasets = frames.present(suite.datasets, sizes[sizes > 1].index)
    if not datasets:
        raise NoDataError("No dataset was evaluated with more than one number of features.")
    methods = frames.present(suite.methods, rows["method"])
    chosen = method_styles(suite)
    figure, panels = facets(len(datasets))
    for panel, dataset in zip(panels, datasets, strict=True):
        for method in methods:
            if (dataset, method) not in means.index:
                continue
            curve = means[dataset, method].sort_index()
            if method == ALL_FEATURES:
                panel.axhline(curve.iloc[0], **chosen[method].line)
            else:
                panel.plot(curve.index, curve.to_numpy(), **chosen[method].line)
        panel.set_title(results.dataset_title(dataset))
        panel.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        panel.yaxis.set_major_locator(MaxNLocator(5))
    figure.supxlabel(
        f"number of selected features s; settings: {_in_sentence(choice)}", fontsize="medium"
    )
    figure.supylabel(METRICS[metric].short, fontsize="medium")
    method_legend(figure, suite, methods)
    return figure, panels


def boxplots(results: SuiteResults, suite: Suite) -> tuple[Figure, list[Axes]]:
    """Spread of ACC over the repeated clusterings, at the s that the oracle reports."""
    rows = frames.scores(results, suite, "clustering_acc", "oracle")
    rows = rows[rows["is_reported_s"]]
    datasets = frames.present(suite.datasets, rows["dataset"])
    if not datasets:
        raise NoDataError("No dataset has a score at the number of features that is reported.")
    methods = frames.present(suite.methods, rows["method"])
    chosen = method_styles(suite)
    figure, panels = facets(
        len(datasets), columns=4, height=max(1.5, 0.6 + 0.19 * len(methods)), sharey=True
    )
    places = range(len(methods), 0, -1)
    for panel, dataset in zip(panels, datasets, strict=True):
        here = rows[rows["dataset"] == dataset]
        values = [here.loc[here["method"] == method, "value"].to_numpy() for method in methods]
        boxes = panel.boxplot(
            values,
            orientation="horizontal",
            positions=list(places),
            widths=0.65,
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": "black", "linewidth": 1.6},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "#444444"},
        )
        for box, method in zip(boxes["boxes"], methods, strict=True):
            # Paler than the lines, so that the median shows in every box.
            box.set(facecolor=to_rgba(chosen[method].color, 0.55), edgecolor="#222222")
        for place, found in zip(places, values, strict=True):
            if not len(found):
                panel.text(
                    *(0.02, place, "no result"),
                    transform=panel.get_yaxis_transform(),
                    va="center",
                    color="#666666",
                    fontsize="small",
                )
        panel.set_title(results.dataset_title(dataset))
        panel.set_yticks(list(places), [suite.title(method) for method in methods])
        panel.set_ylim(0.4, len(methods) + 0.6)
        panel.xaxis.set_major_locator(MaxNLocator(5))
    figure.supxlabel(
        f"ACC of the repeated clusterings; settings: {_in_sentence('oracle')}",
        fontsize="medium",
    )
    return figure, panels


def _in_sentence(choice: str) -> str:
    label = CHOICES[choice].title
    return label[0].lower() + label[1:]
