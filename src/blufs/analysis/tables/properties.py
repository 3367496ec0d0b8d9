"""Tables I and VIII of the paper, and stability and redundancy of the selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from blufs.analysis.stability import kuncheva_index, nogueira_index, redundancy
from blufs.analysis.tables.table import (
    PLAIN,
    Block,
    Table,
    block_from_rows,
    by_dataset,
    mark_row,
    records,
    unmarked,
)
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import CHOICES

#: Choices under which a selection is looked at; the oracle is the one for ACC.
_SELECTION_CHOICES = ("oracle", "default", "blind")

#: Number of features of the paper's correlation heat maps.
_REDUNDANCY_S = 10


def datasets(results: SuiteResults, suite: Suite) -> Table:
    """Table I: the datasets as they are, and what the paper prints about them."""
    tidy = pd.DataFrame([_dataset_row(results, name) for name in suite.datasets])
    counts = [
        name for name in map(str, tidy) if name.startswith(("n_", "paper_n_")) or "_class" in name
    ]
    tidy = tidy.astype(dict.fromkeys(counts, "Int64"))
    shown = pd.DataFrame(
        {
            "Dataset": [results.dataset_title(name) for name in tidy["dataset"]],
            "Samples": [_count(n) for n in tidy["n_samples"]],
            "Features": [_count(n) for n in tidy["n_features"]],
            "Classes": [_count(n) for n in tidy["n_classes"]],
            "Constant features": [_count(n) for n in tidy["n_constant"]],
            "Smallest class": [_count(n) for n in tidy["smallest_class"]],
            "Largest class": [_count(n) for n in tidy["largest_class"]],
            "Against the paper": tidy["against_paper"],
        }
    )
    notes = [
        text if text.startswith(row.dataset) else f"{results.dataset_title(row.dataset)}: {text}"
        for row in records(tidy)
        for text in (row.reason, row.notes)
        if text
    ]
    return Table("datasets", "Datasets", tidy, [unmarked(shown)], notes)


def _dataset_row(results: SuiteResults, name: str) -> dict[str, Any]:
    card = results.cards.get(name, {"status": "missing", "reason": "no card in the results"})
    row = {"dataset": name, "status": card["status"], "reason": card.get("reason") or ""}
    sizes = ("n_samples", "n_features", "n_classes")
    for key in (*sizes, "n_constant", "n_duplicate_samples"):
        value = card.get(key)
        row[key] = pd.NA if value is None or card["status"] != "ok" else value
    counts = card.get("class_counts") or [pd.NA]
    row |= {"smallest_class": min(counts), "largest_class": max(counts)}
    paper = card.get("paper") or {}
    row |= {f"paper_{key}": paper.get(key, pd.NA) for key in sizes}
    row["against_paper"] = _against_paper(card, paper, sizes)
    return row | {
        "origin": card.get("origin") or "",
        "terms": card.get("terms") or "",
        "sha256": card.get("sha256") or "",
        "notes": "; ".join(card.get("notes") or []),
    }


def _against_paper(card: dict, paper: dict, sizes: tuple[str, ...]) -> str:
    if card["status"] != "ok":
        return f"n/a ({card['status']})"
    if not paper:
        return "not in the paper"
    names = {"n_samples": "samples", "n_features": "features", "n_classes": "classes"}
    differing = [
        f"{paper[key]} {names[key]} in the paper"
        for key in sizes
        if paper.get(key) is not None and paper[key] != card[key]
    ]
    return ", ".join(differing) or "same"


def _count(number: Any) -> str:
    return "n/a" if pd.isna(number) else str(number)


def running_time(results: SuiteResults, suite: Suite) -> Table:
    """Table VIII: seconds of ``fit`` at the largest s."""
    rows = _largest_s(_selecting(results.timing, suite))
    cells = _aggregate(
        rows,
        suite,
        lambda cell: {
            "mean": cell["seconds"].mean(),
            "std": cell["seconds"].std(ddof=1),
            "n": len(cell),
            "threads": cell["threads"].iloc[0],
        },
    )
    cells, block = _matrix(
        results,
        suite,
        cells,
        lambda cell: f"{cell.mean:.3g}" + (f"±{cell.std:.2g}" if np.isfinite(cell.std) else ""),
    )
    threads = ", ".join(str(n) for n in sorted(rows["threads"].unique())) or "n/a"
    notes = [
        "Seconds of one fit at the default setting with the largest number of features, "
        f"threads: {threads}",
        "Fastest in bold, second underlined",
    ]
    return Table("time", "Running time (mean ± standard deviation in s)", cells, [block], notes)


def stability(results: SuiteResults, suite: Suite) -> Table:
    """Nogueira's and Kuncheva's index of the selections on resampled data."""
    rows = _selecting(results.stability, suite)

    def indices(cell: pd.DataFrame) -> dict[str, Any]:
        sets = [list(features) for features in cell["features"]]
        n_features = results.cards[cell["dataset"].iloc[0]]["n_features"]
        return {
            "mean": nogueira_index(sets, n_features),
            "kuncheva": kuncheva_index(sets, n_features),
            "n": len(sets),
        }

    parts = [_aggregate(rows[rows["s"] == s], suite, indices) for s in sorted(set(rows["s"]))]
    _, block = _matrix(
        results,
        suite,
        _aggregate(_largest_s(rows), suite, indices),
        _three_digits,
        larger_is_better=True,
    )
    notes = [
        "Nogueira's index over the resamples at the largest number of features: 1 is always the "
        "same features, 0 is chance",
        "Best in bold, second underlined",
    ]
    tidy = pd.concat(parts, ignore_index=True).rename(columns={"mean": "nogueira"})
    return Table("stability", "Stability of the selection", tidy, [block], notes)


def redundancies(results: SuiteResults, suite: Suite) -> Table:
    """Mean absolute correlation of the selected features."""
    rows = _selecting(results.selections, suite)
    measured = results.compared_datasets(suite.datasets)
    rows = rows[rows["dataset"].isin(measured) & (rows["metric"] == "clustering_acc")]
    data = {name: results.data(name)[0] for name in set(rows[rows["status"] == "ok"]["dataset"])}

    def correlation(cell: pd.DataFrame) -> dict[str, Any]:
        X = data[cell["dataset"].iloc[0]]
        values = [redundancy(X, features) for features in cell["features"]]
        return {"mean": float(np.mean(values)), "n": len(values)}

    tidy, blocks = [], []
    for choice in _SELECTION_CHOICES:
        chosen = rows[rows["choice"] == choice]
        for s in sorted(set(chosen["s"])):
            cells = _aggregate(chosen[chosen["s"] == s], suite, correlation)
            tidy.append(cells.assign(choice=choice))
        distance = (chosen["s"] - _REDUNDANCY_S).abs()
        nearest = distance == distance.groupby(chosen["dataset"]).transform("min")
        cells = _aggregate(chosen[nearest], suite, correlation)
        title = CHOICES[choice].title
        blocks.append(_matrix(results, suite, cells, _three_digits, title=title)[1])
    notes = [
        f"{_REDUNDANCY_S} features or the nearest number tried on the dataset; the oracle is the "
        "one for ACC; 0 is uncorrelated",
        "Lowest in bold, second underlined",
    ]
    caption = "Redundancy: mean absolute correlation of the selected features"
    whole = pd.concat(tidy, ignore_index=True).rename(columns={"mean": "redundancy"})
    return Table("redundancy", caption, whole, blocks, notes)


def synthetic(results: SuiteResults, suite: Suite) -> Table:
    """How many of the known real features of the synthetic datasets are selected."""
    cards = {name: results.cards.get(name, {}) for name in suite.datasets}
    real = {name: set(card.get("real_features") or []) for name, card in cards.items()}
    rows = _selecting(results.selections, suite)
    as_many = rows["s"] == rows["dataset"].map({name: len(real[name]) for name in real})
    rows = rows[as_many & (rows["metric"] == "clustering_acc")]

    def found(cell: pd.DataFrame) -> dict[str, Any]:
        wanted = real[cell["dataset"].iloc[0]]
        counts = [len(wanted & set(features)) for features in cell["features"]]
        return {"mean": float(np.mean(counts)), "n": len(counts), "of": len(wanted)}

    tidy, blocks = [], []
    for choice in _SELECTION_CHOICES if len(rows) else ():
        cells = _aggregate(rows[rows["choice"] == choice], suite, found)
        title = CHOICES[choice].title
        cells, block = _matrix(results, suite, cells, _share, title=title, larger_is_better=True)
        tidy.append(cells.assign(choice=choice))
        blocks.append(block)
    columns = ["dataset", "method", "choice", "found", "status", "reason"]
    whole = pd.concat(tidy, ignore_index=True) if tidy else pd.DataFrame(columns=columns)
    notes = [
        "As many features are selected as are real; all others are noise; mean over the fits; the "
        "oracle is the one for ACC"
        if tidy
        else "No dataset of this suite has known real features and a selection of as many"
    ]
    caption = "Real features found among noise"
    return Table("synthetic", caption, whole.rename(columns={"mean": "found"}), blocks, notes)


def _selecting(rows: pd.DataFrame, suite: Suite) -> pd.DataFrame:
    """Rows of the compared methods that select something."""
    return rows[rows["method"].isin(suite.ranked_methods)]


def _largest_s(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["s"] == rows.groupby(["dataset", "method"])["s"].transform("max")]


def _share(cell: Any) -> str:
    return f"{cell.mean:.3g} of {cell.of:.0f}"


def _three_digits(cell: Any) -> str:
    return f"{cell.mean:.3f}" if np.isfinite(cell.mean) else "n/a (undefined)"


def _aggregate(
    rows: pd.DataFrame, suite: Suite, summary: Callable[[pd.DataFrame], dict[str, Any]]
) -> pd.DataFrame:
    """One row per dataset and method that occur: ``summary``, or the status if it failed."""
    groups = dict(list(rows.groupby(["dataset", "method"], sort=False)))
    cells = []
    for dataset in (name for name in suite.datasets if name in set(rows["dataset"])):
        for method in (name for name in suite.ranked_methods if name in set(rows["method"])):
            cell: dict[str, Any] = {"dataset": dataset, "method": method, "mean": np.nan}
            group = groups.get((dataset, method))
            if group is None:
                cell |= {"status": "missing", "reason": "no row in the results"}
            else:
                failed = group[group["status"] != "ok"]
                cell["s"] = group["s"].iloc[0]
                cell["status"] = failed["status"].iloc[0] if len(failed) else "ok"
                cell["reason"] = _reason(failed)
                cell |= {} if len(failed) else summary(group)
            cells.append(cell)
    columns = ["dataset", "method", "s", "mean", "n", "status", "reason"]
    table = pd.DataFrame(cells, columns=None if cells else columns)
    ordered = table.reindex(columns=[*columns, *table.columns.difference(columns, sort=False)])
    return ordered.astype({"s": "Int64", "n": "Int64"})


def _reason(failed: pd.DataFrame) -> str:
    if failed.empty:
        return ""
    return failed["reason"].iloc[0] if "reason" in failed else "see results.parquet"


def _matrix(
    results: SuiteResults,
    suite: Suite,
    cells: pd.DataFrame,
    text: Callable[[Any], str],
    *,
    title: str = "",
    larger_is_better: bool = False,
) -> tuple[pd.DataFrame, Block]:
    """The cells with their marks, and the block datasets x methods of their texts."""
    cells = cells.assign(mark=PLAIN)
    rows = []
    for dataset, group in by_dataset(cells):
        marks = mark_row(list(group["mean"]), larger_is_better=larger_is_better)
        cells.loc[group.index, "mark"] = marks
        texts = [
            text(cell) if cell.status == "ok" else f"n/a ({cell.status})" for cell in records(group)
        ]
        rows.append(([results.dataset_title(dataset), *texts], [PLAIN, *marks]))
    columns = ["Dataset", *(suite.title(method) for method in dict.fromkeys(cells["method"]))]
    return cells, block_from_rows(columns, rows, title)
