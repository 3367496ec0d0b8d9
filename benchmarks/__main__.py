"""Run the speed benchmarks one after the other and fill in the tables of the docs.

``python -m benchmarks`` (``make benchmark``). All is measured as ratios within one run; the results
go to benchmarks/results/, each script can be run by itself. ``--quick`` runs those that have tiny
sizes with them and renders nothing.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.harness import DATA, parse_quick, save

#: Those that know ``--quick`` and skip what they lack.
MEASURE = (
    "speed.startup",
    "speed.suite_times",
    "speed.fit_profile",
    "speed.memory",
    "speed.sparse",
    "speed.neighbor_indexes",
    "speed.against_gram",
    "speed.scaling_law",
    "speed.against_packages",
)
#: Those that need the real data.
ON_DATA = (
    "speed.solver_speed --repeats 3",
    "evidence.w_step_comparison",
    # The others take minutes; run by hand.
    "speed.methods_speed --limit 40 --datasets COIL20 "
    "--methods LapScore MCFS UDFS RNE SPCAFS FSPCA BLFSE BLSFS",
    "speed.methods_speed --limit 20 --datasets warpAR --methods LapScore MCFS UDFS SPCAFS FSPCA",
)
RENDER = ("speed.scaling_law_figure", "publish.render_tables", "speed.render_performance")


def cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def run(script: str) -> float:
    """Wall seconds of a script; ends all if it fails."""
    name, *arguments = script.split()
    print(f"== {script}", flush=True)
    start = time.perf_counter()
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    done = subprocess.run(command, check=False)
    seconds = time.perf_counter() - start
    print(f"== {script}: {seconds:.0f} s", flush=True)
    if done.returncode:
        sys.exit(done.returncode)
    return seconds


def main() -> None:
    if parse_quick(__doc__):
        for script in MEASURE:
            run(f"{script} --quick")
        return
    scripts = (*MEASURE, *ON_DATA) if DATA.is_dir() else MEASURE
    if scripts == MEASURE:
        print(f"skipped, there is no folder of data in BLUFS_MIRROR: {', '.join(ON_DATA)}")
    machine = {"cpu": cpu_name(), "cores": os.cpu_count(), "numpy": version("numpy"), "scripts": {}}
    for script in scripts:
        load = os.getloadavg()[0]
        machine["scripts"][script] = {"load": load, "seconds": run(script)}
        save("machine", machine)
    for script in RENDER:
        run(script)


if __name__ == "__main__":
    main()
