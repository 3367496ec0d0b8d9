"""The plan: what a valid configuration runs, and what is imported to find that out."""

import copy
import json
import os
import subprocess
import sys

import pytest

from blufs_bench.plan.config import ConfigError
from blufs_bench.plan.jobs import Plan
from blufs_bench.plan.parts import Part
from blufs_bench.run.process_control import Purpose
from tests.helpers.small_config import DATASETS, SCHEMA, merged, plan, small_config, suite


@pytest.fixture
def config():
    return small_config()


def test_a_valid_configuration_gives_the_pairs_and_the_parts(config):
    made = plan(config)
    assert made.pairs() == [
        ("wine", "LapScore"),
        ("wine", "BLUFS"),
        ("digits", "LapScore"),
        ("digits", "BLUFS"),
        ("wine", "BLUFS-III"),
    ]
    assert len(made.settings("BLUFS")) == 1 + 6
    assert made.settings("BLUFS")[0] == config["methods"]["BLUFS"]["parameters"]
    assert made.select_parts("wine", "LapScore") == [Part(0, (2, 4))]
    assert made.select_part("LapScore", Part(0, (2, 4))) == {
        "settings": [{}],
        "s_values": [2, 4],
        "fit_seeds": [0],
    }
    assert made.evaluate_parts("wine", "BLUFS") == {"all": {"s": None, "repetition": None}}


def test_the_default_setting_is_in_the_grid_once(config):
    default = config["methods"]["BLUFS"]["parameters"]
    grid = {name: [value, 7] for name, value in default.items()}
    made = plan(config, suite(grid_overrides={"BLUFS": [grid]}))
    assert len(made.settings("BLUFS")) == 2**4


def test_settings_are_cut_into_chunks_that_cover_all_of_them(config):
    made = plan(config, {"jobs": {"settings_per_job": 3}})
    parts = made.select_parts("wine", "BLUFS")
    assert parts == [Part(0, (2, 4)), Part(1, (2, 4)), Part(2, (2, 4))]
    settings = [s for name in parts for s in made.select_part("BLUFS", name)["settings"]]
    assert settings == made.settings("BLUFS")


def test_split_by_s_and_repetition_makes_one_job_per_cell(config):
    made = plan(config, {"jobs": {"split_by": ["s", "repetition"]}})
    assert made.select_parts("wine", "LapScore") == [Part(0, (2,)), Part(0, (4,))]
    cells = made.evaluate_parts("wine", "LapScore")
    assert len(cells) == 2 * 10
    assert cells["s4-repetition3"] == {"s": 4, "repetition": 3}
    assert made.evaluate_part_of_cell("wine", "LapScore", 4, 3) == "s4-repetition3"


def test_every_repetition_of_the_most_repeated_score_has_a_job(config):
    change = suite(evaluation={"n_clusterings": 2, "n_splits": 3, "n_forest_splits": 5})
    made = plan(config, merged({"jobs": {"split_by": ["repetition"]}}, change))
    names = [f"repetition{number}" for number in range(5)]
    assert list(made.evaluate_parts("wine", "LapScore")) == names


def test_equal_configurations_in_other_words_give_equal_plans(config):
    other = copy.deepcopy(config)
    other["suites"]["small"]["grid_overrides"]["BLUFS"] = [
        {"beta": [0.1, 1.0, 10.0], "alpha": [0.1, 1.0]}
    ]
    other["methods"] = dict(reversed(other["methods"].items()))
    other["limits"] = {key: float(value) for key, value in reversed(other["limits"].items())}
    assert str(plan(other).config["limits"]) == str(plan(config).config["limits"])
    part = plan(config).select_part("BLUFS", Part(0, (2, 4)))
    assert str(plan(other).select_part("BLUFS", Part(0, (2, 4)))) == str(part)


def test_aliases_are_understood_in_every_place(config):
    made = plan(
        config,
        suite(
            methods=["LS", "BLUFS"],
            grid_overrides={"LS": [{"n_neighbors": [3, 4]}]},
            timing={"methods": ["LS"]},
        ),
    )
    assert made.methods == ["LapScore", "BLUFS"]
    assert made.settings("LapScore") == [
        {},
        {"n_neighbors": 3},
        {"n_neighbors": 4},
    ]
    assert made.repeated_pairs("timing") == [("wine", "LapScore")]


def test_methods_that_are_only_timed_are_planned_too(config):
    made = plan(config, suite(timing={"methods": ["MCFS"]}, stability={"methods": ["UDFS"]}))
    assert {"MCFS", "UDFS"} <= set(made.all_methods)
    assert made.settings("MCFS")[0] == {}


def test_lists_of_a_suite_leave_out_data_that_it_does_not_have_and_never_own_data(config):
    own = {"mine": {"path": "my.csv"}, "digits": {"subset": {"samples": 9}}}
    lists = {"timing": {"datasets": ["wine"]}, "stability": {"methods": ["LapScore"]}}
    sizes = {"s_values": [14]}  # more than wine has, which is not run
    made = plan(config, {"datasets": own, **suite(datasets=["digits", "mine"], **lists, **sizes)})
    assert made.repeated_pairs("timing") == [("mine", "BLUFS")]
    assert made.repeated_pairs("stability") == [("mine", "LapScore")]
    assert ("wine", "BLUFS-III") not in made.pairs()
    # What a definition changes of a known dataset does not make it the user's own.
    listed = plan(config, suite(timing={"datasets": ["digits", "wine"]}))
    assert listed.repeated_pairs("timing") == [("digits", "BLUFS"), ("wine", "BLUFS")]


