"""Layouts of files, by declaration: every one gives the same arrays, a wrong one is explained."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.hashing import file_hashes
from blufs_bench.datasets.preparation import prepare

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((30, 4)), 3)
CODES = np.repeat([2, 0, 1], 10)
NAMES = np.array(["3", "5", "7"])
ONE_HOT = np.eye(3)[CODES]
SORTED = X[np.argsort(CODES, kind="stable")].reshape(3, 10, 4)


def spec_of(path, **definition):
    """A definition with the file's hash, which saves a process for each .mat file."""
    return {"name": "demo", "title": "demo", **definition, **file_hashes(path)}


def save(path, **arrays):
    scipy.io.savemat(path, arrays)


def write_turned(path, first="GENES"):
    """The first row holds the classes, the first column the names of the features."""
    rows = [[first, *NAMES[CODES]], *([f"g{j}", *X[:, j]] for j in range(4))]
    path.write_text("\n".join("\t".join(map(str, row)) for row in rows) + "\n")


def write_sparse_mat73(path, matrix, rows):
    import h5py

    with h5py.File(path, "w", userblock_size=512) as archive:
        group = archive.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(rows)
        for name, part in zip(
            ("data", "ir", "jc"), (matrix.data, matrix.indices, matrix.indptr), strict=True
        ):
            group[name] = part
        archive["y"] = CODES[None]


