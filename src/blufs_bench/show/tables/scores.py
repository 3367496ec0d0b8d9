"""Tables II, III and VII of the paper: every metric on every dataset, with averages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.summaries import KEY, chosen_scores, measured_metrics
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES, CHOICES, METRICS
from blufs_bench.show.tables.matrix import marked
from blufs_bench.show.tables.table import (
    AVERAGE,
    COUNT,
    DATA,
    Block,
    Cell,
    Row,
    Table,
    by_dataset,
    count_cell,
    mark_row,
    nothing,
    percent,
    row_kind,
    tuples,
    words,
)

MARK_NOTE = "Best in bold, second best underlined"
STAR_NOTE = "Starred averages are over fewer datasets than others and are not marked"
_SETTINGS_NOTE = "Settings: how many the choice was made from; more of them flatter an oracle more"
NO_LABELS = "No dataset of this suite has labels, so that nothing can be measured by classes"


def score_table(results: SuiteResults, suite: Suite, *, metric: str) -> Table:
    """One block per choice: datasets x methods with averages and the number of settings."""
    caption = (
        f"{METRICS[metric].title}: mean ± standard deviation in %, number of features in "
        "parentheses"
    )
    scores = chosen_scores(results, suite, metrics=[metric])
    scores = scores[scores["method"].isin(list(suite.methods))]
    if scores.empty or metric not in measured_metrics(results):
        why = NO_LABELS if scores.empty else f"This suite has no {METRICS[metric].title}"
        return nothing(metric, caption, ["kind", *scores.columns, "mark"], why)
    tidy, blocks = [], []
    for choice in CHOICES:
        chosen = marked(scores[scores["choice"] == choice], larger_is_better=True)
        average = averages(chosen)
        tidy += [chosen.assign(kind=DATA), average.assign(kind=AVERAGE)]
        blocks.append(_score_block(results, suite, chosen, average, choice))
    whole = pd.concat(tidy, ignore_index=True)
    notes = [f"{MARK_NOTE}; all features do not compete", STAR_NOTE, _SETTINGS_NOTE]
    return Table(metric, caption, kind_first(whole), blocks, notes)


def kind_first(tidy: pd.DataFrame) -> pd.DataFrame:
    """The frame with the kind of row in front; an average belongs to no dataset."""
    return tidy[["kind", *(name for name in tidy if name != "kind")]]


def averages(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean over the datasets for every method, choice and metric; ``n`` counts the datasets.

    An average that misses datasets which others have is ``incomplete`` and is not compared.
    """
    reached = int(scores.groupby("dataset")["mean"].count().gt(0).sum())
    groups = scores.groupby(KEY[1:], sort=False)["mean"]
    average = groups.agg(["mean", "count"]).reset_index().rename(columns={"count": "n"})
    average["dataset"] = ""
    complete = (average["n"] == reached) & (reached > 0)
    average["status"] = np.where(complete, "ok", "incomplete")
    average["reason"] = [f"{n} of {reached} datasets" if n < reached else "" for n in average["n"]]
    competing = complete & (average["method"] != ALL_FEATURES)
    average["mark"] = mark_row(list(average["mean"].where(competing)))
    return average.reindex(columns=scores.columns)


def _score_block(
    results: SuiteResults, suite: Suite, chosen: pd.DataFrame, average: pd.DataFrame, choice: str
) -> Block:
    rows = [
        Row(
            [*words(results.dataset_title(dataset)), *map(score_cell, tuples(group))],
            row_kind(group["status"]),
        )
        for dataset, group in by_dataset(chosen)
    ]
    rows.append(Row([*words("Average"), *map(average_cell, tuples(average))], AVERAGE))
    if choice != "default":
        settings = chosen.groupby("method", sort=False)["n_settings"].max()
        rows.append(Row([*words("Settings"), *map(count_cell, settings)], COUNT))
    columns = ["Dataset", *(suite.title(method) for method in average["method"])]
    return Block(columns, rows, CHOICES[choice].title)


def score_cell(score: Any) -> Cell:
    """Mean, deviation and number of features, or why there are none."""
    if score.status != "ok" or not np.isfinite(score.mean):
        return Cell(f"n/a ({score.status})")
    size = "" if score.method == ALL_FEATURES else f" ({score.s:.0f})"
    return Cell(percent(score.mean, score.std) + size, 100 * score.mean, score.mark)


def average_cell(score: Any) -> Cell:
    """An average, with a star if it is incomplete."""
    if not np.isfinite(score.mean):
        return Cell("n/a")
    star = "" if score.status == "ok" else "*"
    return Cell(percent(score.mean) + star, 100 * score.mean, score.mark)
