"""A reader's own choice on the page: on which data, which datasets, and from a row to its use."""

import csv
import io
import json
import math
from urllib.parse import unquote

import pytest
from sklearn.datasets import load_digits

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.method_description import class_facts
from blufs_bench.method_names import BUILT_IN
from blufs_bench.results.suite import Suite, load
from blufs_bench.show.page.recipe import recipe
from tests.helpers import ROOT
from tests.helpers.browser import SCREENS, board, choose, press, screen, wait
from tests.helpers.report_page import write_page
from tests.helpers.results_fixture import QUALITY, Made, make_results, suite_info

DATASETS = ("digits", "COIL20", "Jaffe", "pie", "lung", "MSTAR")
METHODS = ("AllFeatures", "RandomFeatures", "LapScore", "MCFS", "BLSFS", "BLUFS")
CONTROL = "Supervised"
MADE = Made(
    domains={"digits": "image", "COIL20": "image", "Jaffe": "image", "pie": "gene_expression"},
    spread=0.05,
    n_features=80,
    quality=QUALITY | {CONTROL: 0.9},
)
SUITE = Suite(
    **suite_info(datasets=DATASETS, methods=METHODS, ablation=()) | {"controls": [CONTROL]}
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Six datasets of three kinds; two methods have no score on one each."""
    return make_results(
        tmp_path_factory.mktemp("results"),
        datasets=DATASETS,
        methods=(*METHODS, CONTROL),
        ablation=(),
        failed=[("digits", "BLSFS"), ("pie", "LapScore"), ("Jaffe", CONTROL)],
        n_clusterings=2,
        n_splits=2,
        timed=False,
        resampled=False,
        made=MADE,
    )


@pytest.fixture(scope="module")
def compared(folder):
    return compare_methods(load(folder), SUITE)


@pytest.fixture(scope="module")
def report(folder):
    return write_page(folder, SUITE, tables=())


@pytest.mark.parametrize("name", SCREENS)
def test_on_which_data_stands_on_the_first_screen_with_the_gains_of_each_kind(
    browser, report, compared, name
):
    with screen(browser, name) as (width, height):
        browser.get("about:blank")
        browser.get(report.as_uri())
        box, rows, right = browser.execute_script(
            """
            const table = document.querySelector("#matrix table");
            return [table.getBoundingClientRect().bottom,
              [...table.rows].map((row) => [...row.cells].map((c) => c.textContent)),
              document.documentElement.scrollWidth];"""
        )
    assert box < height
    assert right <= width
    assert [row[0] for row in rows] == ["", "Images (3)", "Gene expression (1)", "Other (2)"]
    assert set(rows[0][1:]) == set(METHODS) - {"RandomFeatures"}
    for row, domain in zip(rows[1:], ("image", "gene_expression", "other"), strict=True):
        gains = compared.view("clustering_acc", "default", "area", domain).content["methods"]
        for title, text in zip(rows[0][1:], row[1:], strict=True):
            assert float(text) == pytest.approx(gains[title]["gain"], abs=0.0501)


def test_a_group_compared_in_the_page_is_compared_as_the_benchmark_does(page):
    """The two ways to the same numbers: of the groups that stand in the page, made anew in it."""
    found = page.execute_script(
        """
        const found = [];
        const [domains, scores] = [data.members, data.scores].map(Object.keys);
        for (const domain of domains) for (const score of scores) {
          state.score = score;
          for (const metric of Object.keys(data.views)) {
            const given = data.views[metric][state.choice][score][domain];
            const made = compare(data.members[domain], metric);
            const shown = [...given.methods, ...Object.keys(given.controls)];
            for (const m of shown) found.push([record(given, m), record(made, m)]);
            found.push([{ n: given.n, cd: given.cd }, { n: made.n, cd: made.cd }]);
          }
        }
        return found;"""
    )
    assert len(found) == 4 * 2 * 3 * (len(METHODS) + 2)
    for given, made in found:
        for key, value in given.items():
            if value is None or made[key] is None:
                assert value is made[key] is None, key
            elif key in ("low", "high"):
                assert made[key] == pytest.approx(value, abs=0.6)
            elif key == "seconds":
                assert made[key] == pytest.approx(value, abs=1e-3)
            elif key == "cd":
                assert made[key] == pytest.approx(value, abs=2e-3)
            else:
                tolerance = 2e-4 if key in ("mean", "share") else 0.02
                assert made[key] == pytest.approx(value, abs=tolerance), key


def test_the_sentence_calls_first_who_is_first_in_its_table_for_any_choice_of_datasets(page):
    """Also where all are below random features, where methods tie and where scores are missing."""
    wrong = page.execute_script(
        """
        const wrong = [], draw = drawing(7);
        const pick = (list) => list[Math.floor(draw() * list.length)];
        const values = [0, 0.2, 0.35, 0.5, 0.5, 0.9, undefined];
        const { random } = data.special;
        state.domain = "own";
        for (let run = 0; run < 400; run += 1) {
          const names = data.members.all.filter(() => draw() < 0.5);
          if (!names.length) continue;
          const cells = data.cells[state.metric][state.choice][state.score];
          for (const d of names) for (const m of Object.keys(data.methods)) {
            const value = run % 4 && m === random ? pick(values.slice(0, 6)) : pick(values);
            if (value === undefined) delete cells[d][m]; else cells[d][m] = value;
          }
          madeViews.clear();
          const view = compare(names, state.metric);
          if (!view) continue;
          const places = view.methods.map((m) => [m, record(view, m).place])
            .filter(([, p]) => p !== null);
          const leading = places.filter(([, p]) => p === 1).map(([m]) => m);
          const said = view.answer;
          const expected = !places.some(([m]) => m !== random) ? said.startsWith("No method has")
            : leading.includes(random)
            ? said.includes("no method is better than random") && !said.includes(" first")
            : places.length === 1 ? said.includes("is the only method")
            : said.includes(`: ${listed(leading)} come${leading.length > 1 ? "" : "s"} first`);
          if (!expected) wrong.push([said, places]);
        }
        return wrong;"""
    )
    assert wrong == []


def test_the_control_stands_below_the_methods_without_a_place(page):
    *methods, control = board(page)
    titles = page.execute_script(
        "return [...document.querySelectorAll('#leaderboard thead th')].map((e) => e.textContent)"
    )
    assert control[:2] == ["–", CONTROL]
    assert CONTROL not in [line[1] for line in methods]
    share = next(i for i, title in enumerate(titles) if title.startswith("To supervised"))
    assert control[share] == "100 %"
    assert 0 < int(methods[0][share].removesuffix(" %")) < 100
    code = {line[1]: line[-1] for line in methods}
    assert code["MCFS"] == "equal to reference code"
    assert code["BLSFS"] == "reconstructed"


def test_picked_datasets_rank_the_methods_anew_and_a_link_restores_them(page):
    whole = board(page)
    page.find_element("id", "pick").click()
    boxes = page.find_elements("css selector", "#boxes input[data-names='digits']")
    assert len(boxes) == 1
    page.execute_script("arguments[0].click()", boxes[0])
    wait(page, lambda: "domain=own" in page.current_url)
    assert page.find_element("id", "picked").text.startswith("5 of 6 datasets")
    part = board(page)
    assert part != whole
    answer = page.find_element("id", "answer").text
    assert answer.startswith("Default setting, 5 datasets picked here: BLUFS comes first; ")
    assert "prove nothing" in page.find_element("id", "caveats").text
    assert len(page.find_elements("css selector", "#picture-heat tbody tr")) == 5
    link = page.current_url
    page.get("about:blank")
    page.get(link)
    assert board(page) == part
    mixed = "return document.querySelector('#boxes .wholes input').indeterminate"
    assert page.execute_script(mixed)
    page.get("about:blank")
    page.get(link.split("#")[0] + "#domain=own&pick=nowhere")
    assert board(page) == whole
    assert page.get_log("browser") == []


def test_data_can_be_told_apart_by_their_shape(page):
    shapes = page.execute_script("return shapeMembers")
    # digits: 300 samples of 64 pixels, the others 60 of 80
    assert shapes == {"wide": list(DATASETS[1:])}
    choose(page, "domain", "wide")
    wait(page, lambda: "Fewer samples than features" in page.find_element("id", "answer").text)
    assert "5 datasets of the group" in page.find_element("id", "answer").text


def test_distance_to_the_best_of_each_dataset_is_a_view(page, compared):
    select = page.find_element("id", "select-heat")
    assert select.get_attribute("value") == "gain"
    page.get(page.current_url.split("#")[0] + "#heat=behind")
    rows = page.execute_script(
        "return [...document.querySelectorAll('#picture-heat tr')]"
        ".map((row) => [...row.cells].map((c) => c.textContent))"
    )
    matrix = compared.matrix("clustering_acc", "default", "area")
    ranked = matrix.drop(columns="AllFeatures")
    for title, *cells in rows[1:]:
        scores = matrix.loc["digits" if title == "Digits" else title]
        for method, text in zip(rows[0][1:], cells, strict=True):
            if text in ("best", "–"):
                assert (text == "–") == math.isnan(scores[method])
                continue
            behind = 100 * (scores[method] - ranked.loc[scores.name].max())
            assert float(text) == pytest.approx(behind, abs=0.07)


def test_a_row_leads_to_code_that_runs_with_the_chosen_numbers(page):
    press(page, "#leaderboard tr[data-method=MCFS] .drill")
    wait(page, lambda: page.find_elements("css selector", "#detail .python"))
    page.execute_script(
        """
        const [s, c] = document.querySelectorAll("#detail .use input");
        s.value = 7; s.dispatchEvent(new Event("input"));
        c.value = 4; c.dispatchEvent(new Event("input"));"""
    )
    code = page.execute_script("return document.querySelector('#detail .python').textContent")
    assert "from blufs import MCFS" in code
    assert "MCFS(n_features_to_select=7, n_clusters=4" in code
    made = {"X": load_digits().data[:100]}
    exec(code.replace(", gamma=1", ""), made)  # a parameter of the fixture alone
    assert made["X_selected"].shape == (100, 7)
    assert len(made["chosen"]) == 7


def test_chosen_features_of_any_s_are_a_file_with_their_names(page, folder):
    page.get(page.current_url.split("#")[0] + "#dataset=COIL20")
    rows = load(folder).selections
    rows = rows[(rows["dataset"] == "COIL20") & (rows["method"] == "BLUFS")]
    for s in (2, 5, 10):
        text = page.execute_script(
            "return featuresCsv('COIL20', ['BLUFS', 'MCFS'], arguments[0])", s
        )
        lines = list(csv.DictReader(io.StringIO(text)))
        assert len(lines) == 2 * s
        features = next(iter(rows.loc[rows["s"] == s, "features"])).tolist()
        of_blufs = [line for line in lines if line["method"] == "BLUFS"]
        assert [int(line["column"]) for line in of_blufs] == features
        assert [line["name"] for line in of_blufs] == [f"gene {f}" for f in features]
        assert [int(line["rank"]) for line in of_blufs] == list(range(1, s + 1))
    link = page.find_element("css selector", "#detail .use a")
    assert unquote(link.get_attribute("href")).startswith("data:text/csv;charset=utf-8,method,s,")


def test_no_text_in_a_file_is_a_formula_and_numbers_stay_numbers(page):
    text = page.execute_script(
        "data.names.COIL20 = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [i, '=1+1']));"
        "data.methods.BLUFS.title = '@SUM(A1)';"
        "return featuresCsv('COIL20', ['BLUFS'], 5)"
    )
    first = next(csv.DictReader(io.StringIO(text)))
    assert (first["method"], first["name"]) == ("'@SUM(A1)", "'=1+1")
    assert int(first["column"]) >= 0
    assert first["s"] == "5"


def test_printed_on_a4_the_page_is_as_wide_as_the_paper_and_shows_what_is_open(page):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    # A4 across, less its margins, at 96 pixels an inch.
    metrics = {"width": 1047, "height": 718, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        assert page.execute_script("return document.documentElement.scrollWidth") <= 1047
        assert not page.find_element("id", "selectors").is_displayed()
        for name in ("matrix", "leaderboard", "picture-curves"):
            assert page.find_element("id", name).is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_how_a_method_is_imported_follows_from_its_class():
    pages = ROOT / "docs" / "methods"
    known = {"module": "blufs", "class": "MCFS", "count": "n_features_to_select"}
    about = class_facts("MCFS", BUILT_IN["MCFS"])
    assert recipe("MCFS", about, pages) == known | {"clusters": True, "page": "mcfs.md"}
    found = recipe("LapScore", class_facts("LapScore", BUILT_IN["LapScore"]))
    assert found | {"class": "MCFS"} == known | {"clusters": False, "page": None}
    own = class_facts("Best", "sklearn.feature_selection:SelectKBest")
    found = recipe("Best", own, pages)
    assert "verified" not in own
    assert (found["module"], found["count"]) == ("sklearn.feature_selection", "k")
    assert recipe("Nobody", {}) == recipe("Gone", {"class": "nowhere:Gone"}) == {}
    assert json.dumps(found)
