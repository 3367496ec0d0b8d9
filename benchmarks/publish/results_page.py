"""Write docs/results/README.md from the kept suites: ``python -m benchmarks.publish.results_page``.

Every number and sentence of the page is read from docs/results/<suite>/ (statistics.json and
tables/), where keep_results.py put them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from benchmarks.harness import markdown
from benchmarks.publish import compare_runs
from blufs.analysis.figures.catalog import SCATTER, figure_spec
from blufs.analysis.tables.catalog import TABLES
from blufs.results.vocabulary import CHOICES, METRICS

FOLDER = Path(__file__).parents[2] / "docs" / "results"

EMPTY = """# Results

The results of a full run of this version will stand here. Until then, `make run` makes a small
report on your machine, and `snakemake --cores 16 --config suite=wide` the large comparison.
"""
HEAD = """# Results

[The protocol](../concepts/protocol.md) explains the metrics, [choices](../concepts/choices.md) how
settings are chosen. Every suite below was made by `snakemake --config suite=<suite>`, kept by
`python -m benchmarks.publish.keep_results <suite>`, and put on this page by
`python -m benchmarks.publish.results_page`."""


class Kept:
    """The kept files of one suite."""

    def __init__(self, folder: Path):
        self.folder, self.suite = folder, folder.name

    @property
    def statistics(self) -> dict:
        return json.loads((self.folder / "statistics.json").read_text(encoding="utf-8"))

    def table(self, name: str) -> pd.DataFrame:
        path = self.folder / "tables" / f"{name}.csv"
        return pd.read_csv(path, keep_default_na=False, na_values=[""])

    def has(self, name: str) -> bool:
        return (self.folder / "tables" / f"{name}.csv").exists()

    def links(self) -> str:
        """Links to what is kept: tables, figures and the report."""
        found = [
            f"[{TABLES[path.stem].title}]({self.suite}/tables/{path.name})"
            for path in sorted(self.folder.glob("tables/*.md"))
            if path.stem in TABLES
        ]
        lines = [f"Tables: {', '.join(found)}."] if found else []
        figures = [
            f"[{figure_spec(path.stem).title}]({self.suite}/figures/{path.name})"
            for path in sorted(self.folder.glob("figures/*.png"))
            if not path.stem.startswith(SCATTER)
        ]
        if figures:
            lines.append(f"Figures: {', '.join(figures)}.")
        if (self.folder / "report.html").exists():
            lines.append(f"All on one page: [the report]({self.suite}/report.html).")
        return "\n\n".join(lines)


def averages(kept: Kept) -> str:
    """Average of every method, metric and choice, in percent."""
    rows, methods = [], []
    for metric in METRICS:
        if not kept.has(metric):
            continue
        table = kept.table(metric)
        table = table[table["kind"] == "average"] if len(table) else table
        for choice in CHOICES:
            means = table[table["choice"] == choice].set_index("method")["mean"]
            methods = methods or list(means.index)
            if len(means):
                shown = [_percent(means.get(method)) for method in methods]
                rows.append([METRICS[metric].short, CHOICES[choice].short, *shown])
    return markdown(["metric", "choice", *methods], rows) if rows else "No data with labels."


def _percent(mean: float | None) -> str:
    return "n/a" if mean is None or pd.isna(mean) else f"{100 * mean:.1f}"


def tests(kept: Kept) -> str:
    """Average rank of every method, with Friedman's test and the critical difference."""
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
                    ", ".join(f"{method} {rank:.2f}" for method, rank in ranks[:3]) or "n/a",
                    f"{friedman['p_value']:.2g}" if friedman else "n/a",
                    f"{difference:.2f}" if difference else "n/a",
                ]
            )
    header = ["metric", "choice", "datasets", "best average ranks", "Friedman p"]
    return markdown([*header, "critical difference"], rows) if rows else "No test is defined."


def section(kept: Kept) -> str:
    parts = [
        f"## Suite `{kept.suite}`",
        kept.statistics["verdict"],
        "Averages over the datasets, in %:",
        averages(kept),
        "Average ranks (1 is best) and the tests of them:",
        tests(kept),
        kept.links(),
    ]
    return "\n\n".join(filter(None, parts))


def page(folder: Path = FOLDER) -> str:
    """The page of all kept suites."""
    kept = [Kept(path.parent) for path in sorted(folder.glob("*/statistics.json"))]
    if not kept:
        return EMPTY
    parts = [HEAD, *map(section, kept)]
    if compare_runs.OUTPUT.exists():
        parts.append("## Run again\n\n" + compare_runs.second_run())
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(page(), encoding="utf-8")
