"""Write docs/results/README.md from the kept suites: ``python -m benchmarks.publish.results_page``.

Every number and sentence of the page is made from the rows in docs/results/<suite>/, where
keep_results.py put them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from benchmarks.harness import markdown
from benchmarks.publish import second_run
from benchmarks.publish.kept import FOLDER, Kept, kept_suites
from blufs_bench.compare.pairs import rival_tests
from blufs_bench.files.atomic import read_json
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    METHOD_UNDER_STUDY,
    METRICS,
    RANDOM_FEATURES,
    counted,
    domain_title,
)
from blufs_bench.show.leaderboard import (
    gain_cell,
    gain_column,
    leaderboard,
    name_column,
    number_column,
    values_column,
    wins_column,
)
from blufs_bench.show.tables.render import markdown_block

#: What is shown first: the metric and the choice of a user without labels.
METRIC, CHOICE = "clustering_acc", "default"
#: The choices of the tables; the report has all.
SHOWN_CHOICES = ("default", "blind", "oracle")
#: An NMI, in %, that a partition by chance can have; below it classes are no clusters.
LEAST_NMI = 5
EMPTY = """# Results

The results of a full run of this version will stand here. Until then, `make run` makes a small
report on your machine, and `snakemake --cores 16 --config suite=wide` the large comparison.
"""
HEAD = """# Results

[The protocol](../concepts/protocol.md) explains the metrics, [choices](../concepts/choices.md) how
settings are chosen. Every suite below was made by `snakemake --config suite=<suite>` (`judge` and
`single_cells` by `--configfile benchmarks/config/<suite>.yaml`) and kept by
`python -m benchmarks.publish.keep_results <suite>`: its scores and selections are the Parquet files
of its folder. `python -m benchmarks.publish.results_page` makes this page from them, and
`make site` the reports with all tables and figures.

