"""What a finished run of a suite took: wall time, cores, and the time of jobs beside their work.

Reads results/<suite>/*.parquet, which hold the seconds of fits and scores, and Snakemake's records
of the jobs (.snakemake/metadata). Wall time is the time with a job running, so that pauses between
partial runs do not count. ``python -m benchmarks.speed.suite_times another/clone`` measures the
runs in another folder.
"""

from __future__ import annotations

import argparse
import base64
import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from benchmarks.harness import ROOT, markdown, read, save
from blufs_bench.files.atomic import read_json
from blufs_bench.results import load

SUITES = ("demo", "paper", "wide")


@dataclass(frozen=True)
class Job:
    rule: str
    start: float
    seconds: float


def jobs_of(folder: Path, suite: str) -> list[Job]:
    """The jobs whose files lie in results/<suite>, each once, whatever it wrote."""
    jobs = {}
    records = folder / ".snakemake" / "metadata"
    for path in sorted(path for path in records.rglob("*") if path.is_file()):
        # The name of a record is its file's path; long ones go over several folders.
        name = "".join(path.relative_to(records).parts)
        output = base64.b64decode(name.replace("@", "")).decode()
        record = json.loads(path.read_text())
        if output.startswith(f"results/{suite}/") and record.get("endtime"):
            start = record["starttime"]
            key = (record["rule"], *(record["log"] or [output]))
            jobs.setdefault(key, Job(record["rule"], start, record["endtime"] - start))
    return list(jobs.values())


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
    rows = pd.concat(table[[*fits, "fit_seconds", "status"]] for table in tables)
    fitted = rows.drop_duplicates(fits)["fit_seconds"].sum()
    # One fit serves all s.
    stopped = rows[rows["status"] == "timeout"].drop_duplicates([f for f in fits if f != "s"])
    if len(stopped):
        config = read_json(results / "provenance.json")["config"]
        fitted += len(stopped) * config["limits"]["fit_seconds"]
    scored = suite.screened["score_seconds"].sum() + suite.scores["evaluation_seconds"].sum()
    return float(fitted + scored + suite.timing["seconds"].sum() + suite.stability["seconds"].sum())


def summarize(folder: Path, suite: str) -> dict | None:
    """None where no finished run of the suite is to be found."""
    results = folder / "results" / suite
    jobs = jobs_of(folder, suite)
    if not jobs or not (results / "scores.parquet").exists():
        print(f"suite {suite}: no finished run in results/{suite}")
        return None
    spent, work = sum(job.seconds for job in jobs), work_seconds(results)
    wall, cores = wall_seconds(jobs), most_at_once(jobs)
    return {
        "jobs": len(jobs),
        "cores": cores,
        "wall_seconds": wall,
        "job_seconds": spent,
        "work_seconds": work,
        "work_share": work / (wall * cores),
        "overhead_per_job": (spent - work) / len(jobs),
    }


def table() -> str:
    names = {
        "jobs": "jobs",
        "cores": "cores",
        "wall_seconds": "wall time, s",
        "work_seconds": "fits and scores, s",
        "work_share": "fits and scores / (wall time x cores)",
        "overhead_per_job": "other time per job, s",
    }
    report = read("suites")
    rows = [[title, *(suite[key] for suite in report.values())] for key, title in names.items()]
    return markdown(["", *report], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--quick", action="store_true", help="as all scripts; changes nothing here")
    folder = parser.parse_args().folder
    measured = {suite: summarize(folder, suite) for suite in SUITES}
    report = (read("suites") or {}) | {suite: one for suite, one in measured.items() if one}
    save("suites", report)
    print(report)
