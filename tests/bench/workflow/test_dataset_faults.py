"""One dataset that raises in each stage, and files that are damaged: what a whole run does."""

import json
import re
import shlex
import subprocess

import pandas as pd
import pytest
import yaml

from tests.helpers.project_copy import TINY, ProjectCopy, scores_of

pytestmark = [pytest.mark.slow, pytest.mark.faults, pytest.mark.workflow]

#: Stage -> file, line before which it raises, and when. Each is told to fail on one dataset.
FAULTS = {
    "download": (
        "datasets/download.py",
        '    path = Path(spec["path"]).expanduser()\n',
        'spec["name"] == "no_download"',
    ),
    "preprocess": (
        "datasets/preparation.py",
        "        raw = _load(spec, raw_path, source or {})\n",
        'spec["name"] == "no_preprocess"',
    ),
    "select": (
        "stages/select.py",
        "        selector = self.target.selector(fit)\n",
        'self.target.dataset == "no_select"',
    ),
    "ablation": (
        "stages/select.py",
        "        tuned = set(selector.tuned_parameters)\n",
        '(self.target.dataset, self.target.method) == ("later", "BLUFS-III")',
    ),
    "screen": (
        "stages/screen.py",
        "            found = self.scorer.cluster(",
        'self.scorer.dataset == "no_screen"',
    ),
    "choose": (
        "stages/choose.py",
        "    names = [canonical_json(setting) for setting in settings]\n",
        'dataset == "no_choose" and len(settings) > 1',
    ),
    "evaluate": (
        "stages/evaluate.py",
        "        key = (task, tuple(features), tuple(repetitions))\n",
        'self.key["dataset"] == "no_evaluate"',
    ),
    "time_fit": (
        "stages/time_fit.py",
        "        data = data_for(selector, X, limits)\n",
        'target.dataset == "later"',
    ),
    "resample": (
        "stages/resample.py",
        "        size = max(2, round(fraction * X.shape[0]))\n",
        'target.dataset == "later"',
    ),
    "statistics": (
        "compare/tests.py",
        "    whole, left_out_datasets, left_out_methods = complete_block(scores)\n",
        '"later" in scores.index',
    ),
    "tables": (
        "show/tables/profile.py",
        '    caption = f"Methods on {title}"',
        'dataset == "later"',
    ),
    "figures": (
        "show/figures/draw.py",
        "    specs = figure_specs(suite.datasets)\n    if name",
        'name == "overview" and "later" in suite.datasets',
    ),
}
#: Stages that leave cells of their dataset without a value, and the status of these cells.
WITHOUT_VALUES = {
    "download": "unavailable",
    "preprocess": "unavailable",
    "select": "failed",
    "screen": "failed",
    "choose": "failed",
    "evaluate": "failed",
    "ablation": "failed",
}


def dataset_of(stage):
    """Stages that leave whole cells without a value have a dataset each, the later ones share."""
    return f"no_{stage}" if stage in WITHOUT_VALUES and stage != "ablation" else "later"


DATASETS = ["good", *dict.fromkeys(map(dataset_of, FAULTS))]


def break_stages(project):
    for stage, (name, line, condition) in FAULTS.items():
        margin = line[: len(line) - len(line.lstrip())]
        fault = f'{margin}if {condition}:\n{margin}    raise RuntimeError("{stage} told to fail")\n'
        project.edit(f"src/blufs_bench/{name}", line, fault + line)


def write_suite(project):
    for number, name in enumerate(DATASETS):
        rows = [
            f"{i % 3 + (i + number) % 2 / 10},{i % 5},{(i * i) % 11},{i % 7},{'abc'[i % 3]}"
            for i in range(45)
        ]
        (project.folder / f"{name}.csv").write_text("\n".join(["p,q,r,t,class", *rows]) + "\n")
    config = {
        "datasets": {name: {"path": f"{name}.csv", "label": "class"} for name in DATASETS},
        "suites": {
            "tiny": {
                "datasets": DATASETS,
                "methods": ["LapScore", "BLUFS"],
                "ablation": {"methods": ["BLUFS-III"], "datasets": ["good", "later"]},
                "s_values": [2],
                "s_values_by_dataset": {},
                "timing": {"datasets": [], "methods": ["LapScore"]},
                "stability": {"datasets": ["good"], "methods": ["LapScore"]},
            }
        },
    }
    (project.folder / "faults.yaml").write_text(yaml.safe_dump(config))


@pytest.fixture(scope="module")
def with_faults(tmp_path_factory):
    """A copy that has run to its end, and what the run said."""
    project = ProjectCopy.make(tmp_path_factory.mktemp("faults") / "copy")
    write_suite(project)
    break_stages(project)
    done = project.run("--configfile", TINY, "faults.yaml", configfile="", check=False)
    assert (project.folder / "results/tiny/report.html").exists(), done.stderr[-5000:]
    return project, done


