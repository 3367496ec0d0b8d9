"""The workflow through a real SLURM, brought up here, gives the values of the local run."""

import json
import re

import pandas as pd
import pytest

from tests.helpers import ROOT, slurm
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


@pytest.fixture(scope="module")
def local_values(tmp_path_factory):
    local = ProjectCopy.make(tmp_path_factory.mktemp("local") / "copy")
    local.run(EVALUATION)
    return values(local)


def test_one_evaluation_equals_that_of_a_local_run(remote, local_values):
    done = remote.snakemake(EVALUATION, *OPTIONS)
    assert "SLURM jobid" in done.stdout + done.stderr
    assert values(remote) == local_values


def test_the_command_for_another_executor_in_the_guide_gives_the_same(remote, local_values):
    pytest.importorskip("snakemake_executor_plugin_cluster_generic")
    guide = (ROOT / "docs/guides/cluster.md").read_text()
    (submit,) = re.findall(r'--cluster-generic-submit-cmd "(.*)"', guide)
    (status,) = re.findall(r"--cluster-generic-status-cmd (\S+)\n", guide)
    options = ["--workflow-profile", "workflow/profiles/generic", "--latency-wait", "15"]
    options += ["--cluster-generic-submit-cmd", submit, "--cluster-generic-status-cmd", status]
    done = remote.snakemake(EVALUATION, *options)
    assert "with external jobid" in done.stdout + done.stderr
    assert values(remote) == local_values


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
