"""Every command of the README works: those that take long are planned instead of run."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.S)
COMMANDS = [
    line.split("#")[0].strip()
    for language, block in BLOCKS
    if language == "sh"
    for line in block.splitlines()
    if line.strip() and not line.startswith("#")
]


def test_the_readme_is_one_screen_of_commands_that_are_tested():
    tested = ("pip install .", "make ", "source .venv", "snakemake ")
    assert all(command.startswith(tested) for command in COMMANDS)
    assert len(COMMANDS) == 6
    assert len(README.splitlines()) <= 75


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make ")])
def test_make_targets_exist(command):
    done = subprocess.run(
        [*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("snakemake ")])
def test_snakemake_commands_plan_the_whole_suite(finished, command):
    arguments = command.split()[1:]
    planned = finished.planned(*arguments, configfile="")
    assert planned["report"] == 1
    assert planned["collect"] == 1
    assert sum(planned.values()) <= 3000  # starting a job is what costs


def test_the_snakefile_that_the_workflow_catalogue_looks_for_plans_the_same(finished):
    assert finished.planned("-s", "workflow/Snakefile", configfile="")["report"] == 1


def test_the_python_example_runs():
    (example,) = [block for language, block in BLOCKS if language == "python"]
    names: dict = {}
    exec(example, names)
    assert names["X_small"].shape == (1797, 20)
    assert sorted(names["path"]) == [10, 20, 30]


def test_own_data_as_shown(project):
    (text,) = [block for language, block in BLOCKS if language == "yaml"]
    assert yaml.safe_load(text)["datasets"]["mine"]
    (project.folder / "mine.yaml").write_text(text)
    rows = [f"{i % 7},{i % 5},{(i * i) % 11},{'ab'[i % 2]}" for i in range(60)]
    (project.folder / "my.csv").write_text("\n".join(["p,q,r,class", *rows]) + "\n")
    planned = project.planned(configfile="mine.yaml")
    assert planned["preprocess", "mine"] == 1
    assert planned["evaluate", "mine", "BLUFS"] == 1
