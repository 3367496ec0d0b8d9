"""The recipes of the guides, run as they stand: commands, and configurations to their scores."""

import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import yaml

from blufs.cli import main
from tests.docs.test_readme import LESS
from tests.helpers import ROOT
from tests.helpers.beyond_memory import plain_strings
from tests.helpers.project_copy import ProjectCopy, scores_of

GUIDES = ROOT / "docs" / "guides"


def blocks(guide: str, language: str) -> list[str]:
    text = (GUIDES / guide).read_text(encoding="utf-8")
    blocks = re.findall(rf"^ *```{language}\n(.*?)^ *```", text, flags=re.S | re.M)
    return [textwrap.dedent(block) for block in blocks]


COMMANDS = [
    line for block in blocks("command.md", "sh") for line in block.splitlines() if line.strip()
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that the page of the command speaks of."""
    import pandas as pd

    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    X = rng.normal(np.arange(80)[:, None] % 4, 0.5, (80, 60))
    frame = pd.DataFrame(X).add_prefix("f")
    frame["patient"] = [f"P{i}" for i in range(80)]
    frame["diagnosis"] = frame["class"] = [f"kind {i % 4}" for i in range(80)]
    monkeypatch.chdir(tmp_path)
    (panel,) = [command for command in COMMANDS if "--include" in command]
    given = panel.split("--include ")[1].split(" -o")[0].split()
    genes = [*given, *(f"gene{j}" for j in range(60 - len(given)))]
    with plain_strings():
        adata = anndata.AnnData(np.log1p(np.abs(X)), var=pd.DataFrame(index=genes))
        adata.write_h5ad("zeisel.h5ad")
    return frame


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("blufs select")])
def test_every_command_that_selects_writes_its_features(command, files, capsys):
    left_out = [name for name in ("patient", "diagnosis", "class") if name not in command]
    files.drop(columns=left_out).to_csv("my.csv", index=False)
    words = shlex.split(command)[1:]
    assert main(words) == 0, capsys.readouterr().err
    chosen = Path(words[words.index("-o") + 1]).read_text().splitlines()
    assert len(set(chosen)) == int(words[words.index("-s") + 1])
    if "--include" in words:
        given = words[words.index("--include") + 1 : words.index("-o")]
        assert set(chosen[: len(given)]) == set(given)


@pytest.mark.workflow
@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("blufs compare")])
def test_every_command_that_compares_plans_a_run(command, files, capfd):
    files.drop(columns=["patient", "diagnosis"]).to_csv("my.csv", index=False)
    assert main([*shlex.split(command)[1:], "--dry-run"]) == 0
    assert "results/my/compare.yaml" in capfd.readouterr().out


PLAIN = '''
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin


class UnsupervisedKBest(SelectorMixin, BaseEstimator):
    """As other packages write a selector: no ranges of parameters, nothing of this project."""

    def __init__(self, k=10):
        self.k = k

    def fit(self, X, y=None):
        self.scores_ = X.var(axis=0)
        return self

    def _get_support_mask(self):
        mask = self.scores_ * 0 > 1
        mask[(-self.scores_).argsort()[: self.k]] = True
        return mask
'''


@pytest.mark.workflow
@pytest.mark.slow
def test_the_methods_of_the_guide_run_beside_the_others(tmp_path):
    """All blocks of own-method.md in one configuration: class, variant, plain selector."""
    project = ProjectCopy.make(tmp_path / "copy")
    first, *others = map(yaml.safe_load, blocks("own-method.md", "yaml"))
    for block in others:
        first["methods"] |= block["methods"]
    names = [*first["methods"], "AllFeatures", "LapScore", "BLUFS"]
    demo = {**LESS, "methods": names, "datasets": ["wine"], "s_values": [3]}
    first["suites"]["demo"] |= demo
    (project.folder / "mine.yaml").write_text(yaml.safe_dump(first))
    (project.folder / "examples" / "mypackage.py").write_text(PLAIN)
    environment = project.environment
    environment["PYTHONPATH"] += f":{project.folder / 'examples'}"
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "mine.yaml"],
        cwd=project.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    scores = scores_of(project, "demo").query("choice == 'default'")
    assert set(scores["status"]) == {"ok"}
    assert {"Spread", "Spread-narrow", "MyKBest"} <= set(scores["method"])


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("guide", "number"), [("own-data.md", 0), ("own-data.md", 1), ("without-labels.md", 0)]
)
def test_the_configurations_of_the_guides_plan_a_run(finished, guide, number):
    config = yaml.safe_load(blocks(guide, "yaml")[number])
    config.setdefault("suites", {"demo": {"datasets": ["mine"], "s_values": [5]}})
    (finished.folder / "guide.yaml").write_text(yaml.safe_dump(config))
    rows = [",".join(f"f{j}" for j in range(14)) + ",class"]
    rows += [",".join(str((7 * i + j) % 11) for j in range(14)) + f",{i % 3}" for i in range(30)]
    (finished.folder / "my.csv").write_text("\n".join(rows))
    planned = finished.planned(configfile="guide.yaml")
    assert planned["report"] == 1
    assert planned["preprocess", "mine"] == 1


@pytest.mark.workflow
@pytest.mark.slow
def test_a_workflow_that_takes_this_one_as_a_module_as_shown(tmp_path):
    project = ProjectCopy.make(tmp_path / "copy")
    (shown,) = blocks("other-workflows.md", "python")
    (tmp_path / "Snakefile").write_text(shown.replace("/path/to/blufs", str(project.folder)))
    small = {**LESS, "datasets": ["wine"], "s_values": [3], "methods": ["LapScore", "BLUFS"]}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"suites": {"demo": small}}))
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"],
        cwd=tmp_path,
        env=project.environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert (tmp_path / "results/demo/report.html").exists()
