"""Markdown to HTML, with tables that screen readers can work with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: The marks around generated tables.
_COMMENT_LINE = re.compile(r"^<!--.*-->\n", re.MULTILINE)


def to_html(text: str, *, shift: int = 0) -> str:
    """HTML of Markdown; headings are moved down by ``shift`` levels.

    HTML in the text is shown, not obeyed; a line that is a comment is left out.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(_COMMENT_LINE.sub("", text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + shift)}"
    _name_rows(tokens)
    return parser.renderer.render(tokens, parser.options, {})


def _name_rows(tokens: Sequence[Token]) -> None:
    """Give header cells their scope and make the first cell of every row its header."""
    first = False
    for token in tokens:
        if token.type == "tr_open":
            first = True
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "td_open" and first:
            token.tag = "th"
            token.attrSet("scope", "row")
        elif token.type == "td_close" and first:
            token.tag, first = "th", False
