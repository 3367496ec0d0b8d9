"""The page about the architecture says what is there: rooms, and the way of one pixel."""

import ast
import re

import numpy as np

from blufs_bench.datasets.definitions import dataset_definitions
from tests.helpers import ROOT
from tests.test_house import ARROWS

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\| (\d+) \| `([\w/]+\.py): (\w+)` \| (.+) \|$", flags=re.M)


def test_every_room_is_on_the_page():
    tree = PAGE.partition("```\n")[2].partition("```")[0]
    named = set(re.findall(r"^  (\w+)(?:\.py|/)", tree, flags=re.M))
    assert named == {room.partition(".")[0] for room in ARROWS} - {"blufs"}


def test_every_step_of_the_pixel_is_one_function_of_one_file():
    section = PAGE.partition("## One pixel")[2].partition("\n## ")[0]
    steps = STEP.findall(section)
    assert [int(number) for number, *_ in steps] == list(range(1, 17))
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert len(steps) == len(rows) - 2, "a step does not name one file and one function"
    for _, file, function, _ in steps:
        tree = ast.parse((ROOT / "src/blufs" / file).read_text(encoding="utf-8"))
        assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, file


def test_no_step_of_the_pixel_goes_back():
    """The rooms come in the order of the stages, and none is entered twice."""
    entered = [file.split("/")[0] for _, file, *_ in STEP.findall(PAGE)]
    rooms = [room for room, before in zip(entered, ["", *entered], strict=False) if room != before]
    assert rooms == ["datasets", "workflow", "results", "analysis"]


def test_the_pixel_is_where_the_page_says():
    image = dataset_definitions(ROOT / "data/datasets.yaml")["COIL20"]["image"]
    row, column = np.unravel_index(500, image["shape"], order=image["order"])
    assert f"pixel 500 is drawn in row {row}, column {column}" in PAGE
