"""Tables: right numbers, right marks, nothing missing, and the same bytes in every form."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from blufs_bench.compare.means import chosen_scores, score_matrix
from blufs_bench.compare.measures import near_typical_s
from blufs_bench.compare.paper import load_paper
from blufs_bench.compare.selections import redundancy
from blufs_bench.compare.tests import average_ranks
from blufs_bench.results.suite import Suite
from blufs_bench.results.vocabulary import CHOICES
from blufs_bench.show.tables.build import build_table
from blufs_bench.show.tables.catalog import table_specs
from blufs_bench.show.tables.render import to_markdown
from blufs_bench.show.tables.table import (
    ABSENT,
    AVERAGE,
    Block,
    Cell,
    Row,
    Table,
    mark_row,
    without_absent,
)
from tests.helpers import ROOT
from tests.helpers.results_fixture import WITH_GAPS, rows_of, selections_of, suite_info

PAPER = load_paper(ROOT / "data" / "paper_results.yaml")
SUITE = Suite(**suite_info(datasets=WITH_GAPS))
MEASURED = ["digits", "COIL20", "Jaffe", "pie"]
SCORES = ("clustering_acc", "nmi", "knn_accuracy")
NAMES = table_specs(WITH_GAPS)


@pytest.fixture(scope="module")
def tables(results):
    return {name: build_table(name, results, SUITE, PAPER) for name in NAMES}


def shown(block: Block) -> pd.DataFrame:
    """Texts of a block by the names of its rows and columns."""
    texts = [[cell.text for cell in row.cells] for row in block.rows]
    return pd.DataFrame(texts, columns=list(block.columns)).set_index(block.columns[0])


def test_what_was_never_run_is_missing_and_not_a_gap(results):
    asked = Suite(**{**suite_info(datasets=("digits",)), "methods": ["BLUFS", "MCFS"]})
    cells = chosen_scores(results, asked)
    assert set(cells[cells["method"] == "MCFS"]["status"]) == {"missing"}
    table = build_table("clustering_acc", results, asked, PAPER)
    assert shown(table.blocks[0]).loc["Digits", "MCFS"] == "n/a (missing)"


# ------------------------------------------------------------------------------------------ scores


@pytest.mark.parametrize("metric", SCORES)
def test_averages_are_the_means_of_their_cells(tables, metric):
    tidy = tables[metric].tidy
    assert set(tidy["metric"]) == {metric}
    for (_, method), column in tidy.groupby(["choice", "method"]):
        average = column[column["kind"] == "average"].iloc[0]
        cells = column[column["kind"] == "data"]["mean"].dropna()
        assert average["dataset"] == ""
        assert average["mean"] == pytest.approx(cells.mean(), abs=1e-12)
        assert average["n"] == len(cells)
        assert average["status"] == ("incomplete" if method == "BLSFS" else "ok")
        assert average["reason"] == ("3 of 4 datasets" if method == "BLSFS" else "")


def test_all_choices_stand_side_by_side_with_the_number_of_settings(tables):
    for name in SCORES:
        blocks = tables[name].blocks
        assert [block.title for block in blocks] == [c.title for c in CHOICES.values()]
        settings = [shown(block).T.get("Settings") for block in blocks]
        assert settings[0]["BLUFS"] == "17"
        assert settings[1]["BLUFS"] == "3"
        assert settings[2] is None
        assert settings[3]["LapScore"] == "1"


def test_best_and_second_are_marked_and_all_features_are_not(tables):
    for _, row in tables["clustering_acc"].tidy.groupby(["choice", "kind", "dataset"]):
        row = row.set_index("method")
        assert row.loc["AllFeatures", "mark"] == ""
        competing = row.drop("AllFeatures")
        competing = competing[competing["status"] == "ok"]["mean"].sort_values(ascending=False)
        if competing.empty:
            assert (row["mark"] == "").all()
            continue
        assert row.loc[competing.index[0], "mark"] == "best"
        assert row.loc[competing.index[1], "mark"] == "second"
        assert (row["mark"] != "").sum() == 2


def test_cells_of_the_acc_table_hold_text_and_number(tables, results):
    block = tables["clustering_acc"].blocks[0]
    texts = shown(block)
    assert list(texts.columns) == ["AllFeatures", "LapScore", "BLSFS", "BLUFS"]
    assert list(texts.index) == ["Digits", *MEASURED[1:], "Average", "Settings"]
    key = {"dataset": "digits", "method": "BLUFS", "choice": "oracle", "is_reported_s": True}
    rows = rows_of(results, metric="clustering_acc", **key)
    mean, std = 100 * rows["value"].mean(), 100 * rows["value"].std()
    cell = block.rows[0].cells[4]
    assert cell.text == f"{mean:.2f}±{std:.2f} ({rows['s'].iloc[0]:.0f})"
    assert cell.value == pytest.approx(mean, abs=1e-12)
    assert cell.mark == "best"
    assert "(" not in texts.loc["Digits", "AllFeatures"]
    assert texts.loc["COIL20", "BLSFS"] == "n/a (timeout)"
    assert texts.loc["Average", "BLSFS"].endswith("*")
    assert [row.kind for row in block.rows] == ["data"] * 4 + ["average", "count"]


def test_datasets_that_are_not_available_are_named_once_below_a_table(tables):
    for name in ("clustering_acc", "ablation", "redundancy"):
        table = tables[name]
        cells = [cell.text for block in table.blocks for row in block.rows for cell in row.cells]
        assert not any("unavailable" in text or text == "lung" for text in cells)
        assert [note for note in table.notes if "lung" in note] == [
            "Not available, so left out: lung"
        ]
    assert "lung" in set(tables["clustering_acc"].tidy["dataset"])
    here, gone = Row([Cell("a"), Cell("1", 1.0)]), Row([Cell("b"), Cell("n/a")], ABSENT)
    total = Row([Cell("Average"), Cell("n/a")], AVERAGE)
    blocks = [Block(["", "m"], [here, gone, total]), Block(["", "m"], [gone, total])]
    shown = without_absent(Table("x", "X", pd.DataFrame(), blocks))
    assert [list(block.rows) for block in shown.blocks] == [[here, total]]
    assert shown.notes == ["Not available, so left out: b"]


def test_incomplete_averages_do_not_compete(tables):
    tidy = tables["clustering_acc"].tidy.query("kind == 'average' and choice == 'oracle'")
    marks = tidy.set_index("method")["mark"].to_dict()
    # BLSFS has the second best average, but over fewer datasets.
    assert marks == {"AllFeatures": "", "LapScore": "second", "BLSFS": "", "BLUFS": "best"}


def test_mark_row():
    nan = float("nan")
    assert mark_row([1.0, nan, 3.0, 2.0]) == ["", "", "best", "second"]
    assert mark_row([1.0, 3.0, 3.0]) == ["", "best", "best"]
    assert mark_row([3.0, 2.0, 2.0, 1.0]) == ["best", "second", "second", ""]
    assert mark_row([1.0, nan, 3.0, 2.0], larger_is_better=False) == ["best", "", "", "second"]
    assert mark_row([nan, nan]) == ["", ""]


# ---------------------------------------------------------------------------------- other tables


def test_another_title_changes_nothing_but_the_text(tables, results):
    """A title is not a key: the paper's ablation goes by the names of the variants."""
    titles = {**SUITE.titles, "BLUFS-I": "Without | clusters", "BLUFS": "Ours"}
    renamed = replace(SUITE, titles=titles)
    for name in ("cases", "ablation", "pixels", "paper_vs_ours", "profile_digits"):
        table = build_table(name, results, renamed, PAPER)
        pd.testing.assert_frame_equal(table.tidy, tables[name].tidy)
        assert r"Without \| clusters" in to_markdown(table)
        values = [
            [cell.value for block in t.blocks for row in block.rows for cell in row.cells]
            for t in (table, tables[name])
        ]
        assert values[0] == values[1]
    compared = tables["paper_vs_ours"].tidy.query("table == 'V' and method == 'BLUFS-I'")
    assert compared["difference"].notna().sum() > 0


