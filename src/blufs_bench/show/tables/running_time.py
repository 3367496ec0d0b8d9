"""Table VIII of the paper: seconds of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.show.tables.matrix import (
    COLUMNS,
    aggregate,
    largest_s,
    marked,
    matrix,
    of_selecting_methods,
)
from blufs_bench.show.tables.table import Table, nothing

_CAPTION = "Running time (mean ± standard deviation in s)"
_MORE = ("std", "threads")


def running_time(results: SuiteResults, suite: Suite) -> Table:
    """Seconds of ``fit`` with the default setting at the largest s."""
    times = seconds(results, suite)
    if times.empty:
        return nothing("time", _CAPTION, [*COLUMNS, *_MORE], "No fit of this suite was timed")
    threads = ", ".join(f"{n:.0f}" for n in sorted(times["threads"].dropna().unique())) or "n/a"
    notes = [
        "Seconds of one fit at the default setting with the largest number of features, "
        f"threads: {threads}",
        "Fastest in bold, second underlined",
    ]
    return Table("time", _CAPTION, times, [matrix(results, suite, times, text)], notes)


def seconds(results: SuiteResults, suite: Suite) -> pd.DataFrame:
    """Mean seconds of every dataset and method that was timed, with marks."""
    rows = largest_s(of_selecting_methods(results.timing, suite))
    return marked(aggregate(rows, suite, _summary, _MORE))


def _summary(rows: pd.DataFrame) -> dict[str, Any]:
    return {
        "mean": rows["seconds"].mean(),
        "std": rows["seconds"].std(ddof=1),
        "n": len(rows),
        "threads": rows["threads"].iloc[0],
    }


def text(cell: Any) -> str:
    return f"{cell.mean:.3g}" + (f"±{cell.std:.2g}" if np.isfinite(cell.std) else "")
