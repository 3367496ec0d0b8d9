"""The report in a real browser: it loads alone, sorts, filters, enlarges, fits a phone."""

import json
from urllib.parse import unquote, urlparse

import numpy as np
import pandas as pd
import pytest

from blufs_bench.results.suite import Suite
from blufs_bench.show.figures.catalog import figure_specs
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.table import AVERAGE, DATA, Block, Cell, Row, Table
from tests.helpers.browser import (
    SCREENS,
    board,
    choose,
    first_screen,
    press,
    screen,
    wait,
    webdriver,
)
from tests.helpers.report_page import write_page
from tests.helpers.results_fixture import Made, make_results, suite_info

#: Texts that would be sorted otherwise than their numbers, and a dataset named like a summary.
ROWS = (
    ("Digits", ("9.5±0.1 (5)", 9.5), ("71.2±0.3 (10)", 71.2), DATA),
    ("Average speed", ("n/a (failed)", None), ("8.1", 8.1), DATA),
    ("Letters", ("100.0±0.0 (7)", 100.0), ("55.0", 55.0), DATA),
    ("Faces", ("20.25±0.0 (7)", 20.25), ("−3.0", -3.0), DATA),
    ("Average", ("10.5", 10.5), ("40.2", 40.2), AVERAGE),
)
TABLE = Table(
    "nmi",
    "Accuracy",
    pd.DataFrame(),
    [
        Block(
            ["Dataset", "LapScore", "BLUFS"],
            [Row([Cell(name), Cell(*one), Cell(*two)], kind) for name, one, two, kind in ROWS],
        )
    ],
)

