"""What the jobs on a large sparse dataset have used: peak memory and processor time.

    snakemake --cores 1 --configfile benchmarks/config/k1b.yaml
    python -m benchmarks.speed.job_usage

Reads the logs of the jobs of that run, which end with what they have used.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from benchmarks.harness import ROOT, markdown, save
from blufs_bench.datasets.storage import read_card
from blufs_bench.plan.jobs import Plan
from blufs_bench.plan.read import read_plan
from blufs_bench.plan.resources import PREPARING, SCORING, needed_mb
from blufs_bench.results.records import read_records
from blufs_bench.run.purpose import Purpose
from blufs_bench.run.usage import usage_of_log

#: A dense copy of this one is what its sparse form spares.
SPARSE = "k1b"


def usage_of_suite(plan: Plan, folder: Path) -> list[dict[str, Any]]:
    """One row per job that fits or scores and whose log is there."""
    rows = []
    logs, results = folder / "logs" / plan.suite_name, folder / "results" / plan.suite_name
    for dataset in plan.datasets:
        card_path = results / "data" / dataset / "card.json"
        if not card_path.exists():
            continue
        card = read_card(card_path)
        for stage, method, path, likely, takes_sparse in _jobs(plan, logs, dataset):
            usage = usage_of_log(path)
            if usage is None:
                continue
            status = "ok"
            if stage == "select":
                found = results / "selections" / dataset / method / f"{path.stem}.json"
                failed = [r["status"] for r in read_records([found]) if r["status"] != "ok"]
                status = failed[0] if failed else "ok"
            rows.append(
                {
                    "dataset": dataset,
                    "n": card["n_samples"],
                    "d": card["n_features"],
                    "density": card["density"] if card["sparse"] else None,
                    "stage": stage,
                    "method": method,
                    "takes_sparse": takes_sparse,
                    "status": status,
                    "memory_mb": usage.memory_mb,
                    "cpu_seconds": usage.cpu_seconds,
                    "asked_mb": round(likely),
                }
            )
    return rows


def _jobs(plan: Plan, logs: Path, dataset: str) -> Iterator[tuple[str, str, Path, float, bool]]:
    """Stage, method, log, memory asked for, and whether sparse data stay sparse, of every job."""
    size = plan.data_size(dataset)
    yield "preprocess", "", logs / f"preprocess/{dataset}.log", needed_mb(size, PREPARING), True
    for method in (m for d, m in plan.pairs() if d == dataset):
        sparse = plan.takes_sparse(method)
        for part in plan.select_parts(dataset, method):
            path = logs / "select" / dataset / method / f"{part}.log"
            yield "select", method, path, plan.fit_mb(dataset, method), sparse
        for part in plan.evaluate_parts(dataset, method):
            path = logs / "evaluate" / dataset / method / f"{part}.log"
            yield "evaluate", method, path, needed_mb(size, SCORING), True


def table(rows: list[dict[str, Any]]) -> str:
    """The jobs on the sparse dataset, against its dense copy."""
    here = [row for row in rows if row["dataset"] == SPARSE]
    if not here:
        return "not measured"
    n, d = here[0]["n"], here[0]["d"]
    dense = n * d * 8 / 1e6
    scored = {row["method"]: row for row in here if row["stage"] == "evaluate"}
    fits = [row for row in here if row["stage"] == "select"]
    fits.sort(key=lambda row: (not row["takes_sparse"], row["memory_mb"]))
    body = [
        [
            row["method"],
            "sparse" if row["takes_sparse"] else "dense copy",
            row["status"],
            round(row["memory_mb"]),
            round(scored[row["method"]]["memory_mb"]) if row["method"] in scored else "",
            row["asked_mb"],
            row["cpu_seconds"],
        ]
        for row in fits
    ]
    header = ["method", "input", "status", "fit, MB", "scores, MB", "asked for a fit, MB", "fit, s"]
    kept = [row["memory_mb"] for row in fits if row["takes_sparse"]]
    words = (
        f"{SPARSE} has {n} samples and {d} features, {100 * here[0]['density']:.2g} % of the "
        f"entries not zero; a dense copy would take {dense:.0f} MB. The jobs of methods that take "
        f"sparse data hold {min(kept):.0f} to {max(kept):.0f} MB at most, the interpreter with its "
        "packages included."
    )
    return f"{words}\n\n{markdown(header, body)}"


def measured(config: str, folder: Path) -> list[dict[str, Any]]:
    values = yaml.safe_load(Path(config).read_text(encoding="utf-8"))
    return usage_of_suite(
        read_plan(values, ROOT, Purpose.LOOK, folder / "results"),
        folder,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configfile", default=str(ROOT / "benchmarks/config/k1b.yaml"))
    parser.add_argument("--folder", type=Path, default=ROOT, help="where the suite was run")
    arguments = parser.parse_args()
    found = measured(arguments.configfile, arguments.folder)
    save("job_usage", found)
    print(table(found))