LAYOUTS = {
    "features_by_samples": (
        "f.mat",
        lambda p: save(p, X=X.T, Y=CODES),
        {"transpose": True},
    ),
    "one_hot": (
        "f.mat",
        lambda p: save(p, X=X.T, Y=sp.csc_array(ONE_HOT)),
        {"transpose": True, "one_hot": True},
    ),
    "one_hot_classes_by_samples": ("f.mat", lambda p: save(p, X=X, Y=ONE_HOT.T), {"one_hot": True}),
    "label_in_a_column": (
        "f.npz",
        lambda p: np.savez(p, X=np.column_stack([CODES, X])),
        {"label": 0},
    ),
    "label_in_a_sparse_column": (
        "f.mat",
        lambda p: save(p, X=sp.csc_array(np.column_stack([X, CODES]))),
        {"label": -1},
    ),
    "first_row_is_the_class": ("f.txt", write_turned, {"transpose": True, "label": 0}),
    "first_row_is_the_class_by_name": (
        "f.tsv",
        lambda p: write_turned(p, "class"),
        {"transpose": True},
    ),
    "sparse_mat": ("f.mat", lambda p: save(p, X=sp.csc_array(X), y=CODES), {}),
    "sparse_npz": ("f.npz", lambda p: sp.save_npz(p, sp.csr_array(X)), {"labelled": False}),
    "sparse_mat73": ("f.mat", lambda p: write_sparse_mat73(p, sp.csc_array(X), 30), {}),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_every_layout_gives_the_same_arrays(tmp_path, case):
    name, write, definition = LAYOUTS[case]
    write(tmp_path / name)
    prepared = prepare(spec_of(tmp_path / name, **definition), tmp_path / name)
    assert prepared.card["sparse"] == ("sparse" in case)
    assert sp.issparse(prepared.X) == ("sparse" in case)
    dense = prepared.X.toarray() if "sparse" in case else prepared.X
    np.testing.assert_array_equal(dense, X)
    if case == "sparse_npz":
        assert prepared.y is None
    else:
        np.testing.assert_array_equal(prepared.y, CODES)
    if "first_row" in case:
        assert prepared.card["feature_names"] == ["g0", "g1", "g2", "g3"]
        assert prepared.card["class_names"] == ["3", "5", "7"]


@pytest.mark.parametrize(("axis", "transpose"), [(0, False), (2, False), (2, True), (1, True)])
def test_class_along_an_axis(tmp_path, axis, transpose):
    cube = SORTED.swapaxes(1, 2) if transpose else SORTED
    path = tmp_path / "f.mat"
    save(path, data=np.moveaxis(cube, 0, axis))
    prepared = prepare(spec_of(path, class_axis=axis, transpose=transpose), path)
    np.testing.assert_array_equal(prepared.X, SORTED.reshape(30, 4))
    np.testing.assert_array_equal(prepared.y, np.repeat([0, 1, 2], 10))
    assert prepared.card["class_names"] == ["1", "2", "3"]


@pytest.mark.parametrize("axes", [[0], [2], [0, 1], [0, 2]])
def test_samples_along_axes(tmp_path, axes):
    """Whichever axes the samples are, an array of three axes becomes samples x features."""
    others = [axis for axis in range(3) if axis not in axes]
    shape = (6, 5) if len(axes) == 2 else (2, 2)
    sides = [*shape, 4] if len(axes) == 2 else [30, *shape]
    cube = np.moveaxis(X.reshape(sides), range(3), [*axes, *others])
    path = tmp_path / "f.npz"
    np.savez(path, X=cube, y=CODES.reshape(shape) if len(axes) == 2 else CODES)
    prepared = prepare(spec_of(path, sample_axes=axes), path)
    np.testing.assert_array_equal(prepared.X, X)
    np.testing.assert_array_equal(prepared.y, CODES)
    np.savez(path, X=X, y=CODES)
    with pytest.raises(DatasetError, match="`sample_axes` is for arrays of three axes"):
        prepare(spec_of(path, sample_axes=axes), path)


def test_samples_without_a_class_are_left_out(tmp_path):
    path = tmp_path / "f.npz"
    np.savez(path, X=X, y=CODES)
    prepared = prepare(spec_of(path, no_class=2), path)
    np.testing.assert_array_equal(prepared.X, X[10:])
    assert prepared.card["class_names"] == ["0", "1"]


def write_archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("package/__init__.py", "raise SystemExit('this was run')")
        for name, arrays in members.items():
            stream = io.BytesIO()
            if name.endswith(".npy"):
                np.save(stream, arrays["X"], allow_pickle=True)
            else:
                scipy.io.savemat(stream, arrays)
            archive.writestr(name, stream.getvalue())


ONE, TWO = {"X": "in/x.mat"}, {"X": "in/x.mat", "y": "in/y.mat"}


def test_members_of_an_archive_are_read_like_files(tmp_path):
    path = tmp_path / "a.whl"
    write_archive(path, {"in/x.mat": {"A": X.T, "y": CODES}, "in/y.mat": {"t": CODES[::-1]}})
    definition = {"keys": {"X": "A"}, "transpose": True}
    one = prepare(spec_of(path, member=ONE, **definition), path)
    np.testing.assert_array_equal(one.X, X)
    np.testing.assert_array_equal(one.y, CODES)
    two = prepare(spec_of(path, member=TWO, **definition), path)
    np.testing.assert_array_equal(two.y, CODES[::-1])


ARCHIVES = {
    "no such member": ({}, TWO, {}, "no member 'in/x.mat' and 'in/y.mat'.*'package/__init__.py'"),
    "too large": (
        {"in/x.mat": {"X": np.zeros((400, 400))}},
        ONE,
        {"max_size_mb": 1},
        "the limit is 1 MB",
    ),
    "classes without a name": (
        {"in/x.mat": {"X": X}, "in/y.mat": {"a": CODES, "b": CODES}},
        TWO,
        {},
        "holds 'a', 'b'; say which by `keys: {y: ...}`",
    ),
    "pickled": (
        {"x.npy": {"X": np.array([{"a": 1}] * 4, dtype=object)}},
        {"X": "x.npy"},
        {},
        "cannot be read",
    ),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_archives_that_are_wrong_are_refused_in_words(tmp_path, case):
    members, member, definition, words = ARCHIVES[case]
    path = tmp_path / "a.zip"
    write_archive(path, members)
    with pytest.raises(DatasetError, match=words):
        prepare(spec_of(path, member=member, **definition), path)


def test_cut_archive_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    write_archive(path, {"in/x.mat": {"X": X, "y": CODES}})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DatasetError, match=r"cannot be read as \.zip"):
        prepare(spec_of(path, member=ONE), path)


SIZES = {"n_samples": 30, "n_features": 4, "n_classes": 3}
WRONG = {
    "turned": (lambda p: save(p, X=X, y=CODES), {"transpose": True}, r"labels of shape \(1, 30\)"),
    "turned_without_labels": (
        lambda p: save(p, X=X),
        {"transpose": True, "expect": {"n_samples": 30, "n_features": 4}},
        "4 samples instead of 30, 30 features instead of 4.*correct `transpose`",
    ),
    "one_hot_of_classes": (lambda p: save(p, X=X, y=CODES), {"one_hot": True}, "are not one-hot"),
    "one_hot_not_said": (lambda p: save(p, X=X, y=ONE_HOT), {}, "say `one_hot: true`"),
    "one_hot_with_two_ones": (
        lambda p: save(p, X=X, y=np.maximum(ONE_HOT, np.eye(3)[0])),
        {"one_hot": True},
        "a single 1 in each row",
    ),
    "wrong_class_axis": (
        lambda p: save(p, X=SORTED),
        {"class_axis": 1, "expect": SIZES},
        "12 samples instead of 30|10 classes instead of 3",
    ),
    "class_axis_of_a_matrix": (lambda p: save(p, X=X), {"class_axis": 1}, "arrays of three axes"),
    "class_axis_not_said": (lambda p: save(p, X=SORTED), {}, "or by `class_axis` along"),
    "wrong_label_column": (
        lambda p: save(p, X=np.column_stack([X, CODES])),
        {"label": 0},
        "different labels among 30 samples",
    ),
    "wrong_density": (
        lambda p: save(p, X=X * (np.arange(4) < 2), y=CODES),
        {"expect": {"density": 0.3}},
        "a density of 0.5 instead of 0.3",
    ),
    "wrong_class_sizes": (
        lambda p: save(p, X=X, y=CODES),
        {"expect": {"class_sizes": [9, 11]}},
        "classes of 10 to 10 samples instead of 9 to 11",
    ),
    "sparse_nan": (
        lambda p: save(p, X=sp.csc_array(np.where(X[4, 2] == X, np.nan, X)), y=CODES),
        {},
        "1 values are missing .* sample 4, feature 2",
    ),
    "sparse_noise": (
        lambda p: save(p, X=sp.csc_array(X), y=CODES),
        {"noise": {"features": 2, "scale": 1.0, "seed": 0}},
        "`noise` is for dense data",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_declarations_are_refused_in_words(tmp_path, case):
    write, definition, words = WRONG[case]
    path = tmp_path / "f.mat"
    write(path)
    with pytest.raises(DatasetError, match=words):
        prepare(spec_of(path, **definition), path)


def test_sparse_indices_beyond_the_shape_are_refused(tmp_path):
    path = tmp_path / "f.npz"
    matrix = sp.csr_array(X)
    matrix.indices[7] = 400
    np.savez(
        path,
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        shape=[30, 4],
        format=b"csr",
    )
    with pytest.raises(DatasetError, match=r"cannot be read as \.npz"):
        prepare(spec_of(path), path)


def test_sparse_arrays_have_one_form(tmp_path):
    """Unsorted, doubled and zero entries make no difference, nor do the format and its indices."""
    rows, columns = np.nonzero(np.ones((30, 4)))
    order = rng.permutation(120)
    halves = np.concatenate([order, order])
    doubled = sp.coo_array(
        (X.ravel()[halves] / 2, (rows[halves].astype(np.int64), columns[halves])), shape=(30, 4)
    )
    cards = []
    for name, matrix in [("one", sp.csr_array(X)), ("two", doubled.tocsc())]:
        path = tmp_path / f"{name}.mat"
        save(path, X=matrix, y=CODES)
        prepared = prepare(spec_of(path), path)
        assert prepared.X.has_canonical_format
        cards.append(prepared.card)
    assert cards[0]["sha256"] == cards[1]["sha256"]
    assert cards[0]["density"] == 1


def test_lists_of_r_are_read_by_name(tmp_path):
    rdata = pytest.importorskip("rdata")
    path = tmp_path / "f.RData"
    labels = pd.DataFrame({"V1": CODES.astype(np.int32)})
    rdata.write_rda(path, {"study": {"in_X": np.asfortranarray(X.T), "labs": labels, "n": "text"}})
    keys = {"X": "study.in_X", "y": "study.labs"}
    prepared = prepare(spec_of(path, keys=keys, transpose=True), path)
    np.testing.assert_array_equal(prepared.X, X)
    np.testing.assert_array_equal(prepared.y, CODES)
    with pytest.raises(DatasetError, match=r"no array is called 'X'.*holds 'study.in_X', 'study.l"):
        prepare(spec_of(path, keys={"X": "X"}), path)
    with pytest.raises(DatasetError, match="the limit is 0 MB"):
        prepare(spec_of(path, max_size_mb=0), path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DatasetError, match=r"cannot be read as \.rdata"):
        prepare(spec_of(path), path)
