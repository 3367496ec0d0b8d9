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


def test_a_tenth_of_the_pairs_is_drawn_the_same_every_time():
    many = scores(*[(0.1, 0.2)] * 60)
    pairs = second_run.drawn(many)
    assert len(pairs) == len(set(pairs)) == 6
    assert pairs == second_run.drawn(many.sample(frac=1, random_state=1))
    assert second_run.targets("wide", [("a", "B")]) == ["results/wide/evaluations/a/B/all.json"]


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


def test_the_page_says_what_the_other_runs_found(tmp_path, monkeypatch):
    monkeypatch.setattr(second_run, "OUTPUT", tmp_path / "reproduction.json")
    part = {"suite": "wide", "of": 600, "pairs": 60, "scores": 1234, "different": 0, "differ": []}
    whole = part | {"pairs": 600, "different": 7, "differ": ["SOGFS on pie"]}
    second_run.OUTPUT.write_text(json.dumps([part, whole]))
    first, second = second_run.sentences().split("\n\n")
    assert "60 of 600 pairs of dataset and method, 1,234 scores" in first
    assert "the same to the last digit" in first
    assert "The whole suite `wide` was run before" in second
    assert "7 of them differ: those of SOGFS on pie" in second
    assert second.endswith("is stopped in one run and not in the other.")
    assert second_run.sentence(whole | {"note": "Rain."}) == f"{second} Rain."


def test_what_differs_is_named_with_its_status():
    whole = scores((0.1, 0.2), (0.3, 0.4))
    moved = whole.assign(value=[0.1, 0.2, 0.3, 0.5])
    assert second_run.compare(whole, moved)["differ"] == ["BLUFS on data1"]
    stopped = whole.assign(status=["ok", "ok", "timeout", "timeout"])
    found = second_run.compare(whole, stopped)["differ"]
    assert found == ["BLUFS on data1 (timeout instead of ok)"]
