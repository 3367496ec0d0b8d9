"""Fits that are repeated for their own sake: running time, and stability under resampling."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from blufs.base import BaseSelector
from blufs.methods.registry import make_selector, method_class
from blufs.results.records import Record
from blufs.workflow.run.isolation import Limits, run_isolated
from blufs.workflow.stages.select import Fit, failure_status, fit_parameters


def time_fits(
    X: np.ndarray,
    n_classes: int,
    method: Record,
    settings: dict[str, Any],
    s: int,
    random_state: int,
    *,
    repeats: int,
    limits: Limits,
) -> list[Record]:
    """Seconds of ``fit`` for s features, ``repeats`` times, nothing precomputed."""

    def work(repeat: int) -> Record:
        selector = _selector(method, settings, n_classes, random_state)
        start = time.perf_counter()
        selector.select_path(X, [s])
        return {"seconds": time.perf_counter() - start}

    records = _run(work, repeats, limits, empty={"seconds": None})
    return [
        {"s": s, "repeat": number, "threads": 1, **record} for number, record in enumerate(records)
    ]


def resample_fits(
    X: np.ndarray,
    n_classes: int,
    method: Record,
    settings: dict[str, Any],
    s_values: Sequence[int],
    random_state: int,
    *,
    resamples: Sequence[int],
    fraction: float,
    limits: Limits,
) -> list[Record]:
    """Features selected on random subsets of the samples, one per seed in ``resamples``.

    ``seconds`` is an equal share of the fit, which serves all s.
    """

    def work(number: int) -> Record:
        size = max(2, round(fraction * len(X)))
        rows = np.random.default_rng(resamples[number]).choice(len(X), size, replace=False)
        selector = _selector(method, settings, n_classes, random_state)
        start = time.perf_counter()
        path = selector.select_path(X[np.sort(rows)], s_values)
        return {
            "features": {s: [int(f) for f in path[s].ranked[:s]] for s in path},
            "seconds": (time.perf_counter() - start) / len(path),
        }

    nothing: Record = {"features": {s: [] for s in s_values}, "seconds": None}
    records = _run(work, len(resamples), limits, empty=nothing)
    return [
        {**record, "s": int(s), "resample": number, "features": features}
        for number, record in enumerate(records)
        for s, features in record["features"].items()
    ]


def _selector(method: Record, settings, n_classes: int, random_state: int) -> BaseSelector:
    cls = method_class(method["name"], method["class"])
    return make_selector(cls, fit_parameters(cls, Fit(settings, 0, random_state), n_classes))


def _run(work, count: int, limits: Limits, empty: Record) -> list[Record]:
    def guarded(number: int) -> Record:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                return {"status": "ok", "reason": "", **work(number)}
        except MemoryError:
            raise
        except Exception as error:
            return {**failure_status(error), **empty}

    return [
        outcome.value
        if outcome.status == "ok"
        else {"status": outcome.status, "reason": outcome.reason, **empty}
        for outcome in run_isolated(guarded, range(count), limits)
    ]
