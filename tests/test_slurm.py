"""The workflow through a real SLURM gives the values of the local run."""

import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from project_copy import TABLE

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]

SLURM = Path(os.environ.get("BLUFS_SLURM", Path(__file__).parents[2] / "shared" / "slurm"))


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """A one-node SLURM, brought up for the tests and stopped after them."""
    if not (SLURM / "slurm-up.sh").exists():
        pytest.skip("no slurm-up.sh that could bring up a SLURM (folder: BLUFS_SLURM)")
    if os.geteuid() != 0:
        pytest.skip("bringing up a SLURM needs root")
    environment = {**os.environ, "SLURM_CPUS": "4"}
    subprocess.run([SLURM / "slurm-up.sh"], check=True, env=environment, timeout=300)
    yield
    subprocess.run([SLURM / "slurm-down.sh"], check=False, timeout=60)


def slurm_options(*changes: str) -> list[str]:
    """The project's profile, without accounting and with the short waits of a test."""
    return [
        "--workflow-profile",
        "workflow/profiles/slurm",
        "--slurm-status-command",
        "squeue",
        "--slurm-init-seconds-before-status-checks",
        "3",
        "--latency-wait",
        "15",
        "--jobs",
        "4",
        *changes,
    ]


def test_values_equal_those_of_the_local_run(slurm, evaluated, tmp_path):
    expected = pd.read_parquet(evaluated.folder / TABLE)
    remote = type(evaluated).make(tmp_path / "remote")
    remote.snakemake(TABLE, *slurm_options())
    found = pd.read_parquet(remote.folder / TABLE)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
