"""Markdown to HTML, with tables that screen readers and the page's script can work with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: Rows that stay last whatever the table is sorted by.
_PINNED = re.compile(r"average|settings|mean", re.IGNORECASE)
_UNDERLINE = re.compile(r"&lt;(/?)u&gt;")


def to_html(text: str, *, shift: int = 0) -> str:
    """HTML of Markdown; headings are moved down by ``shift`` levels.

    HTML in the text is shown, not obeyed, except underlining (the second best of a table).
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    _shift_headings(tokens, shift)
    _name_rows(tokens)
    return _UNDERLINE.sub(r"<\1u>", parser.renderer.render(tokens, parser.options, {}))


def split_title(text: str) -> tuple[str, str]:
    """First heading of a Markdown text, and the text without it."""
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("#"):
        return first.lstrip("# ").strip(), rest
    return "", text


def _shift_headings(tokens: Sequence[Token], shift: int) -> None:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + shift)}"


def _name_rows(tokens: Sequence[Token]) -> None:
    """Give header cells their scope and make the first cell of every row its header."""
    row: Token | None = None
    first = False
    for position, token in enumerate(tokens):
        if token.type == "tr_open":
            row, first = token, True
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "td_open" and first and row is not None:
            token.tag = "th"
            token.attrSet("scope", "row")
            if _PINNED.match(tokens[position + 1].content):
                row.attrSet("data-pinned", "true")
        elif token.type == "td_close" and first:
            token.tag, first = "th", False
