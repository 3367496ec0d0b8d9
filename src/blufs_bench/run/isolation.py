"""Run fits in a child process that is stopped when it exceeds its time or memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

import psutil

_POLL_SECONDS = 0.2

# A task that waits instead of computing is stopped after so many times its limit by the clock.
WAITING_FACTOR = 10

Task = TypeVar("Task")


@dataclass(frozen=True)
class Limits:
    """What one task, a fit or a scoring, may use.

    ``fit_seconds`` are seconds of the processor, so that a busy machine stops no task that a quiet
    one would let finish.
    """

    fit_seconds: float
    memory_mb: float


@dataclass(frozen=True)
class Outcome(Generic[Task]):
    """Result of one task; ``status`` is "ok", "timeout", "memory" or "failed"."""

    task: Task
    status: str
    value: Any = None
    reason: str = ""


def run_isolated(
    work: Callable[[Task], Any], tasks: Sequence[Task], limits: Limits
) -> Iterator[Outcome[Task]]:
    """Apply ``work`` to every task in a forked process; a task over its limits is stopped.

    One process serves all tasks, so that ``work`` can keep what they share; after a stop a new one
    goes on with the next task. ``work`` must not raise.
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
                outcome = _await(process, receiver, tasks[done], limits)
                yield outcome
                done += 1
                if outcome.status != "ok":
                    break
        finally:
            process.kill()
            process.join()
            receiver.close()


def _serve(work: Callable, tasks: Sequence, sender: Connection, parent: int) -> None:
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    for task in tasks:
        try:
            sender.send(("ok", work(task)))
        except MemoryError as error:
            sender.send(("memory", f"out of memory: {error}"))
            return


def _end_with(parent: int) -> None:
    """End this process when its parent has ended, even if it was killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _await(process, receiver: Connection, task: Task, limits: Limits) -> Outcome[Task]:
    watched = psutil.Process(process.pid)
    start, computed = time.monotonic(), _processor_seconds(watched)
    while True:
        if receiver.poll(_POLL_SECONDS):
            return _receive(process, receiver, task)
        waited = time.monotonic() - start > WAITING_FACTOR * limits.fit_seconds
        if waited or _processor_seconds(watched) - computed > limits.fit_seconds:
            reason = f"stopped after the limit of {limits.fit_seconds:g} s"
            return Outcome(task, "timeout", reason=reason)
        try:
            used = watched.memory_info().rss / 2**20
        except psutil.Error:
            continue
        if used > limits.memory_mb:
            reason = f"stopped at {used:.0f} MB, above the limit of {limits.memory_mb:g} MB"
            return Outcome(task, "memory", reason=reason)


def _processor_seconds(watched: psutil.Process) -> float:
    """Seconds of a process and of its children that have ended; 0 if it is gone."""
    try:
        return sum(watched.cpu_times()[:4])
    except psutil.Error:
        return 0.0


def _receive(process, receiver: Connection, task: Task) -> Outcome[Task]:
    try:
        status, payload = receiver.recv()
    except EOFError:
        process.join()
        reason = f"the process died with exit code {process.exitcode}"
        if process.exitcode == -signal.SIGKILL:
            return Outcome(task, "memory", reason=f"{reason} (killed: out of memory?)")
        return Outcome(task, "failed", reason=reason)
    if status == "ok":
        return Outcome(task, "ok", payload)
    return Outcome(task, status, reason=payload)
