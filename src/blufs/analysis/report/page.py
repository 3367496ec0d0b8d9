"""The report as one HTML page: everything inline, nothing fetched."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from blufs.analysis.figures.catalog import figure_spec
from blufs.analysis.report import content, markdown
from blufs.analysis.report.assets import asset
from blufs.results.suite import Suite, SuiteResults


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
class TableSection:
    """A table of the report, as HTML."""

    name: str
    title: str
    body: Markup


def picture(path: str | Path) -> Picture:
    """The PNG file of a figure, with its words from the catalogue."""
    path = Path(path)
    spec = figure_spec(path.stem)
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    source = "data:image/png;base64," + base64.b64encode(data).decode("ascii")
    return Picture(path.stem, spec.title, spec.caption, spec.alt, source, width, height)


def table_section(path: str | Path) -> TableSection:
    """The Markdown file of a table."""
    path = Path(path)
    title, rest = markdown.split_title(path.read_text(encoding="utf-8"))
    return TableSection(path.stem, title or path.stem, Markup(markdown.to_html(rest, shift=1)))


def render(
    results: SuiteResults,
    suite: Suite,
    *,
    provenance: dict[str, Any],
    verdict: str = "",
    tables: Sequence[str | Path] = (),
    figures: Sequence[str | Path] = (),
    deviations: str | Path | None = None,
) -> str:
    """HTML of the report.

    Parameters
    ----------
    verdict : paragraph (Markdown) that says what the results show
    provenance : record made by :func:`blufs.analysis.report.provenance.provenance`
    tables : Markdown files, in the order in which they are shown
    figures : PNG files named as in the catalogue of figures, in order
    deviations : Markdown file on where this differs from the paper
    """
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["markdown"] = lambda text: Markup(markdown.to_html(text))
    template = environment.from_string(asset("template.html"))
    outcome = content.outcomes(results, suite)
    problems = outcome.problems.assign(
        dataset=[results.dataset_title(name) for name in outcome.problems["dataset"]],
    )
    return template.render(
        suite=suite,
        style=Markup(asset("style.css")),
        script=Markup(asset("script.js")),
        verdict=verdict,
        outcome=outcome,
        search=content.search_counts(results),
        problems=problems.to_dict("records"),
        choices=content.choice_words(),
        tables=[table_section(path) for path in tables],
        pictures=[picture(path) for path in figures],
        datasets=content.dataset_sections(results, suite),
        deviations=_deviations(deviations),
        provenance=provenance,
        config=json.dumps(provenance["config"], indent=2, ensure_ascii=False),
    )


def _deviations(path: str | Path | None) -> Markup | None:
    if path is None:
        return None
    _, rest = markdown.split_title(Path(path).read_text(encoding="utf-8"))
    return Markup(markdown.to_html(rest, shift=1))
