"""The configuration: complete, documented, and every mistake reported before the first job."""

import copy
from datetime import date

import pytest
import yaml

from blufs_bench.plan.config import ConfigError, with_defaults
from blufs_bench.plan.document import repeated_keys
from blufs_bench.plan.jobs import Plan
from blufs_bench.plan.read import read_plan
from tests.helpers.small_config import DATASETS, ROOT, SCHEMA, merged, plan, small_config, suite


@pytest.fixture
def config():
    return small_config()


def problems(config, change):
    with pytest.raises(ConfigError) as error:
        plan(config, change)
    return error.value.problems


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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"suit": "demo"}, ["unknown key 'suit'", "did you mean 'suite'"]),
        ({"suite": "big"}, ["unknown suite 'big'", "small"]),
        (suite(methods=["LapScore", "BLUF"]), ["unknown method 'BLUF'", "BLUFS"]),
        (suite(datasets=["wine", "iris"]), ["unknown dataset 'iris'", "digits"]),
        (suite(datasets=[]), ["datasets", "empty"]),
        (suite(s_values=[]), ["s_values", "empty"]),
        (suite(s_values=["ten"]), ["s_values", "ten"]),
        (suite(s_values=[5, 14]), ["s = 14", "13 features of wine", "s_values_by_dataset"]),
        (suite(methods=["LapScore", "LapScore"]), ["'LapScore' twice"]),
        ({"seed": "1e3"}, ["seed", "'1e3' is text", "1.0e-4"]),
        ({"methods": {"BLUFS": {"parameters": {"alpha": "1e-4"}}}}, ["'1e-4' is text", "1.0e-4"]),
        (suite(grid_overrides={"BLUFS": [{"alpha": ["1e-4"]}]}), ["'1e-4' is text"]),
        (suite(grid_overrides={"BLUFS": [{"alpha": []}]}), ["alpha", "empty"]),
        ({"methods": {"a/b": {"variant_of": "BLUFS"}}}, ["a/b", "no '/'"]),
        ({"methods": {"BLUFS": {"parameters": {"alpha": -1}}}}, ["alpha", "-1"]),
        ({"methods": {"BLUFS": {"parameters": {"alfa": 1}}}}, ["alfa"]),
        ({"methods": {"BLUFS-III": {"variant_of": "BLUFF"}}}, ["unknown method 'BLUFF'"]),
        ({"methods": {"LapScore": {"class": "no.such:Thing"}}}, ["cannot import 'no.such:Thing'"]),
        ({"jobs": {"split_by": ["dataset"]}}, ["split_by", "dataset"]),
        ({"jobs": {"split_by": ["seed"]}}, ["split_by", "unknown", "'seed'"]),
        ({"limits": {"fit_seconds": 0}}, ["fit_seconds", "0"]),
        # Numbers that JSON schema lets pass.
        ({"limits": {"fit_seconds": float("nan")}}, ["limits.fit_seconds", "nan is not a number"]),
        ({"limits": {"memory_mb": float("inf")}}, ["limits.memory_mb", "inf is not a number"]),
        (suite(evaluation={"train_fraction": float("nan")}), ["evaluation.train_fraction", "nan"]),
        ({"statistics": {"significance_level": float("nan")}}, ["significance_level", "nan"]),
        # Misspelt names, wherever they stand.
        (suite(timing={"methods": ["BLUF"]}), ["timing.methods", "'BLUF'", "mean 'BLUFS'"]),
        (suite(timing={"datasets": ["wnie"]}), ["timing.datasets", "'wnie'", "mean 'wine'"]),
        (suite(stability={"methods": ["lapscore"]}), ["stability.methods", "mean 'LapScore'"]),
        (suite(stability={"datasets": ["wnie"]}), ["stability.datasets", "mean 'wine'"]),
        (suite(ablation={"methods": ["BLUFS-3"]}), ["ablation.methods", "mean 'BLUFS-I"]),
        (suite(ablation={"datasets": ["wnie"]}), ["ablation.datasets", "mean 'wine'"]),
        (suite(s_values_by_dataset={"wnie": [2]}), ["s_values_by_dataset", "mean 'wine'"]),
        (suite(grid_overrides={"BLFUS": []}), ["grid_overrides", "mean 'BLUFS'"]),
        ({"methods": {"BLFUS": {"parameters": {}}}}, ["methods.BLFUS", "mean 'BLUFS'"]),
        # Names that are used twice, or cannot be used.
        (suite(methods=["LS", "LapScore"]), ["'LapScore' twice (as LS and LapScore)"]),
        (suite(timing={"methods": ["BLUFS", "BLUFS"]}), ["timing.methods: 'BLUFS' twice"]),
        ({"methods": {"BLUFS": {"title": "LapScore"}}}, ["BLUFS and LapScore have the same title"]),
        ({"methods": {"x" * 65: {"variant_of": "BLUFS"}}}, ["at most 64"]),
        ({"methods": {"a\n": {"variant_of": "BLUFS"}}}, ["'a\\n' is not a usable name"]),
        ({"suites": {"a\n": {}}}, ["'a\\n' is not a usable name"]),
        ({"suites": {"x" * 300: {}}}, ["at most 64"]),
        # Methods.
        ({"methods": {"M": {"class": "a.b:C", "variant_of": "BLUFS"}}}, ["exclude each other"]),
        ({"methods": {"M": {"variant_of": "BLUFS-III"}}}, ["is a variant itself"]),
        ({"methods": {"M": {"class": "a b:C"}}}, ["'a b:C' does not fit", "package.module:Class"]),
        (suite(grid_overrides={"BLUFS": [{"n_features_to_select": [2]}]}), ["set by the workflow"]),
        ({"methods": {"BLUFS": {"parameters": {"random_state": 3}}}}, ["set by the workflow"]),
        (
            {"methods": {"LapScore": {"class": "sklearn.decomposition:PCA"}}},
            ["sklearn.decomposition:PCA is not a feature selector"],
        ),
        (
            {"methods": {"LapScore": {"class": "sklearn.cluster:KMeans"}}},
            ["sklearn.cluster:KMeans is not a feature selector"],
        ),
        (
            {"methods": {"LapScore": {"class": "sklearn.feature_selection:SelectFpr"}}},
            ["SelectFpr has none of the parameters"],
        ),
        (
            {"methods": {"LapScore": {"class": "blufs.base:BaseSelector"}}},
            ["BaseSelector implements neither _rank nor _solve"],
        ),
        # Values that are no JSON, and keys that are no text.
        ({"methods": {"BLUFS": {"parameters": {"alpha": date(2020, 1, 1)}}}}, ["is a date"]),
        ({"methods": {"BLUFS": {"parameters": {1: 2}}}}, ["methods.BLUFS.parameters: 1 is not a"]),
        # Too much of it.
        (
            suite(
                grid_overrides={"BLUFS": [{w: list(range(100)) for w in ("alpha", "mu", "lam")}]}
            ),
            ["grid_overrides.BLUFS: 1000001 settings; at most 10000"],
        ),
        (suite(n_fit_seeds=10**9), ["n_fit_seeds", "greater than the maximum"]),
        # Names that some file systems take for the same.
        (
            {"methods": {"blufs": {"variant_of": "BLUFS"}}, **suite(methods=["BLUFS", "blufs"])},
            ["small.methods: BLUFS and blufs differ in capitals only"],
        ),
        ({"suites": {"Small": {}}}, ["suites: Small and small differ in capitals only"]),
        # Titles.
        *(
            ({"methods": {"BLUFS": {"title": title}}}, ["methods.BLUFS.title", "100 letters"])
            for title in ("", "  ", " a", "a ", "a\nb", "a\n", "a\x00b", "\u202eabc", "x" * 101)
        ),
        # Sizes.
        (suite(datasets=["mine", "digits"], s_values=[65]), ["s = 65", "64 features of digits"]),
        (suite(s_values=[0.5], datasets=["mine"]), ["share", "mine", "n_features"]),
        (suite(s_values=[1.5]), ["s_values", "1.5", "above 0 and below 1"]),
        (suite(s_values=[0]), ["s_values", "above 0"]),
        (suite(s_values=[True]), ["s_values", "True"]),
        (suite(evaluation={"train_fraction": 0.999}), ["train_fraction", "178 of wine"]),
        # Style.
        ({"figures": {"palette": "bogus"}}, ["figures.palette", "no palette 'bogus'", "safe"]),
    ],
)
def test_a_mistake_is_reported_in_words(config, change, words):
    text = "\n".join(problems(config, change))
    for word in words:
        assert word in text


