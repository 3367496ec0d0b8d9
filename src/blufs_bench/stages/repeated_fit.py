"""Fits that are repeated for their own sake: what timing and resampling share."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from sklearn.exceptions import ConvergenceWarning

from blufs_bench.results.records import Record
from blufs_bench.run.isolation import Limits, run_isolated
from blufs_bench.stages.select import failure_status


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
