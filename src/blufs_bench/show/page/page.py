"""The report as one HTML page: everything inline, nothing fetched."""

from __future__ import annotations

import base64
import json
import lzma
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template
from markupsafe import Markup
from PIL import Image

from blufs_bench.compare.comparison import Comparison, no_comparison
from blufs_bench.compare.sentence import NOTHING, QUESTION
from blufs_bench.files.damaged import read_whole
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES
from blufs_bench.show.figures.catalog import OWN_FIGURES, FigureSpec, figure_specs
from blufs_bench.show.page import content, markdown
from blufs_bench.show.page.assets import SCRIPTS, asset
from blufs_bench.show.page.data import as_script, first_board, page_data
from blufs_bench.show.page.recipe import recipe
from blufs_bench.show.tables.catalog import TableSpec, table_specs


@dataclass(frozen=True)
class Picture:
    """A figure of the report; ``source`` is a data URI."""

    name: str
    title: str
    caption: str
    alt: str
    source: str
    width: int
    height: int


@dataclass(frozen=True)
class Download:
    """A file inside the page; ``source`` is a data URI."""

    name: str
    form: str
    source: str


@dataclass(frozen=True)
class Fragment:
    """A table of the report: its title in the list of contents, its section, and its files."""

    name: str
    title: str
    section: Markup
    files: list[Download]
    in_paper: str = ""


#: Files above this many bytes are compressed, so that the page stays small.
_LARGE = 10_000
_TYPES = {"csv": "text/csv", "tex": "application/x-tex"}
_FORMS = {"csv": "CSV", "tex": "LaTeX"}
#: The last chunk of every PNG file.
PNG_END = b"IEND\xaeB`\x82"


def download(path: str | Path) -> Download:
    """A CSV or LaTeX file as a link; a large one as .xz, which pandas reads as it is."""
    path = Path(path)
    content, kind, name = read_whole(path), path.suffix[1:], path.name
    if len(content) > _LARGE:
        packed = base64.b64encode(lzma.compress(content)).decode("ascii")
        return Download(f"{name}.xz", _FORMS[kind], f"data:application/x-xz;base64,{packed}")
    plain = base64.b64encode(content).decode("ascii")
    return Download(name, _FORMS[kind], f"data:{_TYPES[kind]};charset=utf-8;base64,{plain}")


def picture(name: str, path: str | Path, spec: FigureSpec) -> Picture:
    """The PNG file of a figure, with its words."""
    packed = BytesIO()
    with Image.open(BytesIO(read_whole(path, PNG_END))) as image:
        width, height = image.size
        # Without loss, and a quarter smaller than PNG.
        image.convert("RGB").save(packed, "WEBP", lossless=True)
    source = "data:image/webp;base64," + base64.b64encode(packed.getvalue()).decode("ascii")
    return Picture(name, spec.title, spec.caption, spec.alt, source, width, height)


def fragment(
    name: str, path: str | Path, spec: TableSpec, files: Sequence[str | Path] = ()
) -> Fragment:
    """The HTML file of a table, as it is, with its other files to download."""
    section = Markup(read_whole(path, b"</section>\n").decode("utf-8"))
    return Fragment(name, spec.title, section, [download(file) for file in files], spec.in_paper)


def render(
    results: SuiteResults,
    suite: Suite,
    *,
    provenance: dict[str, Any],
    comparison: Comparison | None = None,
    tables: Mapping[str, str | Path] | None = None,
    downloads: Mapping[str, Sequence[str | Path]] | None = None,
    figures: Mapping[str, str | Path] | None = None,
    empty_tables: Mapping[str, str] | None = None,
    empty_figures: Mapping[str, str] | None = None,
    deviations: str | Path | None = None,
    target: str | Path | None = None,
) -> str:
    """HTML of the report.

    Parameters
    ----------
    comparison : what :func:`blufs_bench.compare.comparison.compare_methods` made
    provenance : record made by :func:`blufs_bench.show.page.provenance.provenance`
    tables : name -> HTML fragment, in the order in which they are shown; those of one dataset go
        to the section of the dataset
    downloads : name of a table -> its CSV and LaTeX files
    figures : name -> PNG file, in order
    empty_tables, empty_figures : name -> why there is nothing to show; these are only listed
    deviations : Markdown file on where this differs from the paper; the pages of the methods lie in
        the folder ``methods`` beside it
    target : where the page will lie, for its links to the pages of the methods
    """
    table_words, figure_words = table_specs(suite.datasets), figure_specs(suite.datasets)
    fragments = [
        fragment(name, path, table_words[name], (downloads or {}).get(name, ()))
        for name, path in (tables or {}).items()
    ]
    of_suite = [table for table in fragments if not table_words[table.name].dataset]
    profiles = {table_words[t.name].dataset: t for t in fragments if table_words[t.name].dataset}
    no_tables = {n: w for n, w in (empty_tables or {}).items() if not table_words[n].dataset}
    no_figures = empty_figures or {}
    shown = [table for table in of_suite if table.name not in no_tables]
    pictures = [
        picture(name, path, figure_words[name])
        for name, path in (figures or {}).items()
        if name not in no_figures
    ]
    comparison = comparison or no_comparison("")
    first = comparison.first_view()
    pages = None if deviations is None or target is None else Path(deviations).parent / "methods"
    recipes = {name: recipe(name, suite.about.get(name, {}), pages) for name in suite.methods}
    data = page_data(results, suite, comparison, recipes)
    data["pages"] = pages and Path(os.path.relpath(pages, Path(str(target)).parent)).as_posix()
    return _template().render(
        suite=suite,
        style=Markup(asset("style.css")),
        script=Markup("\n".join(asset(name).replace('"use strict";\n', "") for name in SCRIPTS)),
        data=as_script(data),
        first=json.dumps(first.key if first else None),
        question=QUESTION,
        answer=first.content["answer"] if first else NOTHING,
        caveats=first.content["caveats"] if first else [],
        board=first_board(data, first.key) if first else None,
        by_labels=comparison.by_labels,
        verdict=comparison.verdict,
        outcome=content.outcomes(results, suite),
        screened=content.screened_counts(results),
        choices=CHOICES.values(),
        unavailable=content.unavailable(results, suite),
        unlabelled=content.unlabelled(results, suite),
        paper_tables=[table for table in shown if table.in_paper],
        other_tables=[table for table in shown if not table.in_paper],
        profiles=profiles,
        paper_pictures=[p for p in pictures if p.name not in OWN_FIGURES],
        other_pictures=[p for p in pictures if p.name in OWN_FIGURES],
        left_out=_left_out(
            [(why, table_words[name].title) for name, why in no_tables.items()]
            + [(why, figure_words[name].title) for name, why in no_figures.items()]
        ),
        datasets=content.dataset_sections(results, suite),
        deviations=_deviations(deviations),
        provenance=provenance,
        config=json.dumps(provenance["config"], indent=2, ensure_ascii=False),
    )


def _template() -> Template:
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["markdown"] = lambda text: Markup(markdown.to_html(text))
    return environment.from_string(asset("template.html"))


def _left_out(titles: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Why there is nothing to show -> titles of the tables and figures."""
    found: dict[str, list[str]] = {}
    for why, title in titles:
        found.setdefault(why.rstrip("."), []).append(title)
    return found


def _deviations(path: str | Path | None) -> Markup | None:
    """The page on deviations, its title one level below that of the report."""
    if path is None:
        return None
    return Markup(markdown.to_html(Path(path).read_text(encoding="utf-8"), shift=1))
