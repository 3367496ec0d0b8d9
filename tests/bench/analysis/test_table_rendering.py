"""The four forms of a table: full numbers, marks, kinds of rows, and harmless titles."""

import io
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from blufs_bench.compare.paper import load_paper
from blufs_bench.results.suite import Suite
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.render import (
    FORMS,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    write_table,
)
from blufs_bench.show.tables.table import AVERAGE, Block, Cell, Row, Table
from tests.helpers import ROOT
from tests.helpers.imports import loaded_by
from tests.helpers.results_fixture import WITH_GAPS, suite_info

PAPER = load_paper(ROOT / "data" / "paper_results.yaml")
SUITE = Suite(**suite_info(datasets=WITH_GAPS))
NAMES = table_specs(WITH_GAPS)


@pytest.fixture(scope="module")
def tables(results):
    return {name: build_table(name, results, SUITE, PAPER) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_csv_holds_the_numbers_in_full(tables, name):
    table = tables[name]
    read = pd.read_csv(io.StringIO(to_csv(table)))
    assert len(read) == len(table.tidy)
    for column in table.tidy.select_dtypes("float"):
        np.testing.assert_array_equal(read[column], table.tidy[column])


AWKWARD = "a|b <script>alert(1)</script> & c_d\\"


@pytest.mark.parametrize("place", ["column", "cell", "title", "note"])
def test_a_title_with_markup_is_shown_as_text(place):
    put = {key: AWKWARD if key == place else "x" for key in ("column", "cell", "title", "note")}
    block = Block(["y", put["column"]], [Row([Cell(put["cell"]), Cell("1", 1.0)])], put["title"])
    table = Table("t", "caption", pd.DataFrame({"a": [1]}), [block], [put["note"]])
    html, text = to_html(table), to_markdown(table)
    assert "<script>" not in html + text
    assert "a|b &lt;script&gt;" in html
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) for line in lines} == {3}
    assert r"c\_d\textbackslash{}" in to_latex(table)


def test_a_dataset_called_average_is_sorted_like_any_other():
    rows = [Row([Cell("Average speed"), Cell("1", 1.0)]), Row([Cell("Mean"), Cell("2")], AVERAGE)]
    table = Table("t", "caption", pd.DataFrame(), [Block(["Dataset", "x"], rows)])
    html = to_html(table)
    assert '<tr><th scope="row">Average speed</th><td data-value="1">1</td></tr>' in html
    assert '<tr class="summary"><th scope="row">Mean</th><td>2</td></tr>' in html


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tables, tmp_path):
    body = "\n\\clearpage\n".join(to_latex(table) for table in tables.values())
    document = (
        "\\documentclass{article}\\usepackage{booktabs,graphicx}\\begin{document}\n"
        f"{body}\n\\end{{document}}\n"
    )
    (tmp_path / "tables.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_same_results_give_the_same_bytes(results, tmp_path):
    for run in ("one", "two"):
        table = build_table("clustering_acc", results, SUITE, PAPER)
        write_table(table, **{form: tmp_path / run / f"acc.{form}" for form in FORMS})
    for form in FORMS:
        one, two = (tmp_path / run / f"acc.{form}" for run in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert len(one.read_bytes()) > 100


def test_planning_loads_no_tables():
    assert not {"numpy", "pandas", "pyarrow"} & loaded_by("blufs_bench.show.tables.catalog")


def test_no_text_of_a_file_is_run_by_a_spreadsheet():
    names = ["=HYPERLINK(1)", "+1", "-a", "@b", "gene", ""]
    tidy = pd.DataFrame({"name": names, "value": [-1.5, 2, -3, 4, 5, 6]})
    lines = to_csv(Table("x", "X", tidy, [])).splitlines()
    assert lines[1:] == [
        "'=HYPERLINK(1),-1.5",
        "'+1,2.0",
        "'-a,-3.0",
        "'@b,4.0",
        "gene,5.0",
        ",6.0",
    ]
