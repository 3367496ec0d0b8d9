"""Write docs/results/README.md from the kept suites: ``python -m benchmarks.publish.results_page``.

Every number and sentence of the page is read from docs/results/<suite>/ (statistics.json and
tables/), where keep_results.py put them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks.harness import markdown
from benchmarks.publish import second_run
from benchmarks.publish.kept import FOLDER, Kept, kept_suites
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    METHOD_UNDER_STUDY,
    METRICS,
    RANDOM_FEATURES,
    counted,
    domain_title,
)
from blufs_bench.show.figures.catalog import FIGURES
from blufs_bench.show.tables.catalog import TABLES

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
settings are chosen. Every suite below was made by `snakemake --config suite=<suite>`
(`single_cells` by `--configfile benchmarks/config/single_cells.yaml`), kept by
`python -m benchmarks.publish.keep_results <suite>`, and put on this page by
`python -m benchmarks.publish.results_page`.

The defaults of BLUFS and the rule of the blind choice were picked with the labels of most of these
datasets in sight, [leaving out one at a time](../solver.md). The other methods run with the
defaults of their papers or public code. So gains and p-values of BLUFS are those of data that it
was developed on, and new data may show less."""


def leaderboard(kept: Kept) -> str:
    """Every method with its default setting, best ACC first."""
    view = kept.view(METRIC, CHOICE)
    if view is None:
        return ""
    views = {metric: kept.view(metric, CHOICE) for metric in kept.metrics()}
    rows = []
    for name, row in view["methods"].items():
        place = row["place"] or ""
        means = [_percent(_entry(found, name, "mean")) for found in views.values()]
        ranks = [_decimal(_entry(found, name, "rank")) for found in views.values()]
        rows.append([place, kept.title(name), _gain(row), *means, *ranks, _record(row)])
    shorts = [METRICS[metric].short for metric in views]
    header = ["place", "method", "gain over random", *shorts, *(f"rank {s}" for s in shorts)]
    imputed = {
        kept.title(m): row["n_imputed"] for m, row in view["methods"].items() if row["n_imputed"]
    }
    text = (
        "Every method with its default setting. The gain is in points of ACC, with its 95 % "
        "interval over the datasets; ranks are averages, 1 is best; the last column counts the "
        "datasets on which a method is better than, equal to and worse than random features.\n\n"
        + markdown([*header, "wins/ties/losses"], rows)
    )
    if imputed:
        named = ", ".join(f"{name} on {count}" for name, count in imputed.items())
        text += (
            "\n\nWhere a method has no result (it failed or was too slow), it counts as random "
            f"features: {named} of {counted(len(view['datasets']), 'dataset')}."
        )
    return text


def by_domain(kept: Kept) -> str:
    """Who is first in every domain, and where BLUFS stands."""
    rows = []
    for domain in kept.domains(METRIC, CHOICE):
        view = kept.view(METRIC, CHOICE, domain)
        ranked = {
            name: row
            for name, row in view["methods"].items()
            if row["place"] is not None and name != METHOD_UNDER_STUDY
        }
        own = view["methods"].get(METHOD_UNDER_STUDY)
        best = min(ranked, key=lambda name: ranked[name]["place"], default=None)
        if own is None or best is None:
            continue
        rows.append(
            [
                domain_title(domain),
                len(view["datasets"]),
                f"{own['place']} of {len(ranked) + 1}",
                _percent(own["mean"]),
                _gain(own),
                f"{kept.title(best)} {_percent(ranked[best]['mean'])}",
            ]
        )
    header = ["domain", "datasets", "place of BLUFS", "ACC", "gain over random", "best other"]
    return "By domain, ACC with default settings:\n\n" + markdown(header, rows) if rows else ""


