"""Tables as CSV, Markdown, LaTeX and a fragment of HTML; the same table gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from markupsafe import escape

from blufs._files import no_formula
from blufs_bench.files.atomic import atomic_path
from blufs_bench.show.tables.table import BEST, SECOND, Block, Cell, Row, Table

#: Characters that LaTeX with a plain set-up does not have, or that mean something to it.
_LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "\n": " ",
    "±": r"$\pm$",
    "×": r"$\times$",
    "→": r"$\to$",
    "−": r"$-$",
    "–": "--",
    "≤": r"$\leq$",
    "α": r"$\alpha$",
    "✓": r"$\bullet$",
    "✗": "--",
    "š": r"\v{s}",
}
_LATEX_MARKS = {BEST: r"\textbf{%s}", SECOND: r"\underline{%s}"}
_MARKDOWN_CHARACTERS = {"\\": r"\\", "|": r"\|", "<": "&lt;", ">": "&gt;", "\n": " "}
_MARKDOWN_MARKS = {BEST: "**%s**", SECOND: "<u>%s</u>"}

#: Blocks with more characters in a line than this are scaled to the width of the page.
_WIDE = 80
#: A cell of words longer than this may be broken into lines on the page.
_LONG = 40


def to_csv(table: Table) -> str:
    """The tidy frame, floats with all their digits, and no text that a spreadsheet would run."""
    texts = table.tidy.select_dtypes(["object", "string"])
    tidy = table.tidy.assign(**{str(name): texts[name].map(no_formula) for name in texts})
    return tidy.to_csv(index=False, lineterminator="\n")


def to_markdown(table: Table) -> str:
    """Caption, blocks and notes; best bold, second underlined."""
    parts = [f"## {_markdown_text(table.caption)}"]
    for block in table.blocks:
        if block.title:
            parts.append(f"### {_markdown_text(block.title)}")
        parts.append(markdown_block(block))
    if table.notes:
        parts.append("\n".join(f"- {_markdown_text(note)}" for note in table.notes))
    return "\n\n".join(parts) + "\n"


def markdown_block(block: Block) -> str:
    header = [_markdown_text(column) for column in block.columns]
    lines = [header, ["---"] * len(header)]
    lines += [[_markdown_cell(cell) for cell in row.cells] for row in block.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: Cell) -> str:
    return _MARKDOWN_MARKS.get(cell.mark, "%s") % _markdown_text(cell.text)


def _markdown_text(text: str) -> str:
    return "".join(_MARKDOWN_CHARACTERS.get(character, character) for character in text)


def to_latex(table: Table) -> str:
    """One ``table*`` per block, for a document that loads booktabs and graphicx."""
    parts = [
        _latex_block(table, block, number) for number, block in enumerate(table.blocks, start=1)
    ]
    if not parts:
        parts = [f"% {table.name}: {'; '.join(table.notes)}\n"]
    return "% needs \\usepackage{booktabs,graphicx}\n" + "\n".join(parts)


def _latex_block(table: Table, block: Block, number: int) -> str:
    lines = [
        f"\\begin{{tabular}}{{l{'c' * (len(block.columns) - 1)}}}",
        r"\toprule",
        " & ".join(map(_latex_text, block.columns)) + r" \\",
        r"\midrule",
    ]
    above = None
    for row in block.rows:
        if row.is_summary and above is not None and not above.is_summary:
            lines.append(r"\midrule")
        lines.append(" & ".join(map(_latex_cell, row.cells)) + r" \\")
        above = row
    tabular = "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])
    if _width(block) > _WIDE:
        tabular = "\\resizebox{\\textwidth}{!}{%\n" + tabular + "}"
    caption = ". ".join(part.rstrip(".") for part in (table.caption, block.title) if part) + "."
    if number == len(table.blocks) and table.notes:
        caption += " " + " ".join(note.rstrip(".") + "." for note in table.notes)
    label = f"tab:{table.name}" + (f"-{number}" if len(table.blocks) > 1 else "")
    return (
        "\\begin{table*}[t]\n\\centering\n"
        f"\\caption{{{_latex_text(caption)}}}\n\\label{{{label}}}\n\\smallskip\n"
        f"{tabular}\n\\end{{table*}}\n"
    )


def _width(block: Block) -> int:
    """Characters of the widest line that all columns need."""
    texts = [block.columns, *([cell.text for cell in row.cells] for row in block.rows)]
    return sum(max(map(len, column)) + 2 for column in zip(*texts, strict=True))


def _latex_cell(cell: Cell) -> str:
    return _LATEX_MARKS.get(cell.mark, "%s") % _latex_text(cell.text)


def _latex_text(text: str) -> str:
    return "".join(_LATEX_CHARACTERS.get(character, character) for character in text)


def to_html(table: Table) -> str:
    """A section of a page: every cell carries its number, every row its kind."""
    name = escape(table.name)
    parts = [f'<section class="table" id="table-{name}" data-table="{name}">']
    parts.append(f"<h3>{escape(table.caption)}</h3>")
    for block in table.blocks:
        if block.title:
            parts.append(f"<h4>{escape(block.title)}</h4>")
        parts.append(html_block(block))
    if table.notes:
        parts += ["<ul>", *(f"<li>{escape(note)}</li>" for note in table.notes), "</ul>"]
    return "\n".join([*parts, "</section>"]) + "\n"


def html_block(block: Block) -> str:
    """A ``table`` element; summary rows have the class ``summary``."""
    header = "".join(f'<th scope="col">{escape(column)}</th>' for column in block.columns)
    rows = "\n".join(_html_row(row) for row in block.rows)
    return f"<table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _html_row(row: Row) -> str:
    first, *others = row.cells
    tag = '<tr class="summary">' if row.is_summary else "<tr>"
    name = f'<th scope="row">{escape(first.text)}</th>'
    return f"{tag}{name}{''.join(_html_cell(cell) for cell in others)}</tr>"


def _html_cell(cell: Cell) -> str:
    number = "" if cell.value is None else f' data-value="{float(cell.value):.5g}"'
    kind = cell.mark or ("words" if cell.value is None and len(cell.text) > _LONG else "")
    look = f' class="{kind}"' if kind else ""
    return f"<td{number}{look}>{escape(cell.text)}</td>"


#: Ending of a file -> what writes it.
FORMS: dict[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
    "html": to_html,
}


def write_table(table: Table, **paths: str | Path) -> None:
    """Write the forms that are asked for, as ``csv=path``; each whole or not at all."""
    for form, path in paths.items():
        with atomic_path(path) as temporary:
            temporary.write_text(FORMS[form](table), encoding="utf-8")
