"""Copy the outcome of a suite to docs/results/<suite>/, small enough to be kept with the code.

``python -m benchmarks.publish.keep_results paper``: tables as CSV and Markdown, figures as PNG, the
Parquet files, statistics, provenance and, below 8 MB, the report. Tables of one dataset are left
out: the report has them. A run counts as finished if its report is there and nothing is missing in
it; methods that failed or were too slow on some data are part of the result.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from blufs_bench.files.atomic import read_json
from blufs_bench.show.tables.catalog import TABLES

ROOT = Path(__file__).parents[2]
COPIED = ("*.parquet", "statistics.json", "provenance.json", "summary.txt", "tables/*.csv")
COPIED += ("tables/*.md", "figures/*.png")
LARGEST_REPORT = 8 * 10**6


def keep(source: Path, target: Path) -> Path:
    """Copy what is kept of the results in ``source``, in place of what ``target`` holds."""
    report = source / "report.html"
    if not report.exists():
        raise SystemExit(f"{source} has no finished run: snakemake --config suite={source.name}")
    problems = read_json(source / "statistics.json")["problems"]
    for folder in ("tables", "figures"):
        problems += read_json(source / folder / "problems.json")
    if problems:
        raise SystemExit(f"{source} is not complete: {'; '.join(problems)}")
    shutil.rmtree(target, ignore_errors=True)
    small = [report] if report.stat().st_size < LARGEST_REPORT else []
    found = [path for pattern in COPIED for path in source.glob(pattern)]
    for path in (*(p for p in found if p.parent.name != "tables" or p.stem in TABLES), *small):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return target


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite")
    suite = parser.parse_args().suite
    print(keep(ROOT / "results" / suite, ROOT / "docs" / "results" / suite))
