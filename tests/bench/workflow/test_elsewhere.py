"""The workflow runs from any folder, and as a part of another workflow."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.project_copy import TINY, ProjectCopy

pytestmark = pytest.mark.workflow

CARD = "results/tiny/data/wine/card.json"


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> ProjectCopy:
    return ProjectCopy.make(tmp_path_factory.mktemp("project") / "copy")


def snakemake(copy: ProjectCopy, folder: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=folder,
        env=copy.environment | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def job_counts(output: str) -> dict[str, int]:
    """Rule -> number of planned jobs, of the table that Snakemake prints."""
    table = output.split("Job stats:")[1].split("total")[0]
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", table, flags=re.M)}


def test_the_plan_is_the_same_from_every_folder(copy, tmp_path):
    at_home = job_counts(snakemake(copy, copy.folder, "-n", "--configfile", TINY))
    assert at_home["select"] == 7
    config = str(copy.folder / TINY)
    snakefile = str(copy.folder / "Snakefile")
    (tmp_path / "results_here").mkdir()
    by_snakefile = snakemake(copy, tmp_path, "-n", "-s", snakefile, "--configfile", config)
    assert job_counts(by_snakefile) == at_home
    options = ["-n", "--directory", str(tmp_path / "results_here"), "--configfile", TINY]
    assert job_counts(snakemake(copy, copy.folder, *options)) == at_home


def test_results_go_to_the_working_folder(copy, tmp_path):
    options = ["--cores", "1", "-s", str(copy.folder / "Snakefile")]
    snakemake(copy, tmp_path, CARD, *options, "--configfile", str(copy.folder / TINY))
    assert json.loads((tmp_path / CARD).read_text())["n_samples"] == 178
    assert not (copy.folder / "results").exists()


@pytest.mark.parametrize(
    ("config", "suite", "fits"),
    [("    config: config\n", "tiny", 7), ("", "demo", 43)],
    ids=["with the importer's configuration", "with its own"],
)
def test_another_workflow_may_use_this_one_as_a_module(copy, tmp_path, config, suite, fits):
    (tmp_path / "Snakefile").write_text(
        f'import os, sys\n\nconfigfile: "{os.path.relpath(copy.folder / TINY, tmp_path)}"\n\n\n'
        f'module blufs:\n    snakefile: "{copy.folder / "Snakefile"}"\n{config}\n\n'
        "use rule * from blufs as blufs_*\n\n\n"
        'print("installed from", os.environ["BLUFS_SOURCE"], file=sys.stderr)\n\n\n'
        "rule mine:\n"
        "    default_target: True\n"
        f'    input: "results/{suite}/report.html"\n'
    )
    output = snakemake(copy, tmp_path, "-n", "--config", "container=docker://blufs")
    assert f"installed from {copy.folder}\n" in output  # what conda's jobs get
    planned = job_counts(output)
    assert planned["mine"] == planned["blufs_report"] == 1
    assert planned["blufs_select"] == fits
    if suite == "tiny":
        snakemake(copy, tmp_path, CARD, "--cores", "1")
        assert json.loads((tmp_path / CARD).read_text())["n_samples"] == 178


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
def test_another_workflow_may_take_this_one_from_a_repository(copy, tmp_path):
    """As snakedeploy writes it: rules and scripts from GitHub, the package installed here."""
    repository = tmp_path / "hub" / "somebody" / "blufs"
    copy.clone(repository)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "All"], ["tag", "v1"]):
        git(repository, *arguments)
    (tmp_path / "Snakefile").write_text(
        'configfile: "config.yaml"\n\n\n'
        "module blufs:\n"
        '    snakefile: github("somebody/blufs", path="workflow/Snakefile", tag="v1")\n'
        "    config: config\n\n\n"
        "use rule * from blufs\n"
    )
    (tmp_path / "config.yaml").write_text((copy.folder / TINY).read_text())
    instead = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/hub/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    planned = job_counts(snakemake(copy, tmp_path, "-n", **instead))
    assert planned["report"] == 1
    assert planned["select"] == 7
    snakemake(copy, tmp_path, CARD, "--cores", "1", **instead)
    assert json.loads((tmp_path / CARD).read_text())["n_samples"] == 178
