"""How many of the known real features of the synthetic datasets are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.compare.selections import selections_of_choice
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES
from blufs_bench.show.tables.matrix import (
    COLUMNS,
    aggregate,
    marked,
    matrix,
    of_selecting_methods,
)
from blufs_bench.show.tables.table import Table, nothing

_CAPTION = "Real features found among noise"


def synthetic(results: SuiteResults, suite: Suite) -> Table:
    """As many features are selected as are real: how many of them are."""
    cards = {name: results.cards.get(name, {}) for name in suite.datasets}
    real = {name: set(card.get("real_features") or []) for name, card in cards.items()}

    def summary(rows: pd.DataFrame) -> dict[str, Any]:
        wanted = real[rows["dataset"].iloc[0]]
        counts = [len(wanted & set(features)) for features in rows["features"]]
        return {"mean": float(np.mean(counts)), "n": len(counts), "of": len(wanted)}

    tidy, blocks = [], []
    for choice in CHOICES:
        rows = of_selecting_methods(selections_of_choice(results, choice), suite)
        rows = rows[rows["s"] == rows["dataset"].map({n: len(real[n]) for n in real})]
        counts = marked(aggregate(rows, suite, summary, ["of"]), larger_is_better=True)
        if len(counts):
            tidy.append(counts.assign(choice=choice))
            blocks.append(matrix(results, suite, counts, _text, CHOICES[choice].title))
    if not tidy:
        why = "No dataset of this suite has known real features and a selection of as many"
        return nothing("synthetic", _CAPTION, [*COLUMNS, "of", "choice"], why)
    notes = [
        "As many features are selected as are real; all others are noise; mean over the fits; an "
        "oracle is the one for ACC"
    ]
    whole = pd.concat(tidy, ignore_index=True).rename(columns={"mean": "found"})
    return Table("synthetic", _CAPTION, whole, blocks, notes)


def _text(cell: Any) -> str:
    return f"{cell.mean:.3g} of {cell.of:.0f}"
