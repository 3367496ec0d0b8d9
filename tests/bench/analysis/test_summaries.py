"""Final cells: the mean over the seeds at the chosen s, or the reason why there is none."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from blufs_bench.compare.means import chosen_scores, score_matrix
from blufs_bench.compare.tests import bootstrap_interval
from blufs_bench.results.suite import Suite
from blufs_bench.results.vocabulary import CHOICES
from tests.helpers.results_fixture import WITH_GAPS, rows_of, suite_info

SUITE = Suite(**suite_info(datasets=WITH_GAPS))
MEASURED = ["digits", "COIL20", "Jaffe", "pie", "lung"]


def test_a_cell_is_the_mean_over_the_seeds_at_the_proposed_s(results):
    cells = chosen_scores(results, SUITE).set_index(["dataset", "method", "choice", "metric"])
    for choice in CHOICES:
        for metric in ("clustering_acc", "nmi", "knn_accuracy"):
            rows = rows_of(
                results,
                dataset="digits",
                method="BLUFS",
                choice=choice,
                metric=metric,
                is_reported_s=True,
            )
            cell = cells.xs(("digits", "BLUFS", choice, metric))
            values = rows["value"].to_numpy()
            assert cell["mean"] == pytest.approx(values.mean(), abs=1e-12)
            assert cell["std"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)
            assert (cell["low"], cell["high"]) == pytest.approx(bootstrap_interval(values))
            assert cell["low"] < cell["mean"] < cell["high"]
            assert cell["s"] == rows["s"].unique()
            assert cell["n"] == len(rows)


def test_every_cell_has_a_status(results):
    cells = chosen_scores(results, SUITE)
    assert len(cells) == len(MEASURED) * 8 * 4 * 3
    statuses = cells.groupby(["dataset", "method"])["status"].unique().map(list)
    assert statuses["COIL20", "BLSFS"] == ["timeout"]
    assert statuses["lung", "BLUFS"] == ["unavailable"]
    assert statuses["digits", "BLUFS"] == ["ok"]
    failed = cells[cells["status"] != "ok"]
    assert failed["mean"].isna().all()
    assert (failed["reason"] != "").all()


def _with_status(results, folder, chosen, status):
    """The results with another status in the rows of BLUFS on digits that ``chosen`` takes."""
    rows = results.scores.copy()
    rows.loc[
        chosen(rows) & (rows["dataset"] == "digits") & (rows["method"] == "BLUFS"), "value"
    ] = np.nan
    rows.loc[rows["value"].isna() & (rows["status"] == "ok"), ["status", "reason"]] = [status, "x"]
    rows.to_parquet(folder / "scores.parquet", index=False)
    changed = replace(results, tables={"scores": folder / "scores.parquet"})
    cells = chosen_scores(changed, SUITE)
    return cells[(cells["dataset"] == "digits") & (cells["method"] == "BLUFS")]


def test_a_failure_at_another_s_does_not_spoil_a_cell(results, tmp_path):
    before = chosen_scores(results, SUITE).query("dataset == 'digits' and method == 'BLUFS'")
    after = _with_status(results, tmp_path, lambda rows: ~rows["is_reported_s"], "memory")
    pd.testing.assert_frame_equal(before, after)


def test_a_failed_repetition_fails_the_cell(results, tmp_path):
    after = _with_status(
        results, tmp_path, lambda r: r["is_reported_s"] & (r["repetition"] == 3), "diverged"
    )
    assert set(after["status"]) == {"diverged"}
    assert after["mean"].isna().all()


def test_score_matrix_keeps_the_order_and_the_gaps(results):
    scores = score_matrix(
        chosen_scores(results, SUITE), "clustering_acc", "oracle", SUITE.ranked_methods
    )
    assert list(scores.index) == MEASURED
    assert list(scores.columns) == ["LapScore", "BLSFS", "BLUFS"]
    assert np.isnan(scores.loc["COIL20", "BLSFS"])
    assert scores.loc["lung"].isna().all()
