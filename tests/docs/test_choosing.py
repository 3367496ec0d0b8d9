"""What docs/choosing.md recommends is what came first in the kept results."""

import re

import numpy as np
import pytest
from sklearn.utils import get_tags

from benchmarks.publish import advice
from benchmarks.publish.kept import kept_suite
from blufs_bench.compare.means import fit_seconds
from blufs_bench.registry import method_class
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


def test_on_texts_all_features_are_better_than_any_selection():
    assert "On texts, all features are better than any selection" in TEXT
    for metric in advice.GOALS.values():
        gains = advice.gains(KEPT, metric, advice.kinds(KEPT)["Text"])
        assert gains["AllFeatures"] > gains.drop("AllFeatures").max()


def row_about(words):
    (line,) = (line for line in TEXT.splitlines() if line.startswith(f"| {words}"))
    return re.findall(r"\[(\w+)\]", line)


def test_the_quick_filters_are_among_the_five_quickest():
    seconds = fit_seconds(KEPT.results, KEPT.suite.datasets)
    baselines = ["AllFeatures", "RandomFeatures", "MaxVariance"]
    quickest = seconds.drop(baselines).sort_values().index[:5]
    assert set(row_about("a quick first filter")) <= set(quickest)


def test_the_methods_for_sparse_data_take_them():
    for name in row_about("sparse data as they are"):
        assert get_tags(method_class(name)()).input_tags.sparse


def test_no_method_beats_evenly_spaced_bands_and_blufs_is_below_random_ones():
    assert "no method here beats them" in TEXT
    assert "is below random ones" in (ROOT / "docs/methods/blufs.md").read_text(encoding="utf-8")
    comparison = kept_suite("spectra").comparison
    for metric in ("svm_accuracy", "knn_accuracy", "forest_accuracy"):
        (scores,) = comparison.matrix(metric, "default", "area").to_dict("records")
        selecting = {name: scores[name] for name in scores if name != "AllFeatures"}
        assert max(selecting, key=selecting.get) == "EvenlySpaced"
        assert scores["BLUFS"] < scores["RandomFeatures"]
