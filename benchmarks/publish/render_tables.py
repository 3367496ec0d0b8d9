"""Put the tables of benchmarks/results into the marked places of docs/solver.md."""

from __future__ import annotations

import re

from benchmarks.harness import ROOT, markdown, read

DOCUMENT = ROOT / "docs" / "solver.md"


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


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    for name, table in (("w_step", w_step), ("choices", choices), ("speed", speed)):
        block = f"<!-- table {name} -->\n{table()}\n<!-- end -->"
        text = re.sub(rf"<!-- table {name} -->.*?<!-- end -->", block, text, flags=re.DOTALL)
    DOCUMENT.write_text(text)
