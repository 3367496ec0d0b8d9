"""Several suites become one site with an index."""

import json

import pytest
from markupsafe import escape

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.page.site import build_site, main
from tests.helpers.results_fixture import make_results, suite_info

METHODS = ("RandomFeatures", "LapScore", "BLUFS")


def finished_suite(folder, **options):
    """The files of a finished run that a site is made of; the page is a stand-in."""
    known = {"datasets": ("digits", "COIL20"), "methods": METHODS, "ablation": ()} | options
    make_results(folder, **known)
    suite = Suite(**suite_info(datasets=known["datasets"], methods=METHODS, ablation=()))
    statistics = compare_methods(load(folder), suite).content
    (folder / "statistics.json").write_text(json.dumps(statistics))
    asked = {"datasets": list(known["datasets"]), "methods": list(METHODS)}
    provenance = {"version": "1.2.3", "date": "2026-01-02T03:04:05", "config": {"suite": asked}}
    (folder / "provenance.json").write_text(json.dumps(provenance))
    (folder / "report.html").write_text(f"<p>page of {escape(folder)}</p>")
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    for name, options in (
        ("first", {}),
        ("no <labels>", {"unlabelled": ("digits", "COIL20")}),
        ("empty", {"unavailable": ("digits", "COIL20")}),
    ):
        finished_suite(folder / name, **options)
    (folder / "unfinished").mkdir()
    return folder


def test_index_says_of_every_suite_what_its_page_answers(results, tmp_path):
    entries = build_site(sorted(results.iterdir()), tmp_path / "site")
    assert [entry.name for entry in entries] == ["empty", "first", "no <labels>"]
    empty, first, unlabelled = entries
    assert first.answer.startswith("With default settings and 2 to 10 features, BLUFS comes ")
    assert (first.n_datasets, first.n_methods) == (2, 3)
    assert "its mean cohesion is" in unlabelled.answer
    assert empty.answer == "No method has a score to compare here."
    assert (empty.n_datasets, empty.n_methods) == (2, 3)
    page = (tmp_path / "site" / "index.html").read_text()
    for entry in entries:
        assert str(escape(entry.answer)) in page
    assert "<h1>Which method selects the best features without labels?</h1>" in page
    assert "no &lt;labels&gt;" in page
    assert "no <labels>" not in page
    assert "http" not in page


def test_site_holds_the_pages_and_the_tables_that_its_links_lead_to(results, tmp_path):
    build_site([results / "first"], tmp_path)
    assert (tmp_path / "first/report.html").read_text() == f"<p>page of {results / 'first'}</p>"
    assert len(load(tmp_path / "first").scores) == len(load(results / "first").scores)
    page = (tmp_path / "index.html").read_text()
    assert 'href="first/report.html"' in page
    assert 'href="first/scores.parquet"' in page


def test_index_fits_every_screen_and_leads_to_the_pages(browser, results, tmp_path):
    from tests.helpers.browser import SCREENS, screen

    build_site([results / "first", results / "no <labels>"], tmp_path)
    for name in SCREENS:
        with screen(browser, name) as (width, _):
            browser.get((tmp_path / "index.html").as_uri())
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
    links = browser.find_elements("css selector", ".suites h2 a")
    assert [link.text for link in links] == ["first", "no <labels>"]
    links[1].click()
    assert browser.find_element("tag name", "p").text == f"page of {results / 'no <labels>'}"


def test_later_folder_of_the_same_name_is_taken(results, tmp_path):
    newer = finished_suite(tmp_path / "newer" / "first")
    build_site([results / "first", newer], tmp_path / "site")
    text = (tmp_path / "site/first/report.html").read_text()
    assert text == f"<p>page of {newer}</p>"


def test_without_a_finished_suite_the_message_says_what_to_do(results, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["site", str(results / "unfinished"), "--to", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"no finished suite in .*unfinished.*run one first"):
        main()
    assert list(tmp_path.iterdir()) == []
