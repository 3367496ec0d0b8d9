"""Definitions of datasets: the registry itself, the user's section, and what is wrong with it."""

import json
import re
from pathlib import Path

import pytest
import yaml

from blufs.datasets import DatasetError, dataset_definitions

REGISTRY = Path(__file__).parents[2] / "data" / "registry.yaml"
SCHEMA = REGISTRY.parents[1] / "workflow" / "schemas" / "registry.schema.yaml"


def definitions(**user):
    return dataset_definitions(REGISTRY, user)


def problems(**user):
    with pytest.raises(DatasetError) as caught:
        definitions(**user)
    return str(caught.value)


def test_registry_holds_the_paper_the_extras_and_the_demo():
    known = definitions()
    paper = {"Isolet", "Jaffe", "pie", "COIL20", "MSTAR", "warpAR", "lung", "gisette"}
    synthetic = {"Dartboard1", "Banana", "Diamond9"}
    extras = {"arcene", "GLIOMA", "MSTAR_SOC_pix32", "MNIST2000"}
    demo = {"digits", "breast_cancer", "wine", "mnist", "rings", "bananas", "diamonds"}
    assert set(known) == paper | synthetic | extras | demo
    assert {name for name in known if "paper" in known[name]} == paper
    assert all("url" not in known[name] for name in demo)


def test_every_file_is_pinned_to_a_commit_and_verified():
    for name, spec in definitions().items():
        assert spec["origin"], name
        assert spec["terms"], name
        if "file" not in spec:
            continue
        assert re.fullmatch(r"[0-9a-f]{40}", spec["git_blob"]), name
        if "url" in spec:
            assert re.search(r"/[0-9a-f]{40}/", spec["url"]), name
            assert " " not in spec["url"], name


def test_images_have_as_many_pixels_as_features():
    for name, spec in definitions().items():
        if "image" in spec:
            rows, columns = spec["image"]["shape"]
            assert rows * columns == spec["expect"]["n_features"], name


def test_every_key_of_the_schema_is_described_and_closed():
    schema = yaml.safe_load(SCHEMA.read_text())

    def check(node, where):
        for key, value in node.get("properties", {}).items():
            assert value.get("description"), f"{where}.{key} has no description"
            check(value, f"{where}.{key}")
        if "properties" in node:
            assert node["additionalProperties"] is False, where

    check(schema, "")
    for name, node in schema["$defs"].items():
        check(node, name)


def test_own_data_need_a_path_and_a_label_only():
    mine = definitions(mine={"path": "my.csv", "label": "class"})["mine"]
    assert mine == {"label": "class", "name": "mine", "path": "my.csv", "title": "mine"}


def test_own_definition_changes_or_replaces_a_known_one():
    changed = definitions(mnist={"subset": {"samples": 500}})["mnist"]
    assert changed["builtin"] == "mnist"
    assert changed["subset"] == {"samples": 500, "seed": 0, "stratified": True}
    replaced = definitions(mnist={"path": "mnist.csv"})["mnist"]
    assert "builtin" not in replaced
    assert "expect" not in replaced


def test_definitions_do_not_depend_on_how_they_are_written():
    noise, full = {"features": 3, "scale": 1}, {"seed": 0, "scale": 1.0, "features": 3}
    expect, turned = {"n_samples": 9, "n_classes": 2}, {"n_classes": 2, "n_samples": 9}
    one = definitions(a={"path": "a.csv", "noise": noise, "expect": expect})
    other = definitions(a={"expect": turned, "noise": full, "path": "a.csv"})
    assert json.dumps(one["a"]) == json.dumps(other["a"])


def test_file_name_is_the_decoded_end_of_the_address():
    spec = definitions(a={"url": "https://example.org/my%20data/a%20b.csv?raw=1"})["a"]
    assert spec["file"] == "a b.csv"


def blocks(language):
    text = (REGISTRY.parents[1] / "docs" / "own-data.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def test_examples_of_the_documentation_are_valid():
    examples = [yaml.safe_load(block)["datasets"] for block in blocks("yaml")]
    assert [list(example) for example in examples] == [["mine"], ["theirs"], ["mnist"]]
    for example in examples:
        assert set(example) <= set(definitions(**example))


def test_python_of_the_documentation_runs(tmp_path, monkeypatch):
    for folder in ("data", "workflow"):
        (tmp_path / folder).symlink_to(REGISTRY.parents[1] / folder)
    (tmp_path / "my.csv").write_text("a,b,class\n1,2,u\n3,5,v\n2,2,u\n4,4,v\n")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    names = {}
    exec(code, names)
    assert names["data"].X.tolist() == [[1, 2], [3, 5], [2, 2], [4, 4]]
    assert names["data"].y.tolist() == [0, 1, 0, 1]


def test_all_problems_are_listed_at_once():
    message = problems(
        one={"pth": "a.csv"},
        two={"path": "a.csv", "subset": {"samples": "1e3"}},
        three={"path": 3},
    )
    assert message.startswith("3 problems")
    assert "datasets.one: unknown key 'pth' (did you mean 'path'?)" in message
    assert "datasets.two.subset.samples: '1e3' is not of type 'integer'" in message
    assert "datasets.three.path: 3 is not of type 'string'" in message


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, "says nothing about where the data are"),
        ({"label": "class"}, "says nothing about where the data are"),
        ({"path": "a.csv", "url": "https://example.org/a.csv"}, "path and url; only one"),
        ({"path": "a.xlsx"}, "must end in one of .csv"),
        ({"path": "a.csv", "keys": {"X": "X"}}, "`keys` is for .mat and .npz"),
        ({"path": "a.mat", "label": 3}, "must be the name of an array"),
        ({"path": "a.mat", "label": "y", "keys": {"y": "y"}}, "say the same"),
        ({"path": "a.csv", "file": "a.csv"}, "`file` has no meaning"),
        ({"builtin": "wine", "label": "class"}, "`label` is for datasets that are read"),
        ({"builtin": "iris"}, "'iris' is not one of"),
        ({"builtin": "wine", "fallback": {"shape": "rings", "samples": 50}}, "`fallback` is for"),
        ({"path": "a.csv", "sha256": "abc"}, "sha256: 'abc' does not match"),
        ({"path": "a.csv", "drop": []}, "drop: [] should be non-empty"),
        ({"url": "ftp://example.org/a.csv"}, "does not match"),
        ({"url": "https://e.org/Isolet.mat"}, "has the name of another file, that of Isolet"),
        ({"path": "a.csv", "subset": {"samples": 0}}, "0 is less than the minimum"),
        ({"path": "a.csv", "noise": {"features": 2, "scale": 0}}, "less than or equal to"),
        ("my.csv", "'my.csv' is not of type 'object'"),
    ],
)
def test_contradictions_are_explained(spec, words):
    message = problems(mine=spec)
    assert "mine" in message
    assert words in message


@pytest.mark.parametrize("name", ["a/b", "", ".hidden", "a b", "ä"])
def test_names_that_cannot_be_folders_are_refused(name):
    assert "letters, digits" in problems(**{name: {"path": "a.csv"}})


def test_unreadable_registry_is_one_error(tmp_path):
    broken = tmp_path / "registry.yaml"
    broken.write_text("datasets: [")
    with pytest.raises(DatasetError, match="cannot be read"):
        dataset_definitions(broken, {}, schema_path=SCHEMA)
    broken.write_text("just text")
    with pytest.raises(DatasetError, match="is not of type 'object'"):
        dataset_definitions(broken, {}, schema_path=SCHEMA)
