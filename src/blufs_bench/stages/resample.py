"""Stage "resample": select features on random subsets of the samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from blufs_bench.results.records import Record
from blufs_bench.run.isolation import Limits
from blufs_bench.run.usage import processor_seconds
from blufs_bench.stages.repeated_fit import run_repeated
from blufs_bench.stages.select import Fit, Target, data_for


def resample_fits(
    X: np.ndarray,
    target: Target,
    setting: dict[str, Any],
    s_values: Sequence[int],
    random_state: int,
    *,
    seeds: Sequence[int],
    fraction: float,
    limits: Limits,
) -> list[Record]:
    """Features selected on a random ``fraction`` of the rows of X (n x d), one subset per seed.

    ``seconds`` is an equal share of the fit, which serves all s.
    """

    def work(number: int) -> Record:
        size = max(2, round(fraction * X.shape[0]))
        rows = np.random.default_rng(seeds[number]).choice(X.shape[0], size, replace=False)
        selector = target.selector(Fit(setting, 0, random_state))
        data = data_for(selector, X[np.sort(rows)], limits)
        start = processor_seconds()
        path = selector.select_path(data, s_values)
        return {
            "features": [(s, [int(f) for f in path[s].ranked[:s]]) for s in path],
            "seconds": (processor_seconds() - start) / len(path),
        }

    nothing: Record = {"features": [(s, []) for s in s_values], "seconds": None}
    records = run_repeated(work, len(seeds), limits, empty=nothing)
    key = {"dataset": target.dataset, "method": target.method}
    return [
        {**key, **record, "s": int(s), "resample": number, "features": features}
        for number, record in enumerate(records)
        for s, features in record["features"]
    ]
