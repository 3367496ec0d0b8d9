"""The workflow through a real SLURM, brought up here, gives the values of the local run."""

import json

import pandas as pd
import pytest

from tests.helpers import slurm
from tests.helpers.project_copy import TABLE, ProjectCopy, scores_of

pytestmark = [pytest.mark.slurm, pytest.mark.workflow]

EVALUATION = "results/tiny/evaluations/rings/LapScore/all.json"
#: The project's profile with the short waits of a test.
OPTIONS = ["--workflow-profile", "workflow/profiles/slurm", "--latency-wait", "15", "--jobs", "4"]
OPTIONS += ["--slurm-init-seconds-before-status-checks", "3", "--slurm-status-command", "squeue"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The environment in which the clients of a SLURM of one node find it."""
    slurm.install()
    with slurm.one_node(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


@pytest.fixture
def remote(cluster, tmp_path, monkeypatch):
    """A copy of the project whose commands talk to the cluster."""
    monkeypatch.setenv("SLURM_CONF", cluster["SLURM_CONF"])
    return ProjectCopy.make(tmp_path / "remote")


def test_one_evaluation_equals_that_of_a_local_run(remote, tmp_path):
    done = remote.snakemake(EVALUATION, *OPTIONS)
    assert "SLURM jobid" in done.stdout + done.stderr
    local = ProjectCopy.make(tmp_path / "local")
    local.run(EVALUATION)
    assert values(remote) == values(local)


@pytest.mark.slow
def test_all_values_equal_those_of_the_local_run(remote, evaluated):
    remote.snakemake(TABLE, *OPTIONS)
    pd.testing.assert_frame_equal(scores_of(remote), scores_of(evaluated), check_exact=True)
    timing = pd.read_parquet(remote.folder / "results/tiny/timing.parquet")
    assert list(timing["status"]) == ["ok", "ok"]


def values(project: ProjectCopy) -> list:
    records = json.loads((project.folder / EVALUATION).read_text())
    assert records
    return [{**record, "evaluation_seconds": None} for record in records]
