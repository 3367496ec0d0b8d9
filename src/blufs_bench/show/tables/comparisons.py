"""Tables of the comparison: gains over random features, every pair, average ranks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from blufs_bench.compare.comparison import Comparison, View
from blufs_bench.compare.headroom import LEAST_ROOM
from blufs_bench.compare.pairs import GAIN_COLUMNS, NO_RANDOM, distances
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    CHOICES,
    EVERYWHERE,
    METHOD_UNDER_STUDY,
    METRICS,
    counted,
    domain_title,
    metric_words,
)
from blufs_bench.show.leaderboard import (
    behind_column,
    gain_cell,
    gain_column,
    gain_marks,
    leaderboard,
    name_column,
    number_column,
    share_columns,
    verified,
    verified_column,
    wins_column,
)
from blufs_bench.show.tables.table import (
    AVERAGE,
    EQUAL,
    NO_LABELS,
    Block,
    Cell,
    Row,
    Table,
    count_cell,
    mark_row,
    nothing,
    number_cell,
    tuples,
    words,
)

_KEY = ["metric", "choice", "score", "domain"]
_PAIR = ["method", "other", "difference", "wins", "ties", "losses", "p_value"]


def view_title(view: View, *more: str) -> str:
    """Metric and choice of a view, for the title of a table."""
    return ", ".join([metric_words(view.metric)[0], CHOICES[view.choice].title.lower(), *more])


def gains(results: SuiteResults, suite: Suite, comparison: Comparison) -> Table:
    """One block per metric and choice over all datasets, and one per metric by domain."""
    caption = "Gain over random features, in points"
    tidy, blocks = [], []
    for view in comparison.views():
        table = view.standings()
        if "gain" not in table:
            continue
        table = pd.concat([table, view.controls()])
        named = table.rename_axis("method").reset_index()
        kinds = [verified(suite, name) for name in table.index]
        named = named.assign(**view.key, verified=kinds)
        tidy.append(named[[*_KEY, "method", *table.columns, "verified"]])
        if view.is_main:
            blocks.append(_board(suite, view))
            blocks += _by_domain(suite, comparison, view)
    if not tidy:
        return nothing("gains", caption, [*_KEY, "method", *GAIN_COLUMNS], NO_RANDOM)
    notes = [
        "Gain: mean difference to random features over the datasets, in hundredths of the score, "
        "with its 95 % bootstrap interval over the datasets in brackets",
        "A method without a score on a dataset counts as random features there; how often is said "
        "under Imputed",
        "Rank: average rank with these; common rank: only on datasets where every method has a "
        "score",
        "Behind the best: mean distance to the best method of each dataset, in points",
        "All features are shown and not ranked; the area under the curve over s is in the CSV file",
    ]
    if suite.controls:
        notes.append(
            f"{' and '.join(map(suite.title, suite.controls))} chooses by the labels: it is ranked "
            "and tested nowhere, and shows what there is to reach. To supervised: share of the way "
            "from random features to it, over the datasets with headroom"
        )
    return Table("gains", caption, pd.concat(tidy, ignore_index=True), blocks, notes)


def _board(suite: Suite, view: View) -> Block:
    methods = view.content["methods"]
    n_common = next(iter(methods.values()))["n_common"]
    columns = [
        name_column(suite.title),
        gain_column("Gain", gain_marks(methods)),
        number_column(metric_words(view.metric)[1], "mean", "{:.1f}", scale=100),
        wins_column("Wins / ties / losses"),
        number_column("Rank", "rank", "{:.2f}"),
        number_column(f"Common rank ({n_common} datasets)", "common_rank", "{:.2f}"),
        number_column("Imputed", "n_imputed", "{:.0f}"),
        behind_column(),
        *share_columns(view.rows),
        verified_column(suite),
    ]
    return leaderboard(view.rows, columns, view_title(view, counted(view.n_datasets, "dataset")))


def _by_domain(suite: Suite, comparison: Comparison, whole: View) -> list[Block]:
    """Methods down, domains across; nothing if there is one domain."""
    parts = {}
    for domain, datasets in comparison.domains.items():
        view = comparison.view(whole.metric, whole.choice, whole.score, domain)
        if domain != EVERYWHERE and view and view.content["has_random"]:
            parts[f"{domain_title(domain)} ({len(datasets)})"] = view.content["methods"]
    if not parts:
        return []
    rows = [
        Row([Cell(suite.title(m)), *(gain_cell(methods[m]) for methods in parts.values())])
        for m in whole.content["methods"]
    ]
    return [Block(["Method", *parts], rows, view_title(whole, "by domain"))]


def improvability(results: SuiteResults, suite: Suite, comparison: Comparison) -> Table:
    """How far every method is behind the best one of each dataset, and what there is to reach."""
    caption = "Distance to the best method of each dataset, in points"
    names = [*_KEY[:3], "dataset", "method", "mean", "behind", "share"]
    rooms = ["random", "supervised", "spread", "room", "has_room"]
    tidy, blocks = [], []
    for view in comparison.views():
        if view.domain != EVERYWHERE:
            continue
        scores = comparison.matrix(view.metric, view.choice, view.score)
        behind = distances(scores)
        if behind.empty:
            continue
        headroom = comparison.headroom(view.metric, view.choice, view.score)
        tidy.append(_distance_rows(scores, behind, headroom).assign(**view.key))
        if view.is_main and view.choice == "default":
            blocks.append(_distance_block(results, suite, view, scores, behind, headroom))
    if not tidy:
        return nothing("improvability", caption, [*names, *rooms], NO_LABELS)
    notes = [
        "0 is the best method of the dataset; a method without a score counts as random features",
    ]
    if suite.controls:
        notes += [
            "Headroom: points from random features to those chosen by the labels. A dataset has "
            f"none if they are below {LEAST_ROOM:g} or below the standard deviation of random "
            "features",
            "In the CSV file the share of the way from random features to these, too",
        ]
    whole = pd.concat(tidy, ignore_index=True)
    return Table("improvability", caption, whole[[*names, *rooms]], blocks, notes)


def _distance_rows(
    scores: pd.DataFrame, behind: pd.DataFrame, headroom: pd.DataFrame
) -> pd.DataFrame:
    """One row per dataset and method of a view."""
    same = scores.loc[behind.index, behind.columns]
    values = zip(behind.to_numpy().ravel(), same.to_numpy().ravel(), strict=True)
    keys = product(behind.index, behind.columns)
    rows = pd.DataFrame(
        [(*key, *pair) for key, pair in zip(keys, values, strict=True)],
        columns=["dataset", "method", "behind", "mean"],
    ).dropna(subset="behind")
    rows = rows.join(headroom, on="dataset")
    rows["share"] = 100 * (rows["mean"] - rows["random"]) / rows["room"]
    rows["share"] = rows["share"].where(rows["has_room"].eq(True))
    return rows


def _distance_block(
    results: SuiteResults,
    suite: Suite,
    view: View,
    scores: pd.DataFrame,
    behind: pd.DataFrame,
    headroom: pd.DataFrame,
) -> Block:
    shown = [name for name in view.content["methods"] if name in behind]
    titles = ["Dataset", "Best method", *(["Headroom"] if len(headroom) else [])]
    rows = []
    for dataset, row in behind.iterrows():
        best = [suite.title(name) for name in shown if row[name] <= EQUAL]
        room = [headroom_cell(headroom, str(dataset))] if len(headroom) else []
        cells = words(results.dataset_title(str(dataset)), ", ".join(best))
        rows.append(Row([*cells, *room, *(number_cell(row[name], "{:.1f}") for name in shown)]))
    mean = behind.mean()
    blank = words("Average", *(["–"] * (len(titles) - 1)))
    rows.append(Row([*blank, *(number_cell(mean[name], "{:.1f}") for name in shown)], AVERAGE))
    return Block([*titles, *map(suite.title, shown)], rows, view_title(view))


def headroom_cell(rooms: pd.DataFrame, dataset: str) -> Cell:
    """Points of headroom, marked where they are none to speak of."""
    if dataset not in rooms.index:
        return Cell("n/a")
    room, enough = rooms.at[dataset, "room"], rooms.at[dataset, "has_room"]
    return number_cell(room, "{:.1f}" if enough else "{:.1f} (none)")


def pair_table(results: SuiteResults, suite: Suite, comparison: Comparison) -> Table:
    """A matrix per metric and choice over all datasets, and BLUFS against each by Bayes' rule."""
    caption = "Every method against every other"
    tidy, blocks = [], []
    place = {method: position for position, method in enumerate(suite.methods)}
    for view in comparison.views():
        found = view.pairs()
        if found.empty:
            continue
        found = found.sort_values(["method", "other"], key=lambda names: names.map(place))
        once = found[found["method"].map(place) < found["other"].map(place)]
        # More digits would be most of the file, and say nothing.
        once = once.round({"difference": 6, "p_value": 8})
        tidy.append(once.assign(**view.key)[[*_KEY, *_PAIR]])
        if view.is_main:
            blocks.append(_pair_block(suite, view, found))
            blocks += _bayes_block(suite, view)
    if not tidy:
        why = "No two methods of this suite have scores on the same dataset"
        return nothing("pairs", caption, [*_KEY, *_PAIR], why)
    notes = [
        "Method of the row less method of the column: mean difference in points, wins / ties / "
        "losses, p-value of Wilcoxon's test corrected by Holm; bold where it is below "
        f"{suite.significance_level:g}",
        "Methods in the order of their mean; gaps count as random features, where these are in the "
        "suite",
    ]
    return Table("pairs", caption, pd.concat(tidy, ignore_index=True), blocks, notes)


