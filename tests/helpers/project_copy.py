"""A copy of the project in which a test may run and edit anything."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tests.helpers import ROOT

TINY = "tests/config/tiny.yaml"
#: The results table of the tiny suite: everything but tables, figures and report.
TABLE = "results/tiny/scores.parquet"
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "raw")


class ProjectCopy:
    """The files of the project in another folder, and Snakemake there."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def make(cls, folder: Path) -> "ProjectCopy":
        for name in ("src", "workflow", "data", "docs", "profiles", "tests/config", "examples"):
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, folder / name, ignore=_LEFT_OUT)
        for name in ("Snakefile", "config.yaml"):
            shutil.copy(ROOT / name, folder / name)
        return cls(folder)

    def clone(self, folder: Path) -> "ProjectCopy":
        """A copy of this copy with its results, which count as up to date."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return ProjectCopy(folder)

    @property
    def environment(self) -> dict[str, str]:
        scripts = str(Path(sys.executable).parent)
        return {
            **os.environ,
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "src"),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "XDG_CACHE_HOME": str(self.folder / ".cache"),
        }

    def command(self, *arguments: str, configfile: str = TINY) -> list[str]:
        # Targets come first: options such as --configfile take every word that follows.
        command = [sys.executable, "-m", "snakemake", *arguments]
        return [*command, "--configfile", configfile] if configfile else command

    def snakemake(
        self, *arguments: str, configfile: str = TINY, check: bool = True, timeout: int = 900
    ):
        """Run Snakemake; with ``check`` a failure shows its output."""
        done = subprocess.run(
            self.command(*arguments, configfile=configfile),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check and done.returncode:
            raise AssertionError(f"snakemake failed:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
        return done

    def run(self, *arguments: str, cores: int = 2, **options):
        return self.snakemake(*arguments, "--cores", str(cores), **options)

    def planned(self, *arguments: str, configfile: str = TINY) -> Counter:
        """Jobs that a run would start: rule name, or (rule, dataset, method) where it has them."""
        text = self.snakemake(*arguments, "--dry-run", configfile=configfile)
        jobs: Counter = Counter()
        blocks = re.findall(
            r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", text.stdout + text.stderr, flags=re.M
        )
        for rule, body in blocks:
            wildcards = dict(re.findall(r"(\w+)=([^,\n]+)", _line(body, "wildcards")))
            key = [wildcards[k] for k in ("dataset", "method") if k in wildcards]
            jobs[(rule, *key) if key else rule] += 1
        return jobs

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text()
        assert old in text, f"{name} has no {old!r}"
        path.write_text(text.replace(old, new, 1))


def scores_of(project: ProjectCopy, suite: str = "tiny") -> pd.DataFrame:
    """The results table of a suite without the seconds that were measured."""
    return results_table(project, "scores", suite).to_pandas()


def results_table(project: ProjectCopy, name: str, suite: str = "tiny") -> pa.Table:
    """A table of a suite's results without the seconds that were measured."""
    table = pq.read_table(project.folder / f"results/{suite}/{name}.parquet")
    seconds = [column for column in table.column_names if column.endswith("seconds")]
    return table.drop_columns(seconds)


def _line(body: str, name: str) -> str:
    found = re.search(rf"^    {name}: (.*)$", body, flags=re.M)
    return found.group(1) if found else ""
