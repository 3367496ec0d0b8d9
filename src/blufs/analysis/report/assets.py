"""Template, style and scripts of the page.

The pictures are a few hundred lines of SVG of our own: the script of a plotting library would be
several times as large as everything else in the page of the demo suite.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files

#: Scripts in the order in which they build on each other.
SCRIPTS = ("script.js", "view.js", "labels.js", "pictures.js", "ranks.js", "detail.js")
ASSETS = ("template.html", "site.html", "style.css", *SCRIPTS)


def asset(name: str) -> str:
    """Text of one of the files above."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def assets_digest() -> str:
    """Short digest of all of them: the report is made again when one changes."""
    return hashlib.sha256("".join(map(asset, ASSETS)).encode()).hexdigest()[:16]
