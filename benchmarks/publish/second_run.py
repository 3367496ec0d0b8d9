"""Run a random tenth of a kept suite again and compare it, number by number.

In another clone, on one core:

    snakemake --cores 1 --config suite=wide $(python -m benchmarks.publish.second_run targets wide)

and here, with the folder of that run:

    python -m benchmarks.publish.second_run compare wide other/clone/results/wide

Whole pairs of dataset and method are drawn: all their settings, s and repetitions. Running times
are not compared. Writes docs/results/reproduction.json, which results_page.py reads.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.publish.kept import FOLDER
from blufs.files.atomic import read_json
from blufs.results import load

OUTPUT = FOLDER / "reproduction.json"
SHARE, SEED = 0.1, 0
KEY = ["dataset", "method", "choice", "metric", "s", "repetition"]


def drawn(scores: pd.DataFrame, share: float = SHARE, seed: int = SEED) -> list[tuple[str, str]]:
    """A random share of the pairs of dataset and method."""
    pairs = sorted(set(zip(scores["dataset"], scores["method"], strict=True)))
    count = max(1, round(share * len(pairs)))
    chosen = np.random.default_rng(seed).choice(len(pairs), size=count, replace=False)
    return [pairs[i] for i in sorted(chosen)]


def targets(suite: str, pairs: list[tuple[str, str]]) -> list[str]:
    """The files that hold the scores of these pairs."""
    return [f"results/{suite}/evaluations/{dataset}/{method}/all.json" for dataset, method in pairs]


def evaluated(folder: Path) -> pd.DataFrame:
    """The scores in the files of a run, one row per repetition, with ``value`` and ``status``."""
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("evaluations/*/*/all.json")):
        for record in read_json(path):
            names = {key: record[key] for key in (*KEY[:-1], "status")}
            values = record["values"] or [np.nan] * len(record["repetitions"])
            for repetition, value in zip(record["repetitions"], values, strict=True):
                rows.append({**names, "repetition": repetition, "value": value})
    return pd.DataFrame(rows)


def compare(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, Any]:
    """Scores of the second run, how many differ from the first, and by how much at most."""
    both = second.merge(first, on=KEY, how="left", suffixes=("", "_first"), indicator=True)
    equal = both["value"].to_numpy() == both["value_first"].to_numpy()
    equal |= (both["value"].isna() & both["value_first"].isna()).to_numpy()
    equal &= (both["status"] == both["status_first"]).to_numpy() & (both["_merge"] == "both")
    gaps = (both["value"] - both["value_first"]).abs()[~equal]
    return {
        "pairs": len(second.drop_duplicates(["dataset", "method"])),
        "datasets": int(second["dataset"].nunique()),
        "methods": int(second["method"].nunique()),
        "scores": len(both),
        "different": int((~equal).sum()),
        "largest": float(gaps.fillna(np.inf).max()) if len(gaps) else 0.0,
    }


def sentence() -> str:
    """What the comparison with a second run found."""
    found = json.loads(OUTPUT.read_text(encoding="utf-8"))
    run = (
        f"A random share of the suite `{found['suite']}` was run again, in another folder and on "
        f"one core: {found['pairs']} of {found['of']} pairs of dataset and method, "
        f"{found['scores']:,} scores. "
    )
    how = "(`benchmarks/publish/second_run.py`)"
    if not found["different"]:
        return f"{run}All of them are the same to the last digit {how}."
    return f"{run}{found['different']:,} differ, by {found['largest']:.2g} at most {how}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["targets", "compare"])
    parser.add_argument("suite")
    parser.add_argument("folder", type=Path, nargs="?")
    arguments = parser.parse_args()
    scores = load(FOLDER / arguments.suite).scores
    pairs = drawn(scores)
    if arguments.command == "targets":
        print(*targets(arguments.suite, pairs))
        return
    of = len(scores.drop_duplicates(["dataset", "method"]))
    found = {"suite": arguments.suite, "of": of, **compare(scores, evaluated(arguments.folder))}
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(sentence())


if __name__ == "__main__":
    main()
