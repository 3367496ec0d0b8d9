"""Put the tables of benchmarks/results, and those of the code, into the marked places of documents.

``python -m benchmarks.tables``. A place is ``<!-- table NAME -->`` to ``<!-- end -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.evidence import defaults, neural, training_half
from benchmarks.harness import ROOT, markdown, read
from benchmarks.publish import advice, reference_pages
from benchmarks.speed import (
    distributed,
    large,
    memory,
    methods_speed,
    neighbor_indexes,
    scaling_law,
    suite_times,
)

REFERENCE = ("result-files", "configuration", "datasets", "inputs")
DOCUMENTS = [
    ROOT / "docs" / "choosing.md",
    ROOT / "docs" / "concepts" / "protocol.md",
    ROOT / "docs" / "guides" / "neural-selectors.md",
    ROOT / "docs" / "performance.md",
    ROOT / "docs" / "guides" / "large-data.md",
    ROOT / "docs" / "deviations.md",
    ROOT / "docs" / "solver.md",
    *sorted((ROOT / "docs/methods").glob("*.md")),
    *(ROOT / "docs/reference" / f"{name}.md" for name in REFERENCE),
    ROOT / "benchmarks" / "README.md",
    ROOT / "benchmarks" / "evidence" / "README.md",
]


def machine() -> str:
    report = read("machine")
    loads = [script["load"] for script in report["scripts"].values()]
    return (
        f"{report['cpu']}, {report['cores']} cores, numpy {report['numpy']}; load at the start of "
        f"the scripts {min(loads):.1f} to {max(loads):.1f}."
    )


def w_step() -> str:
    rows = [
        [r["dataset"], r["s"], r["rule"], r["objective"], r["ACC"], r["seconds"]]
        for r in read("w_step_comparison")
    ]
    return markdown(["data", "s", "rule", "objective", "ACC", "CPU s"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "machine": machine,
    "growth": scaling_law.growth_table,
    "graphs": scaling_law.graph_table,
    "memory": memory.table,
    "precision": memory.precision_table,
    "sparse_in_memory": lambda: large.tables()[0],
    "planted": lambda: large.tables()[1],
    "on_disk": lambda: large.tables()[2],
    "many_features": lambda: large.tables()[3],
    "distributed": distributed.passes_table,
    "distributed_plan": distributed.planned_table,
    "distributed_memory": distributed.planned_memory_table,
    "neighbor_indexes": neighbor_indexes.table,
    "methods_speed": methods_speed.table,
    "methods_scale": methods_speed.table_large,
    "suites": suite_times.table,
    "w_step": w_step,
    **defaults.TABLES,
    **reference_pages.TABLES,
    **advice.TABLES,
    **training_half.TABLES,
    **neural.TABLES,
}
PLACE = re.compile(r"<!-- table (\w+) -->.*?<!-- end -->", flags=re.DOTALL)


def fill(text: str) -> str:
    """The text with a fresh table in every marked place."""
    return PLACE.sub(lambda m: f"<!-- table {m[1]} -->\n{TABLES[m[1]]()}\n<!-- end -->", text)


def render(documents: list[Path] = DOCUMENTS) -> None:
    for document in documents:
        document.write_text(fill(document.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    render()