def _pair_block(suite: Suite, view: View, found: pd.DataFrame) -> Block:
    order = [name for name in view.content["methods"] if name in set(found["method"])]
    cells = {(row.method, row.other): _pair_cell(row, suite) for row in tuples(found)}
    rows = [
        Row([Cell(suite.title(a)), *(cells.get((a, b), Cell("–")) for b in order)]) for a in order
    ]
    title = view_title(view, counted(view.n_datasets, "dataset"))
    return Block(["Method", *map(suite.title, order)], rows, title)


def _pair_cell(row: Any, suite: Suite) -> Cell:
    p_value = "" if pd.isna(row.p_value) else f", p {row.p_value:.2g}"
    text = f"{row.difference:+.1f} ({row.wins}/{row.ties}/{row.losses}{p_value})"
    return Cell(text, row.difference, "best" if row.p_value < suite.significance_level else "")


def _bayes_block(suite: Suite, view: View) -> list[Block]:
    """Probabilities of the Bayesian signed-rank test; nothing without BLUFS or a second dataset."""
    chances = view.content["bayes"]
    if not chances:
        return []
    outcomes = ("better", "equal", "worse")
    rows = [
        Row([Cell(suite.title(m)), *(number_cell(chances[m][k], "{:.2f}") for k in outcomes)])
        for m in view.content["methods"]
        if m in chances
    ]
    name = suite.title(METHOD_UNDER_STUDY)
    columns = ["Against", f"{name} better", "Within one point", f"{name} worse"]
    title = view_title(view, counted(view.n_datasets, "dataset"))
    return [Block(columns, rows, f"{title}: Bayesian signed-rank test")]


