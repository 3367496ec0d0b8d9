"""Every script of examples/ runs, draws a picture and stands in the gallery."""

import nbformat
import pytest

from blufs_bench.datasets.errors import DatasetUnavailableError
from docs.hooks import gallery
from tests.helpers import ROOT

NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


#: These repeat fits on many samples of the data.
LONG = ("stability", "path_over_s")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in NAMES]
)
def test_the_example_runs_and_draws_a_picture(name):
    example = gallery.Example.read(name)
    assert example.title
    assert example.text
    _, pictures = example.run()
    assert len(pictures) >= 1
    assert all(len(picture) > 5_000 for picture in pictures)  # bytes; an empty axis has fewer


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_is_valid_and_has_the_code_of_the_script(name):
    example = gallery.Example.read(name)
    book = nbformat.reads(gallery.notebook(example), as_version=4)
    nbformat.validate(book)
    assert [cell.cell_type for cell in book.cells] == ["markdown", "code"]
    assert book.cells[1].source == example.code
    assert example.runs_anywhere == (name != "which_pixels")


def test_an_example_goes_on_without_the_file_that_it_would_download(monkeypatch):
    def unavailable(*_, **__):
        raise DatasetUnavailableError("no network\nmore")

    monkeypatch.setattr("blufs_bench.datasets.download.fetch", unavailable)
    printed, pictures = gallery.Example.read("which_pixels").run()
    assert printed.startswith("faces left out: no network\ndigits, BLUFS")
    assert "faces," not in printed
    assert len(pictures) == 1