def test_a_dataset_that_raises_in_a_stage_has_a_status_and_the_others_have_numbers(with_faults):
    scores = scores_of(with_faults[0])
    assert set(scores["dataset"]) == set(DATASETS)
    of_dataset = dict(list(scores.groupby("dataset")))
    for stage, status in WITHOUT_VALUES.items():
        failed = of_dataset[dataset_of(stage)].query("status != 'ok'")
        assert set(failed["status"]) == {status}, stage
        assert failed["reason"].str.contains(f"RuntimeError: {stage} told to fail").all(), stage
        assert failed["value"].isna().all()
    good = of_dataset["good"]
    assert set(good["status"]) == {"ok"}
    assert good["value"].between(0, 1).all()
    assert set(good["method"]) == {"LapScore", "BLUFS", "BLUFS-III"}
    # A stage takes no more than its own cells with it.
    for stage in ("download", "preprocess", "select", "evaluate"):
        assert of_dataset[dataset_of(stage)]["value"].isna().all()
    for stage in ("screen", "choose"):
        ok = of_dataset[dataset_of(stage)].query("status == 'ok'")
        assert set(ok.query("method == 'BLUFS'")["choice"]) == {"default"}
        assert set(ok.query("method == 'LapScore'")["choice"]) == set(good["choice"])
    assert set(of_dataset["later"].query("status == 'ok'")["method"]) == {"LapScore", "BLUFS"}


def test_the_report_and_the_exit_say_what_failed(with_faults):
    project, done = with_faults
    assert done.returncode != 0
    results = project.folder / "results/tiny"
    page = (results / "report.html").read_text()
    said = done.stdout + done.stderr
    for stage in (*WITHOUT_VALUES, "statistics", "tables"):
        assert f"RuntimeError: {stage} told to fail" in page, stage
    for stage in (*WITHOUT_VALUES, "statistics", "tables", "figures"):
        assert f"RuntimeError: {stage} told to fail" in said, stage
    assert re.search(r"\d+ cells failed", said)
    # Own data are timed and resampled whatever the lists say.
    ended = {"later": "failed", "no_download": "unavailable", "no_preprocess": "unavailable"}
    for name in ("timing", "stability"):
        rows = pd.read_parquet(results / f"{name}.parquet")
        found = rows.groupby("dataset")["status"].agg(set).to_dict()
        assert found == {dataset: {ended.get(dataset, "ok")} for dataset in DATASETS}
    # Nothing fails by itself on such results.
    for name in ("tables", "figures"):
        problems = json.loads((results / name / "problems.json").read_text())
        assert problems
        assert all(problem.endswith("told to fail") for problem in problems)
    assert not (results / "complete.txt").exists()


#: A damaged file of each kind, and what has to be made of it.
DAMAGED = {
    "data/rings/dataset.npz": "selections/rings/LapScore/grid000-s2-fitall.json",
    "data/rings/graph.npz": "evaluations/rings/LapScore/all.json",
    "selections/rings/LapScore/grid000-s2-fitall.json": "evaluations/rings/LapScore/all.json",
    "evaluations/rings/LapScore/all.json": "scores.parquet",
    "evaluations/rings/BLUFS/all.screened.json": "scores.parquet",
    "timing/wine/LapScore.json": "scores.parquet",
    "resamples/wine/LapScore.json": "scores.parquet",
    "scores.parquet": "statistics.json",
    "statistics.json": "report.html",
    "provenance.json": "report.html",
    "tables/ranks.html": "report.html",
    "tables/ranks.csv": "report.html",
    "figures/overview.png": "report.html",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_the_command_that_a_run_names_makes_a_damaged_file_anew(name, finished, tmp_path):
    project = finished.clone(tmp_path / "copy")
    path, target = f"results/tiny/{name}", f"results/tiny/{DAMAGED[name]}"
    whole = (project.folder / path).read_bytes()
    (project.folder / path).write_bytes(whole[: len(whole) // 2])
    stopped = project.run(target, check=False)
    said = stopped.stdout + stopped.stderr
    assert stopped.returncode != 0
    assert f"{path} is damaged" in said
    remove, again = re.search(
        rf"by `(rm {re.escape(path)})` and add `(--forcerun {re.escape(path)})` to the same", said
    ).groups()
    subprocess.run(shlex.split(remove), cwd=project.folder, check=True)
    project.run(target, *shlex.split(again))
    assert (project.folder / path).stat().st_size > len(whole) // 2
    assert (project.folder / target).exists()


def test_a_damaged_card_is_named_where_the_plan_reads_it(finished, tmp_path):
    project = finished.clone(tmp_path / "copy")
    card = project.folder / "results/tiny/data/rings/card.json"
    whole = card.read_bytes()
    card.write_bytes(whole[: len(whole) // 2])
    stopped = project.run(check=False)
    assert stopped.returncode != 0
    assert "results/tiny/data/rings/card.json is damaged" in stopped.stdout + stopped.stderr
    card.unlink()
    project.run("results/tiny/data/rings/card.json")
    assert card.read_bytes() == whole
