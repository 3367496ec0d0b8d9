"""The report in a real browser: it loads alone, sorts, filters, enlarges, fits a phone."""

import json
import shutil
from pathlib import Path
from urllib.parse import urlparse

import pandas as pd
import pytest

from blufs.analysis.figures.catalog import figure_names
from blufs.analysis.figures.draw import draw
from blufs.analysis.figures.style import Style, save
from blufs.analysis.paper import load_paper
from blufs.analysis.report.page import render
from blufs.analysis.report.provenance import provenance
from blufs.analysis.tables.build import build_table
from blufs.analysis.tables.catalog import table_names
from blufs.analysis.tables.render import write_table
from blufs.analysis.tables.table import AVERAGE, DATA, Block, Cell, Row, Table
from blufs.results import load
from blufs.results.suite import Suite
from tests.helpers.results_fixture import make_results, suite_info

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    pytest.skip("no chromium with chromedriver on this machine", allow_module_level=True)

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
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
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Path of a report with every table and figure, and a failed method."""
    folder = make_results(tmp_path_factory.mktemp("results"), failed=[("digits", "BLSFS")])
    results, suite, style = load(folder), Suite(**suite_info()), Style(dpi=50)
    figures, tables = {}, {}
    for name in figure_names(["rings"]):
        figures[name] = folder / f"figures/{name}.png"
        figure = draw(name, results, suite, style)
        save(figure, figures[name], figures[name].with_suffix(".pdf"), style)
    paper = load_paper(Path(__file__).parents[2] / "data/paper_results.yaml")
    for name in table_names(suite.datasets):
        table = TABLE if name == TABLE.name else build_table(name, results, suite, paper)
        tables[name] = folder / f"tables/{name}.html"
        write_table(table, html=tables[name])
    page = render(
        results,
        suite,
        verdict="**Does BLUFS win?** Here it does.",
        provenance=provenance({}),
        tables=tables,
        figures=figures,
        deviations=Path(__file__).parents[2] / "docs" / "deviations.md",
    )
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_window_size(1366, 900)
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, report):
    browser.get(report.as_uri())
    return browser


def column(page, number):
    """Text of the visible cells of a column of the accuracy table, top to bottom."""
    return page.execute_script(
        "return [...document.querySelectorAll('#table-nmi tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.cells[arguments[0]].textContent)",
        number,
    )


def press(page, selector):
    page.execute_script(
        "const e = document.querySelector(arguments[0]); e.focus(); e.scrollIntoView()", selector
    )
    page.switch_to.active_element.send_keys(webdriver.Keys.ENTER)


def test_loads_without_error_and_without_network(page, report):
    assert page.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    requested = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert any(url.startswith(report.as_uri()) for url in requested)
    assert {urlparse(url).scheme for url in requested} <= {"file", "data", "chrome"}
    files = {url.split("#")[0] for url in requested if url.startswith("file")}
    assert files == {report.as_uri()}
    assert "suite fixture" in page.title


def test_every_figure_is_whole(page):
    sizes = page.execute_script(
        "return Promise.all([...document.querySelectorAll('figure img')].map("
        "(image) => image.decode().then(() => [image.naturalWidth, image.alt.length])))"
    )
    assert len(sizes) == len(figure_names(["rings"]))
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


def test_header_sorts_by_name(page):
    press(page, "#table-nmi thead th:first-child button")
    assert column(page, 0) == ["Average speed", "Digits", "Faces", "Letters", "Average"]


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


@pytest.mark.parametrize("width", [390, 1366])
def test_page_is_no_wider_than_the_screen(browser, report, width):
    metrics = {**PHONE, "width": width, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.get(report.as_uri())
        browser.execute_script(
            "document.querySelectorAll('details').forEach((e) => { e.open = true })"
        )
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_failure_is_told(page):
    cells = page.find_element("id", "cells").text
    assert "timeout" in cells
    assert "over 60 s" in cells
