"""What rarely happens to a dataset still ends in a message that says what to do."""

import errno
import sys

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

from blufs_bench.datasets.download import fetch_or_explain, local_copies_digest
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.hashing import stand_in_for_data
from blufs_bench.datasets.preparation import prepare
from blufs_bench.datasets.readers.mat import load_hdf5
from blufs_bench.stages.classification import random_splits

X = np.arange(24.0).reshape(8, 3)


def arrays(path, **more):
    np.savez(path, X=X, y=np.repeat([0, 1], [7, 1]), **more)
    return path


def definition(**more):
    return {"name": "demo", "title": "demo", **more}


def test_a_subset_without_one_of_the_classes_is_refused(tmp_path):
    subset = {"samples": 2, "stratified": False, "seed": 0}
    with pytest.raises(DatasetError, match="of 2 samples leaves out whole classes; ask for more"):
        prepare(definition(subset=subset), arrays(tmp_path / "f.npz"))


def test_a_problem_of_data_without_a_file_names_the_dataset_alone():
    subset = {"samples": 2, "stratified": False, "seed": 0}
    with pytest.raises(DatasetError, match=r"^dataset demo: `subset` of 2 samples") as error:
        prepare(definition(builtin="wine", subset=subset), None)
    assert "sha256" not in str(error.value)


def test_a_table_of_features_in_rows_names_the_feature_with_words_in_it(tmp_path):
    path = tmp_path / "f.tsv"
    path.write_text("a\t1\t2\t3\nb\t4\tmany\t6\nkind\tx\ty\tx\n")
    with pytest.raises(DatasetError, match="b") as error:
        prepare(definition(transpose=True, label="kind"), path)
    assert "many" in str(error.value)


def test_files_of_r_without_the_package_name_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "blufs_bench.datasets.readers.r", None)
    path = tmp_path / "f.RData"
    path.write_bytes(b"RDX3\n")
    with pytest.raises(DatasetError, match=r"pip install 'blufs\[r\]'"):
        prepare(definition(), path)


def test_a_file_that_only_begins_like_gzip_is_no_web_page(tmp_path):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00 not compressed at all")
    assert stand_in_for_data(path) == ""


def test_sparse_arrays_without_entries_and_what_is_no_array_in_hdf5(tmp_path):
    path = tmp_path / "f.mat"
    with h5py.File(path, "w") as archive:
        group = archive.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(4)
        group["jc"] = np.zeros(3, dtype=np.uint64)
        archive["text"] = "words"
    found = load_hdf5(path, definition())
    assert sp.issparse(found["X"])
    assert found["X"].shape == (4, 2)
    assert found["X"].nnz == 0
    assert found.get("text") is None


def test_whatever_a_download_raises_is_a_reason_and_a_full_disk_is_not(tmp_path, monkeypatch):
    spec = definition(file="f.csv", url="https://example.org/f.csv")
    places = {"mirrors": [], "cache_dir": tmp_path, "local_copies": ""}

    def fails(error):
        def raising(*arguments):
            raise error

        monkeypatch.setattr("blufs_bench.datasets.download._fetch", raising)
        return fetch_or_explain(spec, **places)

    record = fails(RuntimeError("odd"))
    assert record["status"] == "unavailable"
    assert record["reason"] == "dataset demo: download failed (RuntimeError: odd)"
    with pytest.raises(OSError, match="No space"):
        fails(OSError(errno.ENOSPC, "No space left on device"))


def test_data_that_are_made_here_have_no_copies(tmp_path):
    spec = definition(builtin="wine")
    assert local_copies_digest(spec, mirrors=["nowhere"], cache_dir=tmp_path) == ""


def test_one_sample_cannot_be_split():
    with pytest.raises(ValueError, match="needs two samples, got 1"):
        next(random_splits(1, [0], 0.5))