def losses(kept: Kept) -> str:
    """The datasets on which BLUFS is not the best, and those on which random features win."""
    scores = kept.scores(METRIC, CHOICE).drop(columns=ALL_FEATURES, errors="ignore")
    if METHOD_UNDER_STUDY not in scores:
        return ""
    own = scores[METHOD_UNDER_STUDY]
    others = scores.drop(columns=METHOD_UNDER_STUDY)[own.notna()]
    lead = 100 * (others.max(axis=1) - own[own.notna()])
    behind = lead[lead > 0].sort_values(ascending=False)
    named = [
        f"{kept.title(name)} (by {kept.title(others.loc[name].idxmax())}, {behind[name]:.1f})"
        for name in behind.index
    ]
    parts = [
        f"BLUFS has the best ACC of all methods on {(lead < 0).sum()} of {len(lead)} datasets."
        + (f" Beaten, and by how many points: {', '.join(named)}." if named else "")
    ]
    if RANDOM_FEATURES in scores:
        gap = (100 * (own - scores[RANDOM_FEATURES])).dropna().sort_values()
        lost = [f"{kept.title(name)} ({value:+.1f})" for name, value in gap[gap <= 0].items()]
        parts.append(
            "Datasets on which random features are at least as good as BLUFS: "
            + (", ".join(lost) or "none")
            + "."
        )
        tried = [m for m in scores if m not in (RANDOM_FEATURES, METHOD_UNDER_STUDY)]
        beaten = scores[tried].le(scores[RANDOM_FEATURES], axis=0).sum(axis=1) / len(tried)
        hard = [
            f"{kept.title(name)} ({100 * share:.0f} %)"
            for name, share in beaten.items()
            if share > 0.5
        ]
        parts.append(
            "Datasets on which most other methods are no better than random features, with the "
            f"share of these methods: {', '.join(hard) or 'none'}."
        )
    return "\n\n".join([*parts, *no_clusters(kept)])


def no_clusters(kept: Kept) -> list[str]:
    """The datasets whose classes no method finds by clustering, and what k-NN says there."""
    nmi, knn = (
        kept.scores(metric, CHOICE).drop(columns=ALL_FEATURES, errors="ignore")
        for metric in ("nmi", "knn_accuracy")
    )
    here = [name for name in nmi.index if 100 * nmi.loc[name].max() < LEAST_NMI]
    if not here or RANDOM_FEATURES not in knn:
        return []
    told = [
        f"{kept.title(name)} ({row[METHOD_UNDER_STUDY]:.1f} and {row[RANDOM_FEATURES]:.1f}; best "
        f"{kept.title(row.idxmax())}, {row.max():.1f})"
        for name, row in (100 * knn.loc[here]).iterrows()
    ]
    return [
        f"Datasets whose classes are not clusters: no method reaches an NMI of {LEAST_NMI} %, so "
        "that ACC there says little about the features. k-NN accuracy of BLUFS and of random "
        f"features on them: {', '.join(told)}."
    ]


def choices(kept: Kept) -> str:
    """Averages of every method by how its setting was chosen."""
    found = {
        (metric, choice): kept.view(metric, choice)
        for metric in kept.metrics()
        for choice in SHOWN_CHOICES
        if kept.view(metric, choice)
    }
    if not found:
        return "No data with labels."
    methods = list(next(iter(found.values()))["methods"])
    by_mean = kept.view(METRIC, CHOICE)
    methods = list(by_mean["methods"]) if by_mean else methods
    header = [f"{METRICS[m].short} {CHOICES[c].short.lower()}" for m, c in found]
    rows = [
        [kept.title(name), *(_percent(_entry(view, name, "mean")) for view in found.values())]
        for name in methods
    ]
    return "Averages over the datasets by choice of settings, in %:\n\n" + markdown(
        ["method", *header], rows
    )


