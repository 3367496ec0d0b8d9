"""The words of the results, each defined once: metrics, choices and statuses, with their looks.

Light enough to be read while the workflow is planned: nothing here imports another package.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A figure of merit of one selection; larger is better for all of them.

    Attributes
    ----------
    key : its name in columns and file names
    title : what a reader sees
    short : the same where room is scarce
    task : what is repeated to measure it: "clustering", "neighbours", "forest", "svm" or "panel"
    by_labels : whether it tells how well the classes are found
    everywhere : whether every suite measures it; the others have it where their protocol asks
    """

    key: str
    title: str
    short: str
    task: str
    by_labels: bool = True
    everywhere: bool = True


METRICS = {
    metric.key: metric
    for metric in (
        Metric("clustering_acc", "Clustering accuracy (ACC)", "ACC", "clustering"),
        Metric("nmi", "Normalised mutual information (NMI)", "NMI", "clustering"),
        Metric("knn_accuracy", "k-NN accuracy", "k-NN", "neighbours"),
        Metric("forest_accuracy", "Random-forest accuracy", "Forest", "forest"),
        Metric("svm_accuracy", "SVM accuracy", "SVM", "svm", everywhere=False),
        Metric(
            "centroid_accuracy",
            "Nearest-centroid accuracy",
            "Centroid",
            "panel",
            everywhere=False,
        ),
        Metric(
            "neighbor_overlap",
            "Neighbours kept of all features",
            "Neighbours",
            "panel",
            by_labels=False,
            everywhere=False,
        ),
        Metric(
            "variance_explained",
            "Variance of all features explained",
            "Variance",
            "panel",
            by_labels=False,
            everywhere=False,
        ),
        Metric(
            "clustering_agreement",
            "NMI with the clusters of all features",
            "NMI with all",
            "panel",
            by_labels=False,
            everywhere=False,
        ),
    )
}


@dataclass(frozen=True)
class Criterion:
    """A figure of merit that never sees the labels; larger is better."""

    key: str
    title: str
    explanation: str


CRITERIA = {
    criterion.key: criterion
    for criterion in (
        Criterion(
            "cohesion",
            "Cohesion",
            "how little the clusters on the selected features cut the neighbour graph of all data",
        ),
        Criterion(
            "principal_cohesion",
            "Principal cohesion",
            "the same on the graph of the whitened principal coordinates",
        ),
    )
}
#: Columns that hold a label-free criterion of a screened selection begin with this.
CRITERION_PREFIX = "criterion_"


@dataclass(frozen=True)
class Choice:
    """A rule that picks the setting which represents a method on a dataset.

    Attributes
    ----------
    key, title, short : as for :class:`Metric`
    explanation : one sentence for those who do not know the word
    uses_labels : whether the rule looks at the classes, which nobody has in practice
    color, marker, line : how the choice is drawn wherever it is drawn
    """

    key: str
    title: str
    short: str
    explanation: str
    uses_labels: bool
    color: str
    marker: str
    line: str | tuple


#: In the order in which they are shown.
CHOICES = {
    choice.key: choice
    for choice in (
        Choice(
            "oracle",
            "Oracle (best by the labels)",
            "Oracle",
            "The setting with the best score by the true classes, as papers report it.",
            uses_labels=True,
            color="#117733",
            marker="o",
            line="-",
        ),
        Choice(
            "oracle_equal_budget",
            "Oracle on an equal budget of settings",
            "Oracle, equal budget",
            "The same among an equal number of settings drawn for every method.",
            uses_labels=True,
            color="#DDCC77",
            marker="s",
            line=(0, (3, 1, 1, 1)),
        ),
        Choice(
            "default",
            "Default setting",
            "Default",
            "One fixed setting of the method for all data.",
            uses_labels=False,
            color="#332288",
            marker="D",
            line=(0, (5, 1.5)),
        ),
        Choice(
            "blind",
            "Chosen without labels",
            "Blind",
            "The setting with the best label-free criterion.",
            uses_labels=False,
            color="#CC6677",
            marker="^",
            line=(0, (1, 1)),
        ),
    )
}


@dataclass(frozen=True)
class Status:
    """What became of a fit or an evaluation.

    ``is_failure`` says that it was to run and did not: a run with failures does not end well.
    """

    key: str
    title: str
    is_failure: bool


STATUSES = {
    status.key: status
    for status in (
        Status("ok", "ran", is_failure=False),
        Status("unavailable", "the dataset is not available", is_failure=False),
        Status("skipped", "beyond a documented limit of the method", is_failure=False),
        Status("failed", "raised an error", is_failure=True),
        Status("diverged", "gave numbers that are not finite", is_failure=True),
        Status("timeout", "stopped at its time limit", is_failure=True),
        Status("memory", "stopped at its memory limit", is_failure=True),
        Status("missing", "has no row in the results", is_failure=True),
    )
}

#: The method that keeps all features: shown, but never marked as best nor ranked.
ALL_FEATURES = "AllFeatures"
#: The method that draws features by lot: what every other one has to beat.
RANDOM_FEATURES = "RandomFeatures"
#: The method under study.
METHOD_UNDER_STUDY = "BLUFS"

#: Domain of a dataset (what kind of data it is) -> title, in the order in which tables list them.
DOMAINS = {
    "image": "Images",
    "gene_expression": "Gene expression",
    "single_cell": "Single cells",
    "text": "Text",
    "speech": "Speech",
    "spectra": "Spectra",
    "molecules": "Molecules",
    "measurements": "Measurements",
    "artificial": "Artificial",
    "other": "Other",
}
#: The domain of a dataset whose card names none.
OTHER = "other"
#: The domain that stands for all of them.
EVERYWHERE = "all"
#: Stands for the datasets on which no default was picked, where they are some and not all.
UNSEEN = "unseen"
#: What a score is: the mean height of the curve over s, where there are several, or at the s that
#: is reported. In the order in which they are shown.
SCORES = {"area": "Area under the curve", "reported": "Reported s"}


def metric_words(metric: str) -> tuple[str, str]:
    """Title and short name of a metric or a label-free criterion."""
    if metric in METRICS:
        return METRICS[metric].title, METRICS[metric].short
    return CRITERIA[metric].title, CRITERIA[metric].title


def domain_title(domain: str) -> str:
    named = {EVERYWHERE: "All datasets", UNSEEN: "Only data that no default was picked on"}
    return named.get(domain) or DOMAINS[domain]


def counted(n: int, noun: str) -> str:
    """How many of something, such as "1 dataset" and "2 datasets"."""
    return f"{n} {noun}{'s' * (n != 1)}"
