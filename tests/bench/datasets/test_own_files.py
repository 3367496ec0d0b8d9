"""What is wrong with a user's own file is said before the first job, or noted on its card."""

import json

import numpy as np
import pytest

from blufs_bench.datasets.definitions import dataset_definitions
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.hashing import stand_in_for_data
from blufs_bench.datasets.own_files import own_file_problems
from blufs_bench.datasets.preparation import prepare
from blufs_bench.plan.config import ConfigError
from blufs_bench.plan.read import read_plan
from tests.helpers import ROOT

ROWS = ["a,b,class", *(f"{i % 7},{i % 5},{'uv'[i % 2]}" for i in range(30))]


def defined(path, **keys):
    own = {"mine": {"path": str(path), **keys}}
    return dataset_definitions(ROOT / "data/datasets.yaml", own)["mine"]


def prepared(path, lines, **keys):
    path.write_text("\n".join(lines) + "\n")
    return prepare(defined(path, **keys), path)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"label": "clas"}, "label: {} holds no 'clas'; did you mean 'class'?"),
        ({"drop": ["A"]}, "drop: {} holds no 'A'; did you mean 'a'?"),
        ({"label": "class", "drop": ["b"]}, ""),
        ({"label": -1}, ""),
        ({"transpose": True, "label": "nothing"}, ""),  # known when it is read
    ],
)
def test_columns_that_are_not_there_are_named_with_what_was_meant(tmp_path, keys, words):
    path = tmp_path / "my.csv"
    path.write_text("\n".join(ROWS))
    assert list(own_file_problems(defined(path, **keys))) == [words.format(path)][: bool(words)]


def test_arrays_that_are_not_there_are_named(tmp_path):
    path = tmp_path / "my.npz"
    np.savez(path, data=np.eye(4), kind=np.arange(4))
    (problem,) = own_file_problems(defined(path, keys={"X": "Data", "y": "kind"}))
    assert "keys.X" in problem
    assert "did you mean 'data'?" in problem


def test_a_file_that_is_not_there_is_a_problem_of_the_configuration(tmp_path):
    (tmp_path / "mine.csv").write_text("\n".join(ROWS))
    config = {
        "suite": "own",
        "sede": 1,
        "datasets": {"mine": {"path": str(tmp_path / "mnie.csv")}},
        "suites": {"own": {"datasets": ["mine"], "s_values": [1]}},
    }
    with pytest.raises(ConfigError) as error:
        read_plan(config, ROOT)
    (missing,) = (text for text in error.value.problems if text.startswith("datasets.mine.path"))
    assert "there is no file" in missing
    assert "did you mean 'mine.csv'?" in missing
    assert any("'sede'" in text for text in error.value.problems)
    config["datasets"]["mine"]["path"] = str(tmp_path / "mine.csv")
    del config["sede"]
    assert read_plan(config, ROOT).own_datasets == ["mine"]
    # Data that the suite does not use need not be there.
    config["datasets"]["other"] = {"path": "nowhere.csv"}
    assert read_plan(config, ROOT).datasets == ["mine"]


def test_a_first_line_of_numbers_is_noted(tmp_path):
    lines = [line.replace("u", "0").replace("v", "1") for line in ROWS[1:]]
    notes = prepared(tmp_path / "f.csv", lines, label=-1).card["notes"]
    assert any("the first line holds numbers only" in note for note in notes)
    assert prepared(tmp_path / "f.csv", ROWS).card["notes"] == []


def test_two_columns_of_the_classes_are_refused_and_two_features_noted(tmp_path):
    lines = ["a,class,class", *(f"{i % 7},u,{'uv'[i % 2]}" for i in range(30))]
    with pytest.raises(DatasetError, match="more than one column is called 'class'"):
        prepared(tmp_path / "f.csv", lines)
    lines = ["a,a,class", *ROWS[1:]]
    card = prepared(tmp_path / "f.csv", lines).card
    assert any("several columns are called 'a'" in note for note in card["notes"])


def test_missing_labels_are_found_without_a_header(tmp_path):
    keys = {"header": False, "label": -1, "missing_labels": ["?"]}
    assert prepared(tmp_path / "f.csv", ROWS[1:], **keys).card["n_samples"] == 30
    with pytest.raises(DatasetError, match="1 labels are missing, the first of sample 29"):
        prepared(tmp_path / "f.csv", [*ROWS[1:-1], "1,2,?"], **keys)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([2**53, 2**53 + 1, 5], ["5", "9007199254740992", "9007199254740993"]),
        ([1.0, 1.0000000001, 2.5], ["1", "1.0000000001", "2.5"]),
        ([1.0, 1 + 2**-50, 2.5], ["1.0", "1.0000000000000009", "2.5"]),
        ([3, 1, 2], ["1", "2", "3"]),
    ],
)
def test_numbers_that_differ_are_different_classes(tmp_path, labels, names):
    lines = ["a,b,class", *(f"{i % 7},{i % 5},{labels[i % 3]!r}" for i in range(30))]
    assert prepared(tmp_path / "f.csv", lines).card["class_names"] == names


def test_a_first_column_of_names_without_a_name_is_left_out(tmp_path):
    lines = [",a,b,class", *(f"P{i:04d},{line}" for i, line in enumerate(ROWS[1:]))]
    card = prepared(tmp_path / "f.csv", lines).card
    assert card["feature_names"] == ["a", "b"]
    assert any("names the rows" in note for note in card["notes"])
    columns = [line.split(",") for line in lines]
    turned = [",".join(column) for column in zip(*columns, strict=True)]
    assert prepared(tmp_path / "g.csv", turned, transpose=True).card["feature_names"] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"", "an empty file"), (json.dumps({"error": 1}).encode(), "a JSON document"), (b"a,b", "")],
)
def test_what_servers_send_instead_of_data_is_known(tmp_path, content, what):
    (tmp_path / "f.csv").write_bytes(content)
    assert stand_in_for_data(tmp_path / "f.csv") == what
