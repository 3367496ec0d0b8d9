"""The arithmetic behind the tables of evidence."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.evidence import defaults, training_half
from blufs_bench.stages.classification import random_splits


def scores(acc, **more):
    criteria = dict.fromkeys(defaults.CRITERIA, 0.5)
    return {"s": 20.0, "acc": acc, "nmi": acc / 2, "knn": acc + 1, **criteria, **more}


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


def test_a_blind_choice_is_judged_again_on_what_was_left_out(report):
    """The criterion likes what is better on the images and worse on the text."""
    for found in report.values():
        found["rows"]["lam 1"] = [one | {"cohesion": 0.6} for one in found["rows"]["lam 1"]]
    lines = [line for line in defaults.choices_left_out().splitlines() if "| blind |" in line]
    by_domain = next(line for line in lines if "| domain |" in line)
    assert "cohesion, 0 (1)" in by_domain
    assert "no search (1)" in by_domain
    assert "| -0.33 |" in by_domain


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
