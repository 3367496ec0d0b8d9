"""Keep a finished run with the code: ``python -m benchmarks.publish.keep_results paper``.

Into docs/results/<suite>/ go its scores, selections and other rows as Parquet, the cards of its
datasets, what was compared and the provenance: about a megabyte. Tables, figures and report are
built from these by ``python -m blufs_bench.show.suite docs/results/<suite>`` (``make site``, ``make
docs``). A run counts as finished if its report is there and nothing is missing in it; methods that
failed or were too slow on some data are part of the result.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from blufs_bench.compare.measures import measured_redundancy
from blufs_bench.files.atomic import read_json, write_json
from blufs_bench.results.suite import KEPT_CARDS, load

ROOT = Path(__file__).parents[2]
#: What a run may add to every clone of the project.
LARGEST = 2 * 10**6


def keep(source: Path, target: Path) -> Path:
    """Keep the results in ``source``, in place of what ``target`` holds."""
    if not (source / "report.html").exists():
        raise SystemExit(f"{source} has no finished run: snakemake --config suite={source.name}")
    statistics = read_json(source / "statistics.json")
    problems = statistics["problems"]
    for folder in ("tables", "figures"):
        problems += read_json(source / folder / "problems.json")
    if problems:
        raise SystemExit(f"{source} is not complete: {'; '.join(problems)}")
    note = target / "note.md"
    text = note.read_text(encoding="utf-8") if note.exists() else ""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    results = load(source)
    for name, path in results.tables.items():
        table = pq.read_table(path)
        if name == "selections":
            numbers = pa.array(measured_redundancy(results), pa.float64())
            table = table.append_column("redundancy", numbers)
        compact(table, target / f"{name}.parquet")
    write_json(target / KEPT_CARDS, list(results.cards.values()), indent=None)
    write_json(target / "suite.json", statistics["suite"])
    shutil.copyfile(source / "provenance.json", target / "provenance.json")
    if text:
        note.write_text(text, encoding="utf-8")
    size = sum(path.stat().st_size for path in target.iterdir())
    if size > LARGEST:
        print(f"{target} has {size / 1e6:.1f} MB, which every clone will have to fetch")
    return target


def compact(table: pa.Table, path: Path) -> None:
    """Write a table as small as can be without losing a digit."""
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=22,
        use_dictionary=False,  # zstd finds what repeats, and needs a third less for it
        row_group_size=10**7,
        write_statistics=False,
        write_page_checksum=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite")
    suite = parser.parse_args().suite
    print(keep(ROOT / "results" / suite, ROOT / "docs" / "results" / suite))
