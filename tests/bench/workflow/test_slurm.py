"""The workflow through a real SLURM gives the values of the local run."""

import json
import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from tests.helpers.project_copy import TABLE, ProjectCopy, scores_of

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]

#: Folder with slurm-up.sh and slurm-down.sh, which bring up a SLURM of one node and stop it.
SLURM = Path(os.environ.get("BLUFS_SLURM", "no-folder"))
EVALUATION = "results/tiny/evaluations/rings/LapScore/all.json"


def bring_up(**settings: str) -> None:
    if not (SLURM / "slurm-up.sh").exists():
        pytest.skip("no folder with slurm-up.sh is named by BLUFS_SLURM")
    if os.geteuid() != 0:
        pytest.skip("bringing up a SLURM needs root")
    environment = {**os.environ, "SLURM_CPUS": "4", **settings}
    subprocess.run([SLURM / "slurm-up.sh"], check=True, env=environment, timeout=900)


@pytest.fixture
def slurm():
    """Bring up a one-node SLURM; it is stopped after the test."""
    yield bring_up
    if (SLURM / "slurm-down.sh").exists() and os.geteuid() == 0:
        subprocess.run([SLURM / "slurm-down.sh"], check=False, timeout=60)


def slurm_options(*changes: str) -> list[str]:
    """The project's profile with the short waits of a test."""
    options = ["--workflow-profile", "workflow/profiles/slurm", "--latency-wait", "15"]
    options += ["--slurm-init-seconds-before-status-checks", "3", "--jobs", "4"]
    return [*options, *changes]


def test_values_equal_those_of_the_local_run(slurm, evaluated, tmp_path):
    slurm()
    remote = ProjectCopy.make(tmp_path / "remote")
    done = remote.snakemake(TABLE, *slurm_options("--slurm-status-command", "squeue"))
    assert "SLURM jobid" in done.stdout + done.stderr
    pd.testing.assert_frame_equal(scores_of(remote), scores_of(evaluated), check_exact=True)
    timing = pd.read_parquet(remote.folder / "results/tiny/timing.parquet")
    assert list(timing["status"]) == ["ok", "ok"]


def test_the_state_of_jobs_may_come_from_accounting(slurm, evaluated, tmp_path):
    slurm(SLURM_DBD="1")
    remote = ProjectCopy.make(tmp_path / "remote")
    remote.snakemake(EVALUATION, *slurm_options("--slurm-status-command", "sacct"))
    assert values(remote) == values(evaluated)


def values(project: ProjectCopy) -> list:
    records = json.loads((project.folder / EVALUATION).read_text())
    assert records
    return [{**record, "evaluation_seconds": None} for record in records]