def ranks(results: SuiteResults, suite: Suite, comparison: Comparison) -> Table:
    """Average rank of every method by every metric and choice, and the tests of them."""
    caption = "Average ranks over the datasets (1 is best)"
    names = ["method", "average_rank", "metric", "choice", "n_datasets"]
    if not comparison.tests or not suite.ranked_methods:
        why = NO_LABELS if not comparison.tests else "No method of this suite selects features"
        return nothing("ranks", caption, names, why)
    tidy, tests, blocks = [], [], []
    notes: list[str] = []
    for metric, choices in comparison.tests.items():
        columns = {}
        for choice, tested in choices.items():
            mean = pd.Series(tested["average_ranks"], dtype=float).reindex(suite.ranked_methods)
            columns[choice] = mean
            tests.append(_test_row(suite, metric, choice, tested))
            notes.extend(note for note in tested["notes"] if note not in notes)
            named = pd.DataFrame({"method": mean.index, "average_rank": mean.to_numpy()})
            n_datasets = len(tested["datasets"])
            tidy.append(named.assign(metric=metric, choice=choice, n_datasets=n_datasets))
        blocks.append(_rank_block(suite, columns, METRICS[metric].title))
    titles = ["Metric", "Choice", "Datasets", "Friedman p", "Critical difference"]
    titles.append("Not different from the best")
    blocks.append(Block(titles, tests, f"Tests at the level {suite.significance_level:g}"))
    return Table("ranks", caption, pd.concat(tidy, ignore_index=True), blocks, notes)


def _rank_block(suite: Suite, columns: Mapping[str, pd.Series], title: str) -> Block:
    marks = {key: mark_row(list(mean), larger_is_better=False) for key, mean in columns.items()}
    rows = [
        Row(
            [
                *words(suite.title(method)),
                *(number_cell(columns[key].iloc[i], "{:.2f}", marks[key][i]) for key in columns),
            ]
        )
        for i, method in enumerate(suite.ranked_methods)
    ]
    return Block(["Method", *(CHOICES[key].short for key in columns)], rows, title)


def _test_row(suite: Suite, metric: str, choice: str, tested: Mapping[str, Any]) -> Row:
    """The tests of one metric and choice, and who cannot be told from the best."""
    order = sorted(tested["average_ranks"], key=tested["average_ranks"].__getitem__)
    p_values = tested["nemenyi"][order[0]] if tested["nemenyi"] else {}
    level = tested["significance_level"]
    alike = [suite.title(m) for m in order[1:] if p_values.get(m, 0) >= level]
    return Row(
        [
            *words(METRICS[metric].short, CHOICES[choice].short),
            count_cell(len(tested["datasets"])),
            number_cell((tested["friedman"] or {}).get("p_value"), "{:.3g}"),
            number_cell(tested["critical_difference"], "{:.2f}"),
            Cell((", ".join(alike) or "none") if p_values else "n/a"),
        ]
    )
