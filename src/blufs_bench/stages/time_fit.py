"""Stage "time_fit": the seconds of a fit, nothing precomputed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from blufs_bench.results.records import Record
from blufs_bench.run.isolation import Limits
from blufs_bench.stages.repeated_fit import run_repeated
from blufs_bench.stages.select import Fit, Target, data_for


def time_fits(
    X: np.ndarray,
    target: Target,
    setting: dict[str, Any],
    s: int,
    random_state: int,
    *,
    n_repeats: int,
    limits: Limits,
) -> list[Record]:
    """Seconds of a fit of X (n x d) for s features, one record per repeat."""

    def work(repeat: int) -> Record:
        selector = target.selector(Fit(setting, 0, random_state))
        data = data_for(selector, X, limits)
        start = time.perf_counter()
        selector.select_path(data, [s])
        return {"seconds": time.perf_counter() - start}

    records = run_repeated(work, n_repeats, limits, empty={"seconds": None})
    key = {"dataset": target.dataset, "method": target.method, "s": s, "threads": 1}
    return [{**key, "repeat": number, **record} for number, record in enumerate(records)]
