"""How much alike the methods select: a question that needs no labels."""

from __future__ import annotations

import pandas as pd

from blufs_bench.compare.selections import agreement as agreement_of
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.show.tables.table import Block, Cell, Row, Table, nothing, number_cell

_CAPTION = "Agreement: how many features two methods have in common"


def agreement(results: SuiteResults, suite: Suite) -> Table:
    """Mean Jaccard index of the selections of every two methods."""
    tidy = agreement_of(results, suite.datasets, suite.ranked_methods)
    if tidy.empty:
        why = "No dataset of this suite has selections of two methods"
        return nothing("agreement", _CAPTION, list(map(str, tidy)), why)
    measured = set(tidy["dataset"])
    mean = tidy.groupby(["method", "other"], sort=False)["jaccard"].mean().reset_index()
    blocks = [
        pair_block(suite, mean, f"Mean over the datasets ({len(measured)})"),
        _dataset_block(results, suite, tidy),
    ]
    notes = [
        "Features that both selected over features that either selected (Jaccard), each with its "
        "default setting and the number of features that the tables report: 1 is the same "
        "selection, 0 nothing in common",
        "Chance is what two random selections of this size have on average",
    ]
    return Table("agreement", _CAPTION, tidy, blocks, notes)


def pair_block(suite: Suite, pairs: pd.DataFrame, title: str = "") -> Block:
    """Methods x methods; ``pairs`` has the columns method, other and jaccard."""
    values = {(row.method, row.other): row.jaccard for row in pairs.itertuples()}
    methods = [name for name in suite.ranked_methods if name in set(pairs["method"])]
    rows = [
        Row(
            [
                Cell(suite.title(one)),
                *(
                    Cell("–") if one == other else number_cell(values.get((one, other)), "{:.2f}")
                    for other in methods
                ),
            ]
        )
        for one in methods
    ]
    return Block(["Method", *(suite.title(name) for name in methods)], rows, title)


def _dataset_block(results: SuiteResults, suite: Suite, tidy: pd.DataFrame) -> Block:
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
    columns = ["Dataset", *(suite.title(name) for name in methods), "Chance"]
    return Block(columns, rows, "With the other methods, on average")
