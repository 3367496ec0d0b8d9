"""What several tests share."""

import re
from pathlib import Path

#: The folder of the project.
ROOT = Path(__file__).parents[2]


def usage_of_log(path: Path) -> tuple[float, float]:
    """Peak of memory in MB and processor seconds, as the log of a job says them."""
    found = re.search(r"used at most (\d+) MB and ([\d.]+) s of the processor", path.read_text())
    return float(found[1]), float(found[2])
