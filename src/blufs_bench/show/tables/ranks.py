"""Average ranks of the methods over the datasets, and the tests of them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from blufs_bench.compare.statistics import compare
from blufs_bench.compare.summaries import chosen_scores, measured_metrics, score_matrix
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METRICS
from blufs_bench.show.tables.scores import NO_LABELS
from blufs_bench.show.tables.table import (
    Block,
    Cell,
    Row,
    Table,
    count_cell,
    mark_row,
    nothing,
    number_cell,
    words,
)

_CAPTION = "Average ranks over the datasets (1 is best)"
_TESTS = ("Metric", "Choice", "Datasets", "Friedman p", "Critical difference")


def ranks(results: SuiteResults, suite: Suite) -> Table:
    """Average rank of every method by every metric and choice, and the tests of them."""
    names = ["method", "average_rank", "metric", "choice", "n_datasets"]
    scores = chosen_scores(results, suite)
    if scores.empty or not suite.ranked_methods:
        why = NO_LABELS if scores.empty else "No method of this suite selects features"
        return nothing("ranks", _CAPTION, names, why)
    tidy, tests, blocks = [], [], []
    notes: list[str] = []
    for metric in measured_metrics(results):
        columns = {}
        for choice in CHOICES:
            tested = compare(
                score_matrix(scores, metric, choice, suite.ranked_methods),
                suite.significance_level,
                wilcoxon=False,
            )
            mean = pd.Series(tested["average_ranks"], dtype=float).reindex(suite.ranked_methods)
            columns[choice] = mean
            tests.append(_test_row(suite, metric, choice, tested))
            notes.extend(note for note in tested["notes"] if note not in notes)
            named = pd.DataFrame({"method": mean.index, "average_rank": mean.to_numpy()})
            n_datasets = len(tested["datasets"])
            tidy.append(named.assign(metric=metric, choice=choice, n_datasets=n_datasets))
        blocks.append(_rank_block(suite, columns, METRICS[metric].title))
    titles = [*_TESTS, "Not different from the best"]
    blocks.append(Block(titles, tests, f"Tests at the level {suite.significance_level:g}"))
    return Table("ranks", _CAPTION, pd.concat(tidy, ignore_index=True), blocks, notes)


def _rank_block(suite: Suite, columns: dict[str, pd.Series], title: str) -> Block:
    marks = {key: mark_row(list(mean), larger_is_better=False) for key, mean in columns.items()}
    rows = [
        Row(
            [
                *words(suite.title(method)),
                *(number_cell(columns[key].iloc[i], "{:.2f}", marks[key][i]) for key in columns),
            ]
        )
        for i, method in enumerate(suite.ranked_methods)
    ]
    return Block(["Method", *(CHOICES[key].short for key in columns)], rows, title)


def _test_row(suite: Suite, metric: str, choice: str, tested: dict[str, Any]) -> Row:
    """The tests of one metric and choice."""
    friedman = tested["friedman"] or {}
    return Row(
        [
            *words(METRICS[metric].short, CHOICES[choice].short),
            count_cell(len(tested["datasets"])),
            number_cell(friedman.get("p_value"), "{:.3g}"),
            number_cell(tested["critical_difference"], "{:.2f}"),
            Cell(_best_clique(suite, tested)),
        ]
    )


def _best_clique(suite: Suite, tested: dict[str, Any]) -> str:
    """The methods that Nemenyi's test cannot tell from the one with the best rank."""
    if not tested["nemenyi"]:
        return "n/a"
    order = sorted(tested["average_ranks"], key=tested["average_ranks"].__getitem__)
    p_values = tested["nemenyi"][order[0]]
    alike = [method for method in order[1:] if p_values[method] >= tested["alpha"]]
    return ", ".join(map(suite.title, alike)) or "none"
