"""config.yaml with one small suite on made-up datasets, for tests of the plan."""

import copy

from blufs_bench.files.read_yaml import read_yaml
from blufs_bench.plan.jobs import Plan
from tests.helpers import ROOT

SCHEMA = read_yaml(ROOT / "workflow/schemas/config.schema.yaml")
CONFIG = read_yaml(ROOT / "config.yaml")
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


def small_config():
    """The project's configuration with nothing but a small suite on the datasets above."""
    config = copy.deepcopy(CONFIG)
    suite = copy.deepcopy(config["suites"]["demo"])
    suite |= {
        "datasets": ["wine", "digits"],
        "methods": ["LapScore", "BLUFS"],
        "ablation": {"methods": ["BLUFS-III"], "datasets": ["wine"]},
        "s_values": [2, 4],
        "s_values_by_dataset": {},
        "grid_overrides": {"BLUFS": [{"alpha": [0.1, 1], "beta": [0.1, 1, 10]}], "BLUFS-III": []},
        "timing": {"datasets": ["wine"], "methods": ["BLUFS"], "n_repeats": 1},
        "stability": {"datasets": [], "methods": [], "n_resamples": 2, "fraction": 0.8},
    }
    config["suite"] = "small"
    config["suites"] = {"small": suite}
    return config


def plan(config, change=None):
    return Plan(merged(copy.deepcopy(config), change or {}), SCHEMA, DATASETS)


def suite(**change):
    return {"suites": {"small": change}}