def tests(kept: Kept) -> str:
    """What the tests can tell: Friedman, critical difference, Wilcoxon with Holm."""
    rows = []
    for metric, by_choice in kept.statistics["comparisons"].items():
        for choice, found in by_choice.items():
            ranks = sorted(found["average_ranks"].items(), key=lambda item: item[1])
            friedman, difference = found["friedman"], found["critical_difference"]
            rows.append(
                [
                    METRICS[metric].short,
                    CHOICES[choice].short,
                    str(len(found["datasets"])),
                    ", ".join(f"{kept.title(method)} {rank:.2f}" for method, rank in ranks[:3])
                    or "n/a",
                    f"{friedman['p_value']:.2g}" if friedman else "n/a",
                    f"{difference:.2f}" if difference else "n/a",
                    _not_told_apart(kept, metric, choice),
                ]
            )
    if not rows:
        return "No test is defined."
    header = ["metric", "choice", "datasets", "best average ranks", "Friedman p"]
    header += ["critical difference", "not told apart from BLUFS"]
    return (
        "Tests over the datasets on which every method has a result. Two average ranks differ by "
        "Nemenyi's test if they are further apart than the critical difference. The last column "
        "names the methods with p >= 0.05 by Wilcoxon's test with Holm's correction, over all "
        "datasets.\n\n" + markdown(header, rows)
    )


def _not_told_apart(kept: Kept, metric: str, choice: str) -> str:
    view = kept.view(metric, choice)
    p_values = against(view) if view else {}
    if not p_values:
        return "n/a"
    named = [
        f"{kept.title(m)} ({p:.2g})" for m, p in p_values.items() if p >= kept.statistics["alpha"]
    ]
    return "all" if len(named) == len(p_values) else ", ".join(named) or "none"


def against(view: dict) -> dict[str, float]:
    """Other method -> p-value of Wilcoxon's test with Holm's correction against BLUFS."""
    both = [(pair["method"], pair["other"], pair["p_value"]) for pair in view["pairs"]]
    found = {other: p for method, other, p in both if method == METHOD_UNDER_STUDY}
    return found | {method: p for method, other, p in both if other == METHOD_UNDER_STUDY}


def ablation(kept: Kept) -> str:
    """Averages of BLUFS and its variants."""
    table = kept.table("ablation")
    if table.empty or "kind" not in table:
        return ""
    means = table[table["kind"] == "average"]
    methods = list(dict.fromkeys(means["method"]))
    measured = table[(table["kind"] == "data") & table["mean"].notna()]
    n = measured["dataset"].nunique()
    rows = []
    for (metric, choice), group in means.groupby(["metric", "choice"], sort=False):
        values = group.set_index("method")["mean"]
        shown = [_percent(values.get(method)) for method in methods]
        rows.append([METRICS[metric].short, CHOICES[choice].short, *shown])
    if not rows:
        return ""
    header = ["metric", "choice", *map(kept.title, methods)]
    return f"Averages over {counted(n, 'dataset')}, in %:\n\n" + markdown(header, rows)


def paper(kept: Kept) -> str:
    """The paper's averages over the datasets that we have too, and ours."""
    table = kept.table("paper_vs_ours")
    # A suite of other data as well has other grids than the paper.
    compared = (kept.view(METRIC, CHOICE) or {}).get("datasets", [])
    if table.empty or not set(compared) <= set(table["dataset"].dropna()):
        return ""
    shared = table[
        (table["kind"] == "average of shared datasets") & table["choice"].isin(SHOWN_CHOICES)
    ]
    if shared.empty:
        return ""
    rows = []
    for (quantity, method), group in shared.groupby(["quantity", "method"], sort=False):
        ours = group.set_index("choice")["ours"]
        values = [_decimal(ours.get(choice), 1) for choice in SHOWN_CHOICES]
        name = METRICS[quantity].short if quantity in METRICS else quantity
        rows.append([name, kept.title(method), _decimal(group["paper"].iloc[0], 1), *values])
    header = ["metric", "method", "paper", *(f"ours, {choice}" for choice in SHOWN_CHOICES)]
    return "Averages over the paper's datasets that are public, in %:\n\n" + markdown(header, rows)


