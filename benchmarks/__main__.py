"""Run the speed benchmarks one after the other and fill in the tables of the documents.

``python -m benchmarks`` (``make benchmark``). The results go to benchmarks/results/; each script
can be run by itself. ``--quick`` runs with tiny sizes, without real data, and fills in nothing.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.harness import parse_quick, save
from benchmarks.tables import render

#: Those that know ``--quick`` and skip what they lack. The others are run by hand.
MEASURE = (
    "speed.suite_times",
    "speed.memory",
    "speed.neighbor_indexes",
    "speed.scaling_law",
)


def cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def run(script: str, *arguments: str) -> float:
    """Wall seconds of a script; ends all if it fails."""
    print(f"== {script}", flush=True)
    start = time.perf_counter()
    command = [sys.executable, "-m", f"benchmarks.{script}", *arguments]
    if code := subprocess.run(command, check=False).returncode:
        sys.exit(code)
    return time.perf_counter() - start


def main() -> None:
    if parse_quick(__doc__):
        for script in MEASURE:
            run(script, "--quick")
        return
    machine = {"cpu": cpu_name(), "cores": os.cpu_count(), "numpy": version("numpy"), "scripts": {}}
    for script in MEASURE:
        load = os.getloadavg()[0]
        machine["scripts"][script] = {"load": load, "seconds": run(script)}
        save("machine", machine)
    render()


if __name__ == "__main__":
    main()
