"""Put the tables of benchmarks/results, and those of the code, into the marked places of documents.

``python -m benchmarks.tables``. A place is ``<!-- table NAME -->`` to ``<!-- end -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.evidence import cluster_counts, feature_counts, tried_designs, views, wide_summary
from benchmarks.harness import ROOT, markdown, read
from benchmarks.publish import reference_pages
from benchmarks.speed import (
    distributed,
    large,
    memory,
    methods_speed,
    neighbor_indexes,
    scaling_law,
    startup,
    suite_times,
)

REFERENCE = ("result-files", "configuration", "datasets", "inputs")
DOCUMENTS = [
    ROOT / "docs" / "performance.md",
    ROOT / "docs" / "guides" / "large-data.md",
    ROOT / "docs" / "deviations.md",
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


def solver_speed() -> str:
    rows = [
        [name, what, float(value)]
        for name, values in read("solver_speed").items()
        for what, value in values.items()
    ]
    return markdown(["problem", "quantity", "value"], rows)


def aims() -> str:
    """What is asked of the speed, and what was measured."""
    rows = [
        [name, f"{sign} {bound:g}", f"{value:.3g}", "yes" if met else "**no**"]
        for name, sign, bound, value in _asked()
        for met in [value >= bound if sign == ">=" else value <= bound]
    ]
    return markdown(["what", "asked", "measured", "met"], rows)


def _asked() -> Iterator[tuple[str, str, float, float]]:
    exponents, peaks = read("growth")["exponents"], read("memory")
    yield "exponent of a fit in n, beyond its graph", "<=", 1.15, exponents["fit, n"]
    yield "exponent of a fit in d, beyond its graph", "<=", 1.1, exponents["fit, d"]
    for dtype, bound in (("float64", 1.5), ("float32", 0.75)):
        worst = max(shape[f"{dtype}_with_graph"] for shape in peaks["shapes"])
        yield f"peak memory in {dtype}, in X of float64, worst shape", "<=", bound, worst
    same = min(row["overlap"] for row in peaks["precision"])
    yield "share of a selection that float32 keeps, least", ">=", 0.95, same
    ratios = [
        (row["other_seconds"] or row["limit_seconds"]) / row["library_seconds"]
        for row in read("methods_speed")
    ]
    yield "times faster than another implementation, least", ">=", 1, min(ratios)
    disk = read("large")["disk"]["peak_bytes"] / 1e6
    yield "memory of a fit of 1.6 GB on disk, MB", "<=", 600, disk


TABLES: dict[str, Callable[[], str]] = {
    "machine": machine,
    "aims": aims,
    "speed": solver_speed,
    "growth": scaling_law.growth_table,
    "graphs": scaling_law.graph_table,
    "memory": memory.table,
    "precision": memory.precision_table,
    "sparse_in_memory": lambda: large.tables()[0],
    "planted": lambda: large.tables()[1],
    "on_disk": lambda: large.tables()[2],
    "distributed_plan": distributed.planned_table,
    "neighbor_indexes": neighbor_indexes.table,
    "methods_speed": methods_speed.table,
    "methods_scale": methods_speed.table_large,
    "suites": suite_times.table,
    "startup": startup.table,
    "w_step": w_step,
    "tried_designs": tried_designs.table,
    "cluster_counts": cluster_counts.table,
    "feature_counts": feature_counts.table,
    **views.TABLES,
    **wide_summary.TABLES,
    **reference_pages.TABLES,
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
