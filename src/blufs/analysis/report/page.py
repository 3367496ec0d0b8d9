"""The report as one HTML page: everything inline, nothing fetched."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from blufs.analysis.figures.catalog import figure_spec
from blufs.analysis.report import content, markdown
from blufs.analysis.report.assets import asset
from blufs.analysis.tables.catalog import PROFILE, table_spec
from blufs.results.suite import Suite, SuiteResults
from blufs.results.vocabulary import CHOICES


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
class Fragment:
    """A table of the report: its title in the list of contents, and its section as HTML."""

    name: str
    title: str
    section: Markup


def picture(name: str, path: str | Path) -> Picture:
    """The PNG file of a figure, with its words from the catalogue."""
    spec = figure_spec(name)
    data = Path(path).read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    source = "data:image/png;base64," + base64.b64encode(data).decode("ascii")
    return Picture(name, spec.title, spec.caption, spec.alt, source, width, height)


def fragment(name: str, path: str | Path) -> Fragment:
    """The HTML file of a table, as it is."""
    section = Markup(Path(path).read_text(encoding="utf-8"))
    return Fragment(name, table_spec(name).title, section)


def render(
    results: SuiteResults,
    suite: Suite,
    *,
    provenance: dict[str, Any],
    verdict: str = "",
    tables: Mapping[str, str | Path] | None = None,
    figures: Mapping[str, str | Path] | None = None,
    deviations: str | Path | None = None,
) -> str:
    """HTML of the report.

    Parameters
    ----------
    verdict : paragraph (Markdown) that says what the results show
    provenance : record made by :func:`blufs.analysis.report.provenance.provenance`
    tables : name -> HTML fragment, in the order in which they are shown; those of one dataset go
        to the section of the dataset
    figures : name -> PNG file, in order
    deviations : Markdown file on where this differs from the paper
    """
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["markdown"] = lambda text: Markup(markdown.to_html(text))
    template = environment.from_string(asset("template.html"))
    fragments = [fragment(name, path) for name, path in (tables or {}).items()]
    return template.render(
        suite=suite,
        style=Markup(asset("style.css")),
        script=Markup(asset("script.js")),
        verdict=verdict,
        outcome=content.outcomes(results, suite),
        screened=content.screened_counts(results),
        choices=CHOICES.values(),
        tables=[table for table in fragments if not table.name.startswith(PROFILE)],
        profiles={table.name.removeprefix(PROFILE): table.section for table in fragments},
        pictures=[picture(name, path) for name, path in (figures or {}).items()],
        datasets=content.dataset_sections(results, suite),
        deviations=_deviations(deviations),
        provenance=provenance,
        config=json.dumps(provenance["config"], indent=2, ensure_ascii=False),
    )


def _deviations(path: str | Path | None) -> Markup | None:
    """The page on deviations, its title one level below that of the report."""
    if path is None:
        return None
    return Markup(markdown.to_html(Path(path).read_text(encoding="utf-8"), shift=1))