def test_a_variant_of_an_own_method_has_its_class(config):
    own = {"class": "blufs.methods.lapscore:LapScore"}
    change = {"methods": {"Mine": own, "Mine-b": {"variant_of": "Mine"}}}
    made = plan(config, merged(change, suite(methods=["Mine", "Mine-b"])))
    assert made.method("Mine-b") == {"name": "Mine", **own}


def test_a_share_of_the_features_is_taken_of_each_dataset(config):
    made = plan(config, suite(s_values=[0.01, 0.5, 3]))
    assert made.sizes_on("wine") == [1, 3, 6]
    assert made.sizes_on("digits") == [1, 3, 32]
    assert made.sizes_for("wine", "LapScore") == [1, 3, 6]


def test_a_method_that_keeps_all_features_has_no_sizes(config):
    made = plan(config, suite(methods=["AllFeatures", "BLUFS"]))
    assert made.sizes_for("wine", "AllFeatures") == []
    assert made.select_parts("wine", "AllFeatures") == [Part(0, ())]
    assert made.select_part("AllFeatures", Part(0, ()))["s_values"] == []


@pytest.fixture
def own_class(tmp_path, monkeypatch, config):
    """A configuration with a class whose import leaves a trace."""
    module = f"traced_{tmp_path.name}"  # its own: where modules lie is remembered
    (tmp_path / f"{module}.py").write_text(
        "import pathlib\n"
        "from blufs.methods.mcfs import MCFS\n"
        f"pathlib.Path({str(tmp_path / 'imported')!r}).touch()\n\n\n"
        "class Mine(MCFS):\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    change = {"methods": {"Mine": {"class": f"{module}:Mine"}}}
    yield merged(copy.deepcopy(config), merged(change, suite(methods=["Mine", "BLUFS"]))), tmp_path
    sys.modules.pop(module, None)


def test_a_dry_run_imports_no_class_of_the_users(own_class):
    config, folder = own_class
    made = Plan(config, SCHEMA, DATASETS, purpose=Purpose.LOOK, notes=folder / "notes.json")
    assert made.select_parts("wine", "Mine") == [Part(0, (2, 4))]
    assert made.not_imported() == [config["methods"]["Mine"]["class"]]
    assert not (folder / "imported").exists()
    Plan(config, SCHEMA, DATASETS, purpose=Purpose.RUN, notes=folder / "notes.json")
    assert (folder / "imported").exists()


def test_a_job_learns_from_the_notes_of_its_run_and_imports_nothing(own_class):
    config, folder = own_class
    config["suites"]["small"]["methods"] = ["AllFeatures", "BLUFS", "BLSFS", "Mine"]
    notes = folder / "notes.json"
    made = Plan(config, SCHEMA, DATASETS, notes=notes)
    made.note_traits()
    (folder / "imported").unlink()
    (folder / "config.json").write_text(json.dumps(config))
    code = (
        "import json, pathlib, sys\n"
        "from blufs_bench.plan.jobs import Plan\n"
        "from blufs_bench.run.process_control import Purpose\n"
        f"config = json.loads(pathlib.Path({str(folder / 'config.json')!r}).read_text())\n"
        f"plan = Plan(config, {{}}, {DATASETS!r}, purpose=Purpose.JOB,"
        f" notes=pathlib.Path({str(notes)!r}))\n"
        "found = [plan.select_part(m, p) for m in plan.methods"
        " for p in plan.select_parts('wine', m)]\n"
        "print(json.dumps([found, 'sklearn' in sys.modules, 'jsonschema' in sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    parts, has_sklearn, has_jsonschema = json.loads(done.stdout)
    expected = [made.select_part(m, p) for m in made.methods for p in made.select_parts("wine", m)]
    assert parts == expected
    assert (has_sklearn, has_jsonschema) == (False, False)
    assert not (folder / "imported").exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise RuntimeError('as told')", "raised RuntimeError: as told"),
        ("raise SystemExit(3)", "raised SystemExit: 3"),
        ("def (", "raised SyntaxError"),
        (
            "class Mine:\n"
            "    def __init__(self):\n        raise KeyError('as told')\n"
            "    def fit(self, X):\n        pass\n"
            "    def get_support(self):\n        pass\n",
            "Mine raised KeyError: 'as told'",
        ),
    ],
    ids=["raises", "exits", "no Python", "no instance"],
)
def test_a_class_of_the_users_that_cannot_be_used_is_a_problem_like_others(own_class, code, words):
    config, folder = own_class
    module = config["methods"]["Mine"]["class"].partition(":")[0]
    (folder / f"{module}.py").write_text(code)
    Plan(config, SCHEMA, DATASETS, purpose=Purpose.LOOK, notes=folder / "notes.json")
    with pytest.raises(ConfigError, match=words):
        Plan(config, SCHEMA, DATASETS, notes=folder / "notes.json")


def test_a_job_without_notes_finds_out_for_itself(config, tmp_path):
    made = Plan(config, SCHEMA, DATASETS, purpose=Purpose.JOB, notes=tmp_path / "none.json")
    assert made.fit_seeds("BLUFS") == plan(config).fit_seeds("BLUFS")


def test_the_papers_names_of_methods_are_understood(config):
    assert plan(config, suite(methods=["LapScore", "BLSFE"])).methods == ["LapScore", "BLFSE"]
