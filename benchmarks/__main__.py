"""Run the speed benchmarks one after the other and fill in the tables of the docs.

``python -m benchmarks`` (``make bench``). All is measured as ratios within one run; the results
go to benchmarks/results/, each script can be run by itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

SCRIPTS = (
    "solver_speed.py",
    "w_step_comparison.py",
    "methods_speed.py --limit 120",
    "render_tables.py",
)


def main() -> int:
    folder = Path(__file__).parent
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f}", flush=True)
    for script in SCRIPTS:
        name, *arguments = script.split()
        print(f"== {script}", flush=True)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, str(folder / name), *arguments], check=False)
        print(f"== {script}: {time.perf_counter() - start:.0f} s", flush=True)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
