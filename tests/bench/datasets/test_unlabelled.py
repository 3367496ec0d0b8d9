"""Data without labels, and labels that are hard to tell from missing ones."""

import numpy as np
import pandas as pd
import pytest

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.preparation import prepare, prepare_or_unavailable
from blufs_bench.datasets.storage import read_card, read_dataset, write_dataset

X = np.random.default_rng(0).standard_normal((30, 4))
TABLE = pd.DataFrame(X, columns=list("abcd"))


def spec_of(**definition):
    return {"name": "demo", "title": "demo", **definition}


WRITERS = {
    "f.csv": lambda p: TABLE.to_csv(p, index=False),
    "f.parquet": lambda p: TABLE.to_parquet(p),
    "f.npz": lambda p: np.savez(p, X=X),
    "f.npy": lambda p: np.save(p, X),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_path_alone_is_enough(tmp_path, name):
    WRITERS[name](tmp_path / name)
    prepared = prepare(spec_of(), tmp_path / name)
    np.testing.assert_allclose(prepared.X, X, rtol=1e-15)
    assert prepared.y is None
    card = prepared.card
    assert (card["labelled"], card["n_classes"]) == (False, None)
    # Nobody said how many clusters there are: they were counted, and the card says so.
    assert 2 <= card["n_clusters"] <= 7
    assert "estimated" in card["notes"][-1]
    assert (card["class_counts"], card["class_names"]) == ([], [])
    assert "taken as unlabelled" in card["notes"][0]
    named = name in ("f.csv", "f.parquet")
    assert card["feature_names"] == (list("abcd") if named else None)


def test_arrays_have_no_y_and_are_read_back_without(tmp_path):
    np.save(tmp_path / "f.npy", X)
    source = {"status": "ok", "file": str(tmp_path / "f.npy")}
    prepared = prepare_or_unavailable(spec_of(n_clusters=5), source)
    paths = [tmp_path / name for name in ("dataset.npz", "card.json", "graph.npz")]
    write_dataset(prepared, *paths)
    with np.load(paths[0]) as archive:
        assert list(archive) == ["X"]
    stored, y = read_dataset(paths[0])
    np.testing.assert_array_equal(stored, X)
    assert y is None
    assert read_card(paths[1])["n_clusters"] == 5


def test_number_of_clusters_is_the_number_of_classes_unless_given(tmp_path):
    np.savez(tmp_path / "f.npz", X=X, y=np.arange(30) % 3)
    assert prepare(spec_of(), tmp_path / "f.npz").card["n_clusters"] == 3
    assert prepare(spec_of(n_clusters=7), tmp_path / "f.npz").card["n_clusters"] == 7
    with pytest.raises(DatasetError, match="`n_clusters: 30` is not below the 30 samples"):
        prepare(spec_of(n_clusters=30), tmp_path / "f.npz")


def test_column_called_class_is_a_feature_if_there_are_no_labels(tmp_path):
    TABLE.assign(**{"class": np.arange(30) % 2}).to_csv(tmp_path / "f.csv", index=False)
    assert prepare(spec_of(), tmp_path / "f.csv").y is not None
    prepared = prepare(spec_of(labelled=False), tmp_path / "f.csv")
    assert prepared.y is None
    assert prepared.card["feature_names"] == ["a", "b", "c", "d", "class"]
    (note,) = prepared.card["notes"]
    assert "the number of clusters was estimated" in note


def test_unlabelled_data_can_be_a_subset_and_take_noise(tmp_path):
    np.save(tmp_path / "f.npy", X)
    subset = {"samples": 12, "stratified": True, "seed": 0}
    noise = {"features": 3, "scale": 1.0, "seed": 0}
    prepared = prepare(spec_of(subset=subset, noise=noise), tmp_path / "f.npy")
    assert prepared.X.shape == (12, 7)
    assert prepared.y is None


def test_table_without_names_and_labels(tmp_path):
    TABLE.to_csv(tmp_path / "f.csv", index=False, header=False)
    prepared = prepare(spec_of(header=False), tmp_path / "f.csv")
    assert prepared.X.shape == (30, 4)
    assert (prepared.y, prepared.card["feature_names"]) == (None, None)


# ------------------------------------------------------------------------ rows that pandas wrote


@pytest.mark.parametrize("start", [0, 1])
def test_row_numbers_without_a_name_are_no_feature(tmp_path, start):
    table = TABLE.assign(kind=["u", "v"] * 15)
    table.index += start
    table.to_csv(tmp_path / "f.csv")
    prepared = prepare(spec_of(label="kind"), tmp_path / "f.csv")
    assert prepared.card["feature_names"] == list("abcd")
    assert prepared.card["notes"] == [
        "the first column has no name and counts the rows; it was left out"
    ]


def test_other_columns_without_a_name_stay(tmp_path):
    table = TABLE.set_index(np.arange(30)[::-1])
    table.to_csv(tmp_path / "f.csv")
    prepared = prepare(spec_of(), tmp_path / "f.csv")
    assert prepared.card["feature_names"] == ["Unnamed: 0", *"abcd"]


def test_named_index_of_parquet_is_a_column(tmp_path):
    table = TABLE.assign(kind=["u", "v"] * 15)
    table.set_index("a").to_parquet(tmp_path / "f.parquet")
    prepared = prepare(spec_of(label="kind"), tmp_path / "f.parquet")
    assert prepared.card["feature_names"] == list("abcd")
    table.set_index("kind").to_parquet(tmp_path / "f.parquet")
    assert prepare(spec_of(label="kind"), tmp_path / "f.parquet").card["class_names"] == ["u", "v"]


# -------------------------------------------------------------------------- classes called NA


def test_class_called_na_needs_one_word(tmp_path):
    lines = ["a,b,kind", *(f"{i},{i % 7},{['NA', 'None', 'x'][i % 3]}" for i in range(30))]
    path = tmp_path / "f.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(DatasetError, match=r'20 labels are missing.*`missing_labels: \[""\]`'):
        prepare(spec_of(label="kind"), path)
    prepared = prepare(spec_of(label="kind", missing_labels=[""]), path)
    assert prepared.card["class_names"] == ["NA", "None", "x"]
    assert prepared.card["class_counts"] == [10, 10, 10]
    with pytest.raises(DatasetError, match="10 labels are missing"):
        prepare(spec_of(label="kind", missing_labels=["", "NA"]), path)
    path.write_text("\n".join(lines).replace("NA", ""))
    with pytest.raises(DatasetError, match="10 labels are missing"):
        prepare(spec_of(label="kind", missing_labels=[""]), path)
