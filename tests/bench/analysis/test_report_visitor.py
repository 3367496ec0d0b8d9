"""What a visitor stumbles over: lost views, hidden marks, cut tables, words of absent data."""

from itertools import pairwise

import pytest

from blufs_bench.results.suite import Suite
from tests.helpers.browser import SCREENS, board, choose, press, screen, wait, webdriver
from tests.helpers.report_page import write_page
from tests.helpers.results_fixture import Made, make_results, suite_info

DATASETS = ("digits", "COIL20", "pie", "lung")
METHODS = (
    *("AllFeatures", "RandomFeatures", "MaxVariance", "LapScore", "MCFS", "UDFS", "RNE"),
    *("SPCAFS", "FSPCA", "FSCA", "BLSFS", "BLUFS"),
)
#: BLUFS is best and slowest.
MADE = Made(
    domains={"digits": "image", "COIL20": "image"},
    quality={name: 0.5 + 0.01 * i for i, name in enumerate(METHODS)} | {"BLUFS": 0.7},
    seconds={name: 0.1 * 1.3**i for i, name in enumerate(METHODS)},
)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """LapScore and BLUFS have no score on one dataset each, and one dataset is not here."""
    folder = make_results(
        tmp_path_factory.mktemp("results"),
        datasets=DATASETS,
        methods=METHODS,
        ablation=(),
        failed=[("digits", "LapScore"), ("COIL20", "BLUFS")],
        unavailable=["lung"],
        n_clusterings=3,
        n_splits=3,
        made=MADE,
    )
    suite = Suite(**suite_info(datasets=DATASETS, methods=METHODS, ablation=()))
    return write_page(folder, suite, tables=("clustering_acc", "profile_digits"))


def chosen(page, name):
    return page.find_element("id", f"select-{name}").get_attribute("value")


def in_sight(page, element_id):
    """Whether an element begins inside the window."""
    return page.execute_script(
        "const box = document.getElementById(arguments[0]).getBoundingClientRect();"
        "return box.top >= -1 && box.top < innerHeight",
        element_id,
    )


def test_back_returns_to_the_view_before(page):
    first, answer = board(page), page.find_element("id", "answer").text
    choose(page, "choice", "oracle")
    wait(page, lambda: board(page) != first)
    page.back()
    wait(page, lambda: chosen(page, "choice") == "default")
    assert board(page) == first
    assert page.find_element("id", "answer").text == answer


def test_link_inside_the_page_keeps_the_view_and_restores_the_place(page):
    choose(page, "metric", "nmi")
    seen = board(page)
    press(page, "nav a[href='#cells']")
    wait(page, lambda: "at=cells" in page.current_url)
    assert in_sight(page, "cells")
    link = page.current_url
    page.get("about:blank")
    page.get(link)
    assert chosen(page, "metric") == "nmi"
    assert board(page) == seen
    assert in_sight(page, "cells")
    press(page, "#leaderboard tr[data-method=UDFS] .drill")
    page.switch_to.active_element.send_keys(webdriver.Keys.ESCAPE)
    assert "metric=nmi" in page.current_url


def test_names_that_every_object_has_are_not_views(browser, report):
    browser.get("about:blank")
    browser.get(report.as_uri() + "#metric=toString&dataset=constructor&method=valueOf&at=nowhere")
    assert chosen(browser, "metric") == "clustering_acc"
    assert not browser.find_element("id", "detail").get_attribute("open")
    assert browser.get_log("browser") == []


def test_mean_curve_counts_a_missing_score_as_random_features(page):
    shown = page.execute_script(
        """
        const known = data.curves[state.metric][state.choice], s = 5;
        const at = (d, m) => known[d][m]?.find(([k]) => k === s)[1];
        const value = (m) => curvesOf("")[m].find(([k]) => k === s)[1];
        const expected = (m) => ["digits", "COIL20", "pie"]
          .map((d) => at(d, m) ?? at(d, "RandomFeatures")).reduce((a, b) => a + b) / 3;
        return ["BLUFS", "LapScore", "UDFS"].map((m) => [value(m), expected(m)]);"""
    )
    assert all(value == pytest.approx(expected, abs=1e-9) for value, expected in shown)
    names = page.find_element("css selector", "#picture-curves .keys").text.split()
    assert [name for name in names if name.endswith("*")] == ["LapScore*", "BLUFS*"]
    assert len(names) == len(METHODS) - 1
    text = page.find_element("id", "picture-curves").text
    assert "* Counts as random features on datasets where it has no score." in text


