"""What is wrong with a user's own file is said before the first job, or noted on its card."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

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
        ({"include": ["A"]}, "include: {} holds no 'A'; did you mean 'a'?"),
        ({"exclude": ["B"], "include": ["a"]}, "exclude: {} holds no 'B'; did you mean 'b'?"),
        ({"include": [0], "exclude": [1]}, ""),
        ({"label": -1}, ""),
        ({"transpose": True, "label": "nothing"}, ""),  # known when it is read
    ],
)
def test_columns_that_are_not_there_are_named_with_what_was_meant(tmp_path, keys, words):
    path = tmp_path / "my.csv"
    path.write_text("\n".join(ROWS))
    assert list(own_file_problems(defined(path, **keys))) == [words.format(path)][: bool(words)]


def test_what_cannot_be_read_at_a_glance_is_left_to_the_reader(tmp_path):
    path = tmp_path / "my.csv"
    path.write_text("\n".join(ROWS), encoding="utf-16")
    assert not list(own_file_problems(defined(path, label="class")))
    with pytest.raises(DatasetError, match="UnicodeDecodeError"):
        prepare(defined(path, label="class"), path)


def test_a_wrong_separator_is_guessed_from_a_single_column(tmp_path):
    path = tmp_path / "my.csv"
    path.write_text("\n".join(ROWS).replace(",", ";"))
    (problem,) = own_file_problems(defined(path, label="class"))
    assert problem.endswith("one column only, 'a;b;class': is `separator` right?")


def test_a_folder_is_not_offered_instead_of_itself(tmp_path):
    (tmp_path / "my.csv").mkdir()
    (problem,) = own_file_problems(defined(tmp_path / "my.csv"))
    assert "there is no file" in problem
    assert "did you mean" not in problem


@pytest.mark.parametrize("keys", [{"drop": ["id"]}, {}], ids=["dropped", "kept"])
def test_an_index_that_is_taken_as_a_feature_is_noted(tmp_path, keys):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(np.random.default_rng(0).random((30, 3)), columns=list("abc"))
    table.index = pd.Index(np.arange(30)[::-1], name="id")
    table.to_parquet(tmp_path / "my.parquet")
    spec = defined(tmp_path / "my.parquet", n_clusters=2, labelled=False, **keys)
    made = prepare(spec, tmp_path / "my.parquet")
    assert made.card["feature_names"] == [*([] if keys else ["id"]), "a", "b", "c"]
    said = ["`drop: [id]` leaves it out" in note for note in made.card["notes"]]
    assert any(said) == (not keys)


@pytest.mark.parametrize("obs", [None, 3.0])
def test_a_file_of_cells_without_their_table_is_left_to_its_reader(tmp_path, obs):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "my.h5ad", "w") as archive:
        archive["X"] = np.eye(4)
        if obs is not None:
            archive["obs"] = obs
    spec = defined(tmp_path / "my.h5ad", label="kind")
    assert not list(own_file_problems(spec))
    with pytest.raises(DatasetError, match=r"cannot be read as \.h5ad"):
        prepare(spec, tmp_path / "my.h5ad")


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


MISSING = ["a,b,c,class", *(f"{i % 7},{i % 5},{i % 3},{'uv'[i % 2]}" for i in range(30))]
MISSING[4], MISSING[9] = "3,,0,v", "1,,,u"


@pytest.mark.parametrize(
    ("how", "shape", "names", "words"),
    [
        ("impute", (30, 3), ["a", "b", "c"], "replaced by the medians"),
        ("drop_features", (30, 1), ["a"], "these features were left out"),
        ("drop_samples", (28, 3), ["a", "b", "c"], "their 2 samples were left out"),
    ],
)
def test_missing_values_are_handled_as_asked_and_noted(tmp_path, how, shape, names, words):
    lines = [f"{i % 4 if i else 'd'},{line}" for i, line in enumerate(MISSING)]
    made = prepared(tmp_path / "f.csv", lines, missing=how)
    assert made.X.shape == (shape[0], shape[1] + 1)
    assert made.card["feature_names"] == ["d", *names]
    assert np.isfinite(made.X).all()
    (note,) = made.card["notes"]
    assert note.startswith("3 values were missing in 2 features ('b', 'c'); ")
    assert words in note
    assert len(made.y) == shape[0]
    if how == "impute":
        present = [i % 5 for i in range(30) if i not in (3, 8)]
        assert made.X[3, 2] == made.X[8, 2] == np.median(present)


def test_missing_values_without_a_word_name_the_column_and_the_ways_out(tmp_path):
    with pytest.raises(DatasetError, match=r"feature 1 .* called 'b'; say `missing: impute`"):
        prepared(tmp_path / "f.csv", MISSING)
    infinite = [*MISSING[:4], "inf,1,0,v", *MISSING[10:]]
    with pytest.raises(DatasetError, match="1 values are missing or infinite"):
        prepared(tmp_path / "f.csv", infinite, missing="impute")


@pytest.mark.parametrize("how", ["impute", "drop_features"])
def test_missing_values_of_sparse_data_are_not_said_to_be_treated(tmp_path, how):
    X = sp.csr_array(np.eye(6))
    X.data[2] = np.nan
    sp.save_npz(tmp_path / "f.npz", X)
    path = tmp_path / "f.npz"
    with pytest.raises(DatasetError, match=r"feature 2 \(counted from 0\); correct them"):
        prepare(defined(path, missing=how), path)


@pytest.fixture
def cells(tmp_path):
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    counts = np.random.default_rng(0).poisson(1.0, (30, 5)).astype(float)
    counts[0] += 1
    cells, genes = map(str, range(30)), (f"GENE_{i}" for i in range(5))
    classes = pd.Index(["B", "NK", "T"], dtype=object)
    kinds = pd.Categorical(["T", "B", "NK"] * 10, categories=classes)
    made = anndata.AnnData(
        sp.csr_matrix(counts),
        obs=pd.DataFrame({"kind": kinds}, index=pd.Index(list(cells), dtype=object)),
        var=pd.DataFrame(index=pd.Index(list(genes), dtype=object)),
    )
    made.layers["log"] = np.log1p(counts)
    made.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad", counts


def test_single_cells_of_anndata_are_own_data(cells):
    path, counts = cells
    made = prepare(defined(path, label="kind"), path)
    assert (made.X.toarray() == counts).all()
    assert made.card["class_names"] == ["B", "NK", "T"]
    assert made.card["feature_names"] == [f"GENE_{i}" for i in range(5)]
    assert prepare(defined(path), path).y is None
    layer = prepare(defined(path, label="kind", layer="log"), path)
    assert np.array_equal(layer.X, np.log1p(counts))


def test_what_a_file_of_cells_lacks_is_named_with_what_was_meant(cells):
    path, _ = cells
    (problem,) = own_file_problems(defined(path, label="Kind"))
    assert "did you mean 'kind'?" in problem
    with pytest.raises(DatasetError, match="no layer 'logs'; did you mean 'log'"):
        prepare(defined(path, label="kind", layer="logs"), path)
    with pytest.raises(DatasetError, match=r"`layer` is for \.h5ad files"):
        defined("f.csv", layer="log")
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(DatasetError, match=r"cannot be read as \.h5ad"):
        prepare(defined(path, label="kind"), path)
