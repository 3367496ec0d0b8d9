"""What docs/choosing.md recommends is what came first in the kept results."""

import re

import numpy as np
import pytest

from benchmarks.publish import advice
from tests.helpers import ROOT

TEXT = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
KEPT = advice.evidence()
pytestmark = pytest.mark.skipif(KEPT is None, reason="the suite `wide` is not kept")


def area(scores, method, dataset):
    """Mean height of the curve over s, from the rows of the Parquet file."""
    rows = scores[(scores["method"] == method) & (scores["dataset"] == dataset)]
    heights = rows.groupby("s")["value"].mean()
    if len(heights) < 2:
        return heights.iloc[0]
    return np.trapezoid(heights, heights.index) / (heights.index[-1] - heights.index[0])


@pytest.mark.parametrize("metric", advice.GOALS.values())
@pytest.mark.parametrize("title", ["Images", "Text"])
def test_gains_are_those_of_the_rows(title, metric):
    scores = KEPT.results.scores
    scores = scores[(scores["metric"] == metric) & (scores["choice"] == "default")]
    scores = scores[scores["status"] == "ok"]
    names = advice.kinds(KEPT)[title]
    for method in ("BLUFS", "MCFS", "AllFeatures"):
        done = set(scores.loc[scores["method"] == method, "dataset"])
        gains = [
            area(scores, method, d) - area(scores, "RandomFeatures", d) if d in done else 0.0
            for d in names
        ]
        found = advice.gains(KEPT, metric, names)[method]
        assert found == pytest.approx(100 * np.mean(gains))


def test_the_recommended_are_first_there():
    """The bold names of each row of the page, against the scores of all methods."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in TEXT.split("<!-- table advice -->")[1].split("<!-- end -->")[0].splitlines()
        if line.startswith("|")
    ][2:]
    kinds = advice.kinds(KEPT)
    assert [row[0] for row in rows] == list(kinds)
    for title, _, *cells, _ in rows:
        for metric, cell in zip(advice.GOALS.values(), cells, strict=True):
            found = advice.gains(KEPT, metric, kinds[title]).drop("AllFeatures")
            named = re.findall(r"\*\*(.+?)\*\*", cell)
            titled = found.rename(index=KEPT.title)
            assert set(named) == set(titled.index[titled >= titled.max() - 1]) or not named
