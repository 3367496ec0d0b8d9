"""Tables as CSV, Markdown and LaTeX; the same table gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from blufs.analysis.tables.table import BEST, SECOND, Block, Table
from blufs.files.atomic import atomic_path

#: Characters that LaTeX with a plain set-up does not have.
_LATEX_CHARACTERS = {
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

_MARKDOWN_MARKS = {BEST: "**{}**", SECOND: "<u>{}</u>"}
_LATEX_MARKS = {BEST: "textbf: --rwrap;", SECOND: "underline: --rwrap;"}

#: Blocks with more characters in a line than this are scaled to the width of the page.
_WIDE = 80


def to_csv(table: Table) -> str:
    """The tidy frame, floats with all their digits."""
    return table.tidy.to_csv(index=False, lineterminator="\n")


def to_markdown(table: Table) -> str:
    """Caption, blocks and notes; best bold, second underlined."""
    parts = [f"## {table.caption}"]
    for block in table.blocks:
        if block.title:
            parts.append(f"### {block.title}")
        parts.append(_markdown_block(block))
    parts.extend(f"- {note}" for note in table.notes)
    text = ""
    for previous, part in zip(["", *parts], parts, strict=False):
        tight = previous.startswith("- ") and part.startswith("- ")
        text += ("\n" if tight else "\n\n") + part if text else part
    return text + "\n"


def _markdown_block(block: Block) -> str:
    shown = block.shown.map(lambda cell: str(cell).replace("|", r"\|"))
    for mark, pattern in _MARKDOWN_MARKS.items():
        shown = shown.where(block.marks != mark, shown.map(pattern.format))
    return shown.to_markdown(index=False, disable_numparse=True)


def to_latex(table: Table) -> str:
    """One ``table*`` per block, for a document that loads booktabs and graphicx."""
    parts = [
        _latex_block(table, block, number) for number, block in enumerate(table.blocks, start=1)
    ]
    return "% needs \\usepackage{booktabs,graphicx}\n" + "\n".join(parts)


def _latex_block(table: Table, block: Block, number: int) -> str:
    shown, marks = block.shown.reset_index(drop=True), block.marks.reset_index(drop=True)
    styles = marks.map(lambda mark: _LATEX_MARKS.get(mark, ""))
    styler = (
        shown.style.apply(lambda _: styles, axis=None)
        .format(escape="latex")
        .format_index(escape="latex", axis="columns")
        .hide(axis="index")
    )
    tabular = styler.to_latex(hrules=True, column_format="l" + "c" * (shown.shape[1] - 1))
    widths = [max(len(str(name)), *shown[name].str.len()) for name in shown]
    if sum(widths) + 2 * len(widths) > _WIDE:
        tabular = "\\resizebox{\\textwidth}{!}{%\n" + tabular + "}\n"
    caption = ". ".join(part.rstrip(".") for part in (table.caption, block.title) if part) + "."
    if number == len(table.blocks) and table.notes:
        caption += " " + " ".join(note.rstrip(".") + "." for note in table.notes)
    label = f"tab:{table.name}" + (f"-{number}" if len(table.blocks) > 1 else "")
    text = (
        "\\begin{table*}[t]\n\\centering\n"
        f"\\caption{{{_escape(caption)}}}\n\\label{{{label}}}\n\\smallskip\n{tabular}\\end{{table*}}\n"
    )
    for character, command in _LATEX_CHARACTERS.items():
        text = text.replace(character, command)
    return text


def _escape(text: str) -> str:
    """``text`` with LaTeX's own characters escaped, as pandas does for cells."""
    escaped = pd.DataFrame([[text]]).style.format(escape="latex").hide(axis="index")
    return escaped.to_latex().splitlines()[-2].removesuffix(r" \\")


def write_table(table: Table, *, csv: str | Path, md: str | Path, tex: str | Path) -> None:
    """Write the three forms, each whole or not at all."""
    forms = {csv: to_csv, md: to_markdown, tex: to_latex}
    for path, form in forms.items():
        with atomic_path(path) as temporary:
            temporary.write_text(form(table), encoding="utf-8")
