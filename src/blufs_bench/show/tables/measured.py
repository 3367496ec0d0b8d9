"""Tables of what is measured beside the scores: most of them datasets x methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.measures import (
    COLUMNS,
    FREE_CHOICES,
    aggregate,
    criterion_scores,
    fit_times,
    near_typical_s,
    of_selecting_methods,
    redundancies,
    stabilities,
)
from blufs_bench.compare.selections import TYPICAL_S, selections_of_choice
from blufs_bench.compare.selections import agreement as agreement_of
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, CRITERIA
from blufs_bench.show.tables.table import (
    Block,
    Cell,
    Row,
    Table,
    marked,
    matrix,
    nothing,
    number_cell,
    pair_block,
    seconds_text,
    three_digits,
)


def running_time(results: SuiteResults, suite: Suite) -> Table:
    """Table VIII of the paper: seconds of ``fit`` with the default setting at the largest s."""
    caption = "Running time (mean ± standard deviation in s)"
    times = marked(fit_times(results, suite))
    if times.empty:
        columns = [*COLUMNS, "std", "threads"]
        return nothing("time", caption, columns, "No fit of this suite was timed")
    threads = ", ".join(f"{n:.0f}" for n in sorted(times["threads"].dropna().unique())) or "n/a"
    notes = [
        "Seconds of one fit at the default setting with the largest number of features, "
        f"threads: {threads}",
        "Fastest in bold, second underlined",
    ]
    return Table("time", caption, times, [matrix(results, suite, times, seconds_text)], notes)


def criteria(results: SuiteResults, suite: Suite) -> Table:
    """Every label-free criterion under every choice that does not look at the labels."""
    caption = "Label-free criteria"
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
        return nothing("criteria", caption, [*COLUMNS, "choice", "metric"], why)
    explained = [f"{criterion.title}: {criterion.explanation}" for criterion in CRITERIA.values()]
    notes = [*explained, "Larger is better; best in bold, second underlined"]
    return Table("criteria", caption, pd.concat(tidy, ignore_index=True), blocks, notes)


def stability(results: SuiteResults, suite: Suite) -> Table:
    """Nogueira's and Kuncheva's index of the selections on resampled data."""
    caption = "Stability of the selection"
    every = stabilities(results, suite, every_s=True)
    if every.empty:
        why = "This suite does not repeat selections on subsets of the samples"
        return nothing("stability", caption, [*COLUMNS, "kuncheva"], why)
    shown = marked(stabilities(results, suite), larger_is_better=True)
    notes = [
        "Nogueira's index over the resamples at the largest number of features: 1 is always the "
        "same features, 0 is chance",
        "Best in bold, second underlined",
    ]
    tidy = every.rename(columns={"mean": "nogueira"})
    return Table("stability", caption, tidy, [matrix(results, suite, shown, three_digits)], notes)


def redundancy(results: SuiteResults, suite: Suite) -> Table:
    """Mean absolute correlation of the selected features, for every choice and s."""
    caption = "Redundancy: mean absolute correlation of the selected features"
    found = redundancies(results, suite, list(CHOICES))
    found = {choice: rows for choice, rows in found.items() if len(rows)}
    if not found:
        why = "No method of this suite has a selection"
        return nothing("redundancy", caption, [*COLUMNS, "choice"], why)
    blocks = [
        matrix(results, suite, marked(near_typical_s(rows)), three_digits, CHOICES[choice].title)
        for choice, rows in found.items()
    ]
    notes = [
        f"{TYPICAL_S} features or the nearest number tried on the dataset; an oracle is the one "
        "for ACC; 0 is uncorrelated",
        "Lowest in bold, second underlined",
    ]
    tidy = pd.concat([rows.assign(choice=c) for c, rows in found.items()], ignore_index=True)
    return Table("redundancy", caption, tidy.rename(columns={"mean": "redundancy"}), blocks, notes)


def synthetic(results: SuiteResults, suite: Suite) -> Table:
    """Real features found among noise: as many are selected as are real."""
    caption = "Real features found among noise"
    cards = {name: results.cards.get(name, {}) for name in suite.datasets}
    real = {name: set(card.get("real_features") or []) for name, card in cards.items()}

    def summary(rows: pd.DataFrame) -> dict[str, Any]:
        wanted = real[rows["dataset"].iloc[0]]
        counts = [len(wanted & set(features)) for features in rows["features"]]
        return {"mean": float(np.mean(counts)), "n": len(counts), "of": len(wanted)}

    def text(cell: Any) -> str:
        return f"{cell.mean:.3g} of {cell.of:.0f}"

    tidy, blocks = [], []
    for choice in CHOICES:
        rows = of_selecting_methods(selections_of_choice(results, choice), suite)
        rows = rows[rows["s"] == rows["dataset"].map({n: len(real[n]) for n in real})]
        counts = marked(aggregate(rows, suite, summary, ["of"]), larger_is_better=True)
        if len(counts):
            tidy.append(counts.assign(choice=choice))
            blocks.append(matrix(results, suite, counts, text, CHOICES[choice].title))
    if not tidy:
        why = "No dataset of this suite has known real features and a selection of as many"
        return nothing("synthetic", caption, [*COLUMNS, "of", "choice"], why)
    notes = [
        "As many features are selected as are real; all others are noise; mean over the fits; an "
        "oracle is the one for ACC"
    ]
    whole = pd.concat(tidy, ignore_index=True).rename(columns={"mean": "found"})
    return Table("synthetic", caption, whole, blocks, notes)


def agreement(results: SuiteResults, suite: Suite) -> Table:
    """How much alike the methods select: mean Jaccard index of the selections of every two."""
    caption = "Agreement: how many features two methods have in common"
    tidy = agreement_of(results, suite.datasets, suite.ranked_methods)
    if tidy.empty:
        why = "No dataset of this suite has selections of two methods"
        return nothing("agreement", caption, list(map(str, tidy)), why)
    measured = set(tidy["dataset"])
    mean = tidy.groupby(["method", "other"], sort=False)["jaccard"].mean().reset_index()
    blocks = [
        pair_block(suite, mean, f"Mean over the datasets ({len(measured)})"),
        _with_others(results, suite, tidy),
    ]
    notes = [
        "Features that both selected over features that either selected (Jaccard), each with its "
        "default setting and the number of features that the tables report: 1 is the same "
        "selection, 0 nothing in common",
        "Chance is what two random selections of this size have on average",
    ]
    return Table("agreement", caption, tidy, blocks, notes)


def _with_others(results: SuiteResults, suite: Suite, tidy: pd.DataFrame) -> Block:
    """Datasets x methods: mean agreement with the other methods, and that of chance."""
    means = tidy.groupby(["dataset", "method"])["jaccard"].mean()
    chance = tidy.groupby("dataset")["chance"].mean()
    methods = [name for name in suite.ranked_methods if name in set(tidy["method"])]
    rows = [
        Row(
            [
                Cell(results.dataset_title(dataset)),
                *(number_cell(means.get((dataset, method)), "{:.2f}") for method in methods),
                number_cell(chance[dataset], "{:.2f}"),
            ]
        )
        for dataset in dict.fromkeys(tidy["dataset"])
    ]
    columns = ["Dataset", *map(suite.title, methods), "Chance"]
    return Block(columns, rows, "With the other methods, on average")
