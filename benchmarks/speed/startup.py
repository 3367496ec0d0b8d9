"""Seconds before work begins: ``import blufs``, the estimator, a job of the workflow.

Processor seconds of fresh processes beyond the bare interpreter, median of several; the packages in
which the import of the estimator spends its time, and which of the heavy ones it brings with it.
"""

from __future__ import annotations

import re
import resource
import statistics
import subprocess
import sys
from collections import Counter

from benchmarks.harness import ROOT, parse_quick, save

ESTIMATOR = "from blufs import BLUFS"
CODE = {
    "interpreter": "pass",
    "import blufs": "import blufs",
    ESTIMATOR: ESTIMATOR,
    "import sklearn.feature_selection": "import sklearn.feature_selection",
    # As the scripts of the workflow begin.
    "a fit's job": "import blufs_bench.run.quick_start, blufs_bench.stages.select",
    "an evaluation's job": "from blufs_bench.stages import evaluate, scoring;"
    "scoring.Scorer(None, None, None, 2, '', None)",
}
HEAVY = ("pandas", "matplotlib", "pyarrow", "seaborn")


def run(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)


def seconds_of(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("-c", code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds_by_package(import_times: str) -> dict[str, float]:
    """Of the output of ``-X importtime``: own seconds of each top-level package, largest first."""
    spent = Counter()
    for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", import_times):
        spent[name.split(".")[0]] += int(own) / 1e6
    return dict(spent.most_common(6))


def heavy_modules(code: str) -> list[str]:
    """Those of the heavy packages that the code imports."""
    listing = run("-c", f"{code}\nimport sys; print(*sys.modules)").stdout.split()
    return [name for name in HEAVY if name in listing]


def measure(codes: dict[str, str], repeats: int) -> dict:
    seconds = {
        name: statistics.median(seconds_of(code) for _ in range(repeats))
        for name, code in codes.items()
    }
    bare = seconds.pop("interpreter")
    shown = ESTIMATOR if ESTIMATOR in codes else "import blufs"
    return {
        "interpreter": bare,
        "seconds": {name: value - bare for name, value in seconds.items()},
        "heavy": {name: heavy_modules(codes[name]) for name in seconds},
        "packages": seconds_by_package(run("-X", "importtime", "-c", shown).stderr),
    }


if __name__ == "__main__":
    if parse_quick(__doc__):
        report = measure({name: CODE[name] for name in ("interpreter", "import blufs")}, 1)
    else:
        report = measure(CODE, 5)
    save("startup", report)
    print(report)
