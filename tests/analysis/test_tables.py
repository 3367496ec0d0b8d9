"""Tables: right numbers, right marks, nothing missing, and the same bytes in every form."""

import io
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from blufs.analysis.paper import load_paper
from blufs.analysis.stability import redundancy
from blufs.analysis.statistics import average_ranks
from blufs.analysis.summaries import chosen_scores, score_matrix
from blufs.analysis.tables import TABLES, build_table, to_csv, to_latex, to_markdown, write_table
from blufs.analysis.tables.table import mark_row
from blufs.results import load
from blufs.results.suite import Suite
from blufs.results.vocabulary import CHOICES
from tests.helpers.results_fixture import WITH_GAPS, rows_of, suite_info

PAPER = load_paper(Path(__file__).parents[2] / "data" / "paper_results.yaml")
SUITE = Suite(**suite_info(datasets=WITH_GAPS))
MEASURED = ["digits", "COIL20", "Jaffe", "pie", "lung"]


@pytest.fixture(scope="module")
def tables(results):
    return {name: build_table(name, results, SUITE, PAPER) for name in TABLES}


def test_what_was_never_run_is_missing_and_not_a_gap(results):
    asked = Suite(**{**suite_info(datasets=("digits",)), "methods": ["BLUFS", "MCFS"]})
    cells = chosen_scores(results, asked)
    assert set(cells[cells["method"] == "MCFS"]["status"]) == {"missing"}
    shown = build_table("clustering_acc", results, asked, PAPER).blocks[0].shown
    assert shown.loc[0, "MCFS"] == "n/a (missing)"


# ------------------------------------------------------------------------------------------ scores


@pytest.mark.parametrize(
    ("name", "metric"),
    [("clustering_acc", "clustering_acc"), ("nmi", "nmi"), ("classification", "knn_accuracy")],
)
def test_averages_are_the_means_of_their_cells(tables, name, metric):
    tidy = tables[name].tidy
    assert set(tidy["metric"]) == {metric}
    for (_, method), column in tidy.groupby(["choice", "method"]):
        average = column[column["dataset"] == "Average"].iloc[0]
        cells = column[column["dataset"] != "Average"]["mean"].dropna()
        assert average["mean"] == pytest.approx(cells.mean(), abs=1e-12)
        assert average["n"] == len(cells)
        assert average["status"] == ("incomplete" if method == "BLSFS" else "ok")
        assert average["reason"] == ("3 of 4 datasets" if method == "BLSFS" else "")


def test_all_choices_stand_side_by_side_with_the_number_of_settings(tables):
    for name in ("clustering_acc", "nmi", "classification"):
        blocks = tables[name].blocks
        assert len(blocks) == 4
        settings = [block.shown.set_index("Dataset").T.get("Settings") for block in blocks]
        assert settings[0]["BLUFS"] == "17"
        assert settings[1]["BLUFS"] == "3"
        assert settings[2] is None
        assert settings[3]["LapScore"] == "1"


def test_best_and_second_are_marked_and_the_baseline_is_not(tables):
    for _, row in tables["clustering_acc"].tidy.groupby(["choice", "dataset"]):
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


def test_texts_of_the_acc_table(tables, results):
    block = tables["clustering_acc"].blocks[0]
    shown = block.shown.set_index("Dataset")
    assert list(shown.columns) == ["AllFeatures", "LapScore", "BLSFS", "BLUFS"]
    assert list(shown.index) == ["Digits", *MEASURED[1:], "Average", "Settings"]
    rows = rows_of(
        results,
        dataset="digits",
        method="BLUFS",
        choice="oracle",
        metric="clustering_acc",
        is_reported_s=True,
    )
    mean, std = 100 * rows["value"].mean(), 100 * rows["value"].std()
    assert shown.loc["Digits", "BLUFS"] == f"{mean:.2f}±{std:.2f} ({rows['s'].iloc[0]})"
    assert "(" not in shown.loc["Digits", "AllFeatures"]
    assert shown.loc["COIL20", "BLSFS"] == "n/a (timeout)"
    assert set(shown.loc["lung"]) == {"n/a (unavailable)"}
    assert shown.loc["Average", "BLSFS"].endswith("*")
    assert not shown.loc["Average", "BLUFS"].endswith("*")


def test_incomplete_averages_do_not_compete(tables):
    averages = tables["clustering_acc"].tidy.query("dataset == 'Average' and choice == 'oracle'")
    marks = averages.set_index("method")["mark"]
    # BLSFS has the second best average, but over fewer datasets.
    assert marks.to_dict() == {
        "AllFeatures": "",
        "LapScore": "second",
        "BLSFS": "",
        "BLUFS": "best",
    }


def test_mark_row():
    nan = float("nan")
    assert mark_row([1.0, nan, 3.0, 2.0]) == ["", "", "best", "second"]
    assert mark_row([1.0, 3.0, 3.0]) == ["", "best", "best"]
    assert mark_row([3.0, 2.0, 2.0, 1.0]) == ["best", "second", "second", ""]
    assert mark_row([1.0, nan, 3.0, 2.0], larger_is_better=False) == ["best", "", "", "second"]
    assert mark_row([nan, nan]) == ["", ""]


