"""A fit over its time or memory is stopped and the next one goes on."""

import os
import signal
import time

import numpy as np
import psutil
import pytest

from blufs_bench.run.isolation import Limits, run_isolated


def work(task):
    if task == "wait":
        time.sleep(60)
    if task == "compute":
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass
    if task == "nap":
        time.sleep(0.5)
    if task == "eat":
        block = np.ones(40_000_000)
        time.sleep(60)
        return block.sum()
    if task == "size":
        return round(psutil.Process().memory_info().rss / 2**20)
    if task == "refuse":
        raise MemoryError("no room for the array")
    if task == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{task} in {os.getpid()}"


def outcomes(tasks, seconds=30.0, memory_mb=1e6):
    return list(run_isolated(work, tasks, Limits(seconds, memory_mb)))


def test_one_process_serves_all_tasks():
    first, second = outcomes(["a", "b"])
    assert (first.status, second.status) == ("ok", "ok")
    assert first.value.split()[-1] == second.value.split()[-1] != str(os.getpid())


@pytest.mark.parametrize("task", ["wait", "compute"])
def test_a_hanging_task_is_stopped_and_the_next_goes_on(task):
    allowed = {task: Limits(0.25, 1e6), "after": Limits(30, 1e6)}
    hang, after = run_isolated(work, [task, "after"], lambda task: allowed[task])
    assert (hang.status, after.status) == ("timeout", "ok")
    assert "0.25 s" in hang.reason


def test_limits_may_depend_on_the_task_and_a_grid_has_seconds_of_its_own():
    limits = Limits(30, 1e6, grid_seconds=0.25)
    allowed = {"a": limits, "wait": limits.of_grid()}
    quick, hang = run_isolated(work, ["a", "wait"], lambda task: allowed[task])
    assert (quick.status, hang.status) == ("ok", "timeout")
    assert "0.25 s" in hang.reason
    assert Limits(30, 1e6).of_grid().fit_seconds == 30


def test_time_in_which_a_task_does_not_compute_hardly_counts():
    (nap,) = outcomes(["nap"], seconds=0.45)
    assert nap.status == "ok"


def test_every_task_has_its_own_seconds():
    tasks = ["nap"] * 10  # together longer than one task may wait, which is ten times its seconds
    assert [outcome.status for outcome in outcomes(tasks, seconds=0.45)] == ["ok"] * 10


def test_a_task_that_eats_memory_is_stopped():
    limits = {"size": Limits(30, 1e6)}
    outcomes = run_isolated(work, ["size", "eat", "after"], lambda task: limits[task])
    # What a child begins with is less than its parent holds: a fork copies no pages of libraries.
    limit = next(outcomes).value + 150
    limits |= dict.fromkeys(["eat", "after"], Limits(30, limit))
    eat, after = outcomes
    assert (eat.status, after.status) == ("memory", "ok")
    assert f"{limit} MB" in eat.reason


def test_memory_error_and_sudden_death_are_outcomes():
    refuse, die, after = outcomes(["refuse", "die", "after"])
    assert (refuse.status, die.status, after.status) == ("memory", "memory", "ok")
    assert "no room" in refuse.reason
    assert "was killed" in die.reason
