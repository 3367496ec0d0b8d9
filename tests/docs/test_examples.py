"""Every script of examples/ runs, draws a picture and stands in the gallery."""

from pathlib import Path

import pytest
import yaml

from docs.hooks import gallery

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs_and_draws_a_picture(name):
    example = gallery.Example.read(name)
    assert example.title
    assert example.text
    _, pictures = example.run()
    assert len(pictures) >= 1
    assert all(len(picture) > 5_000 for picture in pictures)  # bytes; an empty axis has fewer


def test_the_gallery_lists_every_example():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    assert sorted(gallery.names_in(nav)) == NAMES
