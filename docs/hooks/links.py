"""Links of the pages that mean something in the repository but not on the site.

- A folder of ``docs/`` becomes a page that lists its files.
- A file outside of ``docs/`` becomes a link into ``repo_url`` if mkdocs.yml names one, else text;
  an example goes to its page in the gallery, a picture is copied.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
LISTED = sorted({p.parent.relative_to(DOCS).as_posix() for p in (DOCS / "results").glob("*/*/*")})
COPIED = ("benchmarks/results/growth.png",)


def on_files(files, config):
    from mkdocs.structure.files import File

    for folder in LISTED:
        names = sorted(path.name for path in (DOCS / folder).iterdir())
        listing = "\n".join(f"- [{name}]({name})" for name in names)
        text = f"# {folder.removeprefix('results/')}\n\n{listing}\n"
        files.append(File.generated(config, f"{folder}/index.md", content=text))
    for path in COPIED:
        content = (ROOT / path).read_bytes()
        files.append(File.generated(config, f"images/{Path(path).name}", content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    here = PurePosixPath(page.file.src_uri).parent
    return LINK.sub(lambda match: _rewritten(match, here, config.repo_url), markdown)


def _rewritten(match: re.Match, here: PurePosixPath, repo_url: str | None) -> str:
    picture, text, target, anchor = match.groups()
    path = os.path.normpath(f"docs/{here}/{target}")
    up = "../" * len(here.parts)
    if path.startswith("docs/"):
        inside = path.removeprefix("docs/")
        return f"[{text}]({up}{inside}/index.md)" if inside in LISTED else match[0]
    if path in COPIED:
        return f"{picture}[{text}]({up}images/{Path(path).name})"
    if path.startswith("examples/"):
        return f"[{text}]({up}gallery/{Path(path).stem}.md)"
    if not (ROOT / path).exists():
        return match[0]  # mkdocs reports it as broken
    return f"[{text}]({repo_url}/blob/main/{path}{anchor or ''})" if repo_url else text
