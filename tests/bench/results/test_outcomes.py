"""Counting what became of the cells of a suite."""

import pandas as pd

from blufs_bench.results.outcomes import cells, failed_cells, problems, summary


def scores(*rows):
    columns = ["dataset", "method", "metric", "s", "repetition", "status", "reason"]
    return pd.DataFrame(rows, columns=columns)


SCORES = scores(
    ("wine", "MCFS", "nmi", 2, 0, "ok", ""),
    ("wine", "MCFS", "knn_accuracy", 2, 0, "failed", "a bug"),
    ("wine", "MCFS", "nmi", 2, 1, "ok", ""),
    ("lung", "MCFS", "nmi", None, 0, "unavailable", "no file"),
    ("lung", "RNE", "nmi", None, 0, "unavailable", "no file"),
    ("wine", "RNE", "nmi", 2, 0, "skipped", "too large"),
)


def test_a_cell_with_one_failed_score_has_failed():
    found = cells(SCORES).set_index(["dataset", "method", "repetition"])["status"]
    assert found["wine", "MCFS", 0] == "failed"
    assert found["wine", "MCFS", 1] == "ok"
    assert len(found) == 5


def test_what_was_not_to_run_is_no_failure():
    assert failed_cells(SCORES) == 1


def test_problems_are_named_once_with_their_methods():
    found = problems(SCORES).set_index(["dataset", "status"])
    assert found.loc[("lung", "unavailable"), "methods"] == ["MCFS", "RNE"]
    assert found.loc[("lung", "unavailable"), "cells"] == 2


def test_the_summary_counts_and_explains():
    lines = summary(SCORES).splitlines()
    assert lines[0] == "5 cells: 2 unavailable, 1 failed, 1 skipped, 1 ok"
    assert "  lung (MCFS, RNE): 2 unavailable: no file" in lines
