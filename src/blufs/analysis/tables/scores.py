"""Tables II, III and VII of the paper, and the average ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs.analysis.statistics import compare
from blufs.analysis.summaries import chosen_scores, score_matrix
from blufs.analysis.tables.table import (
    PLAIN,
    Block,
    Table,
    block_from_rows,
    by_dataset,
    mark_row,
    percent,
    records,
    unmarked,
)
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import ALL_FEATURES, CHOICES, METRICS

_CAPTIONS = {
    "clustering_acc": "ACC of k-means clustering (mean ± standard deviation in %, number of "
    "features)",
    "nmi": "NMI of k-means clustering (mean ± standard deviation in %, number of features)",
    "knn_accuracy": "Accuracy of k-NN classification (mean ± standard deviation in %, number of "
    "features)",
}


MARK_NOTE = "Best in bold, second best underlined"
STAR_NOTE = "Starred averages are over fewer datasets than others and are not marked"
_SETTINGS_NOTE = "Settings: how many the choice was made from; more of them flatter an oracle more"


def score_table(results: SuiteResults, suite: Suite, metric: str, name: str) -> Table:
    """One block per choice: datasets x methods with averages and the number of settings."""
    cells = chosen_scores(results, suite)
    cells = cells[(cells["metric"] == metric) & cells["method"].isin(list(suite.methods))]
    tidy, blocks = [], []
    for choice in CHOICES:
        marked = with_marks(cells, choice)
        average = averages_of(marked)
        tidy.extend([marked, average])
        blocks.append(_score_block(results, suite, marked, average, choice))
    whole = pd.concat(tidy, ignore_index=True)
    notes = [
        f"{MARK_NOTE}; the baseline (all features) does not compete",
        STAR_NOTE,
        _SETTINGS_NOTE,
    ]
    return Table(name, _CAPTIONS[metric], whole, blocks, notes)


def _competing(cells: pd.DataFrame) -> list[float]:
    """Means of a row of cells, NaN for those that are not compared."""
    compared = (cells["method"] != ALL_FEATURES) & (cells["status"] == "ok")
    return list(cells["mean"].where(compared))


def with_marks(cells: pd.DataFrame, choice: str) -> pd.DataFrame:
    """The cells of one choice with the best and second best of each dataset in ``mark``."""
    chosen = cells[cells["choice"] == choice].assign(mark=PLAIN)
    for _, row in by_dataset(chosen):
        chosen.loc[row.index, "mark"] = mark_row(_competing(row))
    return chosen


def averages_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Mean over the datasets for every method; ``n`` is the number of datasets.

    ``cells`` are those of one metric and one choice. An average that misses datasets which others
    have is ``incomplete`` and is not compared.
    """
    reached = int(cells.groupby("dataset")["mean"].count().gt(0).sum())
    by_method = cells.groupby(["method", "choice", "metric"], sort=False)["mean"]
    average = by_method.agg(["mean", "count"]).reset_index().rename(columns={"count": "n"})
    average["dataset"] = "Average"
    average["status"] = np.where(average["n"] == reached, "ok", "incomplete")
    average["reason"] = [f"{n} of {reached} datasets" if n < reached else "" for n in average["n"]]
    average["mark"] = mark_row(_competing(average))
    return average.reindex(columns=cells.columns)


def _score_block(
    results: SuiteResults, suite: Suite, marked: pd.DataFrame, average: pd.DataFrame, choice: str
) -> Block:
    rows = []
    for dataset, row in by_dataset(marked):
        texts = [cell_text(cell) for cell in records(row)]
        rows.append(([results.dataset_title(dataset), *texts], [PLAIN, *row["mark"]]))
    texts = [average_text(cell) for cell in records(average)]
    rows.append((["Average", *texts], [PLAIN, *average["mark"]]))
    if choice != "default":
        count = marked.groupby("method", sort=False)["n_settings"].max()
        rows.append((["Settings", *(str(n) for n in count)], [PLAIN] * (len(count) + 1)))
    columns = ["Dataset", *(suite.title(method) for method in average["method"])]
    return block_from_rows(columns, rows, CHOICES[choice].title)