def synthetic(kept: Kept) -> str:
    """Real features that are found among noise."""
    table = kept.table("synthetic")
    if "found" not in table or table.empty:
        return ""
    known = [choice for choice in CHOICES if choice in set(table["choice"])]
    rows = []
    for (dataset, method), group in table.groupby(["dataset", "method"], sort=False):
        if method in (METHOD_UNDER_STUDY, RANDOM_FEATURES):
            found = group.set_index("choice")
            cells = [f"{found['found'].get(c):.3g} of {found['of'].get(c):.0f}" for c in known]
            rows.append([kept.title(dataset), kept.title(method), *cells])
    if not rows:
        return ""
    header = ["dataset", "method", *(CHOICES[choice].short for choice in known)]
    return "As many features are selected as are real; so many of them are:\n\n" + markdown(
        header, rows
    )


def links(kept: Kept) -> str:
    """Links to what is kept: tables, figures and the report."""
    found = [
        f"[{TABLES[path.stem].title}]({kept.suite}/tables/{path.name})"
        for path in sorted(kept.folder.glob("tables/*.md"))
        if path.stem in TABLES
    ]
    lines = [f"Tables: {', '.join(found)}."] if found else []
    figures = [
        f"[{FIGURES[path.stem].title}]({kept.suite}/figures/{path.name})"
        for path in sorted(kept.folder.glob("figures/*.png"))
        if path.stem in FIGURES
    ]
    if figures:
        lines.append(f"Figures: {', '.join(figures)}.")
    if (kept.folder / "report.html").exists():
        lines.append(f"All on one page: [the report]({kept.suite}/report.html).")
    return "\n\n".join(lines)


#: The parts of a suite's section, in their order; a part with nothing to say is left out.
PARTS: dict[str, Callable[[Kept], str]] = {
    "Leaderboard": leaderboard,
    "Domains": by_domain,
    "Where BLUFS loses": losses,
    "Choices": choices,
    "Tests": tests,
    "Ablation": ablation,
    "The paper": paper,
    "Artificial data": synthetic,
    "Files": links,
}


def section(kept: Kept) -> str:
    answer = (kept.view(METRIC, CHOICE) or {}).get("answer", "")
    verdict = kept.statistics["verdict"].partition("\n\n")[0]
    parts = [f"## Suite `{kept.suite}`", answer, verdict, kept.note]
    for name, part in PARTS.items():
        text = part(kept)
        parts += [f"### {name}", text] if text else []
    return "\n\n".join(filter(None, parts))


def page(folder: Path = FOLDER) -> str:
    """The page of all kept suites, the widest first."""
    kept = kept_suites(folder)
    if not kept:
        return EMPTY
    kept.sort(key=lambda suite: -len((suite.view(METRIC, CHOICE) or {}).get("datasets", [])))
    parts = [HEAD, *map(section, kept)]
    if second_run.OUTPUT.exists():
        parts.append("## Run again\n\n" + second_run.sentences())
    return "\n\n".join(parts) + "\n"


def _entry(view: dict | None, method: str, key: str) -> float | None:
    return (view or {"methods": {}})["methods"].get(method, {}).get(key)


def _gain(row: dict) -> str:
    if row.get("gain") is None:
        return ""
    if row.get("low") is None:
        return f"{row['gain']:+.1f}"
    return f"{row['gain']:+.1f} ({row['low']:+.1f} to {row['high']:+.1f})"


def _record(row: dict) -> str:
    return "" if row.get("wins") is None else f"{row['wins']}/{row['ties']}/{row['losses']}"


def _percent(mean: float | None) -> str:
    return "n/a" if mean is None or pd.isna(mean) else f"{100 * mean:.1f}"


def _decimal(value: float | None, digits: int = 2) -> str:
    return "" if value is None or pd.isna(value) else f"{value:.{digits}f}"


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(page(), encoding="utf-8")
