"""Seconds before work begins: ``import blufs``, beside what scikit-learn takes.

Processor seconds of fresh processes beyond the bare interpreter, median of several, and which heavy
packages an import brings with it.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

from benchmarks.harness import ROOT, markdown, parse_quick, read, save

CODE = {
    "interpreter": "pass",
    "import blufs": "import blufs",
    "import sklearn.feature_selection": "import sklearn.feature_selection",
}
HEAVY = ("pandas", "matplotlib", "pyarrow", "seaborn")


def run(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def seconds_of(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def heavy_modules(code: str) -> list[str]:
    """Those of the heavy packages that the code imports."""
    listing = run(f"{code}\nimport sys; print(*sys.modules)").split()
    return [name for name in HEAVY if name in listing]


def measure(repeats: int) -> dict:
    seconds = {
        name: statistics.median(seconds_of(code) for _ in range(repeats))
        for name, code in CODE.items()
    }
    bare = seconds.pop("interpreter")
    return {
        "interpreter": bare,
        "seconds": {name: value - bare for name, value in seconds.items()},
        "heavy": {name: heavy_modules(CODE[name]) for name in seconds},
    }


def table() -> str:
    report = read("startup")
    rows = [
        [name, seconds, ", ".join(report["heavy"][name])]
        for name, seconds in report["seconds"].items()
    ]
    return markdown(["start", "CPU s", "heavy packages that come with it"], rows)


if __name__ == "__main__":
    report = measure(1 if parse_quick(__doc__) else 5)
    save("startup", report)
    print(report)