# ---------------------------------------------------------------------------------- other tables


def test_synthetic_datasets_do_not_enter_averages(tables):
    assert "rings" in set(tables["datasets"].tidy["dataset"])
    for name in ("clustering_acc", "ablation", "ranks", "redundancy"):
        assert "rings" not in to_csv(tables[name])


def test_datasets_table_notes_the_differences(tables):
    tidy = tables["datasets"].tidy.set_index("dataset")
    assert tidy.loc["digits", ["n_samples", "n_features", "n_classes"]].tolist() == [300, 64, 10]
    assert tidy.loc["digits", "against_paper"] == "not in the paper"
    assert "1440 samples in the paper" in tidy.loc["COIL20", "against_paper"]
    assert tidy.loc["lung", "against_paper"] == "n/a (unavailable)"
    assert tables["datasets"].notes == ["lung: no file"]


def test_ablation_has_all_variants_and_both_metrics(tables):
    shown = tables["ablation"].blocks[0].shown
    cases = ["Case I", "Case II", "Case III", "Constraint at the end", "BLUFS"]
    assert list(shown.columns) == ["Dataset", "Metric", *cases]
    assert list(shown["Metric"]) == ["ACC", "NMI"] * (len(MEASURED) + 1)
    assert list(shown["Dataset"][::2]) == ["Digits", *MEASURED[1:], "Average"]


def test_cases_are_those_of_the_paper(tables):
    shown = tables["cases"].blocks[0].shown.set_index("Case")
    levels = ["Feature level", "Clustering level", "Graph learning"]
    assert list(shown.loc["Case I", levels]) == ["✓", "✗", "✓"]
    assert list(shown.loc["Case III", levels]) == ["✓", "✓", "✗"]
    assert list(shown.loc["Constraint at the end", levels]) == ["n/a"] * 3
    assert tables["cases"].notes == ["Constraint at the end: not in the paper"]


def test_pixels_are_at_the_largest_s_of_an_image_dataset(tables, results):
    tidy = tables["pixels"].tidy
    assert set(tidy["dataset"]) == {"digits"}
    assert set(tidy["s"]) == {10}
    cell = tidy.query("method == 'BLUFS-I' and choice == 'default' and metric == 'nmi'")["mean"]
    rows = rows_of(
        results, dataset="digits", method="BLUFS-I", choice="default", metric="nmi", s=10
    )
    assert cell.item() == pytest.approx(rows["value"].mean())


def test_time_marks_the_fastest(tables, results):
    tidy = tables["time"].tidy.set_index(["dataset", "method"])
    rows = results.timing.query("dataset == 'digits' and method == 'BLUFS'")
    assert tidy.loc[("digits", "BLUFS"), "mean"] == pytest.approx(rows["seconds"].mean())
    assert tidy.loc[("digits", "LapScore"), "mark"] == "best"
    assert tidy.loc[("COIL20", "BLSFS"), "status"] == "timeout"


def test_redundancy_is_that_of_the_selected_features(tables, results):
    cell = tables["redundancy"].tidy.query(
        "dataset == 'digits' and method == 'BLUFS' and choice == 'oracle' and s == 10"
    )
    rows = results.selections.query(
        "dataset == 'digits' and method == 'BLUFS' and choice == 'oracle' "
        "and metric == 'clustering_acc' and s == 10"
    )
    expected = redundancy(results.data("digits")[0], rows["features"].iloc[0])
    assert cell["redundancy"].item() == pytest.approx(expected)


def test_synthetic_counts_the_real_features(tables, results):
    tidy = tables["synthetic"].tidy
    assert set(tidy["dataset"]) == {"rings"}
    found = tidy.query("choice == 'default'").set_index("method")["found"]
    rows = results.selections.query(
        "dataset == 'rings' and choice == 'default' and metric == 'clustering_acc' and s == 2"
    ).set_index("method")
    for method in SUITE.ranked_methods:
        assert found[method] == len({0, 1} & set(rows.loc[method, "features"]))
    assert found["BLUFS"] == 2
    shown = tables["synthetic"].blocks[1].shown.set_index("Dataset")
    assert shown.loc["Rings", "BLUFS"] == "2 of 2"


def test_stability_gives_equal_indices_for_equal_sizes(tables):
    tidy = tables["stability"].tidy.dropna(subset=["nogueira"])
    assert len(tidy) > 5
    np.testing.assert_allclose(tidy["nogueira"], tidy["kuncheva"], atol=1e-12)


def test_ranks_are_those_of_the_scores(tables, results):
    scores = score_matrix(chosen_scores(results, SUITE), "nmi", "blind", SUITE.ranked_methods)
    expected = average_ranks(scores.dropna())
    tidy = tables["ranks"].tidy.query("metric == 'nmi' and choice == 'blind'")
    assert tidy.set_index("method")["average_rank"].to_dict() == expected.to_dict()
    assert set(tidy["n_datasets"]) == {3}


