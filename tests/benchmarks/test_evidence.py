"""The arithmetic behind the tables of evidence."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.evidence import cluster_counts, feature_counts, method_ranks, wide_defaults


def test_ranks_are_averaged_over_datasets_and_ties_share_theirs():
    keys = method_ranks.RANKED_METRICS
    rows = list(method_ranks.RANKED)
    worse = {
        row: {name: dict.fromkeys(keys, -float(i)) for name in "ab"} for i, row in enumerate(rows)
    }
    ranks = method_ranks.average_ranks(worse, ["a", "b"])
    np.testing.assert_array_equal(ranks[:, 0], np.arange(1, len(rows) + 1))
    worse[rows[1]]["b"]["acc"] = 0.0
    ranks = method_ranks.average_ranks(worse, ["a", "b"])
    assert ranks[0, 0] == (1 + 1.5) / 2
    assert ranks[1, 0] == (2 + 1.5) / 2
    assert ranks[0, 1] == 1


def test_scores_between_two_numbers_of_clusters_are_interpolated_in_logarithms():
    one = {"classes": 4, "by_count": {"2": {"acc": 10.0}, "8": {"acc": 30.0}}}
    assert cluster_counts.score(one, 4, "acc") == pytest.approx(20)
    assert cluster_counts.score(one, 32, "acc") == 30


def test_rules_for_the_number_of_features():
    gains = np.array([8.0, 4.0, 2.0, 1.0, 0.5, 0.5])
    assert feature_counts.reaching(gains, 0.8) == 3
    assert feature_counts.knee(gains) == 2
    assert feature_counts.at({"10": "ten", "40": "forty"}, 21) == "forty"
    assert feature_counts.at({"10": "ten", "40": "forty"}, 19) == "ten"


def test_only_what_is_missing_is_measured_and_all_of_it_is_kept(monkeypatch):
    stored = []
    monkeypatch.setattr(wide_defaults, "DATASETS", ("known", "absent", "new"))
    monkeypatch.setattr(
        wide_defaults, "dataset", lambda name: None if name == "absent" else name.upper()
    )
    monkeypatch.setattr(wide_defaults, "save", lambda *what: stored.append(what))
    report = {"row": {"known": 1}, "other": {}}
    wide_defaults.measure_missing("file", report, report["row"], str.lower)
    assert report == {"row": {"known": 1, "new": "new"}, "other": {}}
    assert stored == [("file", report)]
