"""Copy the outcome of a suite to docs/results/<suite>/, small enough to be kept with the code.

``python -m benchmarks.publish.keep_results paper``: tables as CSV and Markdown, figures as PNG
with a palette of 256 colours, the Parquet files, statistics, provenance and, below 5 MB, the
report.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
COPIED = ("*.parquet", "statistics.json", "provenance.json", "summary.txt", "tables/*.csv")
COPIED += ("tables/*.md",)
LARGEST_REPORT = 5 * 2**20


def keep(suite: str) -> Path:
    source, target = ROOT / "results" / suite, ROOT / "docs" / "results" / suite
    if not (source / "verified.txt").exists():
        raise SystemExit(f"{source} has no finished run: snakemake --config suite={suite}")
    shutil.rmtree(target, ignore_errors=True)
    for pattern in COPIED:
        for path in source.glob(pattern):
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    (target / "figures").mkdir()
    for path in source.glob("figures/*.png"):
        image = Image.open(path).convert("RGB").quantize(256)
        image.save(target / "figures" / path.name, optimize=True)
    if (source / "report.html").stat().st_size < LARGEST_REPORT:
        shutil.copyfile(source / "report.html", target / "report.html")
    return target


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=("demo", "paper", "extras"))
    print(keep(parser.parse_args().suite))