# -------------------------------------------------------------------------------- paper and ours


def test_every_printed_number_is_compared(tables):
    tidy = tables["paper_vs_ours"].tidy
    printed = pd.DataFrame(PAPER.numbers())
    key = ["table", "quantity", "dataset", "method"]
    for choice in CHOICES:
        compared = tidy[(tidy["choice"] == choice) | (tidy["choice"] == "")]
        merged = printed.merge(compared, on=key, how="left", suffixes=("", "_shown"))
        assert len(merged) == len(printed)
        assert (merged["paper"] == merged["paper_shown"]).all()
    assert (tidy.loc[tidy["ours"].isna(), "reason"] != "").sum() > 0


def test_differences_are_ours_minus_the_papers(tables, results):
    tidy = tables["paper_vs_ours"].tidy
    cell = tidy.query(
        "table == 'II' and quantity == 'clustering_acc' and dataset == 'COIL20' and method == 'BLUFS' "
        "and choice == 'blind'"
    ).iloc[0]
    rows = rows_of(
        results,
        dataset="COIL20",
        method="BLUFS",
        choice="blind",
        metric="clustering_acc",
        is_reported_s=True,
    )
    assert cell["paper"] == 63.95
    assert cell["ours"] == pytest.approx(100 * rows["value"].mean())
    assert cell["difference"] == pytest.approx(cell["ours"] - 63.95)
    skipped = tidy.query("dataset == 'gisette'")
    assert set(skipped["status"]) == {"skipped"}


def test_averages_over_other_datasets_are_not_compared(tables):
    tidy = tables["paper_vs_ours"].tidy.query(
        "table == 'II' and quantity == 'clustering_acc' and method == 'BLUFS' and choice == 'oracle'"
    )
    tidy = tidy.set_index("dataset")
    assert tidy.loc["Average", "status"] == "incomplete"
    assert np.isnan(tidy.loc["Average", "difference"])
    same = tidy.loc["Average, same datasets"]
    assert same["paper"] == pytest.approx((88.28 + 42.22 + 63.95) / 3)
    assert same["difference"] == pytest.approx(same["ours"] - same["paper"])


# ------------------------------------------------------------------------------------- rendering


@pytest.mark.parametrize("name", TABLES)
def test_csv_holds_the_numbers_in_full(tables, name):
    table = tables[name]
    read = pd.read_csv(io.StringIO(to_csv(table)))
    assert len(read) == len(table.tidy)
    for column in table.tidy.select_dtypes("float"):
        np.testing.assert_array_equal(read[column], table.tidy[column])


@pytest.mark.parametrize("name", TABLES)
def test_no_cell_is_empty(tables, name):
    table = tables[name]
    blocks = table.blocks[:-1] if name == "paper_vs_ours" else table.blocks
    for block in blocks:
        assert block.shown.shape == block.marks.shape
        assert not (block.shown.isna() | (block.shown == "")).to_numpy().any()
        assert "nan" not in block.shown.to_string().lower()


def test_markdown_marks(tables):
    text = to_markdown(tables["clustering_acc"])
    assert text.count("### ") == 4
    assert "**" in text
    assert "<u>" in text
    lines = [line for line in text.splitlines() if line.startswith("| Digits")]
    assert len(lines) == 4
    assert all(line.count("|") == 6 for line in lines)


def test_latex_marks_and_escapes(tables):
    text = to_latex(tables["clustering_acc"])
    assert text.count(r"\begin{table*}") == text.count(r"\end{table*}") == 4
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 4
    assert r"\textbf{" in text
    assert r"\underline{" in text
    assert r"$\pm$" in text
    assert r"in \%" in text
    for table in tables.values():
        assert to_latex(table).isascii()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tables, tmp_path):
    body = "\n\\clearpage\n".join(to_latex(table) for table in tables.values())
    document = (
        "\\documentclass{article}\\usepackage{booktabs,graphicx}\\begin{document}\n"
        f"{body}\n\\end{{document}}\n"
    )
    (tmp_path / "tables.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_same_results_give_the_same_bytes(results, tmp_path):
    for run in ("one", "two"):
        table = build_table("clustering_acc", load(results.folder), SUITE, PAPER)
        paths = {form: tmp_path / run / f"acc.{form}" for form in ("csv", "md", "tex")}
        write_table(table, **paths)
    for form in ("csv", "md", "tex"):
        one, two = (tmp_path / run / f"acc.{form}" for run in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert len(one.read_bytes()) > 100
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "acc.csv",
        "acc.md",
        "acc.tex",
    ]


def test_unknown_table(results):
    with pytest.raises(KeyError, match="unknown table 'accuracy'; known: datasets"):
        build_table("knn_accuracy", results, SUITE, PAPER)
