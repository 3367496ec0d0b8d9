"""Compare the methods on a file of yours: runs the benchmark to its report, without YAML.

The command writes a configuration with a suite of its own into results/NAME, starts Snakemake with
it, and says how to do the same by hand. Run it again after a change of the file: only what the
change touches is computed.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from blufs._files import TREATMENTS
from blufs.cli import FAILED, CommandError, Waiting, add_layout_arguments, character
from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.preparation import prepare
from blufs_bench.plan.read import project_folder

HELP = "compare the methods on a file: a report in results/NAME"
#: Numbers of features to try, as far as the data have twice as many.
S_VALUES = (5, 10, 20, 50, 100, 200)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="any format of docs/guides/own-data.md")
    parser.add_argument("-s", nargs="+", type=int, metavar="S", help="numbers of features to try")
    parser.add_argument("--name", help="of the suite (default: that of the file)")
    parser.add_argument("--methods", nargs="+", metavar="METHOD", help="default: those of `demo`")
    parser.add_argument("--clusters", type=int, metavar="C", help="groups that methods look for")
    parser.add_argument("--missing", choices=TREATMENTS, default="error", help="missing values")
    parser.add_argument("--transform", help="of the features: standardise, log, log1p, tfidf")
    parser.add_argument("--cores", default="all", help="default: all")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what would be run")
    add_layout_arguments(parser)


def run(options: argparse.Namespace) -> int:
    name = options.name or _name(options.file)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise CommandError(f"--name must be letters, digits, - and _, got {name!r}")
    if not Path(options.file).is_file():
        raise CommandError(f"there is no file {options.file!r} in the folder {Path.cwd()}")
    root = project_folder()
    ready = yaml.safe_load((root / "config.yaml").read_text("utf-8"))["suites"]
    if name in ready:
        raise CommandError(
            f"{name!r} is a suite of the benchmark itself: say another one by --name"
        )
    definition = _definition(options)
    try:
        known = dataset_definitions(root / "data/datasets.yaml", {name: definition})
        with Waiting(f"reading {options.file}"):
            card = prepare(known[name], Path(options.file)).card
    except DatasetError as error:
        raise CommandError(str(error)) from error
    suite: dict[str, Any] = {"datasets": [name], "s_values": options.s or _s_values(card)}
    suite["evaluation"] = {"n_restarts": 10}  # own data are small, and k-means is cheap
    if options.methods:
        suite["methods"] = options.methods
    config = {"suite": name, "datasets": {name: definition}, "suites": {name: suite}}
    path = Path("results", name, "compare.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    command = _command(root, path, options.cores)
    code = subprocess.run(
        [sys.executable, "-m", *command, *(["--dry-run"] if options.dry_run else [])], check=False
    ).returncode
    print(f"To do the same, or to change it: edit {path} and run\n  {shlex.join(command)}")
    return FAILED if code else 0


def _name(file: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", Path(file).stem).strip("-_") or "mine"


def _definition(options: argparse.Namespace) -> dict[str, Any]:
    """The dataset as the section `datasets` of a configuration has it."""
    drop = [*options.drop, *([options.id] if options.id is not None else [])]
    given = {
        "path": options.file,
        "label": options.label,
        "drop": drop or None,
        "separator": character(options.separator),
        "missing": None if options.missing == "error" else options.missing.replace("-", "_"),
        "transpose": options.transpose or None,
        "transform": options.transform,
        "n_clusters": options.clusters,
    }
    return {key: value for key, value in given.items() if value is not None}


def _s_values(card: dict[str, Any]) -> list[int]:
    d = card["n_features"]
    return [s for s in S_VALUES if 2 * s <= d] or [max(1, d // 2)]


def _command(root: Path, config: Path, cores: str) -> list[str]:
    # The options of profiles/default, which is read only in the folder of the project.
    options = ["--scheduler", "greedy", "--rerun-incomplete", "--keep-going"]
    options += ["--show-failed-logs", "--logger", "blufs", "--quiet", "host", "reason"]
    snakefile = str(root / "workflow" / "Snakefile")
    where = ["--cores", cores, "--snakefile", snakefile, "--configfile", str(config)]
    return ["snakemake", *where, *options]