def bomb():
    """Twelve lists of ten, each of which holds the one before ten times."""
    items = [1] * 10
    for _ in range(11):
        items = [items] * 10
    return items


def itself():
    items = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("value", "words"), [(bomb(), "the configuration has 1"), (itself(), "holds itself")]
)
@pytest.mark.parametrize("place", ["unknown", "known"])
def test_aliases_that_never_end_are_refused_at_once(config, value, words, place):
    config[place] = value
    if place == "known":
        config["methods"]["BLUFS"]["parameters"]["alpha"] = config.pop(place)
    with pytest.raises(ConfigError, match=words):
        Plan(config, SCHEMA, DATASETS)


@pytest.mark.parametrize("title", ["a", "ab", "LS | $x_1$", "é", "\u05d0\u05d1", "x" * 100])
def test_a_title_is_any_line_of_text(config, title):
    assert plan(config, {"methods": {"BLUFS": {"title": title}}}).titles()["BLUFS"] == title


def test_a_key_that_stands_twice_is_reported_with_its_lines(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seed: 1\nlimits:\n  fit_seconds: 5\n  fit_seconds: 6\nmirrors: []\nseed: 2\n")
    with pytest.raises(ConfigError) as error:
        read_plan({"seed": 2, "limits": {"fit_seconds": 6}}, ROOT, files=[path])
    assert [problem.replace(str(path), "") for problem in error.value.problems] == [
        ", lines 1 and 6: the key 'seed' stands twice in one dictionary, and only the last would "
        "count; join them",
        ", lines 3 and 4: the key 'fit_seconds' stands twice in one dictionary, and only the last "
        "would count; join them",
    ]
    assert repeated_keys(ROOT / "config.yaml") == []


def test_all_problems_of_one_kind_are_reported_at_once(config):
    found = problems(config, suite(methods=["BLUF", "LapSkore"], s_values=[50]))
    assert len(found) == 3


def test_problems_of_every_kind_are_reported_at_once(config):
    change = {
        "sede": 1,
        "limits": {"fit_seconds": float("nan"), "memory_mb": "1e4"},
        "methods": {
            "BLUFS": {"parameters": {"alpha": -1}},
            "LapScore": {"class": "no.such:Thing"},
        },
        "figures": {"palette": "bogus"},
        "suites": {"small": {"datasets": ["wine", "wnie"], "s_values": [2, 50], "fit_seeds": 2}},
    }
    with pytest.raises(ConfigError) as error:
        Plan(
            merged(copy.deepcopy(config), change),
            SCHEMA,
            DATASETS,
            dataset_problems=["datasets.mine: gives path and url"],
        )
    found = "\n".join(error.value.problems)
    assert len(error.value.problems) == 10
    for words in (
        "unknown key 'sede'",
        "fit_seconds: nan",
        "'1e4' is text",
        "'alpha' parameter",
        "cannot import 'no.such:Thing'",
        "no palette 'bogus'",
        "unknown dataset 'wnie'",
        "s = 50 is above the 13 features of wine",
        "mean 'n_fit_seeds'",
        "gives path and url",
    ):
        assert words in found


def test_mistakes_in_own_datasets_do_not_hide_the_others():
    with pytest.raises(ConfigError) as error:
        read_plan({"datasets": {"mine": {"pth": "my.csv"}}, "sede": 1}, ROOT)
    assert "unknown key 'pth'" in str(error.value)
    assert "unknown key 'sede'" in str(error.value)


@pytest.mark.parametrize(
    ("name", "n_datasets", "n_methods", "n_variants"),
    [("demo", 4, 10, 3), ("paper", 11, 13, 4), ("wide", 71, 23, 2)],
)
def test_the_suites_of_the_project_are_valid(name, n_datasets, n_methods, n_variants):
    from blufs_bench.datasets.definitions import dataset_definitions

    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    definitions = dataset_definitions(ROOT / "data/datasets.yaml", {})
    made = Plan({**config, "suite": name}, SCHEMA, definitions)
    assert made.methods[:2] == ["AllFeatures", "RandomFeatures"]
    assert made.methods[-1] == "BLUFS"
    counts = len(made.datasets), len(made.methods), len(made.ablation)
    assert counts == (n_datasets, n_methods, n_variants)


def test_a_suite_may_have_limits_and_a_method_fits_of_its_own():
    wide, demo = (read_plan({"suite": name}, ROOT) for name in ("wide", "demo"))
    assert (wide.limits["fit_seconds"], demo.limits["fit_seconds"]) == (1200, 3600)
    assert wide.limits["grid_seconds"] == 60
    assert wide.limits["memory_mb"] == demo.limits["memory_mb"]
    assert len(wide.fit_seeds("RandomFeatures")) == 10
    assert len(wide.fit_seeds("BLFSE")) == 1
    assert len(wide.fit_seeds("MaxVariance")) == 1


def test_settings_of_one_job_are_screened_where_they_are_evaluated():
    plan = read_plan({"suite": "demo"}, ROOT)
    assert plan.screening("digits", "BLUFS")["settings"] == plan.settings("BLUFS")
    assert plan.screen_parts("digits", "BLUFS") == []
    assert plan.screening("digits", "FSCA") is None
    apart = read_plan({"suite": "demo", "jobs": {"settings_per_job": 2}}, ROOT)
    assert apart.screening("digits", "BLUFS") is None
    assert len(apart.screen_parts("digits", "BLUFS")) == 3


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
    assert {re.split(r"[\[<>=]", name)[0].lower() for name in wanted} == names


def test_the_default_weights_are_those_of_the_estimator():
    from blufs import BLUFS

    methods = yaml.safe_load((ROOT / "config.yaml").read_text())["methods"]
    weights = {name: getattr(BLUFS(), name) for name in ("alpha", "beta", "lam", "mu")}
    assert methods["BLUFS"]["parameters"] == weights
    for variant in ("BLUFS-I", "BLUFS-II", "BLUFS-III", "BLUFS-final"):
        own = {k: v for k, v in methods[variant]["parameters"].items() if k in weights}
        assert own == {k: 0 if (variant, k) == ("BLUFS-III", "beta") else weights[k] for k in own}


def test_an_own_suite_takes_what_it_does_not_say_from_the_demo():
    own = {"datasets": ["wine"], "s_values": [2, 4], "evaluation": {"n_splits": 3}}
    made = read_plan({"suite": "mine", "suites": {"mine": own}}, ROOT)
    demo = read_plan({}, ROOT)
    assert (made.suite_name, made.datasets, made.sizes_on("wine")) == ("mine", ["wine"], [2, 4])
    assert made.methods == demo.methods
    assert made.suite["evaluation"] == {**demo.suite["evaluation"], "n_splits": 3}
    assert made.suite["s_values_by_dataset"] == {}
    own = {"datasets": ["rings"], "methods": ["LapScore"]}
    made = read_plan({"suite": "mine", "suites": {"mine": own}}, ROOT)
    assert made.sizes_on("rings") == demo.sizes_on("rings") == [2]


def test_defaults_fill_what_is_left_out_and_lists_replace():
    defaults = {"a": {"b": 1, "c": [1, 2]}, "d": 4}
    assert with_defaults({"a": {"c": [3]}}, defaults) == {"a": {"b": 1, "c": [3]}, "d": 4}
