"""The verdict of the report follows from the numbers."""

import pandas as pd
import pytest

from blufs_bench.compare.comparison import compare_methods
from blufs_bench.compare.means import chosen_scores, score_matrix
from blufs_bench.results.suite import Suite, load
from tests.helpers.results_fixture import WITH_GAPS, make_results, suite_info

SUITE = Suite(**suite_info(datasets=WITH_GAPS))


def test_verdict_when_blufs_wins(results):
    summary = compare_methods(results, SUITE).content
    assert summary["verdict"].startswith("**Does BLUFS win? Yes.** Among 3 methods on 3 datasets")
    assert "it alone has the best average rank in 12 of 12 comparisons" in summary["verdict"]
    assert "Not counted, because methods have no score there: COIL20, lung." in summary["verdict"]
    standing = summary["standing"]["clustering_acc"]["oracle"]
    assert standing["place"] == 1
    assert standing["wins"] == ["digits", "Jaffe", "pie"]
    cells = chosen_scores(results, SUITE)
    scores = score_matrix(cells, "clustering_acc", "oracle", SUITE.ranked_methods).dropna()
    gap = (scores["BLUFS"] - scores["BLSFS"]).mean()
    assert standing["mean_difference"] == pytest.approx(gap)
    assert f"{100 * gap:+.1f} points against BLSFS" in summary["verdict"]


def test_verdict_when_blufs_loses(tmp_path):
    """The same words cannot come from other numbers: halve the scores of BLUFS."""
    folder = make_results(tmp_path, datasets=("digits", "COIL20", "Jaffe"))
    rows = pd.read_parquet(folder / "scores.parquet")
    rows.loc[rows["method"] == "BLUFS", "value"] *= 0.5
    rows.to_parquet(folder / "scores.parquet", index=False)
    suite = Suite(**suite_info(datasets=("digits", "COIL20", "Jaffe")))
    summary = compare_methods(load(folder), suite).content
    assert summary["verdict"].startswith("**Does BLUFS win? No.**")
    assert "0 of 12 comparisons" in summary["verdict"]
    assert "It is furthest behind on" in summary["verdict"]
    standing = summary["standing"]["nmi"]["default"]
    assert standing["place"] == 3
    assert standing["wins"] == []
    assert set(standing["losses"]) == {"digits", "COIL20", "Jaffe"}
    assert standing["mean_difference"] < -0.1


def test_verdict_without_labels_or_without_blufs(tmp_path):
    folder = make_results(tmp_path / "a", datasets=("digits",), unlabelled=("digits",))
    found = compare_methods(load(folder), Suite(**suite_info(datasets=("digits",)))).content
    assert found["verdict"].startswith("**No verdict**: the data have no labels")
    assert found["comparisons"] == {}
    methods = ("LapScore", "BLSFS")
    folder = make_results(tmp_path / "b", methods=methods, ablation=())
    found = compare_methods(load(folder), Suite(**suite_info(methods=methods, ablation=()))).content
    assert found["verdict"] == "**No verdict**: BLUFS is not among the methods of this suite."
    assert found["comparisons"]["nmi"]["blind"]["methods"] == list(methods)