def test_pixels_are_at_the_largest_s_of_an_image_dataset(tables, results):
    tidy = tables["pixels"].tidy
    assert set(tidy["dataset"]) == {"digits"}
    assert set(tidy["s"]) == {10}
    cell = tidy.query("method == 'BLUFS-I' and choice == 'default' and metric == 'nmi'")["mean"]
    key = {"dataset": "digits", "method": "BLUFS-I", "choice": "default", "metric": "nmi"}
    assert cell.item() == pytest.approx(rows_of(results, s=10, **key)["value"].mean())


def test_redundancy_is_that_of_the_selected_features(tables, results):
    cell = tables["redundancy"].tidy.query(
        "dataset == 'digits' and method == 'BLUFS' and choice == 'oracle' and s == 10"
    )
    rows = selections_of(results, "oracle", dataset="digits", method="BLUFS", s=10)
    expected = redundancy(results.data("digits")[0], rows["features"].iloc[0])
    assert cell["redundancy"].item() == pytest.approx(expected)


def test_agreement_is_the_share_of_common_features(tables, results):
    tidy = tables["agreement"].tidy.set_index(["dataset", "method", "other"])
    rows = selections_of(results, "default", dataset="digits", s=10).set_index("method")
    one, other = (set(rows.loc[method, "features"]) for method in ("LapScore", "BLUFS"))
    expected = len(one & other) / len(one | other)
    for pair in (("LapScore", "BLUFS"), ("BLUFS", "LapScore")):
        assert tidy.loc[("digits", *pair), "jaccard"] == pytest.approx(expected)
    assert tidy.loc[("digits", "LapScore", "BLUFS"), "chance"] == pytest.approx(10 / (128 - 10))
    assert ("COIL20", "BLSFS", "BLUFS") not in tidy.index


def test_criteria_need_no_labels_and_show_the_reported_s(tables, results):
    tidy = tables["criteria"].tidy
    assert set(tidy["choice"]) == {"default", "blind"}
    key = {"dataset": "digits", "method": "BLUFS", "choice": "blind", "metric": "cohesion"}
    cell = tidy.query(" and ".join(f"{name} == {value!r}" for name, value in key.items()))
    assert cell["mean"].item() == rows_of(results, is_reported_s=True, **key)["value"].item()


