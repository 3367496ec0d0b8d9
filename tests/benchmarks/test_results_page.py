"""The page of results is made from the kept tables and statistics, and from nothing else."""

import json
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.publish import results_page
from benchmarks.publish.keep_results import keep
from blufs.analysis.paper import load_paper
from blufs.analysis.summary import summarise
from blufs.analysis.tables.build import build_table
from blufs.analysis.tables.catalog import TABLES
from blufs.analysis.tables.render import write_table
from blufs.results import Suite, load
from tests.helpers.results_fixture import WITH_GAPS, make_results_with_gaps, suite_info

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with one kept suite."""
    source = make_results_with_gaps(tmp_path_factory.mktemp("results") / "fixture")
    results, suite = load(source), Suite(**suite_info(datasets=WITH_GAPS))
    paper = load_paper(ROOT / "data" / "paper_results.yaml")
    for name in TABLES:
        table = build_table(name, results, suite, paper)
        write_table(table, **{form: source / f"tables/{name}.{form}" for form in ("csv", "md")})
    (source / "statistics.json").write_text(json.dumps(summarise(results, suite)))
    for name in ("complete.txt", "report.html"):
        (source / name).write_text("x")
    target = tmp_path_factory.mktemp("docs")
    keep(source, target / "fixture")
    return target


def test_the_page_holds_the_verdict_the_averages_and_the_ranks(kept):
    text = results_page.page(kept)
    statistics = json.loads((kept / "fixture" / "statistics.json").read_text())
    assert statistics["verdict"] in text
    table = pd.read_csv(kept / "fixture" / "tables" / "nmi.csv")
    cell = table.query("kind == 'average' and choice == 'blind' and method == 'BLUFS'")
    line = next(row for row in text.splitlines() if row.startswith("| NMI | Blind | "))
    assert line.endswith(f" {100 * cell['mean'].item():.1f} |")
    found = statistics["comparisons"]["nmi"]["blind"]
    assert f"BLUFS {found['average_ranks']['BLUFS']:.2f}" in text
    assert f"| {found['friedman']['p_value']:.2g} |" in text


def test_every_link_of_the_page_leads_to_a_kept_file(kept):
    text = results_page.page(kept)
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    own = [link for link in links if link.startswith("fixture/")]
    assert len(own) == len(TABLES) + 1
    assert all((kept / link).exists() for link in own)


def test_without_a_kept_suite_the_page_says_so(tmp_path):
    assert results_page.page(tmp_path) == results_page.EMPTY


def test_an_unfinished_run_is_not_kept(tmp_path):
    with pytest.raises(SystemExit, match="no finished run: snakemake --config suite=half"):
        keep(tmp_path / "half", tmp_path / "docs")
