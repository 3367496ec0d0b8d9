"""Files that are larger than they look, damaged, or written to run code."""

import gzip
import io
import pickle
import re
import zipfile
import zlib
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io

from blufs_bench.datasets.download import fetch, fetch_or_explain
from blufs_bench.datasets.errors import DatasetError
from blufs_bench.datasets.preparation import prepare

X = np.random.default_rng(0).standard_normal((60, 50))
Y = np.arange(60) % 3
MEGABYTE = 2**20


def spec_of(**definition):
    return {"name": "demo", "title": "demo", **definition}


def compressed_npz(path, n_bytes):
    np.savez_compressed(path, X=np.zeros((n_bytes // 80, 10)), y=Y)


def hdf5(path, n_bytes):
    """No chunk is ever written: the file has some kilobytes."""
    with h5py.File(path, "w") as archive:
        archive.create_dataset("X", (10, n_bytes // 80), "f8", chunks=(10, 1000), compression=9)


def compressed_mat(path, n_bytes):
    scipy.io.savemat(path, {"X": np.zeros((n_bytes // 80, 10)), "y": Y}, do_compression=True)


def parquet(path, n_bytes):
    pd.DataFrame({str(i): np.zeros(n_bytes // 80) for i in range(10)}).to_parquet(path)


def npy_header(path, n_bytes):
    with path.open("wb") as stream:
        header = {"descr": "<f8", "fortran_order": False, "shape": (n_bytes // 80, 10)}
        np.lib.format.write_array_header_1_0(stream, header)


def npz_header(path, n_bytes):
    """The archive is small, and so is its member; only the array's header is large."""
    content = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (n_bytes // 80, 10)}
    np.lib.format.write_array_header_1_0(content, header)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", content.getvalue())


def nested_parquet(path, n_bytes):
    """One row, whose list repeats a number that is stored once."""
    pd.DataFrame({"a": [np.zeros(n_bytes // 8)], "b": [1.0]}).to_parquet(path)


def wide_sparse_npz(path, n_bytes):
    """Few entries, and as many columns as anybody cares to state."""
    rows = {"data": np.ones(60), "indices": np.arange(60) % 5, "indptr": np.arange(61)}
    np.savez(path, **rows, shape=[60, n_bytes // 8], format=b"csr")


BOMBS = {
    "f.npz": (compressed_npz, 40 * MEGABYTE),
    "header.npz": (npz_header, 10**13),
    "v73.mat": (hdf5, 10**13),
    "v5.mat": (compressed_mat, 40 * MEGABYTE),
    "f.parquet": (parquet, 40 * MEGABYTE),
    "nested.parquet": (nested_parquet, 40 * MEGABYTE),
    "f.npy": (npy_header, 10**13),
}


@pytest.mark.parametrize("name", BOMBS)
def test_size_is_checked_before_memory_is_taken(tmp_path, name, monkeypatch):
    write, n_bytes = BOMBS[name]
    path = tmp_path / name
    write(path, n_bytes)
    assert path.stat().st_size < MEGABYTE / 2
    # Whatever would unpack the file must not be reached.
    for reader in ("numpy.load", "scipy.io.loadmat", "h5py.Dataset.__getitem__"):
        monkeypatch.setattr(reader, None)
    monkeypatch.setattr("pyarrow.parquet.read_table", None)
    with pytest.raises(DatasetError, match=r"MB of memory or more, the limit is 20 MB; .*max_size"):
        prepare(spec_of(max_size_mb=20), path)


def test_sides_of_a_sparse_array_count_as_memory(tmp_path):
    path = tmp_path / "f.npz"
    wide_sparse_npz(path, 10**13)
    with pytest.raises(DatasetError, match="the limit is 2000 MB"):
        prepare(spec_of(), path)


def test_long_text_that_a_parquet_file_repeats_is_kept_once(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    path = tmp_path / "f.parquet"
    pd.DataFrame({"a": ["x" * MEGABYTE] * 60, "b": Y}).to_parquet(path)
    sizes, read = [], pq.read_table

    def measured(*given, **options):
        table = read(*given, **options)
        sizes.append(table.nbytes)
        return table

    monkeypatch.setattr(pq, "read_table", measured)
    with pytest.raises(DatasetError, match=r"'a' .*for instance 'xxx"):
        prepare(spec_of(), path)
    assert max(sizes) < 2 * MEGABYTE


def test_limit_can_be_raised_by_the_definition(tmp_path):
    path = tmp_path / "f.npz"
    np.savez_compressed(path, X=np.tile(X, (60, 1)), y=np.tile(Y, 60))
    with pytest.raises(DatasetError, match="raise the limit by `max_size_mb: 2`"):
        prepare(spec_of(max_size_mb=1), path)
    assert prepare(spec_of(max_size_mb=2), path).X.shape == (3600, 50)


def test_small_numbers_that_would_grow_are_counted_as_float64(tmp_path):
    path = tmp_path / "f.npz"
    np.savez(path, X=np.zeros((1000, 1000), dtype=np.int8), labels=np.arange(1000) % 2)
    with pytest.raises(DatasetError, match="take 8 MB"):
        prepare(spec_of(max_size_mb=4), path)


# ------------------------------------------------------------------------ other files than this one


def by_external_link(archive, other):
    archive["X"] = h5py.ExternalLink(other, "X")


def by_external_storage(archive, other):
    archive.create_dataset("X", (50, 60), "f8", external=[(other, 0, 24000)])


def by_virtual_dataset(archive, other):
    layout = h5py.VirtualLayout((50, 60), "f8")
    layout[:] = h5py.VirtualSource(other, "X", (50, 60))
    archive.create_virtual_dataset("X", layout)


def inside_of_a_sparse_array(archive, other):
    group = archive.create_group("X")
    group.attrs["MATLAB_sparse"] = 60
    for part in ("data", "ir", "jc"):
        group[part] = h5py.ExternalLink(other, "X")


@pytest.mark.parametrize(
    "link", [by_external_link, by_external_storage, by_virtual_dataset, inside_of_a_sparse_array]
)
def test_data_file_cannot_read_another_file(tmp_path, link):
    with h5py.File(tmp_path / "other.h5", "w") as archive:
        archive["X"] = X.T
    with h5py.File(tmp_path / "f.mat", "w") as archive:
        archive["y"] = Y
        link(archive, str(tmp_path / "other.h5"))
    with pytest.raises(DatasetError, match="points to another file"):
        prepare(spec_of(), tmp_path / "f.mat")


# ------------------------------------------------------------------------------------- damage


def test_bit_flip_in_a_compressed_mat_is_noticed_without_a_hash(tmp_path):
    path = tmp_path / "f.mat"
    scipy.io.savemat(path, {"X": X, "y": Y}, do_compression=True)
    whole = path.read_bytes()
    noticed = []
    for place in range(200, len(whole) - 200, 997):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(DatasetError, match="damaged"):
            prepare(spec_of(), path)
        noticed.append(place)
    assert len(noticed) > 15


def test_cut_compressed_mat_is_noticed(tmp_path):
    path = tmp_path / "f.mat"
    scipy.io.savemat(path, {"X": X, "y": Y}, do_compression=True)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(DatasetError, match="a compressed variable is cut off"):
        prepare(spec_of(), path)


def test_bit_flip_in_parquet_with_checksums_is_noticed(tmp_path):
    path = tmp_path / "f.parquet"
    table = pd.DataFrame(X, columns=[f"f{i}" for i in range(50)])
    table.to_parquet(path, write_page_checksum=True, compression=None, use_dictionary=False)
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(X[30, 7].tobytes())] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(DatasetError, match=r"cannot be read as \.parquet .*CRC"):
        prepare(spec_of(), path)


# ----------------------------------------------------------------------------------- no pickles


class Trap:
    """Unpickling it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["f.npz", "f.npy", "f.mat", "f.parquet", "f.csv", "f.RData"])
def test_nothing_is_unpickled(tmp_path, name):
    trap, path = tmp_path / "sprung", tmp_path / name
    objects = np.array([Trap(trap)] * 4, dtype=object)
    if name == "f.npz":
        np.savez(path, X=objects.reshape(2, 2), y=[0, 1])
    elif name == "f.npy":
        np.save(path, objects.reshape(2, 2))
    else:
        path.write_bytes(pickle.dumps(Trap(trap)))
    with pytest.raises(DatasetError):
        prepare(spec_of(), path)
    assert not trap.exists()


def test_process_that_reads_a_mat_hands_over_plain_arrays(tmp_path, monkeypatch):
    path = tmp_path / "f.mat"
    cells = np.array(["u", "v", "w"], dtype=object)[Y]
    sparse = scipy.sparse.random_array((60, 50), density=0.1, rng=np.random.default_rng(1))
    scipy.io.savemat(path, {"X": sparse, "y": cells, "other": {"a": 1}, "empty": []})
    for load in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, load, None)
    prepared = prepare(spec_of(), path)
    np.testing.assert_array_equal(prepared.X.toarray(), sparse.toarray())
    assert prepared.card["class_names"] == ["u", "v", "w"]
    with pytest.raises(DatasetError, match="'other' is not an array of numbers"):
        prepare(spec_of(keys={"X": "other"}), path)


def test_no_module_of_the_datasets_imports_pickle():
    folder = Path(prepare.__code__.co_filename).parent
    texts = {path.name: path.read_text() for path in folder.rglob("*.py")}
    assert len(texts) > 10
    assert [name for name, text in texts.items() if "import pickle" in text] == []


# ----------------------------------------------------------------------- downloads without a hash


def test_web_page_is_not_kept_as_data(tmp_path):
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    mirror.mkdir()
    cache.mkdir()
    (mirror / "f.csv").write_text("<!DOCTYPE html><html>Sign in</html>")
    spec = spec_of(file="f.csv")
    record = fetch_or_explain(spec, mirrors=[str(mirror)], cache_dir=cache)
    assert record["status"] == "unavailable"
    assert "a web page of 35 bytes, not data" in record["reason"]
    assert list(cache.iterdir()) == []
    # One that an earlier version kept is replaced when the file is there.
    (cache / "f.csv").write_text("<html></html>")
    (mirror / "f.csv").write_text("a,b\n1,2\n")
    assert fetch(spec, mirrors=[str(mirror)], cache_dir=cache).read_text() == "a,b\n1,2\n"


STAND_INS = {
    "page": b"<!DOCTYPE html><html>Sign in</html>",
    "page with a byte order mark": b"\xef\xbb\xbf<!doctype html><html></html>",
    "page after a comment": b"\n<!-- made by x -->\n<html lang='en'></html>",
    "xhtml": b"<?xml version='1.0'?>\n<html xmlns='x'></html>",
    "compressed page": gzip.compress(b"<html>404</html>"),
    "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n",
}


@pytest.mark.parametrize("content", STAND_INS.values(), ids=STAND_INS)
def test_what_servers_send_instead_of_data_is_not_kept(tmp_path, content):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "f.csv").write_bytes(content)
    spec, mirror = spec_of(file="f.csv"), str(tmp_path / "mirror")
    record = fetch_or_explain(spec, mirrors=[mirror], cache_dir=tmp_path / "cache")
    assert re.search("a (web page|pointer of Git LFS) of .* bytes, not data", record["reason"])
    assert not (tmp_path / "cache" / "f.csv").exists()
    with pytest.raises(DatasetError, match=r"a (web page|pointer of Git LFS), not data"):
        prepare(spec, tmp_path / "mirror" / "f.csv")


def test_zlib_checks_what_this_relies_on():
    packed = bytearray(zlib.compress(b"numbers" * 1000))
    packed[-1] ^= 1
    with pytest.raises(zlib.error, match="incorrect data check"):
        zlib.decompressobj().decompress(bytes(packed))
