"""The comparison of ways to find neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from benchmarks.speed import neighbor_indexes
from benchmarks.speed.large_page import ways


def test_recall_is_the_share_of_the_right_neighbors():
    right = np.array([[1, 2], [0, 2], [0, 1]])
    assert neighbor_indexes.recall(right[:, ::-1], right) == 1
    assert neighbor_indexes.recall(np.array([[1, 3], [3, 4], [0, 1]]), right) == 0.5


def openmp_threads():
    return [row["num_threads"] for row in threadpool_info() if row["user_api"] == "openmp"]


@pytest.mark.parametrize("name", ["exact", "faiss"])
def test_a_way_is_measured(name):
    before = openmp_threads()
    row = neighbor_indexes.measure(name, 120, 6, 3)
    assert openmp_threads() == before
    assert row["recall"] == 1
    assert row["same_again"]
    assert row["same_on_two_threads"]


def test_the_page_shows_every_way():
    row = {"way": "trial", "first_seconds": 2.5, "later_seconds": 1.25, "bytes": 3e6}
    row |= {"recall": 0.987, "same_again": True, "same_on_two_threads": False}
    text = ways({"n": 1000, "d": 5, "k": 7, "ways": [row]})
    assert "the 7 nearest neighbours of 1,000 samples with 5 coordinates" in text
    assert "| trial | 2.50 | 1.25 | 3 | 98.7 % | no |" in text
    assert ways(None) == ""
