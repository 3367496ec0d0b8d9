"""Run a random tenth of a kept suite again and compare it, number by number.

In another clone, on one core:

    snakemake $(python -m benchmarks.publish.second_run targets wide) --cores 1 --config suite=wide

and here, with the folder of that run:

    python -m benchmarks.publish.second_run compare wide other/clone/results/wide

Whole pairs of dataset and method are drawn: all their settings, s and repetitions. The folder may
also hold another run of the whole suite. Running times are not compared. Adds to
docs/results/reproduction.json, which results_page.py reads.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.publish.kept import FOLDER
from blufs_bench.files.atomic import read_json
from blufs_bench.results.suite import load

OUTPUT = FOLDER / "reproduction.json"
SHARE, SEED = 0.1, 0
KEY = ["dataset", "method", "choice", "metric", "s", "repetition"]


def drawn(scores: pd.DataFrame) -> list[tuple[str, str]]:
    """A random share of the pairs of dataset and method."""
    pairs = sorted(set(zip(scores["dataset"], scores["method"], strict=True)))
    count = max(1, round(SHARE * len(pairs)))
    chosen = np.random.default_rng(SEED).choice(len(pairs), size=count, replace=False)
    return [pairs[i] for i in sorted(chosen)]


def targets(suite: str, pairs: list[tuple[str, str]]) -> list[str]:
    """The files that hold the scores of these pairs."""
    return [f"results/{suite}/evaluations/{dataset}/{method}/all.json" for dataset, method in pairs]


def evaluated(folder: Path) -> pd.DataFrame:
    """The scores in the files of a run, one row per repetition, with ``value`` and ``status``."""
    if (folder / "scores.parquet").exists():
        return load(folder).scores
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("evaluations/*/*/all.json")):
        for record in read_json(path):
            names = {key: record[key] for key in (*KEY[:-1], "status")}
            values = record["values"] or [np.nan] * len(record["repetitions"])
            for repetition, value in zip(record["repetitions"], values, strict=True):
                rows.append({**names, "repetition": repetition, "value": value})
    return pd.DataFrame(rows)


def compare(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, Any]:
    """Scores of the second run, how many differ from the first, and whose they are."""
    both = second.merge(first, on=KEY, how="left", suffixes=("", "_first"), indicator=True)
    equal = both["value"].to_numpy() == both["value_first"].to_numpy()
    equal |= (both["value"].isna() & both["value_first"].isna()).to_numpy()
    equal &= (both["status"] == both["status_first"]).to_numpy() & (both["_merge"] == "both")
    other = both[~equal].drop_duplicates(["dataset", "method"])
    names = zip(
        other["method"], other["dataset"], other["status"], other["status_first"], strict=True
    )
    return {
        "pairs": len(second.drop_duplicates(["dataset", "method"])),
        "datasets": int(second["dataset"].nunique()),
        "methods": int(second["method"].nunique()),
        "scores": len(both),
        "different": int((~equal).sum()),
        "differ": [
            f"{method} on {dataset}" + (f" ({now} instead of {then})" if now != then else "")
            for method, dataset, now, then in names
        ],
    }


def sentences() -> str:
    """What the comparisons with other runs found."""
    return "\n\n".join(map(sentence, json.loads(OUTPUT.read_text(encoding="utf-8"))))


def sentence(found: dict[str, Any]) -> str:
    is_whole = found["pairs"] == found["of"]
    run = (
        f"The whole suite `{found['suite']}` was run before, in another folder: "
        if is_whole
        else f"A random share of the suite `{found['suite']}` was run again, in another folder and "
        f"on one core: {found['pairs']} of "
    )
    run += f"{found['of']} pairs of dataset and method, {found['scores']:,} scores. "
    how = "(`benchmarks/publish/second_run.py`)"
    if not found["different"]:
        return f"{run}All of them are the same to the last digit {how}."
    return (
        f"{run}{found['different']:,} of them differ: those of {', '.join(found['differ'])} {how}. "
        "A fit that takes about as long as it may is stopped in one run and not in the other."
        + (f" {found['note']}" if found.get("note") else "")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["targets", "compare"])
    parser.add_argument("suite")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--note", help="a sentence that explains a difference")
    arguments = parser.parse_args()
    scores = load(FOLDER / arguments.suite).scores
    pairs = drawn(scores)
    if arguments.command == "targets":
        print(*targets(arguments.suite, pairs))
        return
    of = len(scores.drop_duplicates(["dataset", "method"]))
    found = {"suite": arguments.suite, "of": of, **compare(scores, evaluated(arguments.folder))}
    found["note"] = arguments.note
    known = json.loads(OUTPUT.read_text(encoding="utf-8")) if OUTPUT.exists() else []
    known = [
        one for one in known if (one["suite"], one["pairs"]) != (found["suite"], found["pairs"])
    ]
    OUTPUT.write_text(json.dumps([*known, found], indent=1) + "\n", encoding="utf-8")
    print(sentence(found))


if __name__ == "__main__":
    main()
