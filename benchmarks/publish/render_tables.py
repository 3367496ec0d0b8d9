"""Put the tables of benchmarks/results into the marked places of the docs."""

from __future__ import annotations

import re

from benchmarks.evidence import (
    cluster_counts,
    feature_counts,
    method_ranks,
    tried_designs,
    wide_summary,
)
from benchmarks.harness import ROOT, markdown, read

DOCUMENTS = [ROOT / "docs" / name for name in ("solver.md", "deviations.md")]


def w_step() -> str:
    rows = [
        [r["dataset"], r["s"], r["rule"], r["objective"], r["ACC"], r["seconds"]]
        for r in read("w_step_comparison")
    ]
    return markdown(["data", "s", "rule", "objective", "ACC", "CPU s"], rows)


def choices() -> str:
    rules = ["oracle", "default", "blind", "blind, graph of the data"]
    report = read("defaults_and_tuning")
    rows = [
        [
            name,
            result["paper"] or "",
            *(result[rule]["ACC"] for rule in rules),
            result["oracle"]["ACC"] - result["blind"]["ACC"],
        ]
        for name, result in report.items()
    ]
    known = [row for row in rows if row[1] != ""]
    means = [sum(column) / len(known) for column in list(zip(*known, strict=True))[1:]]
    rows.append(["mean of the paper's", *means])
    return markdown(["data", "paper", *rules, "regret of blind"], rows)


def speed() -> str:
    rows = [
        [name, what, float(value)]
        for name, values in read("solver_speed").items()
        for what, value in values.items()
    ]
    return markdown(["problem", "quantity", "value"], rows)


TABLES = {
    "w_step": w_step,
    "choices": choices,
    "speed": speed,
    "tried_designs": tried_designs.table,
    "method_ranks": method_ranks.table,
    "method_ranks_domains": method_ranks.by_domain,
    "cluster_counts": cluster_counts.table,
    "feature_counts": feature_counts.table,
    **wide_summary.TABLES,
}


def fill(text: str) -> str:
    """The text with a fresh table in every marked place."""
    for name, table in TABLES.items():
        place = rf"<!-- table {name} -->.*?<!-- end -->"
        if re.search(place, text, flags=re.DOTALL):
            block = f"<!-- table {name} -->\n{table()}\n<!-- end -->"
            text = re.sub(place, lambda _, block=block: block, text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(fill(document.read_text()))
