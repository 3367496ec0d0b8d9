"""What can be said about the selections without labels: the label-free criteria."""

from __future__ import annotations

import pandas as pd

from blufs_bench.compare.summaries import chosen_scores
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, CRITERIA
from blufs_bench.show.tables.matrix import COLUMNS, marked, matrix, three_digits
from blufs_bench.show.tables.table import Table, nothing

_CAPTION = "Label-free criteria"
FREE_CHOICES = [key for key, choice in CHOICES.items() if not choice.uses_labels]


def criteria(results: SuiteResults, suite: Suite) -> Table:
    """Every criterion under every choice that does not look at the labels."""
    scores = criterion_scores(results, suite)
    scores = scores[scores["method"].isin(list(suite.methods))]
    tidy, blocks = [], []
    for key, criterion in CRITERIA.items():
        for choice in FREE_CHOICES:
            chosen = scores[(scores["metric"] == key) & (scores["choice"] == choice)]
            if chosen["mean"].isna().all():
                continue
            chosen = marked(chosen, larger_is_better=True)
            tidy.append(chosen)
            title = f"{criterion.title}, {CHOICES[choice].title.lower()}"
            blocks.append(matrix(results, suite, chosen, three_digits, title))
    if not tidy:
        why = "No selection of this suite has a label-free criterion"
        return nothing("criteria", _CAPTION, [*COLUMNS, "choice", "metric"], why)
    explained = [f"{criterion.title}: {criterion.explanation}" for criterion in CRITERIA.values()]
    notes = [*explained, "Larger is better; best in bold, second underlined"]
    return Table("criteria", _CAPTION, pd.concat(tidy, ignore_index=True), blocks, notes)


def criterion_scores(results: SuiteResults, suite: Suite) -> pd.DataFrame:
    """The criteria at the s that each choice reports."""
    return chosen_scores(results, suite, metrics=CRITERIA, choices=FREE_CHOICES)
