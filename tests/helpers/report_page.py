"""The whole page of some results, written to a file for a browser."""

from __future__ import annotations

from pathlib import Path

from blufs.analysis.figures.draw import draw
from blufs.analysis.figures.style import Style, save
from blufs.analysis.paper import load_paper
from blufs.analysis.report.page import render
from blufs.analysis.report.provenance import provenance
from blufs.analysis.summary import summarise
from blufs.analysis.tables.build import build_table
from blufs.analysis.tables.catalog import table_names
from blufs.analysis.tables.render import write_table
from blufs.results import load

ROOT = Path(__file__).parents[2]


def write_page(folder, suite, *, figures=(), tables=None, replaced=None, dpi=50):
    """The page of the results in a folder, with these figures and tables (by default all)."""
    results, style = load(folder), Style(dpi=dpi)
    pictures, fragments, downloads = {}, {}, {}
    for name in figures:
        pictures[name] = folder / f"figures/{name}.png"
        figure = draw(name, results, suite, style)
        save(figure, pictures[name], pictures[name].with_suffix(".pdf"), style)
    paper = load_paper(ROOT / "data/paper_results.yaml")
    for name in table_names(suite.datasets) if tables is None else tables:
        table = (replaced or {}).get(name) or build_table(name, results, suite, paper)
        files = {form: folder / f"tables/{name}.{form}" for form in ("html", "csv", "tex")}
        write_table(table, **files)
        fragments[name], downloads[name] = files["html"], [files["csv"], files["tex"]]
    page = render(
        results,
        suite,
        statistics=summarise(results, suite),
        provenance=provenance({}),
        tables=fragments,
        downloads=downloads,
        figures=pictures,
        deviations=ROOT / "docs/deviations.md",
    )
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    return path
