"""Run the scripts of ``examples/``; make a page with code, picture, output and a notebook of each.

Used by mkdocs (``on_files``) and by ``tests/docs/test_examples.py``. Nothing it makes is committed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import pickle
import re
import runpy
import sys
import warnings
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
KEPT = ROOT / "build" / "gallery"


@dataclass(frozen=True)
class Example:
    """A script of the gallery: its docstring and its code."""

    name: str
    title: str
    text: str
    code: str

    @classmethod
    def read(cls, name: str) -> Example:
        source = (EXAMPLES / f"{name}.py").read_text()
        tree = ast.parse(source)
        docstring = ast.get_docstring(tree) or ""
        title, _, text = docstring.partition("\n")
        code = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
        return cls(name, title.rstrip("."), text.strip(), code)

    @property
    def runs_anywhere(self) -> bool:
        """Whether it needs no other file of the repository."""
        return "__file__" not in self.code

    def run(self) -> tuple[str, list[bytes]]:
        """What the script prints, and its figures as PNG files."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plt
        from threadpoolctl import threadpool_limits

        plt.close("all")
        printed = io.StringIO()
        sys.path.insert(0, str(EXAMPLES))
        try:
            with (
                contextlib.redirect_stdout(printed),
                warnings.catch_warnings(),
                threadpool_limits(1),
            ):
                warnings.filterwarnings("ignore", message=".*non-interactive")  # plt.show()
                runpy.run_path(str(EXAMPLES / f"{self.name}.py"), run_name="__main__")
            pictures = [_png(plt.figure(number)) for number in plt.get_fignums()]
        finally:
            sys.path.remove(str(EXAMPLES))
            plt.close("all")
        return printed.getvalue(), pictures

    def result(self) -> tuple[str, list[bytes]]:
        """As ``run``, or what the last run gave if neither the script nor the library changed."""
        kept = KEPT / f"{self.name}.pickle"
        sources = [EXAMPLES / f"{self.name}.py", *(ROOT / "src").rglob("*.py")]
        if not kept.exists() or kept.stat().st_mtime < max(p.stat().st_mtime for p in sources):
            KEPT.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(pickle.dumps(self.run()))
        return pickle.loads(kept.read_bytes())


def _png(figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, bbox_inches="tight")
    return buffer.getvalue()


def page(example: Example, printed: str, n_pictures: int) -> str:
    """The Markdown page of an example."""
    pictures = [f"![{example.title}]({example.name}-{i}.png)" for i in range(n_pictures)]
    output = ["It prints:", f"```text\n{printed.rstrip()}\n```"] if printed.strip() else []
    return "\n\n".join(
        [
            f"# {example.title}",
            example.text,
            *pictures,
            f"```python\n{example.code}\n```",
            *output,
            f"The script is `examples/{example.name}.py`{_download(example)}.",
        ]
    )


def _download(example: Example) -> str:
    return f", and here as a [notebook]({example.name}.ipynb)" if example.runs_anywhere else ""


def notebook(example: Example) -> str:
    """The example as a Jupyter notebook (.ipynb): its text in one cell, its code in the next."""
    from nbformat import v4

    text = f"# {example.title}\n\n{example.text}"
    book = v4.new_notebook(cells=[v4.new_markdown_cell(text), v4.new_code_cell(example.code)])
    for number, cell in enumerate(book.cells):
        cell.id = str(number)  # else random
    return v4.writes(book)


def card(example: Example) -> str:
    """The entry of an example on the gallery's first page."""
    summary = escape(example.text.split("\n\n")[0].replace("\n", " "))
    summary = re.sub(r"`(.*?)`", r"<code>\1</code>", summary)
    return (
        f'<a href="{example.name}.html"><img src="{example.name}-0.png" alt="">'
        f"<strong>{escape(example.title)}</strong><span>{summary}</span></a>"
    )


def names_in(nav) -> list[str]:
    """The examples that the navigation of mkdocs.yml lists, in its order."""
    if isinstance(nav, dict):
        nav = list(nav.values())
    if isinstance(nav, list):
        return [name for entry in nav for name in names_in(entry)]
    folder, _, page = nav.rpartition("/")
    return [page.removesuffix(".md")] if folder == "gallery" and page != "index.md" else []


_made: list[tuple[str, str | bytes]] = []


def on_files(files, config):
    """Add the pages and pictures to the site; `mkdocs serve` makes them once."""
    from mkdocs.structure.files import File

    if not _made:
        examples = [Example.read(name) for name in names_in(config.nav)]
        for example in examples:
            printed, pictures = example.result()
            for i, picture in enumerate(pictures):
                _made.append((f"gallery/{example.name}-{i}.png", picture))
            text = page(example, printed, len(pictures))
            _made.append((f"gallery/{example.name}.md", text))
            if example.runs_anywhere:
                _made.append((f"gallery/{example.name}.ipynb", notebook(example)))
        cards = "\n".join(card(example) for example in examples)
        index = (Path(config.docs_dir) / "gallery" / "index.md").read_text()
        _made.append(("gallery/index.md", index.replace("<!-- cards -->", cards)))
    for path, content in _made:
        if existing := files.get_file_from_path(path):
            files.remove(existing)
        files.append(File.generated(config, path, content=content))
    return files


if __name__ == "__main__":
    # Kept for readers of the repository: python docs/hooks/gallery.py
    (ROOT / "docs" / "images" / "quick_start.png").write_bytes(
        Example.read("quick_start").run()[1][0]
    )
