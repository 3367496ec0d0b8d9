"""Two runs compared with each other: what differs, and what the page says of it."""

import json

import numpy as np
import pandas as pd

from benchmarks.publish import compare_runs


def test_two_runs_are_compared_cell_by_cell():
    first = pd.DataFrame({"name": ["a", "b", None], "value": [1.0, 2.0, np.nan]})
    assert compare_runs.compare(first, first.copy()) == {
        "cells": 6,
        "different": 0,
        "largest": 0.0,
    }
    second = pd.DataFrame({"name": ["a", "x", None], "value": [1.0, 2.5, np.nan]})
    assert compare_runs.compare(first, second) == {"cells": 6, "different": 2, "largest": 0.5}
    lost = first.assign(value=[1.0, np.nan, np.nan])
    assert compare_runs.compare(first, lost)["largest"] == np.inf
    assert compare_runs.compare(first, first.iloc[:2])["different"] == 6


def test_running_times_are_not_compared(tmp_path):
    for run, seconds in (("one", 1.0), ("two", 2.0)):
        tables = tmp_path / run / "tables"
        tables.mkdir(parents=True)
        pd.DataFrame({"mean": [seconds]}).to_csv(tables / "time.csv", index=False)
        against = {"table": ["II", "VIII"], "ours": [0.5, seconds]}
        pd.DataFrame(against).to_csv(tables / "paper_vs_ours.csv", index=False)
        pd.DataFrame({"value": [0.5]}).to_parquet(tmp_path / run / "results.parquet")
    outcome = compare_runs.compare_runs(tmp_path / "one", tmp_path / "two")
    same = {"cells": 2, "different": 0, "largest": 0.0}
    assert outcome["tables"] == {"paper_vs_ours": same}
    assert outcome["results"]["different"] == 0


def test_the_page_says_what_two_runs_differ_in(tmp_path, monkeypatch):
    path = tmp_path / "reproduction.json"
    monkeypatch.setattr(compare_runs, "OUTPUT", path)
    assert compare_runs.second_run() == "Not compared with a second run."
    same, other = ({"cells": 3000, "different": n, "largest": n / 10} for n in (0, 12))
    path.write_text(json.dumps({"tables": {"acc": same}, "results": same}))
    assert "the same tables to the last digit" in compare_runs.second_run()
    path.write_text(json.dumps({"tables": {"acc": same, "ranks": other}, "results": other}))
    differs = (
        "differs (running times aside) in 12 of 6,000 cells of the tables (ranks 12) and 12 of"
    )
    assert differs in compare_runs.second_run()
