"""The report holds everything, says what went wrong, and needs nothing from outside."""

import base64
import io
import json
import lzma
import os
import platform
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from blufs_bench.compare.comparison import Comparison, View, compare_methods, view
from blufs_bench.compare.paper import load_paper
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.figures.draw import draw
from blufs_bench.show.figures.style import Style, save
from blufs_bench.show.page import content, markdown
from blufs_bench.show.page.data import COLUMNS, _as_shown, _view, as_script
from blufs_bench.show.page.page import download, picture, render
from blufs_bench.show.page.provenance import git_commit, package_versions, provenance
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.render import write_table
from blufs_bench.show.tables.table import AVERAGE, Block, Cell, Row, Table
from tests.helpers import ROOT
from tests.helpers.results_fixture import make_results, rows_of, suite_info

DATASETS = ("rings", "digits", "absent")
AWKWARD = "ACC of <everything> | more"
TABLE = Table(
    "clustering_acc",
    AWKWARD,
    pd.DataFrame(),
    [
        Block(
            ["Dataset", "BLUFS"],
            [
                Row([Cell("Digits"), Cell("71.2±0.3 (10)", 71.2, "best")]),
                Row([Cell("Average"), Cell("40.2", 40.2)], AVERAGE),
            ],
        )
    ],
)


