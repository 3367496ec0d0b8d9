"""The arithmetic behind the tables of evidence."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.evidence import cluster_counts, feature_counts, wide_defaults


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
