"""Compare two runs of a suite, number by number: do both give the same tables?

``python -m benchmarks.publish.compare_runs results/paper another/clone/results/paper``. Running
times are left out: the table ``time`` and what the paper prints of it. Writes
docs/results/reproduction.json, which results_page.py reads.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

OUTPUT = Path(__file__).parents[2] / "docs" / "results" / "reproduction.json"
TIMES = "time"
TIMES_OF_PAPER = "VIII"


def read_table(path: Path) -> pd.DataFrame:
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    return table[table["table"] != TIMES_OF_PAPER] if path.stem == "paper_vs_ours" else table


def compare(first: pd.DataFrame, second: pd.DataFrame) -> dict:
    """Cells, how many differ, and by how much the numbers among them differ at most."""
    if list(first.columns) != list(second.columns) or len(first) != len(second):
        return {"cells": int(first.size), "different": int(first.size), "largest": None}
    different, largest = 0, 0.0
    for name in first:
        ours, theirs = first[name], second[name]
        same = (ours.to_numpy() == theirs.to_numpy()) | (ours.isna() & theirs.isna()).to_numpy()
        different += int((~same).sum())
        if pd.api.types.is_numeric_dtype(ours) and pd.api.types.is_numeric_dtype(theirs):
            gaps = (ours.to_numpy(float) - theirs.to_numpy(float))[~same]
            largest = max(largest, float(np.nan_to_num(np.abs(gaps), nan=np.inf).max(initial=0)))
    return {"cells": int(first.size), "different": different, "largest": largest}


def compare_runs(first: Path, second: Path) -> dict:
    names = sorted({p.stem for folder in (first, second) for p in folder.glob("tables/*.csv")})
    tables = {
        name: compare(
            *(read_table(folder / "tables" / f"{name}.csv") for folder in (first, second))
        )
        for name in names
        if name != TIMES
    }
    values = [pd.read_parquet(folder / "results.parquet") for folder in (first, second)]
    return {"suite": second.name, "tables": tables, "results": compare(*values)}


def second_run() -> str:
    """What the comparison with a second run found, in a sentence."""
    if not OUTPUT.exists():
        return "Not compared with a second run."
    outcome = json.loads(OUTPUT.read_text())
    tables, results = outcome["tables"], outcome["results"]
    cells = sum(table["cells"] for table in tables.values())
    different = {name: t["different"] for name, t in tables.items() if t["different"]}
    source = "([reproduction.json](reproduction.json), `benchmarks/publish/compare_runs.py`)"
    if not different and not results["different"]:
        return (
            "A second run from scratch, in another clone, gave the same tables to the last digit "
            f"(running times aside): {cells:,} cells and all {results['cells']:,} of the results "
            f"behind them {source}."
        )
    named = ", ".join(f"{name} {count}" for name, count in different.items())
    return (
        "A second run from scratch, in another clone, differs (running times aside) in "
        f"{sum(different.values()):,} of {cells:,} cells of the tables ({named}) and "
        f"{results['different']:,} of {results['cells']:,} of the results behind them {source}."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    arguments = parser.parse_args()
    outcome = compare_runs(arguments.first, arguments.second)
    OUTPUT.write_text(json.dumps(outcome, indent=1) + "\n")
    print(json.dumps(outcome, indent=1))
