"""Join the reports of several suites into a small static site with an index.

``python -m blufs_bench.show.page.site results/* --to build/suites`` (or ``make site``). A folder
counts if it holds a finished run (``report.html``, ``statistics.json`` and ``provenance.json``) or
what is kept of one (``suite.json``), from which the report is built. Of two folders of the same
name, the later one is taken.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

import blufs_bench
from blufs_bench.compare.comparison import Comparison
from blufs_bench.compare.sentence import NOTHING, QUESTION
from blufs_bench.files.atomic import atomic_path, read_json
from blufs_bench.show.page.assets import asset
from blufs_bench.show.suite import build_suite

PAGE, STATISTICS, PROVENANCE = "report.html", "statistics.json", "provenance.json"
#: What visitors can load again, see docs/reference/result-files.md.
TABLES = "*.parquet"


@dataclass(frozen=True)
class Entry:
    """One suite in the index.

    Attributes
    ----------
    answer : what its page opens with
    tables : names of its Parquet files
    megabytes : size of its page
    """

    name: str
    answer: str
    n_datasets: int
    n_methods: int
    date: str
    version: str
    tables: list[str]
    megabytes: float


def finished(folder: Path) -> bool:
    """Whether a folder holds what a suite's place in the site is made of."""
    return all((folder / name).is_file() for name in (PAGE, STATISTICS, PROVENANCE))


def is_kept(folder: Path) -> bool:
    """Whether a folder holds what keep_results.py keeps of a run."""
    return (folder / "suite.json").is_file()


def up_to_date(made: Path, folder: Path) -> bool:
    """Whether what was made of a kept run is newer than the run and all code."""
    sources = [*folder.iterdir(), *Path(blufs_bench.__file__).parent.rglob("*.*")]
    page = made / PAGE
    return page.exists() and page.stat().st_mtime > max(p.stat().st_mtime for p in sources)


def entry(folder: Path, tables: Path) -> Entry:
    """What the index says of the suite in a folder, and the Parquet files in another."""
    first = Comparison.read(folder / STATISTICS).first_view()
    provenance: dict[str, Any] = read_json(folder / PROVENANCE)
    view = first.content if first else {"answer": NOTHING}
    asked = provenance["config"].get("suite", {})
    return Entry(
        folder.name,
        view["answer"],
        len(view.get("datasets", asked.get("datasets", []))),
        len(view.get("methods", asked.get("methods", []))),
        provenance["date"][:10],
        provenance["version"],
        sorted(path.name for path in tables.glob(TABLES)),
        (folder / PAGE).stat().st_size / 1e6,
    )


def build_site(folders: Sequence[str | Path], target: str | Path) -> list[Entry]:
    """Write ``target/index.html`` and one folder per suite; return the lines of the index."""
    suites = {f.name: f for f in map(Path, folders) if finished(f) or is_kept(f)}
    if not suites:
        looked = ", ".join(map(str, folders)) or "no folder at all"
        raise SystemExit(
            f"no finished suite in {looked}: run one first (make run), or name the folders of your "
            'results: make site RESULTS="results/mine"'
        )
    target = Path(target)
    entries = []
    for name, folder in sorted(suites.items()):
        made = folder if finished(folder) else target.with_name(f"{target.name}.made") / name
        if made != folder and not up_to_date(made, folder):
            build_suite(folder, made)
            shutil.copyfile(folder / PROVENANCE, made / PROVENANCE)
        shutil.rmtree(target / name, ignore_errors=True)
        (target / name).mkdir(parents=True)
        for path in (made / PAGE, *folder.glob(TABLES)):
            shutil.copyfile(path, target / name / path.name)
        entries.append(entry(made, folder))
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        asset("site.html")
    )
    page = template.render(question=QUESTION, entries=entries, style=Markup(asset("style.css")))
    with atomic_path(target / "index.html") as temporary:
        temporary.write_text(page, encoding="utf-8")
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", help="folders of results, such as results/demo")
    parser.add_argument("--to", default="build/suites", help="where the site goes")
    asked = parser.parse_args()
    for line in build_site(asked.folders, asked.to):
        print(f"{line.name}: {line.answer}")
    print(f"Site: {asked.to}/index.html")


if __name__ == "__main__":
    main()