def test_mean_curve_is_over_most_datasets_where_one_has_other_sizes(page):
    shown = page.execute_script(
        """
        const known = data.curves[state.metric][state.choice];
        const all = data.special.all;
        const shift = (by) => Object.entries(known.pie).forEach(([m, points]) => {
          if (m !== all) points.forEach((p) => { p[0] += by; });
        });
        shift(1000);
        showCurves();
        const found = [datasetsOfMean(), byId("select-curve").options[0].textContent,
          curvesOf("").BLUFS.map(([s]) => s)];
        shift(-1000);
        showCurves();
        return [...found, byId("select-curve").options[0].textContent];"""
    )
    names, over, sizes, whole = shown
    assert names == ["digits", "COIL20"]
    assert over == "Mean over 2 of 3 datasets"
    assert max(sizes) < 1000
    assert whole == "Mean over the datasets"


def test_more_methods_than_colours_are_still_told_apart(page):
    looks = page.execute_script(
        "for (let i = others.length; i < 36; i += 1) others.push(`method ${i}`);"
        "return others.map((m) => `${colorOf(m)} ${dashOf(m)}`)"
    )
    assert len(set(looks)) == 36


def dialog_text(page):
    return page.find_element("id", "detail").text


def test_one_view_leads_to_the_other(page):
    press(page, "#picture-heat tbody tr:first-child .drill")
    wait(page, lambda: dialog_text(page).startswith("Digits"))
    press(page, "#detail table tbody tr:first-child .drill")
    wait(page, lambda: dialog_text(page).startswith("BLUFS"))
    assert "dataset=" not in page.current_url
    press(page, "#detail table tbody tr:last-child .drill")
    wait(page, lambda: "dataset=" in page.current_url)


@pytest.mark.parametrize("scripted", [True, False], ids=["script", "no script"])
@pytest.mark.parametrize("name", SCREENS)
def test_meaning_of_the_columns_is_one_click_away(browser, report, name, scripted):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripted})
    try:
        with screen(browser, name) as (_, height):
            browser.get("about:blank")
            browser.get(report.as_uri())
            button = browser.find_element("id", "explain")
            assert button.rect["y"] + button.rect["height"] < height
            legend = browser.find_element("id", "legend")
            assert not legend.is_displayed()
            button.click()
            assert legend.is_displayed()
            assert "Wins, ties and losses" in legend.text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_nothing_is_cut_on_a_phone(browser, report):
    with screen(browser, "phone"):
        browser.get("about:blank")
        browser.get(report.as_uri() + "#dataset=digits&metric=nmi")
        beyond = browser.execute_script(
            "return [...document.querySelectorAll('nav, #selectors select, #detail .scroll')]"
            ".map((e) => e.scrollWidth - e.clientWidth)"
        )
        assert len(beyond) >= 6
        assert max(beyond) <= 1
        axis = browser.execute_script(
            "return document.querySelector('#picture-ranks .axis').getBoundingClientRect().width"
        )
        assert axis > 150
        rows = browser.execute_script(
            "return [...document.querySelectorAll('#picture-ranks svg text')]"
            ".filter((e) => / \\d+\\.\\d$/.test(e.textContent))"
            ".map((e) => Number(e.getAttribute('y')))"
        )
        assert len(rows) == len(METHODS) - 1
        assert all(upper < lower for upper, lower in pairwise(rows))


def test_links_lead_to_something_with_and_without_script(browser, report, tmp_path):
    def leading_nowhere(page):
        links = page.find_elements("css selector", "nav a, .notice a")
        targets = [a.get_attribute("href").split("#")[1] for a in links if a.is_displayed()]
        assert len(targets) >= 5
        return [t for t in targets if not page.find_element("id", t).is_displayed()]

    browser.get(report.as_uri())
    assert leading_nowhere(browser) == []
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get("about:blank")
        browser.get(report.as_uri())
        assert leading_nowhere(browser) == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    known = {"datasets": ("lung",), "methods": METHODS, "ablation": ()}
    folder = make_results(tmp_path, unavailable=("lung",), **known)
    empty = write_page(folder, Suite(**suite_info(**known)))
    browser.get(empty.as_uri())
    assert leading_nowhere(browser) == []
    assert "Everything else" not in browser.find_element("css selector", ".notice").text
