"""Build the tables, figures and report of a finished suite again, from its result files.

``python -m blufs_bench.show.suite docs/results/wide --to build/suites/wide``. The folder holds the
Parquet files of a run, ``suite.json`` (what was compared, by which titles) and ``provenance.json``.
What needs the data themselves, such as images, is made where the data are there too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.paper import load_paper
from blufs_bench.files.atomic import atomic_path, read_json, write_json
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.figures.draw import write_figure
from blufs_bench.show.figures.style import Style
from blufs_bench.show.page.page import render
from blufs_bench.show.tables.build import make_table
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.render import FORMS, write_table


def build_suite(folder: str | Path, target: str | Path) -> list[str]:
    """Write statistics, tables, figures and report of ``folder`` to ``target``.

    To be called in the folder of the project, for the paper's numbers and the page on deviations.

    Returns
    -------
    problems : what could not be made
    """
    folder, target = Path(folder), Path(target)
    results, suite = load(folder), Suite(**read_json(folder / "suite.json"))
    comparison = compare_methods(results, suite)
    write_json(target / "statistics.json", comparison.content, indent=None)
    paper, problems = load_paper("data/paper_results.yaml"), []
    empty: dict[str, dict[str, str]] = {"tables": {}, "figures": {}}
    tables: dict[str, dict[str, Path]] = {}
    for name in table_specs(suite.datasets):
        table, found = make_table(name, results, suite, paper, comparison)
        problems += found
        if not table.blocks and not found:
            empty["tables"][name] = "; ".join(table.notes)
        tables[name] = {form: target / f"tables/{name}.{form}" for form in FORMS}
        write_table(table, **tables[name])
    figures: dict[str, Path] = {}
    synthetic = [name for name, card in results.cards.items() if card.get("real_features")]
    for name in figure_specs([name for name in suite.datasets if name in synthetic]):
        figures[name] = target / f"figures/{name}.png"
        pdf = figures[name].with_suffix(".pdf")
        why, found = write_figure(name, results, suite, Style(), comparison, figures[name], pdf)
        problems += found
        empty["figures"] |= {name: why} if why else {}
    page = render(
        results,
        suite,
        comparison=comparison,
        provenance=read_json(folder / "provenance.json"),
        tables={name: files["html"] for name, files in tables.items()},
        downloads={name: (files["csv"], files["tex"]) for name, files in tables.items()},
        figures=figures,
        empty_tables=empty["tables"],
        empty_figures=empty["figures"],
        deviations="docs/deviations.md",
        target=target / "report.html",
    )
    with atomic_path(target / "report.html") as temporary:
        temporary.write_text(page, encoding="utf-8")
    return problems


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", help="such as docs/results/wide")
    parser.add_argument("--to", default="build/suites", help="each goes to a folder of its name")
    asked = parser.parse_args(arguments)
    for folder in map(Path, asked.folders):
        problems = build_suite(folder, Path(asked.to) / folder.name)
        for problem in problems:
            print(f"{folder.name}: {problem}")
        print(f"{asked.to}/{folder.name}/report.html")


if __name__ == "__main__":
    main()
