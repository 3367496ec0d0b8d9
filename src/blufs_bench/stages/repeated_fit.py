"""Fits that are repeated for their own sake: what timing and resampling share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from blufs.base import BaseSelector
from blufs_bench.results.records import Record
from blufs_bench.run.isolation import Limits, run_isolated
from blufs_bench.stages.select import Fit, Target, failure_status


def make_fit_selector(target: Target, setting: dict[str, Any], random_state: int) -> BaseSelector:
    """The selector of a method with one setting."""
    return target.selector(Fit(setting, 0, random_state))


def run_repeated(
    work: Callable[[int], Record], count: int, limits: Limits, empty: Record
) -> list[Record]:
    """Records of ``work(0)``, ``work(1)``, ... with their status; ``empty`` where one failed."""

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
