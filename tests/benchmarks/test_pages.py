"""The pages of figures are what their scripts make of the kept results, to the letter."""

import pytest

from benchmarks.publish import results_page
from benchmarks.speed import methods_speed, render_performance
from tests.helpers import ROOT

DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("results/README.md", results_page),
        ("performance.md", render_performance),
        ("results/methods-speed.md", methods_speed),
    ],
)
def test_the_page_is_the_one_of_the_kept_results(name, script):
    assert (DOCS / name).read_text() == script.page()


def test_the_comparison_with_targets_is_that_of_the_kept_results():
    readme = DOCS.parent / "benchmarks" / "README.md"
    assert readme.read_text() == render_performance.readme()
    # What users read describes; what was asked for stands here.
    assert "Wanted" not in (DOCS / "results/methods-speed.md").read_text()
    assert "| target |" not in (DOCS / "performance.md").read_text()
