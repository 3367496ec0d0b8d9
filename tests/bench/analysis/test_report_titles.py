"""Titles and names of any kind on the page, in a real browser."""

import json

from blufs_bench.results.suite import Suite
from blufs_bench.show.figures.catalog import figure_specs
from tests.helpers.browser import screen
from tests.helpers.report_page import write_page
from tests.helpers.results_fixture import make_results, suite_info

HOSTILE = "<img src=x onerror='hacked=1'></script><script>hacked=1</script>|$_{&"
#: The longest title that a configuration may have, in one word, and one from right to left.
TITLES = {
    "digits": HOSTILE,
    "COIL20": "T" * 100,
    "pie": "\u05d0\u05d1\u05d2 (1)",
    "BLUFS": "M" * 100,
}


def test_any_title_and_name_is_text_that_fits_the_screen(browser, tmp_path):
    datasets, methods = ("digits", "COIL20", "pie"), ("RandomFeatures", "LapScore", "BLUFS")
    folder = make_results(tmp_path, datasets=datasets, methods=methods, ablation=())
    for name in datasets:
        path = folder / "data" / name / "card.json"
        card = json.loads(path.read_text())
        card |= {"title": TITLES[name], "origin": HOSTILE, "notes": [HOSTILE], "terms": HOSTILE}
        card |= {"class_names": [HOSTILE] * len(card["class_names"])}
        card |= {"feature_names": [f"{HOSTILE}{i}" for i in range(card["n_features"])]}
        path.write_text(json.dumps(card))
    info = suite_info(datasets=datasets, methods=methods, ablation=())
    info["titles"] |= {"LapScore": HOSTILE, "BLUFS": TITLES["BLUFS"]}
    report = write_page(folder, Suite(**info), figures=figure_specs([]))
    with screen(browser, "phone"):
        browser.get(report.as_uri())
        browser.execute_script(
            "document.querySelectorAll('details').forEach((e) => { e.open = true })"
        )
        assert browser.get_log("browser") == []
        assert browser.execute_script("return window.hacked ?? null") is None
        assert browser.execute_script("return document.images[0].src").startswith("data:")
        text = browser.find_element("css selector", "main").text
        assert all(title in text for title in TITLES.values())
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