def cell_text(cell: Any) -> str:
    """Mean, deviation and number of features of a cell, or why there are none."""
    if cell.status != "ok":
        return f"n/a ({cell.status})"
    size = "" if cell.method == ALL_FEATURES else f" ({cell.s:.0f})"
    return percent(cell.mean, cell.std) + size


def average_text(cell: Any) -> str:
    """An average, with a star if it is incomplete."""
    if not np.isfinite(cell.mean):
        return "n/a"
    return percent(cell.mean) + ("" if cell.status == "ok" else "*")


def acc(results: SuiteResults, suite: Suite) -> Table:
    """Table II."""
    return score_table(results, suite, "clustering_acc", "clustering_acc")


def nmi(results: SuiteResults, suite: Suite) -> Table:
    """Table III."""
    return score_table(results, suite, "nmi", "nmi")


def classification(results: SuiteResults, suite: Suite) -> Table:
    """Table VII."""
    return score_table(results, suite, "knn_accuracy", "classification")


def ranks(results: SuiteResults, suite: Suite) -> Table:
    """Average rank of every method by every metric and choice, and the tests of them."""
    cells = chosen_scores(results, suite)
    tidy, tests, blocks = [], [], []
    notes: list[str] = []
    for metric in METRICS:
        columns = {}
        for choice in CHOICES:
            scores = score_matrix(cells, metric, choice, suite.ranked_methods)
            tested = compare(scores, suite.significance_level, wilcoxon=False)
            mean = pd.Series(tested["average_ranks"], dtype=float).reindex(suite.ranked_methods)
            columns[choice] = mean
            tests.append(_test_row(metric, choice, tested))
            notes.extend(note for note in tested["notes"] if note not in notes)
            key = {"metric": metric, "choice": choice}
            named = pd.DataFrame({"method": mean.index, "average_rank": mean.to_numpy()})
            tidy.append(named.assign(**key, n_datasets=len(tested["datasets"])))
        blocks.append(_rank_block(suite, pd.DataFrame(columns), METRICS[metric].short))
    blocks.append(unmarked(pd.DataFrame(tests), f"Tests at the level {suite.significance_level:g}"))
    caption = "Average ranks over the datasets (1 is best)"
    return Table("ranks", caption, pd.concat(tidy, ignore_index=True), blocks, notes)


def _rank_block(suite: Suite, values: pd.DataFrame, title: str) -> Block:
    marks = values.apply(lambda column: mark_row(list(column), larger_is_better=False))
    shown = values.map(lambda rank: f"{rank:.2f}" if np.isfinite(rank) else "n/a")
    shown.insert(0, "Method", [suite.title(method) for method in values.index])
    marks.insert(0, "Method", PLAIN)
    headings = {key: choice.short for key, choice in CHOICES.items()}
    return Block(shown.rename(columns=headings), marks.rename(columns=headings), title)


def _test_row(metric: str, choice: str, tested: dict[str, Any]) -> dict[str, str]:
    """Text of the tests of one metric and choice."""
    friedman, difference = tested["friedman"], tested["critical_difference"]
    return {
        "Metric": METRICS[metric].short,
        "Choice": CHOICES[choice].short,
        "Datasets": str(len(tested["datasets"])),
        "Friedman p": f"{friedman['p_value']:.3g}" if friedman else "n/a",
        "Critical difference": f"{difference:.2f}" if difference else "n/a",
        "Not different from the best": _best_clique(tested),
    }


def _best_clique(tested: dict[str, Any]) -> str:
    """The methods that Nemenyi's test cannot tell from the one with the best rank."""
    if not tested["nemenyi"]:
        return "n/a"
    order = sorted(tested["average_ranks"], key=tested["average_ranks"].__getitem__)
    p_values = tested["nemenyi"][order[0]]
    return (
        ", ".join(method for method in order[1:] if p_values[method] >= tested["alpha"]) or "none"
    )
