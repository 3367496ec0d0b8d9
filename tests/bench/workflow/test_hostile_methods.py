"""Whatever a method of the user's returns, prints, raises or starts: a row with a status."""

import json
import logging
import os
import subprocess
import time

import numpy as np
import psutil
import pytest

from blufs.base import BaseSelector, Solution
from blufs_bench.files.atomic import read_json, write_json
from blufs_bench.results.schemas import SELECTIONS
from blufs_bench.results.tables import read_table, write_table
from blufs_bench.run.isolation import Limits
from blufs_bench.run.job import job
from blufs_bench.stages.select import Target, select

X = np.random.default_rng(0).standard_normal((20, 6))
D = X.shape[1]
SCORES = np.arange(D, dtype=float)


class Hostile(BaseSelector):
    """Does what the test says."""

    behaviour = staticmethod(lambda: Solution(scores=SCORES))

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, precomputed):
        return type(self).behaviour()


LIMITS = Limits(20, 1e6)


def selected(behaviour, limits=LIMITS):
    Hostile.behaviour = staticmethod(behaviour)
    target = Target("d", "Mine", {"name": "Mine", "class": f"{__name__}:Hostile"}, 2)
    return select(X, target, [{}], [2, 3], {0: 0}, limits, default={})


def stored(records, tmp_path):
    """The records as the next jobs see them: JSON, then Parquet."""
    write_json(tmp_path / "part.json", records)
    write_table(tmp_path / "s.parquet", SELECTIONS, read_json(tmp_path / "part.json"))
    return read_table(tmp_path / "s.parquet", SELECTIONS)


class UnspeakableError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def raising(error):
    def behaviour():
        raise error

    return behaviour


HOSTILE = [
    np.nan,
    10**30,
    -1,
    True,
    np.int64(3),
    np.float64(2.5),
    2 + 1j,
    "text",
    "\udc80",
    None,
    [],
    [1, [2]],
    {"a": 1},
    object(),
    np.array([np.nan] * D),
    np.array([1 + 1j] * D),
    np.array(["a"] * D),
    np.array([object()] * D),
    np.full((D, 2), 1e308),
    np.zeros((D, 0)),
    np.arange(D)[::-1],
    np.array([10**18] * D, dtype=np.uint64),
    np.ma.masked_all(D),
    np.array(["2020-01-01"] * D, dtype="datetime64[D]"),
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "field", ["scores", "order", "n_iter", "converged", "objective_history", "coef_", "solution"]
)
def test_every_field_of_a_solution_may_hold_anything(tmp_path, field, value):
    def behaviour():
        if field == "solution":
            return value
        if field == "coef_":
            return Solution(scores=SCORES, per_feature={"coef_": value})
        return Solution(**{"scores": SCORES, field: value})

    table = stored(selected(behaviour), tmp_path)
    assert list(table["s"]) == [2, 3]
    for row in table.to_dict("records"):
        assert row["status"] in ("ok", "failed", "diverged")
        if row["status"] == "ok":
            assert len(set(row["features"])) == row["s"]
            assert np.isfinite(row["objective_history"]).all()
        else:
            assert 0 < len(row["reason"]) < 500


def test_numbers_of_numpy_are_numbers(tmp_path):
    table = stored(selected(lambda: Solution(scores=SCORES, n_iter=np.int64(3))), tmp_path)
    assert list(table["status"]) == ["ok", "ok"]
    assert list(table["n_iter"]) == [3, 3]


def test_an_objective_that_is_not_finite_has_diverged(tmp_path):
    history = np.array([2.0, np.nan])
    rows = selected(lambda: Solution(scores=SCORES, objective_history=history))
    assert {row["status"] for row in rows} == {"diverged"}
    assert "the objective not finite" in stored(rows, tmp_path)["reason"][0]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("a\udc80b"), "ValueError: a\\udc80b"),
        (ValueError("x" * 10**6), "1000000 characters"),
        (UnspeakableError(), "UnspeakableError"),
        (KeyboardInterrupt("mine"), "KeyboardInterrupt: mine"),
        (SystemExit(4), "SystemExit: 4"),
        (GeneratorExit(), "GeneratorExit"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_becomes_a_short_reason(tmp_path, error, words):
    table = stored(selected(raising(error)), tmp_path)
    assert list(table["status"]) == ["failed", "failed"]
    assert words in table["reason"][0]
    assert len(table["reason"][0]) < 400


def fork_and_die():
    if os.fork() == 0:
        time.sleep(60)
    os._exit(3)


def test_a_child_of_a_dead_fit_is_not_waited_for():
    start = time.monotonic()
    (row, _) = selected(fork_and_die)
    assert (row["status"], row["reason"]) == ("failed", "the process ended with exit code 3")
    assert time.monotonic() - start < 30  # the child would hold the pipe for a minute


def test_what_a_fit_starts_ends_with_it(tmp_path):
    note = tmp_path / "pid"

    def start_and_return():
        note.write_text(str(subprocess.Popen(["sleep", "60"]).pid))
        return Solution(scores=SCORES)

    assert selected(start_and_return)[0]["status"] == "ok"
    pid = int(note.read_text())
    deadline = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the process goes on"
        time.sleep(0.1)


def test_the_memory_of_children_counts():
    def eat_in_a_child():
        if (pid := os.fork()) == 0:
            block = np.ones(60_000_000)
            time.sleep(60)
            os._exit(int(block[0]))
        os.waitpid(pid, 0)
        return Solution(scores=SCORES)

    # A fit begins with the memory of this process, but for the files that it has mapped.
    held = psutil.Process().memory_info()
    limit = (held.rss - held.shared) / 2**20 + 300
    assert selected(eat_in_a_child, Limits(20, limit))[0]["status"] == "memory"


def test_what_a_method_prints_goes_to_the_log(tmp_path, capfd):
    def chatter():
        os.write(1, b"so much to say\n")
        os.write(2, b"and more\n")
        return Solution(scores=SCORES)

    with job(str(tmp_path / "select.log")):
        logging.getLogger("blufs").info("before")
        records = selected(chatter)
        logging.getLogger("blufs").info("after")
    assert json.dumps(records)
    assert capfd.readouterr() == ("", "")
    log = (tmp_path / "select.log").read_text()
    positions = [log.index(words) for words in ("before", "so much", "and more", "after")]
    assert positions == sorted(positions)
