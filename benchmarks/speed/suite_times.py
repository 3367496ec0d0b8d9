"""What finished runs of the suites took: jobs, cores and wall time.

Reads Snakemake's records of the jobs (.snakemake/metadata). Wall time is the time with a job
running, so that pauses between partial runs do not count. ``python -m benchmarks.speed.suite_times
another/clone`` measures the runs in another folder.
"""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path

from benchmarks.harness import ROOT, markdown, read, save

SUITES = ("demo", "paper", "wide")
#: Start and end of a job, in seconds.
Span = tuple[float, float]


def spans_of(folder: Path, suite: str) -> list[Span]:
    """Of the jobs whose files lie in results/<suite>, each once, whatever it wrote."""
    spans = {}
    records = folder / ".snakemake" / "metadata"
    for path in sorted(path for path in records.rglob("*") if path.is_file()):
        # The name of a record is its file's path; long ones go over several folders.
        name = "".join(path.relative_to(records).parts)
        output = base64.b64decode(name.replace("@", "")).decode()
        record = json.loads(path.read_text())
        if output.startswith(f"results/{suite}/") and record.get("endtime"):
            key = (record["rule"], *(record["log"] or [output]))
            spans.setdefault(key, (record["starttime"], record["endtime"]))
    return list(spans.values())


def wall_seconds(spans: list[Span]) -> float:
    """Seconds with at least one job running."""
    total, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def most_at_once(spans: list[Span]) -> int:
    """Largest number of jobs that ran at the same time: the cores that a run had."""
    changes = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    running = most = 0
    for _, change in changes:
        running += change
        most = max(most, running)
    return most


def table() -> str:
    names = {"jobs": "jobs", "cores": "cores", "wall_seconds": "wall time, s"}
    report = read("suites")
    rows = [[title, *(suite[key] for suite in report.values())] for key, title in names.items()]
    return markdown(["", *report], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--quick", action="store_true", help="as all scripts; changes nothing here")
    folder = parser.parse_args().folder
    report = read("suites") or {}
    for suite in SUITES:
        if spans := spans_of(folder, suite):
            seconds = wall_seconds(spans)
            report[suite] = {"jobs": len(spans), "cores": most_at_once(spans)}
            report[suite]["wall_seconds"] = seconds
        else:
            print(f"suite {suite}: no run in results/{suite}")
    save("suites", report)
    print(report)
