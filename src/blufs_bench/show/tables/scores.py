"""Tables II to VII of the paper: scores of the methods and of the variants of BLUFS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.means import KEY, chosen_scores, labelled_datasets, measured_metrics
from blufs_bench.compare.paper import Paper
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES, CHOICES, METHOD_UNDER_STUDY, METRICS
from blufs_bench.show.tables.table import (
    AVERAGE,
    COUNT,
    DATA,
    NO_LABELS,
    Block,
    Cell,
    Row,
    Table,
    by_dataset,
    count_cell,
    mark_row,
    marked,
    nothing,
    percent,
    row_kind,
    score_cell,
    tuples,
    words,
)

MARK_NOTE = "Best in bold, second best underlined"
STAR_NOTE = "Starred averages are over fewer datasets than others and are not marked"
_SETTINGS_NOTE = "Settings: how many the choice was made from; more of them flatter an oracle more"
#: The metrics of the paper's ablation.
_METRICS = ("clustering_acc", "nmi")

#: Which parts of the model table IV names, as they are called in the data.
_PARTS = {"feature": "Feature level", "clustering": "Clustering level", "graph": "Graph learning"}

#: The paper's own image dataset.
_PREFERRED_IMAGES = "pie"
_NO_VARIANTS = "No variant of BLUFS was run in this suite on data with labels"
_COLUMNS = ["kind", "dataset", "method", "choice", "metric", "s", "mean", "status", "reason"]


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


def average_cell(score: Any) -> Cell:
    """An average, with a star if it is incomplete."""
    if not np.isfinite(score.mean):
        return Cell("n/a")
    star = "" if score.status == "ok" else "*"
    return Cell(percent(score.mean) + star, 100 * score.mean, score.mark)


def variants(suite: Suite) -> list[str]:
    """The variants of the ablation, then BLUFS itself if the suite has it."""
    known = [*suite.ablation, *suite.methods]
    own = [METHOD_UNDER_STUDY] if METHOD_UNDER_STUDY in known else []
    return list(dict.fromkeys([*suite.ablation, *own]))


def _ablated_datasets(results: SuiteResults, suite: Suite) -> list[str]:
    """The datasets with labels on which variants were run."""
    rows = results.scores
    found = set(rows[rows["method"].isin(list(suite.ablation))]["dataset"])
    return [name for name in labelled_datasets(results, suite) if name in found]


def _variant_scores(
    results: SuiteResults, suite: Suite, datasets: Sequence[str], *, s: int | None = None
) -> pd.DataFrame:
    """Scores of the variants in the order in which they are shown."""
    scores = chosen_scores(results, suite, s=s, metrics=_METRICS)
    order = {method: position for position, method in enumerate(variants(suite))}
    scores = scores[scores["dataset"].isin(list(datasets)) & scores["method"].isin(list(order))]
    scores = scores.sort_values("method", key=lambda names: names.map(order), kind="stable")
    return scores.reset_index(drop=True)


def cases(results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """Table IV: what the variants keep of the model, with the default setting of each."""
    caption = "Variants of BLUFS"
    stored, rows, known = results.scores, [], paper.cases
    was_run = stored["method"].isin(list(suite.ablation)).any()
    stored = stored[stored["choice"] == "default"].drop_duplicates("method").set_index("method")
    for method in variants(suite) if was_run else ():
        parts = {part: known.get(method, {}).get(part) for part in _PARTS}
        setting = stored["setting"].get(method, "n/a")
        rows.append({"method": method, **parts, "in_paper": method in known, "setting": setting})
    columns = ["method", *_PARTS, "in_paper", "setting"]
    if not rows:
        return nothing("cases", caption, columns, "No variant of BLUFS was run in this suite")
    shown = [
        Row(words(suite.title(r["method"]), *(_tick(r[part]) for part in _PARTS), r["setting"]))
        for r in rows
    ]
    block = Block(["Case", *_PARTS.values(), "Default setting"], shown)
    notes = [f"{suite.title(r['method'])}: not in the paper" for r in rows if not r["in_paper"]]
    return Table("cases", caption, pd.DataFrame(rows, columns=columns), [block], notes)


def _tick(keeps: bool | None) -> str:
    return "n/a" if keeps is None else "✓" if keeps else "✗"


def ablation(results: SuiteResults, suite: Suite) -> Table:
    """Table V: the variants against BLUFS, by ACC and NMI."""
    caption = "Ablation: ACC and NMI (in %, number of features) of the variants of BLUFS"
    datasets = _ablated_datasets(results, suite)
    if not datasets:
        return nothing("ablation", caption, _COLUMNS, _NO_VARIANTS)
    every = _variant_scores(results, suite, datasets)
    tidy, blocks = [], []
    for choice in CHOICES:
        chosen = every[every["choice"] == choice]
        scores = {m: marked(chosen[chosen["metric"] == m], larger_is_better=True) for m in _METRICS}
        means = {metric: averages(scores[metric]) for metric in _METRICS}
        rows = []
        for dataset in datasets:
            for metric, score in scores.items():
                here = tuples(score[score["dataset"] == dataset])
                names = words(results.dataset_title(dataset), METRICS[metric].short)
                kind = row_kind(cell.status for cell in here)
                rows.append(Row([*names, *map(score_cell, here)], kind))
        for metric, average in means.items():
            names = words("Average", METRICS[metric].short)
            rows.append(Row([*names, *map(average_cell, tuples(average))], AVERAGE))
        columns = ["Dataset", "Metric", *(suite.title(method) for method in variants(suite))]
        blocks.append(Block(columns, rows, CHOICES[choice].title))
        tidy += [score.assign(kind=DATA) for score in scores.values()]
        tidy += [average.assign(kind=AVERAGE) for average in means.values()]
    whole = kind_first(pd.concat(tidy, ignore_index=True))
    return Table("ablation", caption, whole, blocks, [MARK_NOTE, STAR_NOTE])


def pixels(results: SuiteResults, suite: Suite) -> Table:
    """Table VI: ACC and NMI of the variants on one image dataset, at the largest s."""
    dataset = _image_dataset(results, suite)
    if dataset is None:
        why = "No variant of BLUFS was run on images with labels"
        return nothing("pixels", "Variants of BLUFS on images", _COLUMNS[1:], why)
    rows = results.scores
    rows = rows[(rows["dataset"] == dataset) & rows["method"].isin(variants(suite))]
    s = int(rows["s"].max())
    every = _variant_scores(results, suite, [dataset], s=s)
    parts, blocks = [], []
    for choice in CHOICES:
        chosen = every[every["choice"] == choice]
        by_metric = [
            marked(chosen[chosen["metric"] == metric], larger_is_better=True) for metric in _METRICS
        ]
        lines = [
            Row([*words(suite.title(scores[0].method)), *map(score_cell, scores)])
            for scores in zip(*map(tuples, by_metric), strict=True)
        ]
        columns = ["Case", *(METRICS[metric].short for metric in _METRICS)]
        blocks.append(Block(columns, lines, CHOICES[choice].title))
        parts += by_metric
    caption = f"Variants of BLUFS with {s} features on {results.dataset_title(dataset)} (in %)"
    notes = [MARK_NOTE, "The selected pixels are in the figure of the same name"]
    return Table("pixels", caption, pd.concat(parts, ignore_index=True), blocks, notes)


def _image_dataset(results: SuiteResults, suite: Suite) -> str | None:
    """The dataset of the paper's pixels if variants ran on it, else the first one of images."""
    images = [
        name
        for name in _ablated_datasets(results, suite)
        if results.cards[name].get("image_shape") and results.cards[name]["status"] == "ok"
    ]
    return _PREFERRED_IMAGES if _PREFERRED_IMAGES in images else next(iter(images), None)
