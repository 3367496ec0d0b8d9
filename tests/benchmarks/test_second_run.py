"""A second run of a part of a suite: what is drawn, what differs, and what the page says of it."""

import json

import numpy as np
import pandas as pd

from benchmarks.publish import second_run


def scores(*values, method="BLUFS"):
    """Two repetitions of one metric on as many datasets as there are pairs of values."""
    return pd.DataFrame(
        [
            (f"data{i}", method, "default", "nmi", 20, repetition, value, "ok")
            for i, pair in enumerate(values)
            for repetition, value in enumerate(pair)
        ],
        columns=[*second_run.KEY, "value", "status"],
    )


def test_scores_of_the_part_are_compared_with_those_of_the_whole():
    whole = scores((0.1, 0.2), (0.3, np.nan), (0.5, 0.6))
    part = whole[whole["dataset"] != "data2"]
    same = second_run.compare(whole, part)
    assert (same["pairs"], same["scores"], same["different"]) == (2, 4, 0)
    moved = part.assign(value=[0.1, 0.25, 0.3, np.nan])
    found = second_run.compare(whole, moved)
    assert found["different"] == 1
    assert second_run.compare(whole, part.assign(status="timeout"))["different"] == 4
    strange = second_run.compare(whole, scores((0.1, 0.2), method="MCFS"))
    assert strange["different"] == 2


def test_scores_are_read_from_the_files_of_a_run(tmp_path):
    folder = tmp_path / "evaluations" / "data0" / "BLUFS"
    folder.mkdir(parents=True)
    record = {
        "dataset": "data0",
        "method": "BLUFS",
        "choice": "default",
        "metric": "nmi",
        "s": 20,
        "repetitions": [0, 1],
        "values": [0.1, 0.2],
        "status": "ok",
    }
    (folder / "all.json").write_text(json.dumps([record]))
    found = second_run.evaluated(tmp_path)
    assert second_run.compare(scores((0.1, 0.2)), found)["different"] == 0
