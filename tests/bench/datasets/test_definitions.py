"""Definitions of datasets: the project's, the user's, and what is wrong with them."""

import json
import re

import pytest
import yaml

from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.transforms import TRANSFORMS
from blufs_bench.results.vocabulary import DOMAINS
from tests.helpers import ROOT

KNOWN = ROOT / "data" / "datasets.yaml"
SCHEMA = KNOWN.parents[1] / "workflow" / "schemas" / "datasets.schema.yaml"


def definitions(**user):
    return dataset_definitions(KNOWN, user)


def problems(**user):
    with pytest.raises(DatasetError) as caught:
        definitions(**user)
    return str(caught.value)


def test_every_file_is_pinned_to_a_commit_and_verified():
    for name, spec in definitions().items():
        assert spec["origin"], name
        assert spec["terms"], name
        if "file" not in spec:
            continue
        kind, length = ("sha256", 64) if "package" in spec else ("git_blob", 40)
        assert re.fullmatch(rf"[0-9a-f]{{{length}}}", spec[kind]), name
        if "url" in spec:
            assert re.search(r"/[0-9a-f]{40}/", spec["url"]), name
            assert " " not in spec["url"], name


def test_every_dataset_names_its_domain_and_the_schema_knows_the_same_ones():
    properties = yaml.safe_load(SCHEMA.read_text())["$defs"]["dataset"]["properties"]
    assert properties["domain"]["enum"] == list(DOMAINS)
    assert properties["transform"]["enum"] == list(TRANSFORMS)
    used = {spec["domain"] for spec in definitions().values()}
    assert used == set(DOMAINS) - {"other"}
    assert definitions(mine={"path": "my.csv"})["mine"]["domain"] == "other"


def test_every_dataset_has_a_role_and_judges_are_never_what_defaults_were_picked_on():
    known = definitions()
    judges = {name for name, spec in known.items() if spec["role"] == "judge"}
    assert judges == {
        *("warpPIE10P", "AR", "Imm40", "Brain_Tumor1", "GLI85", "TOX171", "lung_small", "CNS"),
        *("gordon", "tomlins", "yeoh", "RELATHE", "tr31", "WebKB", "TDT2", "mECS", "bredel"),
        *("chen", "risinger", "chowdary"),
    }
    assert {spec["role"] for spec in known.values()} == {"develop", "judge"}
    assert "role" not in definitions(mine={"path": "my.csv"})["mine"]


def test_datasets_of_one_study_share_its_name():
    studies: dict[str, set] = {}
    for name, spec in definitions().items():
        studies.setdefault(spec["study"], set()).add(name)
    assert {study: names for study, names in studies.items() if len(names) > 1} == {
        "AR": {"AR", "warpAR"},
        "Bhattacharjee 2001": {"bhattacharjee", "lung"},
        "Garber 2001": {"garber", "lung_small"},
        "Golub 1999": {"ALLAML", "golub"},
        "MNIST": {"mnist", "MNIST2000"},
        "ORL": {"ORL", "orlraws10P"},
        "PIE": {"pie", "warpPIE10P"},
        "Pomeroy 2002": {"Brain_Tumor1", "CNS"},
        "Singh 2002": {"ProstateGE", "singh"},
        "WebACE": {"wap", "k1b"},
    }


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


def test_own_data_need_a_path_only():
    mine = definitions(mine={"path": "my.csv"})["mine"]
    assert mine == {
        "domain": "other",
        "name": "mine",
        "path": "my.csv",
        "study": "mine",
        "title": "mine",
    }


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


def test_examples_of_the_documentation_are_valid():
    guide = (ROOT / "docs/guides/own-data.md").read_text(encoding="utf-8")
    examples = re.findall(r"```yaml\n(.*?)```", guide, re.S)
    assert len(examples) > 4
    for example in examples:
        own = yaml.safe_load(example)["datasets"]
        assert set(own) <= set(definitions(**own))