@pytest.fixture(scope="module")
def suite():
    return Suite(**suite_info(datasets=DATASETS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, suite):
    folder = make_results(
        tmp_path_factory.mktemp("results"),
        datasets=DATASETS,
        unavailable=["absent"],
        failed=[("digits", "BLSFS")],
    )
    results, style = load(folder), Style(dpi=50)
    for name in ("overview", "acc_curves"):
        figure, _ = draw(name, results, suite, style)
        save(figure, folder / f"figures/{name}.png", folder / f"figures/{name}.pdf", style)
    (folder / "tables").mkdir()
    write_table(TABLE, html=folder / "tables/clustering_acc.html")
    paper = load_paper(ROOT / "data/paper_results.yaml")
    for name in DATASETS:
        table = build_table(f"profile_{name}", results, suite, paper)
        write_table(table, html=folder / f"tables/profile_{name}.html")
    (folder / "deviations.md").write_text(
        "# Deviations\n\n## The graph\n\nIt has `k` neighbours.\n"
    )
    return folder


@pytest.fixture(scope="module")
def page(folder, suite):
    return make_page(folder, suite)


def make_page(folder, suite):
    found = compare_methods(load(folder), suite).content
    return render(
        load(folder),
        suite,
        comparison=Comparison(found | {"verdict": "**BLUFS** wins on <2 of 3> datasets."}),
        provenance=provenance({"seed": 7, "suite": {"datasets": list(DATASETS)}}),
        tables={
            name: folder / f"tables/{name}.html"
            for name in ("clustering_acc", *(f"profile_{dataset}" for dataset in DATASETS))
        },
        figures={name: folder / f"figures/{name}.png" for name in ("overview", "acc_curves")},
        deviations=folder / "deviations.md",
    )


class Elements(HTMLParser):
    """All start tags, and whether every one that needs it is closed."""

    VOID = frozenset({"meta", "link", "img", "input", "br", "hr"})

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def test_page_is_well_formed_and_ids_are_unique(page):
    elements = Elements(page)
    assert not elements.open
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [a["href"][1:] for a in elements.all("a") if a["href"].startswith("#")]
    assert set(links) <= set(ids)


def test_page_asks_for_nothing_from_outside(page):
    elements = Elements(page)
    for _, attributes in elements.found:
        for key in ("src", "href", "action", "srcset"):
            assert attributes.get(key, "#").startswith(("#", "data:"))
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest", page)


def test_figures_are_embedded_whole_with_words(page, folder):
    images = [image for image in Elements(page).all("img") if "src" in image]
    assert len(images) == 2
    for image, name in zip(images, ("acc_curves", "overview"), strict=True):
        data = base64.b64decode(image["src"].removeprefix("data:image/webp;base64,"))
        embedded, drawn = (
            np.asarray(Image.open(source).convert("RGB"))
            for source in (io.BytesIO(data), folder / f"figures/{name}.png")
        )
        np.testing.assert_array_equal(embedded, drawn)
        assert len(image["alt"]) > 20
        shown = picture(name, folder / f"figures/{name}.png", figure_specs()[name])
        assert (image["width"], image["height"]) == (str(shown.width), str(shown.height))
        assert shown.caption.split(";")[0] in page


def test_markup_in_texts_is_shown_and_not_obeyed(page):
    assert "&lt;2 of 3&gt;" in page
    assert "ACC of &lt;everything&gt; | more" in page
    assert "<script" not in markdown.to_html("| a |\n|---|\n| <script>x</script> |")


def test_marks_of_generated_tables_are_not_shown():
    text = "Words:\n\n<!-- table numbers -->\n| a |\n|---|\n| 1 |\n<!-- end -->\n\nMore."
    html = markdown.to_html(text)
    assert "table numbers" not in html
    assert "end" not in html
    assert html.count("<th ") == 2


def test_outcomes_count_cells_and_say_why(folder, suite):
    results = load(folder)
    outcome = content.outcomes(results, suite)
    cells = results.scores.drop_duplicates(["dataset", "method", "s", "repetition"])
    assert outcome.total == len(cells)
    assert outcome.counts == cells["status"].value_counts().to_dict()
    problems = {(row["dataset"], row["status"]): row for row in outcome.problems}
    assert problems["absent", "unavailable"]["methods"] == "all methods"
    assert problems["Digits", "timeout"]["methods"] == "BLSFS"
    # three numbers of features, ten repetitions
    assert problems["Digits", "timeout"]["cells"] == 30
    assert problems["Digits", "timeout"]["reason"] == "over 60 s"


def test_one_failed_repetition_fails_its_cell(folder, suite):
    results = load(folder)
    rows = results.scores.copy()
    before = content.outcomes(results, suite).succeeded
    key = {"dataset": "rings", "method": "BLUFS", "choice": "blind", "metric": "clustering_acc"}
    failed = rows_of(results, s=5, repetition=3, **key).index
    rows.loc[failed, ["status", "reason"]] = ["failed", "ValueError: bad"]
    results.__dict__["scores"] = rows
    outcome = content.outcomes(results, suite)
    assert outcome.counts["failed"] == 1
    assert outcome.succeeded == before - 1
    assert "ValueError: bad" in {problem["reason"] for problem in outcome.problems}


def test_pairs_without_any_row_are_missing(folder, suite):
    results = load(folder)
    rows = results.scores
    gone = (rows["dataset"] == "rings") & (rows["method"] == "LapScore")
    results.__dict__["scores"] = rows[~gone]
    outcome = content.outcomes(results, suite)
    assert outcome.counts["missing"] == 1
    missing = [problem for problem in outcome.problems if problem["status"] == "missing"]
    assert [(row["dataset"], row["methods"]) for row in missing] == [("Rings", "LapScore")]


def test_downloads_hold_the_files(tmp_path):
    small, large = tmp_path / "a.csv", tmp_path / "b.tex"
    small.write_text("x,y\n1,é\n")
    large.write_text("row\n" * 30_000)
    head, body = download(small).source.split(",")
    assert head == "data:text/csv;charset=utf-8;base64"
    assert base64.b64decode(body) == small.read_bytes()
    packed = download(large)
    assert packed.name == "b.tex.xz"
    assert lzma.decompress(base64.b64decode(packed.source.split(",")[1])) == large.read_bytes()


def test_numbers_stand_in_the_page_once_and_no_text_ends_the_script(page):
    assert page.count('id="data"') == 1
    block = page[page.index('id="data"') :]
    text = block[block.index(">") + 1 : block.index("</script>")]
    assert json.loads(text)["metrics"].keys() == {"clustering_acc", "nmi", "knn_accuracy"}
    assert "<" not in as_script({"title": "</script><script>x"})


@pytest.mark.parametrize("digits", [2, 4])
@pytest.mark.parametrize("scale", [1, 100])
def test_few_digits_show_the_same_number_as_all(digits, scale):
    values = np.random.default_rng(0).normal(size=5000)
    for value in [0.47154123, 0.46545909, 0.45047297, 4.3499, 0.0, *values]:
        short = _as_shown(value, digits, scale)
        assert f"{scale * short:.1f}" == f"{scale * value:.1f}"
        assert abs(short - value) <= 0.5 * 10.0**-digits + 1e-15
    assert _as_shown(0.47154123, 4, 100) == 0.47154
    assert _as_shown(0.25, 4, 100) == 0.25
    assert _as_shown(None) is _as_shown(np.nan) is None


def test_the_page_has_scores_gains_and_differences_as_they_are_shown():
    # Rounded once before, 47.154 % would be shown as 47.1 and 4.4497 points as 4.5.
    scores = {"RandomFeatures": 0.347, "BLUFS": 0.47154123, "MCFS": 0.42704423}
    found = view(pd.DataFrame(scores, index=["a", "b"]))
    exact = found["methods"]
    data = _view(
        View("nmi", "blind", "area", "all", found | {"answer": "", "caveats": []}), {}, 0.05
    )
    for name, values in zip(data["methods"], data["rows"], strict=True):
        row = dict(zip(COLUMNS, values, strict=True))
        assert f"{100 * row['mean']:.1f}" == f"{100 * exact[name]['mean']:.1f}"
        if name != "RandomFeatures":
            for key in ("gain", "low", "high"):
                assert f"{row[key]:.1f}" == f"{exact[name][key]:.1f}"
    differences = {f"{value:.1f}" for value in data["pairs"]["values"][::4]}
    assert differences == {"4.4", "8.0", "12.5"}


def test_same_results_give_the_same_page(page, folder, suite):
    without_date = re.compile(r"\d{4}-\d\d-\d\d(T[\d:+]+)?")
    again = make_page(folder, suite)
    assert without_date.sub("", page) == without_date.sub("", again)


def test_provenance_names_versions_and_no_machine(page):
    record = provenance({"seed": 7})
    assert record["config"] == {"seed": 7}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", record["date"])
    versions = package_versions()
    assert {"numpy", "scikit-learn", "matplotlib", "snakemake"} <= set(versions)
    assert "pytest" not in versions
    words = re.split(r"[^\w.-]+", json.dumps(record))
    assert platform.node() not in words
    for private in {str(Path.home()), str(Path.cwd())} - {"/"}:
        assert private not in json.dumps(record) + page


def test_commit_is_that_of_the_folder(tmp_path):
    assert git_commit(tmp_path) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "file").write_text("one")
    subprocess.run([*git, "add", "file"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    commit = git_commit(tmp_path)
    assert re.fullmatch(r"[0-9a-f]{40}", commit)
    (tmp_path / "file").write_text("two")
    assert git_commit(tmp_path) == f"{commit} with local changes"


@pytest.mark.slow
@pytest.mark.workflow
def test_report_of_snakemake_itself_shows_figures_with_their_captions(finished, tmp_path):
    # It fetches its own scripts from the network when it is made; here they are empty.
    (tmp_path / "sitecustomize.py").write_text(
        "import requests, types\n"
        "requests.get = lambda *_, **__: types.SimpleNamespace(status_code=200, text='')\n"
    )
    environment = finished.environment
    environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{environment['PYTHONPATH']}"
    written = tmp_path / "report.html"
    command = finished.command("--cores", "1", "--report", str(written))
    done = subprocess.run(
        command, cwd=finished.folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    text = written.read_text()
    for name in ("overview", "acc_curves", "scatter_rings"):
        assert f"{name}.png" in text
        assert figure_specs(["rings"])[name].caption.split(",")[0] in text
    assert "report.html" in text
