"""Template, style and scripts of the page.

The pictures are SVG of our own: 45 kB of script for all of them. Libraries whose script comes in
their Python package were measured on the numbers of a suite as large as ``wide``, offline, in
chromium on a busy machine (``python -m tests.bench.analysis.measure_page_libraries``):

=================================== ==== =========== ======
page                                  MB first paint  drawn
=================================== ==== =========== ======
plotly 7.1, three pictures          4.86      0.51 s 0.87 s
altair 6.3 (vl-convert 1.9), three  0.94      0.46 s 0.41 s
itables 2.9, the leaderboard        0.99      0.18 s 0.54 s
own, everything but tables, figures 1.72      0.38 s 0.41 s
=================================== ==== =========== ======

Plotly would take more than half of the 8 MB that a page may have. Altair costs about as much as the
page of the demo suite and starts as fast, but two of the five pictures (average ranks with their
bars, every method against every other) would be of our own all the same, and so would what readers
rely on: names that keep clear of each other and open a view by the keyboard, text with enough
contrast in both themes. Itables writes the first ten rows as HTML and leaves the others to its
script: without JavaScript half of a leaderboard of twenty methods would be missing. "Drawn" is not
the same for all: for altair it is the first canvas, which comes before its first paint.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files

#: Scripts in the order in which they build on each other.
SCRIPTS = (
    *("script.js", "view.js", "subset.js", "labels.js", "pictures.js", "ranks.js"),
    *("use.js", "detail.js"),
)
ASSETS = ("template.html", "site.html", "style.css", *SCRIPTS)


def asset(name: str) -> str:
    """Text of one of the files above."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def assets_digest() -> str:
    """Short digest of all of them: the report is made again when one changes."""
    return hashlib.sha256("".join(map(asset, ASSETS)).encode()).hexdigest()[:16]
