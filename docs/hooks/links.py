"""What means something in the repository but not on the site, and the other way round.

- Files that belong to the repository's top (CONTRIBUTING.md, ...) become pages of the site.
- The results of a kept suite get their report, which ``make docs`` builds before the site.
- A file outside of ``docs/`` becomes a link into ``repo_url`` if mkdocs.yml names one, else text;
  an example goes to its page in the gallery, a picture is copied.
- A link to a docstring becomes the docstring: its directive for mkdocstrings stands in a comment
  beside the link, which the repository does not show.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
DOCSTRING = re.compile(r"^\[The docstring of [^\n]*<!--\n(.*?)\n-->", flags=re.M | re.S)
REPORTS = {path.parent.name: path for path in ROOT.glob("build/suites/*/report.html")}
COPIED = ("benchmarks/results/growth.png",)
#: File of the repository -> page of the site.
PAGES = {
    "CONTRIBUTING.md": "develop/index.md",
    "RELEASING.md": "develop/releasing.md",
    "CHANGELOG.md": "develop/changes.md",
    "data/README.md": "reference/data-files.md",
    "benchmarks/evidence/README.md": "develop/evidence.md",
}


def on_files(files, config):
    from mkdocs.structure.files import File

    for suite, path in REPORTS.items():
        # The pages of the methods that it links to are pages of the site, too.
        text = re.sub(r'"pages":"[^"]*"', '"pages":"../../methods"', path.read_text("utf-8"))
        text = re.sub(r'("page":"\w+)\.md"', r'\1.html"', text)
        files.append(File.generated(config, f"results/{suite}/report.html", content=text))
    for path in COPIED:
        content = (ROOT / path).read_bytes()
        files.append(File.generated(config, f"images/{Path(path).name}", content=content))
    for path, page in PAGES.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    place = PurePosixPath(page.file.src_uri)
    origins = {site: path for path, site in PAGES.items()}
    origin = PurePosixPath(origins.get(str(place), f"docs/{place}"))
    text = DOCSTRING.sub(lambda match: match[1], markdown)
    if str(place) == "results/README.md":
        for suite in REPORTS:
            link = f"[The report with all tables and figures]({suite}/report.html)"
            text = text.replace(f"## Suite `{suite}`\n", f"## Suite `{suite}`\n\n{link}\n")
    return LINK.sub(lambda m: _rewritten(m, origin.parent, place.parent, config.repo_url), text)


def _rewritten(
    match: re.Match, origin: PurePosixPath, place: PurePosixPath, repo_url: str | None
) -> str:
    """A link of a file in the folder ``origin`` of the repository, for a page in ``place``."""
    picture, text, target, anchor = match.groups()
    path = os.path.normpath(origin / target)

    def link(page: str) -> str:
        return f"{picture}[{text}]({os.path.relpath(page, place)}{anchor or ''})"

    if path in PAGES:
        return link(PAGES[path])
    if path in COPIED:
        return link(f"images/{Path(path).name}")
    if path.startswith("docs/"):
        inside = path.removeprefix("docs/")
        return link(inside)
    if path.startswith("examples/"):
        return link(f"gallery/{Path(path).stem}.md")
    if not (ROOT / path).exists():
        return match[0]  # mkdocs reports it as broken
    return f"[{text}]({repo_url}/blob/main/{path}{anchor or ''})" if repo_url else text