The suite `judge` holds the datasets by whose labels nothing was chosen. In the others the defaults
of BLUFS and the rule of the blind choice were picked with the labels of most datasets in sight, so
that gains and p-values of BLUFS there are those of data that it was developed on. The other methods
run with the defaults of their papers or public code."""


def board(kept: Kept) -> str:
    """Every method with its default setting, best ACC first."""
    view = kept.view(METRIC, CHOICE)
    if view is None:
        return ""
    records = {metric: kept.methods(metric, CHOICE) for metric in kept.comparison.metrics}
    methods = view.content["methods"]
    columns = [number_column("place", "place", "{:.0f}"), name_column(kept.title, "method")]
    if view.content["has_random"]:
        columns.append(gain_column("gain over random", stars=True))
    for key, form, scale, header in (
        ("mean", "{:.1f}", 100, "{}"),
        ("rank", "{:.2f}", 1, "rank {}"),
    ):
        for metric, rows in records.items():
            values = {name: row[key] for name, row in rows.items()}
            short = header.format(METRICS[metric].short)
            columns.append(values_column(short, values, form, scale=scale))
    if view.content["has_random"]:
        columns.append(wins_column("wins / ties / losses"))
    text = (
        "Every method with its default setting. The gain is in points of ACC, with its 95 % "
        "interval over the datasets; ranks are averages, 1 is best; the last column counts the "
        "datasets on which a method is better than, equal to and worse than random features.\n\n"
        + markdown_block(leaderboard(methods, columns))
    )
    imputed = {kept.title(m): row["n_imputed"] for m, row in methods.items() if row["n_imputed"]}
    if imputed:
        named = ", ".join(f"{name} on {count}" for name, count in imputed.items())
        text += (
            "\n\n\\* Where a method has no result (it failed or was too slow), it counts as random "
            f"features: {named} of {counted(view.n_datasets, 'dataset')}."
        )
    return text


def by_domain(kept: Kept) -> str:
    """Who is first in every domain, and where BLUFS stands."""
    rows = []
    for domain in list(kept.comparison.domains)[1:]:
        view = kept.view(METRIC, CHOICE, domain)
        methods = view.content["methods"] if view else {}
        own = methods.get(METHOD_UNDER_STUDY)
        ranked = {n: row for n, row in methods.items() if row["place"] is not None and row != own}
        if own is None or not ranked:
            continue
        best = min(ranked, key=lambda name: ranked[name]["place"])
        rows.append(
            [
                domain_title(domain),
                view.n_datasets,
                f"{own['place']} of {len(ranked) + 1}",
                _percent(own["mean"]),
                gain_cell(own).text if view.content["has_random"] else "",
                f"{kept.title(best)} {_percent(ranked[best]['mean'])}",
            ]
        )
    header = ["domain", "datasets", "place of BLUFS", "ACC", "gain over random", "best other"]
    return "By domain, ACC with default settings:\n\n" + markdown(header, rows) if rows else ""


def by_dataset(kept: Kept) -> str:
    """BLUFS against the best other method and random features on every dataset, losses first."""
    scores, nmi, knn = (
        100 * kept.scores(metric, CHOICE).drop(columns=ALL_FEATURES, errors="ignore")
        for metric in (METRIC, "nmi", "knn_accuracy")
    )
    if METHOD_UNDER_STUDY not in scores:
        return ""
    scores = scores[scores[METHOD_UNDER_STUDY].notna()]
    own, others = scores[METHOD_UNDER_STUDY], scores.drop(columns=METHOD_UNDER_STUDY)
    lead = (own - others.max(axis=1)).sort_values(kind="stable")
    nothing = pd.Series(float("nan"), index=scores.index)
    random = scores.get(RANDOM_FEATURES, nothing)
    tried = others.drop(columns=RANDOM_FEATURES, errors="ignore")
    above = 100 * tried.gt(random, axis=0).sum(axis=1) / max(1, tried.shape[1])
    more = knn[METHOD_UNDER_STUDY] - knn.get(RANDOM_FEATURES, nothing)
    rows = [
        [
            kept.title(name),
            _decimal(own[name]),
            kept.title(others.loc[name].idxmax()),
            f"{lead[name]:+.1f}",
            *(_decimal(gap[name], "{:+.1f}") for gap in (own - random, more)),
            "" if pd.isna(random[name]) else f"{above[name]:.0f} %",
            _decimal(nmi.loc[name].max()),
        ]
        for name in lead.index
    ]
    header = ["dataset", "ACC of BLUFS", "best other", "BLUFS less it", "less random"]
    header += ["k-NN less random", "others above random", "best NMI"]
    return (
        f"BLUFS has the best ACC of all methods on {(lead > 0).sum()} of {len(lead)} datasets, "
        "with default settings. Differences are in points of ACC, once of k-NN accuracy; the share "
        "is that of the other methods that are better than random features. Where none reaches "
        f"an NMI of {LEAST_NMI} %, classes are no clusters, and ACC says little about the "
        "features.\n\n" + markdown(header, rows)
    )


def rivals(kept: Kept) -> str:
    """BLUFS less every other method in every metric, with the tests."""
    views = [kept.view(metric, CHOICE) for metric in kept.comparison.metrics]
    found = [view.pairs() for view in views if view is not None]
    found = [pairs[pairs["method"] == METHOD_UNDER_STUDY].set_index("other") for pairs in found]
    if not found or any(pairs.empty for pairs in found):
        return ""

    comparison = kept.comparison
    alone = [
        rival_tests(comparison.matrix(metric, CHOICE), METHOD_UNDER_STUDY, comparison.studies)
        for metric in comparison.metrics
    ]

    def cell(row: pd.Series, among_rivals: float) -> str:
        shown = f"{row['difference']:+.1f}, {row['wins']:.0f} / {row['losses']:.0f}"
        p = row["p_value"]
        return shown if pd.isna(p) else f"{shown}, {among_rivals:.2g} ({p:.2g})"

    rows = [
        [
            kept.title(name),
            *(cell(pairs.loc[name], p[name]) for pairs, p in zip(found, alone, strict=True)),
        ]
        for name in found[0].index
    ]
    header = ["BLUFS less", *(METRICS[metric].short for metric in comparison.metrics)]
    text = (
        "Default settings: difference in points, datasets won / lost, and two p-values of "
        "Wilcoxon's test over the studies. The first is corrected by Holm over the comparisons of "
        "BLUFS with each rival, which is the family of the question whether BLUFS beats them; the "
        "one in brackets over all pairs of methods, which is stricter:\n\n"
    )
    return text + markdown(header, rows)


def choices(kept: Kept) -> str:
    """Averages of every method by how its setting was chosen."""
    found = {
        (metric, choice): kept.methods(metric, choice)
        for metric in kept.comparison.metrics
        for choice in SHOWN_CHOICES
        if kept.methods(metric, choice)
    }
    columns = [name_column(kept.title, "method")]
    for (metric, choice), rows in found.items():
        means = {name: row["mean"] for name, row in rows.items()}
        header = f"{METRICS[metric].short} {CHOICES[choice].short.lower()}"
        columns.append(values_column(header, means, "{:.1f}", scale=100))
    methods = kept.methods(METRIC, CHOICE) or next(iter(found.values()))
    table = markdown_block(leaderboard(methods, columns))
    return "Averages over the datasets by choice of settings, in %:\n\n" + table


def tests(kept: Kept) -> str:
    """What the tests can tell: Friedman, critical difference, Nemenyi."""
    blocks = kept.table("ranks").blocks
    if not blocks:
        return ""
    return (
        "Tests over the datasets on which every method has a result. Two average ranks differ by "
        "Nemenyi's test if they are further apart than the critical difference; the last column "
        "names the methods that it cannot tell from the best.\n\n" + markdown_block(blocks[-1])
    )


def ablation(kept: Kept) -> str:
    """Averages of BLUFS and its variants."""
    return "\n\n".join(
        f"Averages in %, {block.title[0].lower()}{block.title[1:]}:\n\n"
        + markdown_block(replace(block, rows=[row for row in block.rows if row.is_summary]))
        for block in kept.table("ablation").blocks
        if block.title == CHOICES[CHOICE].title
    )


def paper(kept: Kept) -> str:
    """The paper's averages over the datasets that we have too, and ours."""
    tidy = kept.table("paper_vs_ours").tidy
    # A suite of other data as well has other grids than the paper.
    view = kept.view(METRIC, CHOICE)
    if view is None or not set(view.content["datasets"]) <= set(tidy["dataset"]):
        return ""
    shared = tidy[
        (tidy["kind"] == "average of shared datasets") & tidy["choice"].isin(SHOWN_CHOICES)
    ]
    rows = []
    for (quantity, method), group in shared.groupby(["quantity", "method"], sort=False):
        ours = group.set_index("choice")["ours"]
        values = [_decimal(ours.get(choice)) for choice in SHOWN_CHOICES]
        name = METRICS[quantity].short if quantity in METRICS else quantity
        rows.append([name, kept.title(method), _decimal(group["paper"].iloc[0]), *values])
    header = ["metric", "method", "paper", *(f"ours, {choice}" for choice in SHOWN_CHOICES)]
    text = "Averages over the paper's datasets that are public, in %:\n\n"
    return text + markdown(header, rows) if rows else ""


