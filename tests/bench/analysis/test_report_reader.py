"""What a reader does with the page: pictures that follow, views of one thing, keys, contrast."""

import pytest

from blufs_bench.results.suite import Suite
from tests.helpers import ROOT
from tests.helpers.browser import (
    SCREENS,
    choose,
    covered_names,
    prefer,
    press,
    screen,
    wait,
    webdriver,
)
from tests.helpers.report_page import write_page
from tests.helpers.results_fixture import Made, make_results, suite_info

CONTRAST = ROOT / "tests" / "helpers" / "contrast.js"
DATASETS = ("digits", "COIL20", "Jaffe", "pie", "MSTAR", "warpAR")
METHODS = (
    *("AllFeatures", "RandomFeatures", "MaxVariance", "LapScore", "MCFS", "UDFS", "RNE"),
    *("SPCAFS", "FSPCA", "FSCA", "BLSFS", "NDFS", "VCSDFS", "DSCOFS", "BLUFS"),
)
#: Methods that are nearly equally good and fast: their names have little room in a picture.
MADE = Made(
    domains={"digits": "image", "COIL20": "image", "Jaffe": "image", "pie": "gene_expression"},
    quality={name: 0.5 + 0.004 * i for i, name in enumerate(METHODS)} | {"BLUFS": 0.7},
    spread=0.02,
    seconds={name: 0.1 * 1.15**i for i, name in enumerate(METHODS)},
)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = make_results(
        tmp_path_factory.mktemp("results"),
        datasets=DATASETS,
        methods=METHODS,
        ablation=(),
        failed=[("digits", "BLSFS")],
        n_clusterings=3,
        n_splits=3,
        made=MADE,
    )
    suite = Suite(**suite_info(datasets=DATASETS, methods=METHODS, ablation=()))
    return write_page(folder, suite, tables=("clustering_acc", "profile_digits"))


def ranks(page):
    """What the picture of the average ranks says to those who do not see it."""
    picture = page.find_element("css selector", "#picture-ranks svg")
    return picture.get_attribute("aria-label")


def test_average_ranks_follow_every_selector(page):
    first = ranks(page)
    assert first.startswith("Average ranks: BLUFS 1.")
    assert "AllFeatures" not in first
    seen = {first}
    for name, value in (("metric", "nmi"), ("choice", "oracle"), ("score", "reported")):
        choose(page, name, value)
        wait(page, lambda: ranks(page) not in seen)
        seen.add(ranks(page))
    choose(page, "domain", "image")
    wait(page, lambda: ranks(page) not in seen)
    assert len(page.find_elements("css selector", "#picture-ranks .elbow")) == len(METHODS) - 1


def test_bars_join_the_methods_whose_ranks_differ_by_less_than_the_critical_difference(page):
    runs = page.execute_script("return runsWithin([1, 2, 2.5, 4, 4.5, 9], 2)")
    assert runs == [[0, 2], [2, 3], [3, 4]]
    text = page.find_element("id", "picture-ranks").text
    # k = 14 methods, N = 6 datasets: q(0.05, 14) = 3.354 (Demšar, table 5 and its sequel).
    assert f"CD {3.354 * (14 * 15 / 36) ** 0.5:.1f}"[:-1] in text
    assert page.find_elements("css selector", "#picture-ranks .joined")


@pytest.mark.parametrize("name", SCREENS)
def test_no_name_covers_another_in_a_picture(browser, report, name):
    with screen(browser, name):
        browser.get("about:blank")
        browser.get(report.as_uri())
        assert covered_names(browser, "#picture-ranks") == []
        assert covered_names(browser, "#picture-time") == []
        shown = browser.execute_script(
            "return [...document.querySelectorAll('#picture-time text')].map((e) => e.textContent)"
        )
        # Where there is no room, the name stands in the dot's tooltip and in the leaderboard.
        assert len(set(METHODS) - set(shown)) <= (0 if name == "desk" else 4)


def test_dialogue_gives_the_focus_back_to_the_button_that_opened_it(page):
    opener = "#leaderboard tr[data-method=FSCA] .drill"
    press(page, opener)
    dialog = page.find_element("id", "detail")
    wait(page, lambda: dialog.get_attribute("open"))
    assert page.execute_script(
        "return document.getElementById('detail').contains(document.activeElement)"
    )
    page.switch_to.active_element.send_keys(webdriver.Keys.ESCAPE)
    wait(page, lambda: "method=" not in page.current_url)
    same = "return document.activeElement === document.querySelector(arguments[0])"
    assert page.execute_script(same, opener)


def test_everything_is_reached_with_the_tab_key_and_shows_its_focus(page):
    body = page.find_element("tag name", "body")
    body.send_keys(webdriver.Keys.TAB)
    assert page.switch_to.active_element.get_attribute("class") == "skip"
    wanted = ["select-metric", "select-choice", "select-domain", "select-score", "theme"]
    reached, bare = set(), []
    for _ in range(90):
        page.switch_to.active_element.send_keys(webdriver.Keys.TAB)
        name, outline = page.execute_script(
            "const e = document.activeElement, s = getComputedStyle(e);"
            "const width = s.outlineStyle === 'none' ? 0 : parseFloat(s.outlineWidth);"
            "return [e.id || e.textContent.trim(), width]"
        )
        reached.add(name)
        bare += [name] if not outline else []
    assert set(wanted) <= reached
    assert set(METHODS) <= reached
    assert {"board-csv", "board-tex", "explain", "pick"} <= reached
    assert bare == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["", "#dataset=digits", "#method=BLUFS"])
def test_every_text_has_the_contrast_of_wcag_aa(browser, report, scheme, view):
    prefer(browser, scheme)
    browser.get("about:blank")
    browser.get(report.as_uri() + (f"{view}&metric=nmi" if view else ""))
    browser.execute_script("document.querySelectorAll('details').forEach((e) => { e.open = true })")
    count, weak = browser.execute_script(CONTRAST.read_text(encoding="utf-8"))
    assert count > 300
    assert weak == []


def test_pictures_and_images_have_words_for_those_who_do_not_see_them(page):
    silent = page.execute_script(
        "return [...document.querySelectorAll('img:not(#lightbox img), svg[role=img]')]"
        ".filter((e) => (e.alt ?? e.getAttribute('aria-label') ?? '').length < 20).length"
    )
    assert silent == 0
    hidden = page.execute_script(
        "return [...document.querySelectorAll('svg:not([role=img])')]"
        ".filter((e) => e.getAttribute('aria-hidden') !== 'true').length"
    )
    assert hidden == 0
