"""Tables IV, V and VI of the paper: the variants of BLUFS without one of its parts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from blufs_bench.compare.paper import Paper
from blufs_bench.compare.summaries import chosen_scores, labelled_datasets
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METHOD_UNDER_STUDY, METRICS
from blufs_bench.show.tables.matrix import marked
from blufs_bench.show.tables.scores import (
    MARK_NOTE,
    STAR_NOTE,
    average_cell,
    averages,
    kind_first,
    score_cell,
)
from blufs_bench.show.tables.table import (
    AVERAGE,
    DATA,
    Block,
    Row,
    Table,
    nothing,
    row_kind,
    tuples,
    words,
)

#: The metrics of the paper's ablation.
_METRICS = ("clustering_acc", "nmi")

#: Which parts of the model table IV names, as they are called in the data.
_PARTS = {"feature": "Feature level", "clustering": "Clustering level", "graph": "Graph learning"}

#: The paper's own image dataset.
_PREFERRED_IMAGES = "pie"
_NO_VARIANTS = "No variant of BLUFS was run in this suite on data with labels"
_COLUMNS = ["kind", "dataset", "method", "choice", "metric", "s", "mean", "status", "reason"]


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
