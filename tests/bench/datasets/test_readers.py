"""Every file format gives the same arrays; every malformed file gives a `DatasetError`."""

import faulthandler
import re

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.hashing import file_hashes
from blufs_bench.datasets.preparation import prepare, prepare_files
from blufs_bench.datasets.storage import read_dataset
from blufs_bench.run import isolation

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((30, 4)), 3)
Y = np.repeat([7, 3, 5], 10)
CODES = np.repeat([2, 0, 1], 10)  # positions of the classes in sorted order
TABLE = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["x", "y", "z"])[CODES])


def spec_of(**definition):
    return {"name": "demo", "title": "demo", **definition}


def write_mat73(path, **arrays):
    """As MATLAB 7.3 does: axes reversed, a 512-byte header before HDF5's signature."""
    with h5py.File(path, "w", userblock_size=512) as archive:
        for name, array in arrays.items():
            archive[name] = np.asarray(array).T
    with open(path, "r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64")


def write_arff(path):
    lines = ["@relation demo", *(f"@attribute {name} numeric" for name in "abcd")]
    lines += ["@attribute kind {x,y,z}", "@data"]
    lines += [",".join(map(str, row)) for row in TABLE.to_numpy()]
    path.write_text("\n".join(lines))


GOOD = {
    "csv": ("f.csv", lambda p: TABLE.to_csv(p, index=False), {"label": "kind"}),
    "csv_last_column": ("f.csv", lambda p: TABLE.to_csv(p, index=False), {"label": -1}),
    "csv_semicolon": (
        "f.csv",
        lambda p: TABLE.to_csv(p, index=False, sep=";"),
        {"label": "kind", "separator": ";"},
    ),
    "csv_without_header": (
        "f.csv",
        lambda p: TABLE.to_csv(p, index=False, header=False),
        {"label": 4, "header": False},
    ),
    "csv_identifier": (
        "f.csv",
        lambda p: TABLE.assign(id="s1").to_csv(p, index=False),
        {"label": "kind", "drop": ["id"]},
    ),
    "csv_usual_label": (
        "f.csv",
        lambda p: TABLE.rename(columns={"kind": "Class "}).to_csv(p, index=False),
        {},
    ),
    "tsv": ("f.tsv", lambda p: TABLE.to_csv(p, index=False, sep="\t"), {"label": "kind"}),
    "parquet": ("f.parquet", lambda p: TABLE.to_parquet(p), {"label": "kind"}),
    "arff": ("f.arff", write_arff, {"label": "kind"}),
    "mat": ("f.mat", lambda p: scipy.io.savemat(p, {"X": X, "Y": Y[:, None]}), {}),
    "mat_row_labels": ("f.mat", lambda p: scipy.io.savemat(p, {"fea": X, "gnd": Y[None]}), {}),
    "mat_v4": ("f.mat", lambda p: scipy.io.savemat(p, {"X": X, "y": Y * 1.0}, format="4"), {}),
    "mat_cells": (
        "f.mat",
        lambda p: scipy.io.savemat(p, {"X": X, "y": TABLE["kind"].to_numpy(dtype=object)}),
        {},
    ),
    "mat_names": (
        "f.mat",
        lambda p: scipy.io.savemat(p, {"A": X, "b": Y, "X": X[:3]}),
        {"keys": {"X": "A", "y": "b"}},
    ),
    "mat73": ("f.mat", lambda p: write_mat73(p, X=X, Y=Y[:, None]), {}),
    "npz": ("f.npz", lambda p: np.savez(p, X=X, y=TABLE["kind"].to_numpy(dtype="U1")), {}),
    "npz_transposed": (
        "f.npz",
        lambda p: np.savez(p, X=X.T, t=Y),
        {"label": "t", "transpose": True},
    ),
    "npy": ("f.npy", lambda p: np.save(p, np.column_stack([X, Y])), {"label": -1}),
}


@pytest.mark.parametrize("case", GOOD)
def test_all_formats_give_the_same_arrays(tmp_path, case):
    name, write, definition = GOOD[case]
    write(tmp_path / name)
    known = file_hashes(tmp_path / name) if case.startswith("mat_") else {}
    prepared = prepare(spec_of(**definition, **known), tmp_path / name)
    assert prepared.X.dtype == np.float64
    assert prepared.X.flags.c_contiguous
    np.testing.assert_array_equal(prepared.X, X)
    np.testing.assert_array_equal(prepared.y, CODES)
    assert prepared.card["class_names"] in (["3", "5", "7"], ["x", "y", "z"])
    named = name.endswith((".csv", ".tsv", ".parquet", ".arff")) and "header" not in definition
    assert prepared.card["feature_names"] == (list("abcd") if named else None)


