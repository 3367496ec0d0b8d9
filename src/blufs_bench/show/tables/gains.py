"""Gains over random features with their intervals, overall and by domain."""

from __future__ import annotations

import pandas as pd

from blufs_bench.compare.comparison import GAIN_COLUMNS, NO_RANDOM, standings
from blufs_bench.compare.views import (
    EVERYWHERE,
    ViewKey,
    Views,
    counted,
    domain_title,
    metric_words,
    view_title,
)
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import ALL_FEATURES
from blufs_bench.show.tables.table import (
    Block,
    Cell,
    Row,
    Table,
    count_cell,
    mark_row,
    nothing,
    number_cell,
)

_CAPTION = "Gain over random features, in points"
_KEY = ["metric", "choice", "score", "domain", "method"]
_NOTES = (
    "Gain: mean difference to random features over the datasets, in hundredths of the score, with "
    "its 95 % bootstrap interval over the datasets in brackets",
    "A method without a score on a dataset counts as random features there; how often is said "
    "under Imputed",
    "Rank: average rank with these; common rank: only on datasets where every method has a score",
    "All features are shown and not ranked; the area under the curve over s is in the CSV file",
)


def gains(results: SuiteResults, suite: Suite) -> Table:
    """One block per metric and choice over all datasets, and one per metric by domain."""
    views = Views(results, suite)
    tidy, blocks = [], []
    for key in views.keys():  # noqa: SIM118
        table = standings(views.matrix(key))
        if "gain" not in table:
            continue
        named = table.rename_axis("method").reset_index()
        tidy.append(named.assign(**vars(key))[[*_KEY, *table.columns]])
        if key.domain == EVERYWHERE and key.score == "reported":
            blocks.append(_block(suite, key, table))
            blocks += _by_domain(suite, views, key)
    if not tidy:
        return nothing("gains", _CAPTION, [*_KEY, *GAIN_COLUMNS], NO_RANDOM)
    return Table("gains", _CAPTION, pd.concat(tidy, ignore_index=True), blocks, list(_NOTES))


def _block(suite: Suite, key: ViewKey, table: pd.DataFrame) -> Block:
    competing = table["gain"].where(table.index != ALL_FEATURES)
    rows = [
        Row(
            [
                Cell(suite.title(str(method))),
                _gain_cell(row, mark),
                number_cell(100 * row["mean"], "{:.1f}"),
                Cell(f"{row['wins']:.0f} / {row['ties']:.0f} / {row['losses']:.0f}", row["wins"])
                if pd.notna(row["gain"])
                else Cell("–"),
                number_cell(row["rank"], "{:.2f}"),
                number_cell(row["common_rank"], "{:.2f}"),
                count_cell(row["n_imputed"]),
            ]
        )
        for (method, row), mark in zip(table.iterrows(), mark_row(list(competing)), strict=True)
    ]
    datasets = counted(int(table["n_datasets"].iloc[0]), "dataset")
    columns = ["Method", "Gain", metric_words(key.metric)[1], "Wins / ties / losses", "Rank"]
    columns += [f"Common rank ({int(table['n_common'].iloc[0])} datasets)", "Imputed"]
    return Block(columns, rows, f"{view_title(key)}, {datasets}")


def _gain_cell(row: pd.Series, mark: str = "") -> Cell:
    if pd.isna(row["gain"]):
        return Cell("0 (by definition)", 0.0)
    interval = "" if pd.isna(row["low"]) else f" [{row['low']:+.1f}, {row['high']:+.1f}]"
    return Cell(f"{row['gain']:+.1f}{interval}", float(row["gain"]), mark)


def _by_domain(suite: Suite, views: Views, key: ViewKey) -> list[Block]:
    """Methods down, domains across; nothing if there is one domain."""
    tables = {}
    for domain, datasets in views.domains.items():
        here = ViewKey(key.metric, key.choice, key.score, domain)
        table = standings(views.matrix(here)) if domain != EVERYWHERE else pd.DataFrame()
        if "gain" in table:
            tables[f"{domain_title(domain)} ({len(datasets)})"] = table
    if not tables:
        return []
    methods = standings(views.matrix(key)).index
    rows = [
        Row([Cell(suite.title(m)), *(_gain_cell(table.loc[m]) for table in tables.values())])
        for m in methods
    ]
    return [Block(["Method", *tables], rows, f"{view_title(key)}, by domain")]
