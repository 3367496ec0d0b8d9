"""The workflow through another executor than SLURM's: a batch system of submit and status."""

import shutil

import pytest

from tests.bench.workflow.test_slurm import EVALUATION, values
from tests.helpers import ROOT
from tests.helpers.project_copy import ProjectCopy

pytest.importorskip("snakemake_executor_plugin_cluster_generic")

pytestmark = [pytest.mark.slow, pytest.mark.workflow]


def test_a_lost_job_is_tried_again_with_more_memory_and_the_values_are_those_of_a_local_run(
    evaluated, tmp_path
):
    project = ProjectCopy.make(tmp_path / "remote")
    system = tmp_path / "system"
    system.mkdir()
    program = system / "batch_system.sh"
    shutil.copy(ROOT / "tests/helpers/batch_system.sh", program)
    options = ["--workflow-profile", "workflow/profiles/generic", "--jobs", "2"]
    options += ["--latency-wait", "15"]
    submit = f"{program} submit {system} {{rule}} {{resources.mem_mb}}"
    options += ["--cluster-generic-submit-cmd", submit]
    options += ["--cluster-generic-status-cmd", f"{program} status {system}"]
    project.snakemake(EVALUATION, *options)
    asked = [line.split() for line in (system / "asked").read_text().splitlines()]
    assert [rule for rule, _ in asked] == ["preprocess", "select", "select", "evaluate"]
    first, second = (int(memory) for rule, memory in asked if rule == "select")
    assert first >= 500
    assert second == pytest.approx(2 * first, abs=1)
    assert values(project) == values(evaluated)
