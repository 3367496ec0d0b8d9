"""The page of the largest suites: thirty datasets and twenty methods, all tables and figures."""

import pytest

from blufs_bench.show.figures.catalog import figure_specs
from tests.helpers.browser import SCREENS, board, covered_names, first_screen, open_browser, screen
from tests.helpers.report_page import write_page
from tests.helpers.wide_suite import drawn_suite

pytestmark = pytest.mark.slow
LARGEST = 8e6
#: Pixels that one can still scroll through.
TALLEST = 40_000


@pytest.fixture(scope="module", params=["paper", "wide"])
def drawn(request, tmp_path_factory):
    """The suite and its page."""
    folder, suite = drawn_suite(request.param, tmp_path_factory.mktemp(request.param))
    return suite, write_page(folder, suite, figures=figure_specs(), dpi=110)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with open_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def test_page_is_small_and_shows_its_leaderboard_before_any_script(drawn):
    _, path = drawn
    text = path.read_text()
    assert path.stat().st_size <= LARGEST
    # What is painted first needs nothing that comes later.
    assert text.index('<table id="leaderboard"') < 60_000 < text.index("<script")


@pytest.mark.parametrize("name", SCREENS)
def test_leaderboard_of_all_methods_is_whole(browser, drawn, name):
    suite, path = drawn
    with screen(browser, name) as (width, height):
        browser.get(path.as_uri())
        assert browser.get_log("browser") == []
        assert len(board(browser)) == len(suite.methods)
        box = first_screen(browser)
        assert box["right"] <= width
        assert box["cut"] == []
        assert box["top"] < height
        root = "return document.documentElement"
        assert browser.execute_script(f"{root}.scrollWidth") <= width
        assert browser.execute_script(f"{root}.scrollHeight") <= TALLEST


def test_names_in_pictures_and_the_matrix_have_room(browser, drawn):
    _, path = drawn
    with screen(browser, "desk"):
        browser.get("about:blank")
        browser.get(path.as_uri())
        assert covered_names(browser, "#picture-time") == []
        assert covered_names(browser, "#picture-ranks") == []
        hidden = browser.execute_script(
            "const e = document.querySelector('#picture-pairs .scroll');"
            "return e.scrollWidth - e.clientWidth"
        )
        assert hidden == 0
