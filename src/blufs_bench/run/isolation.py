"""Run work in a child process, which may crash, hang, or take too much time or memory.

What the child gives back comes as JSON, so nothing that it has computed can run code here, and
what cannot be written as JSON is a failure of the task that made it.
"""

from __future__ import annotations

import itertools
import json
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

import psutil

from blufs_bench.files.damaged import in_words

_POLL_SECONDS = 0.2

# A task that waits instead of computing is stopped after so many times its limit by the clock.
WAITING_FACTOR = 10

Task = TypeVar("Task")


@dataclass(frozen=True)
class Limits:
    """What one task, a fit or a scoring, may use.

    ``fit_seconds`` are seconds of the processor, so that a busy machine stops no task that a quiet
    one would let finish. ``grid_seconds``, if given, replace them for the settings of a grid, which
    are many; a default setting is tried for longer. ``memory_mb`` protects the machine: it is what
    a task holds when it is looked at, five times a second (with its children every two seconds).
    What a task has taken and given back in between stops it no more.
    """

    fit_seconds: float
    memory_mb: float
    grid_seconds: float | None = None

    def of_grid(self) -> Limits:
        """Of a fit whose setting is not the default one."""
        return replace(self, fit_seconds=self.grid_seconds or self.fit_seconds)


NO_LIMITS = Limits(float("inf"), float("inf"))


@dataclass(frozen=True)
class Outcome(Generic[Task]):
    """Result of one task; ``status`` is "ok", "timeout", "memory" or "failed"."""

    task: Task
    status: str
    value: Any = None
    reason: str = ""


def run_isolated(
    work: Callable[[Task], Any],
    tasks: Sequence[Task],
    limits: Limits | Callable[[Task], Limits] = NO_LIMITS,
) -> Iterator[Outcome[Task]]:
    """Apply ``work`` to every task in a forked process; a task over its limits is stopped.

    ``limits`` may be a function of the task.

    One process serves all tasks, so that ``work`` can keep what they share; after a stop a new one
    goes on with the next task. What ``work`` returns must be JSON: dictionaries come back with
    texts as keys, tuples as lists. Processes that ``work`` starts end with it. What it prints goes
    to the log of the job.
    """
    context = multiprocessing.get_context("fork")
    done = 0
    while done < len(tasks):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=_serve, args=(work, tasks[done:], sender, os.getpid()), daemon=True
        )
        process.start()
        sender.close()
        try:
            while done < len(tasks):
                allowed = limits(tasks[done]) if callable(limits) else limits
                outcome = _await(process, receiver, tasks[done], allowed)
                yield outcome
                done += 1
                if outcome.status != "ok":
                    break
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # type: ignore[arg-type]
            process.kill()
            process.join()
            receiver.close()


def _serve(work: Callable, tasks: Sequence, sender: Connection, parent: int) -> None:
    os.setpgid(0, 0)  # a group with all that it starts
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _print_to_log()
    for task in tasks:
        try:
            answer = ["ok", work(task)]
            text = json.dumps(answer, allow_nan=False)
        except MemoryError as error:
            text = json.dumps(["memory", f"out of memory: {error}"])
        except BaseException as error:  # also SystemExit and KeyboardInterrupt of a user's method
            logging.getLogger("blufs").exception("the task failed")
            text = json.dumps(["failed", in_words(error)])
        sender.send_bytes(text.encode())


def _end_with(parent: int) -> None:
    """End this process and its children when its parent has ended, even if it was killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, signal.SIGKILL)


def _print_to_log() -> None:
    """Let what this process prints go to the log file of the job, if there is one."""
    for handler in logging.getLogger("blufs").handlers:
        if isinstance(handler, logging.FileHandler) and handler.stream is not None:
            for stream in (1, 2):
                os.dup2(handler.stream.fileno(), stream)


def _await(process, receiver: Connection, task: Task, limits: Limits) -> Outcome[Task]:
    watched = psutil.Process(process.pid)
    start, computed = time.monotonic(), _processor_seconds(watched)
    for poll in itertools.count(1):
        # Its end is asked for as well: a child of its own may hold the other end of the pipe.
        if receiver.poll(_POLL_SECONDS) or not process.is_alive():
            return _receive(process, receiver, task)
        waited = time.monotonic() - start > WAITING_FACTOR * limits.fit_seconds
        if waited or _processor_seconds(watched) - computed > limits.fit_seconds:
            reason = f"stopped after the limit of {limits.fit_seconds:g} s"
            return Outcome(task, "timeout", reason=reason)
        if (used := _megabytes(watched, with_children=poll % 10 == 0)) > limits.memory_mb:
            reason = f"stopped at {used:.0f} MB, above the limit of {limits.memory_mb:g} MB"
            return Outcome(task, "memory", reason=reason)
    raise AssertionError("unreachable")


def _processor_seconds(watched: psutil.Process) -> float:
    """Seconds of a process and of its children that have ended; 0 if it is gone."""
    try:
        return sum(watched.cpu_times()[:4])
    except psutil.Error:
        return 0.0


def _megabytes(watched: psutil.Process, *, with_children: bool) -> float:
    """Resident memory of a process, and what its children have for themselves.

    To find the children takes a look at every process of the machine.
    """
    try:
        used = watched.memory_info().rss
        for child in watched.children(recursive=True) if with_children else ():
            used += child.memory_full_info().uss
    except (psutil.Error, OSError):
        return 0.0
    return used / 2**20


def _receive(process, receiver: Connection, task: Task) -> Outcome[Task]:
    try:
        if not receiver.poll():
            raise EOFError
        status, payload = json.loads(receiver.recv_bytes())
    except (EOFError, OSError):
        process.join()
        status = "memory" if process.exitcode == -signal.SIGKILL else "failed"
        return Outcome(task, status, reason=how_it_ended(process.exitcode))
    if status == "ok":
        return Outcome(task, "ok", payload)
    return Outcome(task, status, reason=payload)


def how_it_ended(exit_code: int) -> str:
    """The end of a process in words."""
    if exit_code == -signal.SIGKILL:
        return "the process was killed, probably because memory ran out"
    if exit_code < 0:
        return f"the process crashed ({signal.Signals(-exit_code).name})"
    return f"the process ended with exit code {exit_code}"