def test_all_problems_are_listed_at_once():
    message = problems(
        one={"pth": "a.csv"},
        two={"path": "a.csv", "subset": {"samples": "1e3"}},
        three={"path": 3},
        four={"path": "a.xlsx"},
    )
    assert message.startswith("4 problems")
    assert "datasets.four: 'a.xlsx' must end in one of" in message
    assert "datasets.one: unknown key 'pth'; did you mean 'path'?" in message
    assert "datasets.two.subset.samples: '1e3' is text, not a number" in message
    assert "datasets.three.path: 3 is not of type 'string'" in message


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, "says nothing about where the data are"),
        ({"label": "class"}, "says nothing about where the data are"),
        ({"path": "a.csv", "url": "https://example.org/a.csv"}, "path and url; only one"),
        ({"path": "a.xlsx"}, "must end in one of .csv"),
        ({"path": "a.csv", "keys": {"X": "X"}}, "`keys` is for .mat, .npz"),
        ({"path": "a.csv", "one_hot": True}, "`one_hot` is for .mat, .npz"),
        ({"path": "a.csv", "class_axis": 2}, "`class_axis` is for .mat, .npz"),
        ({"path": "a.mat", "class_axis": 2, "label": "y"}, "leave out `label` and `keys.y`"),
        ({"path": "a.mat", "class_axis": 2, "sample_axes": [0]}, "leave out `class_axis` and"),
        ({"path": "a.csv", "sample_axes": [0]}, "`sample_axes` is for .mat, .npz"),
        ({"path": "a.zip"}, "'a.zip' holds many files; say which by `member`"),
        ({"path": "a.mat", "member": {"X": "x.npy"}}, "`member` is for .zip and .whl files"),
        ({"path": "a.zip", "member": {"X": "x.csv"}}, "the member 'x.csv' must end in one of .mat"),
        ({"package": "a==1"}, "`package` needs `file`, the name of the wheel"),
        ({"package": "a", "file": "a.whl", "member": {"X": "x.npy"}}, "package: 'a' does not fit"),
        ({"package": "--pre", "file": "a.whl"}, "package: '--pre' does not fit"),
        ({"path": "a.mat", "class_axis": 3}, "3 is greater than the maximum"),
        ({"path": "a.mat", "header": False}, "`header` is for .csv"),
        ({"path": "a.npy", "drop": ["a"]}, "`drop` is for tables"),
        ({"path": "a.parquet", "transpose": True}, "`transpose` is not for .parquet"),
        ({"path": "a.csv", "labelled": False, "label": "b"}, "says that there are no classes"),
        ({"path": "a.csv", "domain": "imgae"}, "unknown domain 'imgae'; did you mean 'image'?"),
        ({"path": "a.csv", "domain": "music"}, "unknown domain 'music'; known: artificial, g"),
        ({"path": "a.csv", "transform": "tf-idf"}, "unknown transform 'tf-idf'; did you mean 'tf"),
        ({"path": "a.csv", "floor": 1}, "`floor` is for `transform: log`"),
        ({"path": "a.csv", "n_clusters": 1}, "1 is less than the minimum"),
        ({"builtin": "wine", "max_size_mb": 1}, "`max_size_mb` is for datasets that are read"),
        ({"path": "a.csv", "noise": {"features": 2, "scale": float("nan")}}, "is nan; it must be"),
        ({"path": "a.csv", "noise": {"features": 10**9}}, "greater than the maximum"),
        ({"generate": {"shape": "rings", "samples": 10**12}}, "greater than the maximum"),
        ({"path": "a.csv", "separator": "\n"}, "separator: '\\n' does not fit: "),
        ({"path": "a.mat", "label": "y", "keys": {"y": "y"}}, "say the same"),
        ({"path": "a.csv", "file": "a.csv"}, "`file` has no meaning"),
        ({"builtin": "wine", "label": "class"}, "`label` is for datasets that are read"),
        ({"builtin": "iris"}, "unknown builtin 'iris'; known: "),
        ({"builtin": "wine", "fallback": {"shape": "rings", "samples": 50}}, "`fallback` is for"),
        ({"path": "a.csv", "sha256": "abc"}, "sha256: 'abc' does not fit: "),
        ({"path": "a.csv", "drop": []}, "drop: the list is empty"),
        ({"url": "ftp://example.org/a.csv"}, "does not fit: "),
        ({"url": "https://e.org/Isolet.mat"}, "has the name of another file, that of Isolet"),
        ({"url": "https://e.org/isolet.MAT"}, "has the name of another file, that of Isolet"),
        ({"path": "a.csv", "title": "a\u202eb"}, "title: 'a\\u202eb' does not fit: "),
        ({"path": "a.csv", "title": "x" * 101}, "is too long"),
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


def test_unreadable_definitions_are_one_error(tmp_path):
    broken = tmp_path / "datasets.yaml"
    broken.write_text("datasets: [")
    with pytest.raises(DatasetError, match="cannot be read"):
        dataset_definitions(broken, {}, schema_path=SCHEMA)
    broken.write_text("just text")
    with pytest.raises(DatasetError, match="is not of type 'object'"):
        dataset_definitions(broken, {}, schema_path=SCHEMA)
