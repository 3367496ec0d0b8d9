"""The rules of the datasets, run by Snakemake: own data, a missing file, and what re-runs."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml

from tests.helpers import ROOT
from tests.helpers.project_copy import scores_of

pytestmark = pytest.mark.workflow

OWN = {
    "datasets": {"mine": {"path": "my.csv", "label": "class"}, "made": {"file": "made.npz"}},
    "suites": {"tiny": {"datasets": ["mine", "made"], "methods": ["LapScore"]}},
}
CARDS = [f"results/tiny/data/{name}/card.json" for name in ("mine", "made")]


def snakemake(folder, *arguments, mirror=""):
    """Run the project's workflow with its results in ``folder``; the output."""
    configs = [ROOT / "tests" / "config" / "tiny.yaml", "own.yaml"]
    command = [sys.executable, "-m", "snakemake", *arguments, "--snakefile", ROOT / "Snakefile"]
    command += ["--directory", folder, "--cores", "1", "--configfile", *configs]
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, "BLUFS_MIRROR": mirror},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def stamps(folder):
    """When each dataset was prepared."""
    return [(folder / card).stat().st_mtime_ns for card in CARDS]


def write_own_file(folder, shift):
    rng = np.random.default_rng(0)
    rows = [[*rng.normal(i % 3 + shift, 0.1, 4), "uvw"[i % 3]] for i in range(60)]
    lines = ["a,b,c,d,class", *(",".join(map(str, row)) for row in rows)]
    (folder / "my.csv").write_text("\n".join(lines))


def test_own_data_run_and_missing_data_are_tried_again_when_they_appear(tmp_path):
    write_own_file(tmp_path, shift=0)
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(OWN))
    output = snakemake(tmp_path, *CARDS)
    mine, made = (json.loads((tmp_path / card).read_text()) for card in CARDS)
    assert (mine["status"], mine["n_samples"], mine["n_features"]) == ("ok", 60, 4)
    assert mine["class_names"] == ["u", "v", "w"]
    assert made["status"] == "unavailable"
    assert "made.npz is not available" in made["reason"]
    assert "made.npz is not available" in output

    mirror = tmp_path / "mirror"
    mirror.mkdir()
    assert "Nothing to be done" in snakemake(tmp_path, *CARDS, "-n", mirror=str(mirror))
    rng = np.random.default_rng(1)
    np.savez(mirror / "made.npz", X=rng.random((30, 5)), y=np.arange(30) % 2)
    before = stamps(tmp_path)
    snakemake(tmp_path, *CARDS, mirror=str(mirror))
    assert [new == old for new, old in zip(stamps(tmp_path), before, strict=True)] == [True, False]
    assert json.loads((tmp_path / CARDS[1]).read_text())["n_features"] == 5
    # Without the mirror, and with the copy that the download left, nothing is to be done.
    assert "Nothing to be done" in snakemake(tmp_path, *CARDS, "-n")

    write_own_file(tmp_path, shift=1)
    os.utime(tmp_path / "my.csv", (0, 0))  # as `cp -p` and `unzip` give it: older than the results
    cell = "results/tiny/cells/mine/LapScore/s2/repetition0.json"
    before = stamps(tmp_path)
    snakemake(tmp_path, cell, *CARDS)
    assert [new == old for new, old in zip(stamps(tmp_path), before, strict=True)] == [False, True]
    content = json.loads((tmp_path / cell).read_text())
    assert content["dataset"] == "mine"
    assert content["choices"]


@pytest.mark.slow
def test_three_lines_bring_own_data_into_every_table_and_the_report(project):
    write_own_file(project.folder, shift=0)
    own = {
        "datasets": {"mine": {"path": "my.csv", "label": "class"}},
        "suites": {"tiny": {"datasets": ["wine", "rings", "mine"]}},
    }
    (project.folder / "own.yaml").write_text(yaml.safe_dump(own))
    project.run("--configfile", "tests/config/tiny.yaml", "own.yaml", configfile="")
    results = project.folder / "results" / "tiny"
    table = scores_of(project).query("dataset == 'mine'")
    assert (table["status"] == "ok").all()
    assert set(table["method"]) == {"AllFeatures", "LapScore", "BLUFS"}
    # Three classes at 0, 1 and 2 with a spread of 0.1 in every feature: nothing to get wrong.
    assert table.query("metric == 'knn_accuracy'")["value"].min() == 1
    for name in ("datasets", "clustering_acc", "nmi", "knn_accuracy", "profile_mine"):
        assert "mine" in (results / "tables" / f"{name}.csv").read_text(), name
    ranks = pd.read_csv(results / "tables" / "ranks.csv")
    assert (ranks["n_datasets"] == 2).all()  # wine and mine; rings are synthetic
    assert "mine" in (results / "report.html").read_text()