@pytest.mark.parametrize("kind", ["uint8", "int16", "int64", "float32", "bool"])
def test_numbers_of_any_type_become_float64(tmp_path, kind):
    values = rng.integers(0, 2 if kind == "bool" else 100, (30, 4)).astype(kind)
    np.savez(tmp_path / "f.npz", X=np.asfortranarray(values), y=Y)
    prepared = prepare(spec_of(), tmp_path / "f.npz")
    np.testing.assert_array_equal(prepared.X, values.astype(float))
    assert prepared.X.dtype == np.float64
    assert prepared.X.flags.c_contiguous


def mat(**arrays):
    return "f.mat", lambda p: scipy.io.savemat(p, arrays)


def csv(text):
    return "f.csv", lambda p: p.write_text(text)


def raw(name, content):
    return name, lambda p: p.write_bytes(content)


def npz(**arrays):
    return "f.npz", lambda p: np.savez(p, **arrays)


def with_value(value, dtype=float):
    changed = X.astype(dtype)
    changed[4, 2] = value
    return changed


def labels_with(value):
    changed = Y.astype(object)
    changed[4] = value
    return changed


ROWS = "".join(f"{i},{i % 5},{'uv'[i % 2]}\n" for i in range(20))
PAGE = b"  <!DOCTYPE html>\n<html><title>404</title></html>"