DATASETS = ("rings", "digits", "COIL20", "pie", "lung")
METHODS = ("AllFeatures", "RandomFeatures", "LapScore", "BLSFS", "BLUFS")
DOMAIN = {"digits": "image", "COIL20": "image", "pie": "gene_expression"}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Path of a report with every table and figure, a failed method and data that are not here."""
    folder = make_results(
        tmp_path_factory.mktemp("results"),
        datasets=DATASETS,
        methods=METHODS,
        failed=[("digits", "BLSFS")],
        unavailable=["lung"],
        made=Made(domains=DOMAIN),
    )
    suite = Suite(**suite_info(datasets=DATASETS, methods=METHODS))
    figures = figure_specs(["rings"])
    return write_page(folder, suite, figures=figures, replaced={TABLE.name: TABLE})


@pytest.fixture
def page(browser, report):
    browser.get(report.as_uri())
    browser.execute_script("document.querySelectorAll('.fold').forEach((e) => { e.open = true })")
    return browser


def column(page, number):
    """Text of the visible cells of a column of the accuracy table, top to bottom."""
    return page.execute_script(
        "return [...document.querySelectorAll('#table-nmi tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[arguments[0]].textContent)",
        number,
    )


def test_loads_without_error_and_without_network(page, report):
    assert page.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    requested = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert any(url.startswith(report.as_uri()) for url in requested)
    schemes = {urlparse(url).scheme for url in requested}
    assert schemes <= {"file", "data", "chrome", "chrome-untrusted"}
    files = {url.split("#")[0] for url in requested if url.startswith("file")}
    assert files == {report.as_uri()}
    assert "suite fixture" in page.title


def test_every_figure_is_whole(page):
    sizes = page.execute_script(
        "return Promise.all([...document.querySelectorAll('figure img')].map("
        "(image) => image.decode().then(() => [image.naturalWidth, image.alt.length])))"
    )
    assert len(sizes) == len(figure_specs(["rings"]))
    assert all(width > 100 and words > 20 for width, words in sizes)


def test_header_sorts_by_number_in_both_directions_from_the_keyboard(page):
    header = "#table-nmi thead th:nth-child(2)"
    press(page, f"{header} button")
    assert column(page, 0) == ["Digits", "Faces", "Letters", "Average speed", "Average"]
    state = "return document.querySelector(arguments[0]).getAttribute('aria-sort')"
    assert page.execute_script(state, header) == "ascending"
    press(page, f"{header} button")
    assert column(page, 0) == ["Letters", "Faces", "Digits", "Average speed", "Average"]
    assert page.execute_script(state, header) == "descending"
    press(page, "#table-nmi thead th:nth-child(3) button")
    assert column(page, 0) == ["Faces", "Average speed", "Letters", "Digits", "Average"]
    assert page.execute_script(state, header) == "none"


def test_filter_keeps_the_rows_with_all_words(page):
    box = page.find_element("css selector", "#table-nmi input[type=search]")
    assert "nmi" in box.get_attribute("aria-label")
    box.send_keys("(7) fac")
    assert column(page, 0) == ["Faces"]
    count = page.find_element("css selector", "#table-nmi output")
    assert count.text == "1 of 5 rows"
    box.clear()
    box.send_keys(" ")
    assert len(column(page, 0)) == 5


def test_figure_is_enlarged_and_closed(page):
    press(page, "#figure-acc_curves .zoom")
    dialog = page.find_element("id", "lightbox")
    assert dialog.get_attribute("open")
    same = page.execute_script(
        "return document.querySelector('#lightbox img').src "
        "=== document.querySelector('#figure-acc_curves img').src"
    )
    assert same
    page.switch_to.active_element.send_keys(webdriver.Keys.ESCAPE)
    assert not dialog.get_attribute("open")


def test_theme_button_switches_the_colours(page):
    background = "return getComputedStyle(document.body).backgroundColor"
    before = page.execute_script(background)
    press(page, "#theme")
    after = page.execute_script(background)
    assert before != after
    press(page, "#theme")
    assert page.execute_script(background) == before


def test_link_opens_the_section_it_leads_to(page, report):
    assert not page.find_element("id", "dataset-digits").get_attribute("open")
    page.execute_script("location.hash = '#dataset-digits'")
    page.find_element("css selector", "#dataset-digits[open]")


@pytest.mark.parametrize("name", SCREENS)
def test_page_is_no_wider_than_the_screen(browser, report, name):
    with screen(browser, name) as (width, _):
        browser.get(report.as_uri())
        browser.execute_script(
            "document.querySelectorAll('details').forEach((e) => { e.open = true })"
        )
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", SCREENS)
def test_leaderboard_is_whole_on_the_first_screen(browser, report, name):
    with screen(browser, name) as (width, height):
        browser.get(report.as_uri())
        assert len(board(browser)) == len(METHODS)
        box = first_screen(browser)
        assert box["top"] < height
        assert box["right"] <= width
        assert box["cut"] == []
        if name == "desk":
            assert box["bottom"] < height


@pytest.mark.parametrize(
    ("name", "value"),
    [("metric", "nmi"), ("choice", "oracle"), ("domain", "image"), ("score", "reported")],
)
def test_selector_changes_table_pictures_and_address(page, name, value):
    pictures = "return document.getElementById('pictures').innerHTML"
    before, drawn = board(page), page.execute_script(pictures)
    answer = page.find_element("id", "answer").text
    choose(page, name, value)
    wait(page, lambda: page.execute_script(pictures) != drawn)
    assert page.find_element("id", "answer").text != answer
    if name != "metric":
        assert board(page) != before
    assert page.get_log("browser") == []


def test_link_restores_the_view(page, report):
    choose(page, "metric", "nmi")
    choose(page, "domain", "image")
    link, seen = page.current_url, board(page)
    answer = page.find_element("id", "answer").text
    page.get("about:blank")
    page.get(link)
    assert board(page) == seen
    assert page.find_element("id", "answer").text == answer
    assert page.find_element("id", "select-metric").get_attribute("value") == "nmi"
    page.get("about:blank")
    page.get(report.as_uri() + "#metric=<script>&choice=none&dataset=nowhere")
    assert page.find_element("id", "select-metric").get_attribute("value") == "clustering_acc"
    assert page.get_log("browser") == []


def test_leaderboard_is_sorted_by_its_headers(page):
    press(page, "#leaderboard thead th:nth-child(4) button")
    scores = [float(line[3]) for line in board(page)]
    assert scores == sorted(scores)
    press(page, "#leaderboard thead th:nth-child(4) button")
    assert [float(line[3]) for line in board(page)] == scores[::-1]


def test_dataset_and_method_open_alone_and_close(page):
    press(page, "#picture-heat tbody tr:first-child .drill")
    dialog = page.find_element("id", "detail")
    wait(page, lambda: dialog.get_attribute("open"))
    text = dialog.text
    assert text.startswith("Digits")
    for word in ("Images", "Best here: BLUFS", "Chosen features", "stopped at its time limit"):
        assert word in text
    assert page.find_elements("css selector", "#detail .pixels rect")
    assert page.find_elements("css selector", "#detail .picture polyline")
    assert "dataset=digits" in page.current_url
    page.switch_to.active_element.send_keys(webdriver.Keys.ESCAPE)
    wait(page, lambda: "dataset=" not in page.current_url)
    press(page, "#leaderboard tr[data-method=BLSFS] .drill")
    wait(page, lambda: dialog.get_attribute("open"))
    assert dialog.text.startswith("BLSFS")
    assert "gamma = 1" in dialog.text
    assert "Digits: stopped at its time limit: over 60 s" in dialog.text


def test_every_table_can_be_downloaded(page):
    found = page.execute_script(
        "return [...document.querySelectorAll('section.table')].map((section) => "
        "[...section.nextElementSibling.querySelectorAll('a[download]')].map((a) => a.href))"
    )
    assert len(found) == len(table_specs(DATASETS))
    assert all(len(links) == 2 for links in found)
    assert all(link.startswith("data:") for links in found for link in links)
    csv = unquote(page.find_element("id", "board-csv").get_attribute("href").split(",", 1)[1])
    lines = csv.splitlines()
    assert lines[0].startswith("Place,Method,Gain over random,ACC,NMI,k-NN,")
    assert lines[0].endswith(",Seconds,Code,low,high,wins,ties,losses")
    words = (1, lines[0].split(",").index("Code"))
    assert len(lines) == 1 + len(METHODS)
    cells = [cell for line in lines[1:] for i, cell in enumerate(line.split(",")) if i not in words]
    assert all(np.isfinite(float(cell)) for cell in cells if cell)


def test_page_without_javascript_has_the_same_leaderboard(page, report):
    with_script, answer = board(page), page.find_element("id", "answer").text
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.get(report.as_uri())
        rows = page.find_elements("css selector", "#leaderboard tbody tr")
        plain = [[c.text for c in row.find_elements("css selector", "td, th")] for row in rows]
        assert plain == with_script
        assert page.find_element("id", "answer").text == answer
        assert not page.find_element("id", "selectors").is_displayed()
        assert not page.find_element("id", "table-gains").is_displayed()
        page.find_element("css selector", ".fold:has(#table-gains) > summary").click()
        assert page.find_element("id", "table-gains").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


OTHER_SUITES = {
    "no labels": {
        "datasets": ("digits", "pie"),
        "unlabelled": ("digits", "pie"),
        "methods": METHODS,
    },
    "one dataset, one method": {"datasets": ("digits",), "methods": ("BLUFS",)},
    "no random features": {"datasets": ("digits", "pie"), "methods": ("LapScore", "BLUFS")},
    "nothing available": {"datasets": ("lung",), "unavailable": ("lung",), "methods": METHODS},
}


@pytest.mark.parametrize("options", OTHER_SUITES.values(), ids=OTHER_SUITES)
def test_page_of_another_suite_works(browser, tmp_path, options):
    folder = make_results(tmp_path, ablation=(), **options)
    known = {key: options[key] for key in ("datasets", "methods")}
    path = write_page(folder, Suite(**suite_info(ablation=(), **known)))
    browser.get(path.as_uri())
    assert browser.get_log("browser") == []
    answer = browser.find_element("id", "answer").text
    if "lung" in options["datasets"]:
        assert answer == "No method has a score to compare here."
        return
    assert len(board(browser)) == len(options["methods"])
    titles = [cell.text for cell in browser.find_elements("css selector", "#leaderboard thead th")]
    assert any("Gain" in title for title in titles) == ("RandomFeatures" in options["methods"])
    if "unlabelled" in options:
        assert [title.split()[0] for title in titles[3:]][:2] == ["Cohesion", "Principal"]
        assert {"Stability", "Agreement"} <= {title.split()[0] for title in titles}
