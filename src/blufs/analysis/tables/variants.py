"""Tables IV, V and VI of the paper: the degenerate variants of BLUFS."""

from __future__ import annotations

import pandas as pd

from blufs.analysis.paper import Paper
from blufs.analysis.summaries import chosen_scores
from blufs.analysis.tables.scores import (
    MARK_NOTE,
    STAR_NOTE,
    average_text,
    averages_of,
    cell_text,
    with_marks,
)
from blufs.analysis.tables.table import PLAIN, Table, block_from_rows, records, unmarked
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import CHOICES, METHOD_UNDER_STUDY, METRICS

#: The metrics of the paper's ablation.
_METRICS = ("clustering_acc", "nmi")

#: Which parts of the model the tables IV names, as they are called in the data.
_PARTS = {"feature": "Feature level", "clustering": "Clustering level", "graph": "Graph learning"}

#: The paper's own image dataset.
_PREFERRED_IMAGES = "pie"


def variants(suite: Suite) -> list[str]:
    """The variants of the ablation, then BLUFS itself."""
    return list(dict.fromkeys([*suite.ablation, METHOD_UNDER_STUDY]))


def _ablated_datasets(results: SuiteResults, suite: Suite) -> list[str]:
    """The datasets on which variants were run."""
    rows = results.scores
    found = set(rows[rows["method"].isin(list(suite.ablation))]["dataset"])
    return [name for name in results.compared_datasets(suite.datasets) if name in found]


def _variant_cells(
    results: SuiteResults, suite: Suite, datasets: list[str], *, s: int | None = None
) -> pd.DataFrame:
    """Cells of the variants in the order in which they are shown."""
    cells = chosen_scores(results, suite, s=s)
    kept = cells["dataset"].isin(datasets) & cells["metric"].isin(_METRICS)
    order = {method: position for position, method in enumerate(variants(suite))}
    cells = cells[kept & cells["method"].isin(list(order))]
    return cells.sort_values(
        "method", key=lambda names: names.map(order), kind="stable"
    ).reset_index(drop=True)


def cases(results: SuiteResults, suite: Suite, paper: Paper) -> Table:
    """Table IV: what the variants keep of the model, with the default setting of each."""
    stored = results.scores
    stored = stored[stored["choice"] == "default"].drop_duplicates("method").set_index("method")
    rows = []
    for method in variants(suite):
        keeps = paper.cases.get(suite.title(method), {})
        settings = stored["setting"].get(method, "n/a")
        parts = {part: keeps.get(part) for part in _PARTS}
        rows.append({"method": method, **parts, "in_paper": bool(keeps), "setting": settings})
    tidy = pd.DataFrame(rows)
    shown = pd.DataFrame({"Case": [suite.title(method) for method in tidy["method"]]})
    for part, title in _PARTS.items():
        shown[title] = [_tick(keeps) for keeps in tidy[part]]
    shown["Default setting"] = tidy["setting"]
    extra = [suite.title(method) for method in tidy[~tidy["in_paper"]]["method"]]
    notes = [f"{label}: not in the paper" for label in extra]
    return Table("cases", "Degenerate variants of BLUFS", tidy, [unmarked(shown)], notes)


def _tick(keeps: bool | None) -> str:
    return "n/a" if keeps is None else "✓" if keeps else "✗"


def ablation(results: SuiteResults, suite: Suite) -> Table:
    """Table V: the variants against BLUFS, by ACC and NMI."""
    datasets = _ablated_datasets(results, suite)
    cells = _variant_cells(results, suite, datasets)
    tidy, blocks = [], []
    for choice in CHOICES:
        marked = {m: with_marks(cells[cells["metric"] == m], choice) for m in _METRICS}
        averages = {metric: averages_of(marked[metric]) for metric in _METRICS}
        rows = []
        for dataset in datasets:
            for metric, chosen in marked.items():
                row = chosen[chosen["dataset"] == dataset]
                texts = [cell_text(cell) for cell in records(row)]
                names = [results.dataset_title(dataset), METRICS[metric].short]
                rows.append(([*names, *texts], [PLAIN, PLAIN, *row["mark"]]))
        for metric, average in averages.items():
            texts = [average_text(cell) for cell in records(average)]
            names = ["Average", METRICS[metric].short]
            rows.append(([*names, *texts], [PLAIN, PLAIN, *average["mark"]]))
        columns = ["Dataset", "Metric", *(suite.title(method) for method in variants(suite))]
        blocks.append(block_from_rows(columns, rows, CHOICES[choice].title))
        tidy.extend([*marked.values(), *averages.values()])
    notes = [MARK_NOTE, STAR_NOTE]
    caption = "Ablation: ACC and NMI (in %, number of features) of the variants of BLUFS"
    return Table("ablation", caption, pd.concat(tidy, ignore_index=True), blocks, notes)


def pixels(results: SuiteResults, suite: Suite) -> Table:
    """Table VI: ACC and NMI of the variants on one image dataset, at the largest s."""
    dataset = _image_dataset(results, suite)
    if dataset is None:
        tidy = pd.DataFrame(columns=["dataset", "method", "choice", "metric", "s", "mean"])
        note = "No variant was run on a dataset of images"
        return Table("pixels", "Variants of BLUFS on images", tidy, [], [note])
    rows = results.scores
    rows = rows[(rows["dataset"] == dataset) & rows["method"].isin(variants(suite))]
    s = int(rows["s"].max())
    cells = _variant_cells(results, suite, [dataset], s=s)
    parts, blocks = [], []
    for choice in CHOICES:
        acc, nmi = (with_marks(cells[cells["metric"] == m], choice) for m in _METRICS)
        lines = [
            (
                [suite.title(one.method), cell_text(one), cell_text(other)],
                [PLAIN, one.mark, other.mark],
            )
            for one, other in zip(records(acc), records(nmi), strict=True)
        ]
        blocks.append(block_from_rows(["Case", "ACC", "NMI"], lines, CHOICES[choice].title))
        parts.extend([acc, nmi])
    caption = f"Variants of BLUFS with {s} features on {results.dataset_title(dataset)} (in %)"
    notes = [MARK_NOTE, "The selected pixels are in the figure of the same name"]
    return Table("pixels", caption, pd.concat(parts, ignore_index=True), blocks, notes)


def _image_dataset(results: SuiteResults, suite: Suite) -> str | None:
    """The dataset of the paper's pixels if variants ran on it, else the first one of images."""
    images = [
        name
        for name in _ablated_datasets(results, suite)
        if results.cards[name]["image_shape"] and results.cards[name]["status"] == "ok"
    ]
    return _PREFERRED_IMAGES if _PREFERRED_IMAGES in images else next(iter(images), None)
