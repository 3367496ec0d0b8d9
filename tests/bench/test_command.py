"""`blufs compare`: the suite that it writes, what it says to bad input, and its report."""

import csv
import json

import numpy as np
import pytest
import yaml

from blufs.cli import main

pytestmark = pytest.mark.workflow


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with my.csv: 60 samples in three groups with an identifier and a class."""
    rng = np.random.default_rng(0)
    kinds = np.arange(60) % 3
    X = rng.normal(kinds[:, None], 0.3, (60, 12))
    with open(tmp_path / "my.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", *(f"f{j}" for j in range(12)), "class"])
        out.writerows([f"P{i}", *X[i], f"kind {kinds[i]}"] for i in range(60))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_suite_that_is_planned_is_that_of_the_file(folder, capfd):
    options = ["--label", "class", "--id", "id", "--methods", "LapScore", "BLUFS"]
    options += ["--missing", "drop-features", "--separator", ","]
    options += ["--transform", "standardise", "--cores", "1", "--dry-run"]
    code = main(["compare", "my.csv", *options])
    out = capfd.readouterr().out
    assert code == 0, out
    config = yaml.safe_load((folder / "results/my/compare.yaml").read_text())
    assert config["suite"] == "my"
    expected = {"path": "my.csv", "label": "class", "drop": ["id"], "transform": "standardise"}
    expected |= {"missing": "drop_features", "separator": ","}
    assert config["datasets"] == {"my": expected}
    assert config["suites"]["my"]["s_values"] == [5]  # of 12 features
    assert config["suites"]["my"]["methods"] == ["LapScore", "BLUFS"]
    assert "--configfile results/my/compare.yaml" in out.splitlines()[-1]


BAD = {
    "no file": (["gone.csv"], "there is no file 'gone.csv'"),
    "no such label": (["my.csv", "--label", "klass"], "there is no column 'klass'"),
    "text in a feature": (["my.csv", "--label", "class"], "'id' (for instance 'P0')"),
    "another format": (["my.docx"], "must end in one of"),
    "a suite that there is": (["my.csv", "--name", "paper"], "'paper' is a suite of the benchm"),
    "two characters": (["my.csv", "--separator", ";;"], "--separator must be one character"),
    "a name with a slash": (["my.csv", "--name", "a/b"], "--name must be letters"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_said_before_anything_runs(folder, what, capfd):
    arguments, message = BAD[what]
    (folder / "my.docx").write_text("x")
    assert main(["compare", *arguments]) == 1
    assert message in capfd.readouterr().err
    assert not (folder / "results").exists()


@pytest.mark.slow
def test_a_file_becomes_a_report(folder, capfd):
    methods = ["--methods", "AllFeatures", "RandomFeatures", "LapScore", "BLUFS"]
    command = ["compare", "my.csv", "--label", "class", "--id", "id", "-s", "3", *methods]
    assert main([*command, "--cores", "2"]) == 0, capfd.readouterr().err
    page = (folder / "results/my/report.html").read_text()
    assert all(f">{method}<" in page for method in ("LapScore", "BLUFS"))
    assert json.loads((folder / "results/my/statistics.json").read_text())
