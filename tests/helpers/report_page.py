"""The whole page of some results, written to a file for a browser."""

from __future__ import annotations

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.paper import load_paper
from blufs_bench.results.suite import load
from blufs_bench.show.figures.draw import draw
from blufs_bench.show.figures.style import Style, save
from blufs_bench.show.page.page import render
from blufs_bench.show.page.provenance import provenance
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.render import write_table
from tests.helpers import ROOT


def write_page(folder, suite, *, figures=(), tables=None, replaced=None, dpi=50):
    """The page of the results in a folder, with these figures and tables (by default all)."""
    results, style = load(folder), Style(dpi=dpi)
    pictures, fragments, downloads = {}, {}, {}
    for name in figures:
        pictures[name] = folder / f"figures/{name}.png"
        figure, _ = draw(name, results, suite, style)
        save(figure, pictures[name], pictures[name].with_suffix(".pdf"), style)
    paper = load_paper(ROOT / "data/paper_results.yaml")
    for name in table_specs(suite.datasets) if tables is None else tables:
        table = (replaced or {}).get(name) or build_table(name, results, suite, paper)
        files = {form: folder / f"tables/{name}.{form}" for form in ("html", "csv", "tex")}
        write_table(table, **files)
        fragments[name], downloads[name] = files["html"], [files["csv"], files["tex"]]
    page = render(
        results,
        suite,
        comparison=compare_methods(results, suite),
        provenance=provenance({}),
        tables=fragments,
        downloads=downloads,
        figures=pictures,
        deviations=ROOT / "docs/deviations.md",
    )
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    return path
