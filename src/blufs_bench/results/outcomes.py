"""What became of the cells of a suite: how many ran, and why the others did not."""

from __future__ import annotations

import pandas as pd

from blufs_bench.results.vocabulary import STATUSES

#: A cell, as on the card of the benchmark: nothing else is called a cell.
CELL = ["dataset", "method", "s", "repetition"]


def cells(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per cell with ``status`` and ``reason``; a cell with a failed score has failed."""
    rows = scores[[*CELL, "status", "reason"]]
    failed_first = rows.sort_values("status", key=lambda status: status == "ok", kind="stable")
    return failed_first.drop_duplicates(CELL)


def failed_cells(scores: pd.DataFrame) -> int:
    """Number of cells that were to run and did not."""
    failures = [key for key, status in STATUSES.items() if status.is_failure]
    return int(cells(scores)["status"].isin(failures).sum())


def problems(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset, status and reason: the methods concerned and the number of cells."""
    missing = cells(scores)
    missing = missing[missing["status"] != "ok"]
    groups = missing.groupby(["dataset", "status", "reason"], sort=False)
    return groups.agg(
        methods=("method", lambda names: list(dict.fromkeys(names))), cells=("method", "size")
    ).reset_index()


def summary(scores: pd.DataFrame) -> str:
    """How many cells ran, and what became of the others, as lines of text."""
    counts = cells(scores)["status"].value_counts()
    lines = [f"{counts.sum()} cells: " + ", ".join(f"{n} {key}" for key, n in counts.items())]
    for row in problems(scores).to_dict("records"):
        methods = row["methods"]
        whose = f"{len(methods)} methods" if len(methods) > 3 else ", ".join(methods)
        lines.append(
            f"  {row['dataset']} ({whose}): {row['cells']} {row['status']}: {row['reason']}"
        )
    return "\n".join(lines)