MALFORMED = {
    "mat_empty": (raw("f.mat", b""), {}, "the file is empty"),
    "mat_zeros": (raw("f.mat", bytes(2000)), {}, "cannot be read as .mat"),
    "mat_text": (raw("f.mat", b"hello" * 100), {}, "cannot be read as .mat"),
    "mat_page": (raw("f.mat", PAGE), {}, "a web page"),
    "mat_header_only": (
        raw("f.mat", b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"),
        {},
        "the file holds nothing",
    ),
    "mat_without_X": (
        mat(A=X, y=Y),
        {},
        "no features: no array is called 'X' or .* holds 'A', 'y'",
    ),
    "mat_without_y": (mat(X=X), {"labelled": True}, "no labels"),
    "mat_without_the_y_it_names": (mat(X=X), {"label": "y"}, "no array is called 'y'"),
    "mat_without_classes": (mat(X=X), {"expect": {"n_classes": 3}}, "no labels"),
    "mat_other_key": (mat(X=X, y=Y), {"keys": {"X": "Z"}}, "no array is called 'Z'"),
    "mat_struct": (mat(X={"a": 1}, y=Y), {}, "'X' is not an array of numbers"),
    "mat_strings": (mat(X=np.array([["a", "b"]] * 30, dtype=object), y=Y), {}, "than numbers"),
    "mat_complex": (mat(X=X * 1j, y=Y), {}, "complex numbers"),
    "mat_nan": (mat(X=with_value(np.nan), y=Y), {}, "1 values are missing .* sample 4, feature 2"),
    "mat_inf": (mat(X=with_value(-np.inf), y=Y), {}, "1 values are missing or infinite"),
    "mat_cube": (mat(X=np.zeros((30, 2, 2)), y=Y), {}, r"shape \(30, 2, 2\)"),
    "mat_no_samples": (mat(X=np.zeros((0, 4)), y=Y[:0]), {}, "0 samples and 4 features"),
    "mat_one_sample": (mat(X=X[:1], y=Y[:1]), {}, "1 samples"),
    "mat_one_feature": (mat(X=X[:, :1], y=Y), {}, "1 features"),
    "mat_one_class": (mat(X=X, y=np.ones(30)), {}, "of one class"),
    "mat_identifiers": (mat(X=X, y=np.arange(30)), {}, "30 different labels among 30 samples"),
    "mat_short_labels": (mat(X=X, y=Y[:20]), {}, r"labels of shape \(1, 20\) for 30 samples"),
    "mat_indicators": (mat(X=X, y=np.eye(3)[CODES]), {}, r"labels of shape \(30, 3\).*`one_hot"),
    "mat_transposed": (mat(X=X.T, y=Y), {}, "say `transpose: true`"),
    "mat_nan_label": (mat(X=X, y=labels_with(np.nan).astype(float)), {}, "1 labels are missing"),
    "mat_wrong_size": (mat(X=X, y=Y), {"expect": {"n_samples": 31}}, "30 samples instead of 31"),
    "mat_wrong_classes": (mat(X=X, y=Y), {"expect": {"n_classes": 4}}, "3 classes instead of 4"),
    "mat_wrong_image": (mat(X=X, y=Y), {"image": {"shape": [2, 3], "order": "C"}}, "4 pixels"),
    "mat73_without_X": (("f.mat", lambda p: write_mat73(p, y=Y)), {}, "no features"),
    "mat73_truncated": (
        raw("f.mat", b"MATLAB 7.3".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(40)),
        {},
        "cannot be read as .mat",
    ),
    "csv_empty": (csv(""), {}, "the file is empty"),
    "csv_header_only": (csv("a,b,class\n"), {}, "the table has no rows"),
    "csv_one_column": (csv("a;b;class\n1;2;u\n"), {}, "give `separator: ...`"),
    "csv_ragged": (csv("a,b,class\n1,2,u\n1,2,3,4,v\n"), {}, "cannot be read as .csv"),
    "csv_no_label": (
        csv("a,b,c\n" + ROWS),
        {"labelled": True},
        "no label column; .* out of 'a', 'b', 'c'",
    ),
    "csv_text_without_label": (csv("a,b,c\n" + ROWS), {}, "'c' .*or say `label: c` if it holds"),
    "csv_other_label": (csv("a,b,class\n" + ROWS), {"label": "Class"}, "no column 'Class'"),
    "csv_label_number": (csv("a,b,class\n" + ROWS), {"label": 3}, "no column 3; the table has 3"),
    "csv_two_labels": (csv("a,y,class\n" + ROWS), {}, "more than one column that may hold"),
    "csv_longer_rows": (csv("a,class\n" + ROWS), {}, "more fields than the first line has names"),
    "csv_too_large": (
        csv("a,b,class\n1e300,2,u\n1,2,v\n2,3,u\n1,3,v\n"),
        {},
        r"the largest absolute value is 1e\+300; it must be between 1e-140 and 1e\+140",
    ),
    "csv_too_small": (
        csv("a,b,class\n1e-300,0,u\n0,1e-310,v\n0,0,u\n0,0,v\n"),
        {},
        "the largest absolute value is 1e-300",
    ),
    "csv_decimal_comma": (
        csv("a;b;class\n" + "1,5;2;u\n2,5;3;v\n" * 4),
        {"separator": ";"},
        "numbers have a comma in them, such as '1,5' in column 'a'; write a decimal point",
    ),
    "csv_no_names": (csv(ROWS), {"header": False, "label": "c"}, "by its number"),
    "csv_text": (csv("a,b,class\n1,2,u\n1,high,v\n"), {}, r"'b' .*'high'.*`drop: \[b\]`"),
    "csv_missing": (csv("a,b,class\n1,,u\n" + ROWS), {}, "1 values are missing"),
    "csv_missing_label": (csv("a,b,class\n1,2,\n" + ROWS), {}, "1 labels are missing"),
    "csv_drop_unknown": (csv("a,b,class\n" + ROWS), {"drop": ["id"]}, "do not exist: 'id'"),
    "csv_binary": (raw("f.csv", bytes(range(128, 256)) * 9), {}, "cannot be read as .csv"),
    "csv_big_subset": (
        csv("a,b,class\n" + ROWS),
        {"subset": {"samples": 21, "stratified": True, "seed": 0}},
        "asks for 21 samples; there are 20",
    ),
    "npz_damaged": (raw("f.npz", b"PK\x03\x04" + bytes(50)), {}, "cannot be read as .npz"),
    **{
        f"npz_{kind}": (
            ("f.npz", lambda p, kind=kind: sp.save_npz(p, sp.csr_array(X).asformat(kind))),
            {},
            f"a sparse array in format {kind}; save it as CSR",
        )
        for kind in ("dia", "bsr")
    },
    "npz_pickle": (npz(X=with_value("a", object), y=Y), {}, "cannot be read as .npz"),
    "npz_text_labels_short": (npz(X=X, y="abc"), {}, r"labels of shape \(\)"),
    "npy_vector": (("f.npy", lambda p: np.save(p, Y)), {"label": -1}, r"shape \(30,\)"),
    "npy_far_label": (("f.npy", lambda p: np.save(p, X)), {"label": 4}, "no column 4"),
    "npy_truncated": (raw("f.npy", b"\x93NUMPY\x01\x00"), {"label": 0}, "cannot be read as .npy"),
    "parquet_damaged": (raw("f.parquet", b"PAR1" + bytes(90)), {}, "cannot be read as .parquet"),
    "arff_damaged": (raw("f.arff", b"@relation\n@data\n1,2"), {}, "this is no ARFF file"),
    "arff_rubbish": (raw("f.arff", b"rubbish"), {}, "no @attribute and @data lines"),
    "arff_sparse": (
        raw("f.arff", b"@relation a\n@attribute a numeric\n@data\n{0 1}\n"),
        {},
        "sparse ARFF is not supported",
    ),
    "arff_missing_label": (
        raw(
            "f.arff",
            b"@relation a\n@attribute a numeric\n@attribute b numeric\n@attribute class {u,v}\n"
            b"@data\n1,2,u\n2,2,?\n3,2,v\n4,2,v\n",
        ),
        {},
        "1 labels are missing, the first of sample 1",
    ),
    "arff_text": (
        raw("f.arff", b"@relation a\n@attribute a string\n@attribute class {u,v}\n@data\nq,u\n"),
        {},
        "cannot be read as .arff",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files_are_explained(tmp_path, case):
    (name, write), definition, words = MALFORMED[case]
    path = tmp_path / name
    write(path)
    # A hash in the definition says that the file was verified, which saves a process for each .mat.
    known = {} if case in ("mat_zeros", "mat_text", "mat_nan") else file_hashes(path)
    with pytest.raises(DatasetError) as caught:
        prepare(spec_of(**definition, **known), path)
    message = str(caught.value)
    assert re.search(words, message), message
    assert str(path) in message
    assert file_hashes(path)["sha256"] in message
    assert "\n" not in message


def test_message_has_expected_and_actual_hash(tmp_path):
    path = tmp_path / "f.mat"
    path.write_bytes(b"rubbish")
    with pytest.raises(DatasetError) as caught:
        prepare(spec_of(sha256="0" * 64, git_blob="1" * 40), path)
    actual = file_hashes(path)
    assert f"sha256 of the file: {actual['sha256']}, expected: {'0' * 64}" in str(caught.value)
    assert f"git_blob of the file: {actual['git_blob']}, expected: {'1' * 40}" in str(caught.value)


DATA_TAG = 176  # where the type of X's numbers stands in the file that `savemat` writes


@pytest.fixture
def no_traces(monkeypatch):
    """Lets processes that crash on purpose do so without the trace that pytest has them print."""

    def serve(*arguments, then=isolation._serve):
        faulthandler.disable()
        then(*arguments)

    monkeypatch.setattr(isolation, "_serve", serve)


@pytest.mark.usefixtures("no_traces")
@pytest.mark.parametrize("place", [144, 145, DATA_TAG, DATA_TAG + 3])
def test_damage_that_would_crash_the_parser_is_an_error(tmp_path, place):
    path = tmp_path / "f.mat"
    scipy.io.savemat(path, {"X": X, "Y": Y[:, None]})
    damaged = bytearray(path.read_bytes())
    damaged[place] = 9 if place == 145 else 200
    path.write_bytes(damaged)
    assert prepared_apart(path, tmp_path) is None


def prepared_apart(path, folder, **definition):
    """X and y as a job of the workflow prepares them; None if the card says that it cannot."""
    spec, source = spec_of(**definition), {"status": "ok", "file": str(path)}
    paths = [folder / name for name in ("dataset.npz", "card.json", "graph.npz")]
    card = prepare_files(spec, source, *paths)
    assert (card["status"] == "ok") != bool(card["reason"])
    return read_dataset(paths[0]) if card["status"] == "ok" else None


FUZZED = ["csv", "tsv", "parquet", "arff", "mat_v5", "mat73", "npz", "npy"]


@pytest.mark.usefixtures("no_traces")
@pytest.mark.parametrize("case", FUZZED)
def test_random_damage_gives_clean_data_or_a_dataset_error(tmp_path, case):
    name, write, definition = GOOD["mat" if case == "mat_v5" else case]
    path = tmp_path / name
    write(path)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    damage = np.random.default_rng(1)
    trials = 30 if case == "mat_v5" else 60
    refused = 0
    for trial in range(trials):
        damaged = whole[: damage.integers(1, len(whole))] if trial % 4 == 0 else whole.copy()
        if trial % 4:
            places = damage.integers(0, len(whole), 1 + trial % 8)
            damaged[places] = damage.integers(0, 256, len(places))
        path.write_bytes(damaged.tobytes())
        if case == "mat_v5":  # SciPy may end the process
            arrays = prepared_apart(path, tmp_path, **definition)
        else:
            try:
                prepared = prepare(spec_of(**definition), path)
                arrays = prepared.X, prepared.y
            except DatasetError:
                arrays = None
        if arrays is None:
            refused += 1
        else:  # the damage hit a number
            assert np.isfinite(arrays[0]).all()
            assert arrays[1] is None or len(arrays[1]) == len(arrays[0])
    assert refused >= trials // 4
