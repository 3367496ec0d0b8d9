"""What a finished run of a suite took: wall time, cores busy, overhead per job, slowest jobs.

Reads results/<suite>/*.parquet, which hold the seconds of fits and scores, Snakemake's records of
the jobs (.snakemake/metadata), and the logs of the jobs, which end with their processor time. Wall
time is the time with a job running, so that the pauses between partial runs do not count.
``python -m benchmarks.speed.suite_times another/clone`` measures the runs in another folder.
"""

from __future__ import annotations

import argparse
import base64
import json
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from benchmarks.harness import ROOT, read, save
from blufs_bench.files.atomic import read_json
from blufs_bench.results import load
from blufs_bench.run.usage import usage_of_log

SUITES = ("demo", "paper", "wide")


@dataclass(frozen=True)
class Job:
    rule: str
    output: str
    start: float
    seconds: float


def jobs_of(folder: Path, suite: str) -> list[Job]:
    """The jobs whose files lie in results/<suite>, each once, whatever it wrote."""
    found = {}
    for path in sorted((folder / ".snakemake" / "metadata").rglob("*")):
        # The name of a record is its file's path; long ones go over several folders.
        name = "".join(path.relative_to(folder / ".snakemake" / "metadata").parts)
        if not path.is_file():
            continue
        output = base64.b64decode(name.replace("@", "")).decode()
        record = json.loads(path.read_text())
        if output.startswith(f"results/{suite}/") and record.get("endtime"):
            start = record["starttime"]
            job = Job(record["rule"], output, start, record["endtime"] - start)
            found.setdefault((job.rule, *(record["log"] or [output])), job)
    return list(found.values())


def wall_seconds(jobs: list[Job]) -> float:
    """Seconds with at least one job running."""
    total, until = 0.0, float("-inf")
    for job in sorted(jobs, key=lambda job: job.start):
        end = job.start + job.seconds
        total += max(0.0, end - max(job.start, until))
        until = max(until, end)
    return total


def most_at_once(jobs: list[Job]) -> int:
    """Largest number of jobs that ran at the same time: the cores that a run had."""
    changes = [(job.start, 1) for job in jobs] + [(job.start + job.seconds, -1) for job in jobs]
    running = most = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most


def work_seconds(results: Path) -> float:
    """Seconds of fits, scores and evaluations as the jobs themselves measured them.

    A fit that was stopped has taken as long as its limit.
    """
    suite = load(results)
    fits = ["dataset", "method", "setting", "s", "fit_seed"]
    tables = (suite.screened, suite.selections)
    found = pd.concat(table[[*fits, "fit_seconds", "status"]] for table in tables)
    fitted = found.drop_duplicates(fits)["fit_seconds"].sum()
    # One fit serves all s.
    stopped = found[found["status"] == "timeout"].drop_duplicates([f for f in fits if f != "s"])
    if len(stopped):
        config = read_json(results / "provenance.json")["config"]
        fitted += len(stopped) * config["limits"]["fit_seconds"]
    scored = suite.screened["score_seconds"].sum() + suite.scores["evaluation_seconds"].sum()
    return float(fitted + scored + suite.timing["seconds"].sum() + suite.stability["seconds"].sum())


def processor_seconds(logs: Path) -> float:
    """Processor seconds of all jobs, as they say at the end of their logs."""
    found = map(usage_of_log, sorted(logs.rglob("*.log")))
    return sum(usage.cpu_seconds for usage in found if usage)


def summarize(folder: Path, suite: str) -> dict | None:
    """None where no finished run of the suite is to be found."""
    results = folder / "results" / suite
    jobs = jobs_of(folder, suite)
    if not jobs or not (results / "scores.parquet").exists():
        print(f"suite {suite}: no finished run in results/{suite}")
        return None
    spent, work = sum(job.seconds for job in jobs), work_seconds(results)
    wall, cores = wall_seconds(jobs), most_at_once(jobs)
    rules = {job.rule for job in jobs}
    cpu = processor_seconds(folder / "logs" / suite)
    drawing = sum(job.seconds for job in jobs if job.rule == "plot_figures")
    slowest = sorted(jobs, key=lambda job: -job.seconds)[:10]
    return {
        "jobs": len(jobs),
        "wall_seconds": wall,
        "job_seconds": spent,
        "cores": cores,
        "cores_busy": spent / wall,
        "work_seconds": work,
        "job_share": spent / (wall * cores),
        "work_share": work / (wall * cores),
        "overhead_per_job": (spent - work) / len(jobs),
        "cpu_seconds": cpu,
        "overhead_share": (cpu - work - drawing) / (wall * cores) if cpu else None,
        "median_seconds": {
            rule: statistics.median(job.seconds for job in jobs if job.rule == rule)
            for rule in sorted(rules)
        },
        "slowest": [asdict(job) for job in slowest],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--quick", action="store_true", help="as all scripts; changes nothing here")
    folder = parser.parse_args().folder
    found = {suite: summarize(folder, suite) for suite in SUITES}
    kept = read("suites") or {}
    save("suites", kept | {suite: summary for suite, summary in found.items() if summary})
    for suite, summary in found.items():
        if summary:
            print(suite, {k: v for k, v in summary.items() if k not in ("slowest",)})
