"""The arithmetic behind the tables of evidence."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.evidence import defaults, training_half
from benchmarks.harness import read
from blufs_bench.stages.classification import random_splits


def scores(acc, **more):
    return {"s": 20.0, "acc": acc, "nmi": acc / 2, "knn": acc + 1, **more}


@pytest.fixture
def report(monkeypatch):
    """Two image sets and a set of text; ``lam 1`` is best on the images, by far."""
    by_name = {"COIL20": (50, 60), "Yale": (40, 52), "CNAE9": (70, 69)}
    found = {}
    for name, (default, rival) in by_name.items():
        rows = {
            row: [scores(rival if row == "lam 1" else default)]
            for row in (*defaults.SETTINGS, *defaults.METHODS, *defaults.OTHERS)
        }
        found[name] = {"classes": 3, "counted": 4, "scaling": "center", "rows": rows}
    monkeypatch.setattr(defaults, "read", lambda _: found)
    return found


def test_a_choice_is_judged_on_what_was_left_out(report):
    lines = {
        (what, left_out): (picks, acc)
        for what, left_out, picks, acc, *_ in (
            map(str.strip, line.strip("|").split("|"))
            for line in defaults.choices_left_out().splitlines()[2:]
        )
    }
    assert lines["lam", "dataset"] == ("1 (3)", "+7.00")
    # Without the images, text alone takes the default for them.
    assert lines["lam", "domain"] == ("3 (1), 1 (1)", "-0.33")


def test_a_blind_choice_leaves_the_default_only_by_a_margin():
    rows = {row: [scores(50, cohesion=0.5)] for row in defaults.CANDIDATES}
    rows["lam 1"] = [scores(60, cohesion=0.53)]
    assert defaults.blind_gains(rows, "cohesion", 0.02).tolist() == [10, 5, 10]
    assert defaults.blind_gains(rows, "cohesion", 0.05).tolist() == [0, 0, 0]


def test_rows_without_a_forest_have_no_mean_of_it(report):
    assert defaults.cell(report, "lam 1", ["COIL20", "Yale"]) == "56.0 / 28.0 / 57.0"
    report["COIL20"]["rows"]["default"] = [scores(50, forest=80.0), scores(30, forest=70.0)]
    assert defaults.values(report, "default", "forest", ["COIL20"]).tolist() == [75]
    assert np.isnan(defaults.values(report, "default", "forest", ["Yale"])).all()


def test_selecting_on_the_training_half_changes_what_the_protocol_says():
    report = read(training_half.NAME)
    assert list(report) == list(training_half.DATASETS)
    means = {
        (name, where, metric): np.mean([found[name][where][metric] for found in report.values()])
        for name in training_half.METHODS
        for where in (training_half.ALL, training_half.HALF)
        for metric in training_half.METRICS
    }

    def change(name):
        return means[name, training_half.HALF, "knn"] - means[name, training_half.ALL, "knn"]

    def lead(where, metric):
        others = set(training_half.METHODS) - {"BLUFS", "Supervised"}
        second = max(means[name, where, metric] for name in others)
        return means["BLUFS", where, metric] - second

    assert min(training_half.METHODS, key=change) == "Supervised"
    assert change("LapScore") < -2 > change("BLUFS")
    half = lead(training_half.HALF, "knn") / lead(training_half.ALL, "knn")
    assert 0.4 < half < 0.6
    assert abs(lead(training_half.HALF, "forest")) < 0.1


def test_the_training_half_selects_from_its_own_rows_alone():
    """Rows of the test half change the selection on all samples, and not that on the half."""
    random = np.random.default_rng(0)
    X, y = random.random((40, 30)), np.repeat([0, 1], 20)
    train, test = next(random_splits(40, [0], 0.5))
    changed = X.copy()
    changed[test, :5] *= 100
    for rows, same in ((slice(None), False), (train, True)):
        first, second = (
            training_half.selections("MaxVariance", Z[rows], y[rows], [5])[5] for Z in (X, changed)
        )
        assert (set(first) == set(second)) == same