def synthetic(kept: Kept) -> str:
    """Real features that are found among noise."""
    tidy = kept.table("synthetic").tidy
    shown = tidy[tidy["method"].isin([METHOD_UNDER_STUDY, RANDOM_FEATURES])]
    rows = [
        [kept.title(dataset), kept.title(method)]
        + [f"{row.found:.3g} of {row.of:.0f}" for row in group.itertuples()]
        for (dataset, method), group in shown.groupby(["dataset", "method"], sort=False)
    ]
    if not rows:
        return ""
    header = ["dataset", "method", *(CHOICES[choice].short for choice in shown["choice"].unique())]
    text = "As many features are selected as are real; so many of them are:\n\n"
    return text + markdown(header, rows)


def files(kept: Kept) -> str:
    found = [f"[{path.name}]({kept.name}/{path.name})" for path in sorted(kept.folder.iterdir())]
    return (
        f"{', '.join(found)}. "
        f'`blufs_bench.results.suite.load("docs/results/{kept.name}")` reads them; '
        f"`python -m blufs_bench.show.suite docs/results/{kept.name}` builds the report."
    )


#: The parts of a suite's section, in their order; a part with nothing to say is left out.
PARTS: dict[str, Callable[[Kept], str]] = {
    "Leaderboard": board,
    "Domains": by_domain,
    "BLUFS and its rivals": rivals,
    "Datasets": by_dataset,
    "Choices": choices,
    "Tests": tests,
    "Ablation": ablation,
    "The paper": paper,
    "Artificial data": synthetic,
    "Files": files,
}


def section(kept: Kept) -> str:
    view = kept.view(METRIC, CHOICE)
    verdict = kept.comparison.verdict.partition("\n\n")[0]
    answer = view.content["answer"] if view else ""
    made = read_json(kept.folder / "provenance.json")
    origin = f"Made by version {made['version']} at commit `{str(made['commit'])[:7]}`."
    parts = [f"## Suite `{kept.name}`", answer, verdict, kept.note, origin]
    for name, part in PARTS.items():
        text = part(kept)
        parts += [f"### {name}", text] if text else []
    return "\n\n".join(filter(None, parts))


def page(folder: Path = FOLDER) -> str:
    """The page of all kept suites: first those that judge, then the widest."""

    def place(kept: Kept) -> tuple[bool, int]:
        roles = {card.get("role") for card in kept.results.cards.values()}
        return roles != {"judge"}, -len(kept.suite.datasets)

    kept = sorted(kept_suites(folder), key=place)
    if not kept:
        return EMPTY
    parts = [HEAD, *map(section, kept)]
    if second_run.OUTPUT.exists():
        parts.append("## Run again\n\n" + second_run.sentences())
    return "\n\n".join(parts) + "\n"


def _percent(mean: float | None) -> str:
    return "n/a" if mean is None or pd.isna(mean) else f"{100 * mean:.1f}"


def _decimal(value: float | None, form: str = "{:.1f}") -> str:
    return "" if value is None or pd.isna(value) else form.format(value)


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(page(), encoding="utf-8")