def test_profile_names_every_selected_feature(tables, results):
    tidy = tables["profile_Jaffe"].tidy.query("method == 'BLUFS' and choice == 'default'")
    rows = selections_of(results, "default", dataset="Jaffe", method="BLUFS", s=10)
    features = list(rows["features"].iloc[0])
    assert list(tidy["feature"]) == features
    assert list(tidy["name"]) == [f"gene {feature}" for feature in features]
    assert list(tidy["position"]) == list(range(1, 11))
    numbered = tables["profile_digits"]
    assert "The columns of the data have no names; they are counted from 0" in numbered.notes
    assert numbered.tidy["name"].iloc[0] == f"feature {numbered.tidy['feature'].iloc[0]}"


def test_synthetic_counts_the_real_features(tables, results):
    tidy = tables["synthetic"].tidy
    assert set(tidy["dataset"]) == {"rings"}
    found = tidy.query("choice == 'default'").set_index("method")["found"]
    rows = selections_of(results, "default", dataset="rings", s=2).set_index("method")
    for method in SUITE.ranked_methods:
        assert found[method] == len({0, 1} & set(rows.loc[method, "features"]))
    assert found["BLUFS"] == 2
    assert shown(tables["synthetic"].blocks[1]).loc["Rings", "BLUFS"] == "2 of 2"


def test_stability_gives_equal_indices_for_equal_sizes(tables):
    tidy = tables["stability"].tidy.dropna(subset=["nogueira"])
    assert len(tidy) > 5
    np.testing.assert_allclose(tidy["nogueira"], tidy["kuncheva"].astype(float), atol=1e-12)


def test_ranks_are_those_of_the_scores(tables, results):
    scores = score_matrix(chosen_scores(results, SUITE), "nmi", "blind", SUITE.ranked_methods)
    expected = average_ranks(scores.dropna())
    tidy = tables["ranks"].tidy.query("metric == 'nmi' and choice == 'blind'")
    assert tidy.set_index("method")["average_rank"].to_dict() == expected.to_dict()
    assert set(tidy["n_datasets"]) == {3}


# -------------------------------------------------------------------------------- paper and ours


def test_every_printed_number_is_compared(tables):
    tidy = tables["paper_vs_ours"].tidy
    key = ["table", "quantity", "statistic", "kind", "dataset", "method"]
    printed = pd.DataFrame(
        [
            (n.table.number, n.quantity, n.statistic, n.kind, n.dataset, n.method, n.value)
            for n in PAPER.numbers()
        ],
        columns=[*key, "printed"],
    )
    for choice in CHOICES:
        compared = tidy[(tidy["choice"] == choice) | (tidy["choice"] == "")]
        merged = printed.merge(compared, on=key, how="left")
        assert len(merged) == len(printed)
        assert (merged["paper"] == merged["printed"]).all()
    assert (tidy.loc[tidy["ours"].isna(), "reason"] != "").all()


def test_differences_are_ours_minus_the_papers(tables, results):
    tidy = tables["paper_vs_ours"].tidy
    cell = tidy.query(
        "table == 'II' and statistic == 'mean' and dataset == 'COIL20' and method == 'BLUFS' "
        "and choice == 'blind'"
    ).iloc[0]
    key = {"dataset": "COIL20", "method": "BLUFS", "choice": "blind", "is_reported_s": True}
    rows = rows_of(results, metric="clustering_acc", **key)
    assert cell["paper"] == 63.95
    assert cell["ours"] == pytest.approx(100 * rows["value"].mean())
    assert cell["difference"] == pytest.approx(cell["ours"] - 63.95)
    assert set(tidy.query("dataset == 'gisette'")["status"]) == {"skipped"}


def test_averages_over_other_datasets_are_not_compared(tables):
    tidy = tables["paper_vs_ours"].tidy.query(
        "table == 'II' and statistic == 'mean' and method == 'BLUFS' and choice == 'oracle'"
    )
    tidy = tidy[tidy["dataset"] == ""].set_index("kind")
    assert tidy.loc["average", "status"] == "incomplete"
    assert np.isnan(tidy.loc["average", "difference"])
    same = tidy.loc["average of shared datasets"]
    assert same["paper"] == pytest.approx((88.28 + 42.22 + 63.95) / 3)
    assert same["difference"] == pytest.approx(same["ours"] - same["paper"])


def test_redundancy_is_shown_at_the_number_of_features_nearest_to_ten():
    tried = {"a": (5, 8, 20), "b": (50, 100)}
    rows = [
        {"dataset": dataset, "method": method, "s": s, "mean": s / 100}
        for dataset, sizes in tried.items()
        for s in sizes
        for method in ("BLUFS", "MCFS")
    ]
    shown = near_typical_s(pd.DataFrame(rows))
    assert list(shown["dataset"]) == ["a", "a", "b", "b"]
    assert list(shown["method"]) == ["BLUFS", "MCFS"] * 2
    assert list(shown["s"]) == [8, 8, 50, 50]
