"""The configuration: complete, documented, and every mistake reported before the first job."""

import copy
from pathlib import Path

import pytest
import yaml

from blufs.workflow.plan.config import ConfigError
from blufs.workflow.plan.plan import Plan

ROOT = Path(__file__).parents[2]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
DATASETS = {
    "wine": {"expect": {"n_samples": 178, "n_features": 13}},
    "digits": {"expect": {"n_samples": 1797, "n_features": 64}},
    "mine": {"path": "my.csv"},
}


def merged(config, change):
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(config.get(key), dict):
            merged(config[key], value)
        else:
            config[key] = value
    return config


@pytest.fixture
def config():
    """config.yaml with a small suite on the datasets above."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    suite = copy.deepcopy(config["suites"]["demo"])
    suite |= {
        "datasets": ["wine", "digits"],
        "methods": ["LapScore", "BLUFS"],
        "ablation": {"methods": ["BLUFS-III"], "datasets": ["wine"]},
        "s_values": [2, 4],
        "s_values_of": {},
        "grids": {"BLUFS": [{"alpha": [0.1, 1], "beta": [0.1, 1, 10]}], "BLUFS-III": []},
        "timing": {"datasets": ["wine"], "methods": ["BLUFS"], "repeats": 1},
        "stability": {"datasets": [], "methods": [], "resamples": 2, "fraction": 0.8},
    }
    config["suite"] = "small"
    config["suites"]["small"] = suite
    return config


def plan(config, change=None):
    return Plan(merged(copy.deepcopy(config), change or {}), SCHEMA, DATASETS)


def problems(config, change):
    with pytest.raises(ConfigError) as error:
        plan(config, change)
    return error.value.problems


def suite(**change):
    return {"suites": {"small": change}}


def every_schema(node, path=""):
    if isinstance(node, dict):
        if "properties" in node:
            for name, child in node["properties"].items():
                yield f"{path}.{name}", child
                yield from every_schema(child, f"{path}.{name}")
        for key in ("additionalProperties", "items", "$defs"):
            child = node.get(key)
            if key == "$defs" and child:
                for name, definition in child.items():
                    yield from every_schema(definition, f"$defs.{name}")
            else:
                yield from every_schema(child, path)


def test_every_key_is_described_and_has_no_default_in_the_schema():
    for path, node in every_schema(SCHEMA):
        if "$ref" in node:
            node = {**SCHEMA["$defs"][node["$ref"].split("/")[-1]], **node}
        assert node.get("description"), path
        assert "default" not in node, path


def test_every_object_refuses_unknown_keys():
    def walk(node, path):
        if isinstance(node, dict):
            if "properties" in node:
                assert node.get("additionalProperties") is False, path
            for key, child in node.items():
                walk(child, f"{path}.{key}")

    walk(SCHEMA, "schema")


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
    assert made.select_parts("wine", "LapScore") == ["grid000-s2-4"]
    assert made.select_part("LapScore", "grid000-s2-4") == {
        "settings": [{}],
        "s_values": [2, 4],
        "fit_seeds": [0],
    }
    assert made.evaluate_parts("wine", "BLUFS") == {"all": {"s": None, "seed": None}}


def test_the_default_setting_is_in_the_grid_once(config):
    default = config["methods"]["BLUFS"]["parameters"]
    grid = {name: [value, 7] for name, value in default.items()}
    made = plan(config, suite(grids={"BLUFS": [grid]}))
    assert len(made.settings("BLUFS")) == 2**4


def test_settings_are_cut_into_chunks_that_cover_all_of_them(config):
    made = plan(config, {"jobs": {"settings_per_job": 3}})
    parts = made.select_parts("wine", "BLUFS")
    assert parts == ["grid000-s2-4", "grid001-s2-4", "grid002-s2-4"]
    settings = [s for name in parts for s in made.select_part("BLUFS", name)["settings"]]
    assert settings == made.settings("BLUFS")


def test_split_by_s_and_seed_makes_one_job_per_cell(config):
    made = plan(config, {"jobs": {"split_by": ["s", "seed"]}})
    assert made.select_parts("wine", "LapScore") == ["grid000-s2", "grid000-s4"]
    cells = made.evaluate_parts("wine", "LapScore")
    assert len(cells) == 2 * 10
    assert cells["s4-seed3"] == {"s": 4, "seed": 3}
    assert made.evaluate_part_of_cell("wine", "LapScore", 4, 3) == "s4-seed3"


def test_equal_configurations_in_other_words_give_equal_plans(config):
    other = copy.deepcopy(config)
    other["suites"]["small"]["grids"]["BLUFS"] = [{"beta": [0.1, 1.0, 10.0], "alpha": [0.1, 1.0]}]
    other["methods"] = dict(reversed(other["methods"].items()))
    other["limits"] = {key: float(value) for key, value in reversed(other["limits"].items())}
    assert str(plan(other).config["limits"]) == str(plan(config).config["limits"])
    part = plan(config).select_part("BLUFS", "grid000-s2-4")
    assert str(plan(other).select_part("BLUFS", "grid000-s2-4")) == str(part)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sweet": "demo"}, ["unknown key 'sweet'", "known keys"]),
        ({"suite": "big"}, ["unknown suite 'big'", "demo"]),
        (suite(methods=["LapScore", "BLUF"]), ["unknown method 'BLUF'", "BLUFS"]),
        (suite(datasets=["wine", "iris"]), ["unknown dataset 'iris'", "digits"]),
        (suite(datasets=[]), ["datasets", "empty"]),
        (suite(s_values=[]), ["s_values", "empty"]),
        (suite(s_values=["ten"]), ["s_values", "ten"]),
        (suite(s_values=[5, 14]), ["s = 14", "13 features of wine", "s_values_of"]),
        (suite(methods=["LapScore", "LapScore"]), ["'LapScore' twice"]),
        ({"seed": "1e3"}, ["seed", "'1e3' is text", "1.0e-4"]),
        ({"methods": {"BLUFS": {"parameters": {"alpha": "1e-4"}}}}, ["'1e-4' is text", "1.0e-4"]),
        (suite(grids={"BLUFS": [{"alpha": ["1e-4"]}]}), ["'1e-4' is text"]),
        (suite(grids={"BLUFS": [{"alpha": []}]}), ["alpha", "empty"]),
        ({"methods": {"a/b": {"of": "BLUFS"}}}, ["a/b", "no '/'"]),
        ({"methods": {"BLUFS": {"parameters": {"alpha": -1}}}}, ["alpha", "-1"]),
        ({"methods": {"BLUFS": {"parameters": {"alfa": 1}}}}, ["alfa"]),
        ({"methods": {"BLUFS-III": {"of": "BLUFF"}}}, ["unknown method 'BLUFF'"]),
        ({"methods": {"LapScore": {"class": "no.such:Thing"}}}, ["cannot import 'no.such:Thing'"]),
        ({"jobs": {"split_by": ["dataset"]}}, ["split_by", "dataset"]),
        ({"limits": {"fit_seconds": 0}}, ["fit_seconds", "0"]),
    ],
)
def test_a_mistake_is_reported_in_words(config, change, words):
    text = "\n".join(problems(config, change))
    for word in words:
        assert word in text


def test_all_problems_are_reported_at_once(config):
    found = problems(config, suite(methods=["BLUF", "LapSkore"], s_values=[50]))
    assert len(found) == 3


def test_the_papers_names_of_methods_are_understood(config):
    assert plan(config, suite(methods=["LapScore", "BLSFE"])).methods == ["LapScore", "BLFSE"]


@pytest.mark.parametrize("name", ["demo", "paper"])
def test_the_suites_of_the_project_are_valid(name):
    from blufs.datasets import dataset_definitions

    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    definitions = dataset_definitions(ROOT / "data/datasets.yaml", {})
    made = Plan({**config, "suite": name}, SCHEMA, definitions)
    assert made.methods[0] == "Baseline"
    assert made.methods[-1] == "BLUFS"
    assert len(made.methods) == 11
    assert len(made.ablation) == 4


def test_the_conda_environment_has_the_pins_of_the_constraints():
    environment = yaml.safe_load((ROOT / "workflow/envs/blufs.yaml").read_text())
    constraints = set((ROOT / "constraints.txt").read_text().split())
    pins = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert set(pins) <= constraints
    assert "==" in pins[0]


def test_the_conda_environment_has_every_dependency_of_the_workflow():
    import re
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["workflow"], *extras["slurm"], *extras["r"]]
    environment = yaml.safe_load((ROOT / "workflow/envs/blufs.yaml").read_text())
    pins = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    names = {re.split("[<>=]", pin)[0].lower() for pin in pins}
    assert {re.split("[<>=]", name)[0].lower() for name in wanted} == names


def test_the_default_weights_are_those_of_the_estimator():
    from blufs import BLUFS

    methods = yaml.safe_load((ROOT / "config.yaml").read_text())["methods"]
    weights = {name: getattr(BLUFS(), name) for name in ("alpha", "beta", "lam", "mu")}
    assert methods["BLUFS"]["parameters"] == weights
    for variant in ("BLUFS-I", "BLUFS-II", "BLUFS-III", "BLUFS-final"):
        own = {k: v for k, v in methods[variant]["parameters"].items() if k in weights}
        assert own == {k: 0 if (variant, k) == ("BLUFS-III", "beta") else weights[k] for k in own}
