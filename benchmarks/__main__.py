"""Run the speed benchmarks one after the other and fill in the tables of the docs.

``python -m benchmarks`` (``make bench``). All is measured as ratios within one run; the results
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

sys.path.insert(0, str(Path(__file__).parent))
from common import DATA, parse_quick, save

#: Those that know ``--quick`` and skip what they lack.
MEASURE = ("startup", "suites", "fit_profile", "memory", "limits", "growth", "peers")
#: Those that need the real data.
ON_DATA = (
    "solver_speed --repeats 3",
    "w_step_comparison",
    # The others take minutes; run by hand.
    "methods_speed --limit 40 --datasets COIL20 "
    "--methods LapScore MCFS UDFS RNE SPCAFS FSPCA BLFSE BLSFS",
    "methods_speed --limit 20 --datasets warpAR --methods LapScore MCFS UDFS SPCAFS FSPCA",
)
RENDER = ("growth_figure", "render_tables", "render_performance")


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
    command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), *arguments]
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
