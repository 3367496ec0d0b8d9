"""Every command of the README works: those that take long are planned instead of run."""

import re
import subprocess

import numpy as np
import pandas as pd
import pytest
import yaml

from blufs_bench.files.atomic import read_json
from blufs_bench.results.vocabulary import CRITERIA
from tests.helpers import ROOT
from tests.helpers.project_copy import ProjectCopy, scores_of

pytestmark = pytest.mark.workflow

README = (ROOT / "README.md").read_text()
OWN_DATA = (ROOT / re.search(r"\[Own data\]\((.+?)\)", README).group(1)).read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.S)
COMMANDS = [
    line.split("#")[0].strip()
    for language, block in BLOCKS
    if language == "sh"
    for line in block.splitlines()
    if line.strip() and not line.startswith("#")
]


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
    assert not finished.planned("-s", "workflow/Snakefile")


def test_the_python_example_runs():
    (example,) = [block for language, block in BLOCKS if language == "python"]
    names: dict = {}
    exec(example, names)
    columns = names["selector"].get_support(indices=True)
    assert names["X_small"].shape == (1797, 20)
    np.testing.assert_array_equal(names["X_small"], names["X"][:, columns])


#: Less of everything, so that the recipe for own data takes seconds; its datasets stay as shown.
LESS = {
    "methods": ["AllFeatures", "LapScore", "BLUFS"],
    "ablation": {"methods": ["BLUFS-III"]},
    "grid_overrides": {"BLUFS": [{"alpha": [1]}]},
    "screening": {"n_clusterings": 1, "n_restarts": 1, "n_splits": 1},
    "evaluation": {"n_clusterings": 2, "n_restarts": 1, "n_splits": 2},
    "timing": {"methods": ["BLUFS"], "n_repeats": 1},
    "stability": {"methods": ["LapScore"], "n_resamples": 2},
}


def write_csv(path, labelled):
    """Three groups of 20 samples with 42 features, and their class in the last column if asked."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(np.arange(60)[:, None] % 3, 0.3, (60, 42))).add_prefix("f")
    if labelled:
        table["class"] = [f"group {i % 3}" for i in range(60)]
    table.to_csv(path, index=False)


def run_recipe(project, text, *, labelled):
    """Run mine.yaml by the command that stands in the README; the scores and the report."""
    (command,) = re.findall(r"used by: snakemake (.+)", README)
    assert command.endswith("--configfile mine.yaml")
    (project.folder / "mine.yaml").write_text(text)
    suite = yaml.safe_load(text)["suite"]
    (project.folder / "less.yaml").write_text(yaml.safe_dump({"suites": {suite: LESS}}))
    write_csv(project.folder / "my.csv", labelled)
    project.snakemake(*command.split(), "less.yaml", "--cores", "2", configfile="")
    page = (project.folder / f"results/{suite}/report.html").read_text()
    return scores_of(project, suite), page


def recipe():
    (text,) = [block for language, block in BLOCKS if language == "yaml"]
    return text


@pytest.mark.slow
def test_own_data_as_shown_run_to_the_report(tmp_path):
    project = ProjectCopy.make(tmp_path / "copy")
    scores, page = run_recipe(project, recipe(), labelled=True)
    assert set(scores["status"]) == {"ok"}
    assert set(scores["dataset"]) == {"mine", "digits"}
    mine = scores.query("dataset == 'mine'")
    assert set(mine["method"]) == set(LESS["methods"])
    # Three groups far from each other in every feature: no neighbour can be wrong.
    assert mine.query("metric == 'knn_accuracy'")["value"].min() == 1
    assert all(f">{method}<" in page for method in ("LapScore", "BLUFS"))


@pytest.mark.slow
@pytest.mark.parametrize("others", [[], ["digits"]], ids=["alone", "with labelled data"])
def test_own_data_without_labels_as_shown_run_to_the_report(tmp_path, others):
    project = ProjectCopy.make(tmp_path / "copy")
    # The page on own data shows the same without labels, for the list of the README's suite.
    without = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", OWN_DATA, flags=re.S)[0])
    assert without == {"datasets": {"mine": {"path": "my.csv"}}}
    suites = yaml.safe_load(recipe())["suites"]
    suites["mine"]["datasets"] = ["mine", *others]
    scores, page = run_recipe(
        project, yaml.safe_dump({"suite": "mine", "suites": suites, **without}), labelled=False
    )
    assert set(scores["status"]) == {"ok"}
    assert set(scores["dataset"]) == {"mine", *others}
    mine = scores.query("dataset == 'mine'")
    assert set(mine["method"]) == set(LESS["methods"])
    assert set(mine["metric"]) == set(CRITERIA)
    assert all(f">{method}<" in page for method in ("LapScore", "BLUFS"))
    shown = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert "No method has a score to compare" not in shown
    assert re.search(r"f\d+, f\d+, f\d+", page)  # the selected features by name
    tables = project.folder / "results/demo/tables"
    for name in ("criteria", "stability", "redundancy", "agreement", "time"):
        assert "mine" in (tables / f"{name}.csv").read_text(), name
        assert f'id="table-{name}"' in page
    assert 'id="figure-agreement"' in page
    left_out = read_json(tables / "empty.json")
    assert ("clustering_acc" in left_out) == (not others)
