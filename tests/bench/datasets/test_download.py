"""Downloads from a loopback server that misbehaves in every way, and mirrors."""

import hashlib
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest

from blufs_bench.datasets import download
from blufs_bench.datasets.download import fetch, fetch_or_explain, local_copies_digest, mirror_list
from blufs_bench.datasets.errors import DatasetUnavailableError
from blufs_bench.datasets.hashing import file_hashes
from blufs_bench.files.atomic import write_json

RIGHT = np.random.default_rng(0).bytes(20_000)
SHA256 = hashlib.sha256(RIGHT).hexdigest()
GIT_BLOB = hashlib.sha1(b"blob 20000\0" + RIGHT).hexdigest()
FLIPPED = RIGHT[:777] + bytes([RIGHT[777] ^ 1]) + RIGHT[778:]
PAGE = b"<!DOCTYPE html><html><body>Sign in</body></html>"


class Handler(BaseHTTPRequestHandler):
    """Answers by the name of the file that is asked for."""

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1].split(".")[0]
        self.server.requests[name] = self.server.requests.get(name, 0) + 1
        getattr(self, name)()

    def answer(self, body, status=200, length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def right(self):
        self.answer(RIGHT)

    def truncated(self):
        self.answer(RIGHT[:9000])

    def flipped(self):
        self.answer(FLIPPED)

    def page(self):
        self.answer(PAGE)

    def missing(self):
        self.answer(b"not here", 404)

    def recovering(self):
        failing = self.server.requests["recovering"] <= 2
        self.answer(b"busy" if failing else RIGHT, 500 if failing else 200)

    def broken(self):
        self.answer(b"broken", 500)

    def redirected(self):
        self.send_response(302)
        self.send_header("Location", "/right.bin")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def dripping(self):
        self.answer(b"", length=len(RIGHT))
        for start in range(0, len(RIGHT), 1000):
            self.wfile.write(RIGHT[start : start + 1000])
            self.wfile.flush()
            time.sleep(0.01)

    def closed(self):
        self.answer(RIGHT[:5000], length=len(RIGHT))

    def stalled(self):
        self.answer(RIGHT[:5000], length=len(RIGHT))
        self.server.released.wait(5)

    def unsized(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(RIGHT)

    def endless(self):
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while not self.server.released.is_set():
                self.wfile.write(RIGHT)

    def empty(self):
        self.answer(b"")

    def nothing(self):
        self.send_response(204)
        self.end_headers()

    def part(self):
        self.answer(RIGHT[:5000], 206)

    def packed(self):
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(RIGHT)))
        self.end_headers()
        self.wfile.write(RIGHT)

    def circular(self):
        self.send_response(302)
        self.send_header("Location", "/circular.bin")
        self.end_headers()

    def local(self):
        self.send_response(302)
        self.send_header("Location", "file:///etc/hostname")
        self.end_headers()

    def mislabelled(self):
        self.send_response(200)
        self.send_header("Content-Length", "abc")
        self.end_headers()
        self.wfile.write(RIGHT)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.requests = {}
    server.released = threading.Event()
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def pauses(monkeypatch):
    """Seconds that a download waited before its retries, without the waiting."""
    pooch_core = pytest.importorskip("pooch.core")
    waited = []
    monkeypatch.setattr(pooch_core, "time", SimpleNamespace(sleep=waited.append))
    return waited


def spec_of(server, name, **hashes):
    hashes = hashes or {"sha256": SHA256, "git_blob": GIT_BLOB}
    url = f"{server.address}/{name}.bin"
    return {"name": "demo", "title": "demo", "url": url, "file": f"{name}.bin", **hashes}


def failure(spec, folder, mirrors=()):
    with pytest.raises(DatasetUnavailableError) as caught:
        fetch(spec, mirrors=list(mirrors), cache_dir=folder)
    assert not (folder / spec["file"]).exists()
    assert not folder.exists() or list(folder.iterdir()) == []
    return str(caught.value)


@pytest.mark.parametrize(
    "name", ["right", "recovering", "redirected", "dripping", "unsized", "mislabelled"]
)
def test_right_files_get_their_name(server, pauses, tmp_path, name):
    path = fetch(spec_of(server, name), mirrors=[], cache_dir=tmp_path)
    assert path == tmp_path / f"{name}.bin"
    assert path.read_bytes() == RIGHT
    assert [item.name for item in tmp_path.iterdir()] == [f"{name}.bin"]
    assert pauses == ([1, 2] if name == "recovering" else [])


@pytest.mark.parametrize(
    ("name", "words", "attempts"),
    [
        ("truncated", hashlib.sha256(RIGHT[:9000]).hexdigest(), 3),
        ("flipped", hashlib.sha256(FLIPPED).hexdigest(), 3),
        ("page", "a web page of 48 bytes", 3),
        ("missing", "the server answered 404 Not Found", 1),
        ("broken", "the server answered 500 Internal Server Error", 3),
        ("closed", "5000", 3),
    ],
)
def test_wrong_files_never_get_their_name(server, pauses, tmp_path, name, words, attempts):
    spec = spec_of(server, name)
    message = failure(spec, tmp_path)
    assert words in message
    assert f"fetch it from {spec['url']} by hand" in message.splitlines()[0]
    assert SHA256 in message
    assert GIT_BLOB in message
    assert "remedy: put the file at" in message
    assert "BLUFS_MIRROR" in message
    assert server.requests[name] == attempts


def test_web_page_is_no_data_even_without_a_hash(server, pauses, tmp_path):
    spec = {key: value for key, value in spec_of(server, "page").items() if len(value) < 40}
    assert "sha256" not in spec
    assert "a web page of 48 bytes, not data" in failure(spec, tmp_path)


def test_file_is_hashed_once(server, pauses, tmp_path, monkeypatch):
    counted = []
    hashes = download.verified_hashes
    monkeypatch.setattr(
        download, "verified_hashes", lambda *given: counted.append(given) or hashes(*given)
    )
    for _ in range(2):
        fetch_or_explain(spec_of(server, "right"), mirrors=[], cache_dir=tmp_path)
    assert len(counted) == 2


def test_either_hash_is_enough(server, pauses, tmp_path):
    for known in ({"sha256": SHA256}, {"git_blob": GIT_BLOB}):
        fetch(spec_of(server, "right", **known), mirrors=[], cache_dir=tmp_path / str(known)[2:5])
        failure(spec_of(server, "flipped", **known), tmp_path / "none")
    # One right hash does not excuse a wrong one.
    failure(spec_of(server, "right", sha256=SHA256, git_blob="0" * 40), tmp_path / "none")


def test_transfer_that_stalls_or_crawls_is_given_up(server, pauses, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "RETRIES", 0)
    monkeypatch.setattr(download, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(download, "MIN_BYTES_PER_SECOND", 10**9)
    assert "too slow" in failure(spec_of(server, "dripping"), tmp_path)
    monkeypatch.setattr(download, "TIMEOUTS", (1, 0.2))
    assert "Read timed out" in failure(spec_of(server, "stalled"), tmp_path)


def test_transfer_that_never_ends_stops_at_the_limit_of_the_definition(server, pauses, tmp_path):
    spec = {**spec_of(server, "endless"), "max_size_mb": 1}
    assert "more than 1 MB; if that is right, raise `max_size_mb`" in failure(spec, tmp_path)
    assert server.requests["endless"] == 1


@pytest.mark.parametrize(
    ("name", "words"), [("circular", "Exceeded 30 redirects"), ("local", "file:///etc/hostname")]
)
def test_redirect_that_leads_nowhere_is_explained(server, pauses, tmp_path, name, words):
    assert words in failure(spec_of(server, name), tmp_path)


def test_nobody_listening_is_one_line(pauses, tmp_path):
    gone = SimpleNamespace(address="http://127.0.0.1:9")
    assert "no connection to 127.0.0.1:9" in failure(spec_of(gone, "right"), tmp_path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "an empty file"),
        ("nothing", "answered 204"),
        ("part", "answered 206"),
        ("packed", "packed (gzip)"),
    ],
)
def test_an_answer_that_is_not_the_file_is_not_kept(server, pauses, tmp_path, name, words):
    spec = {key: value for key, value in spec_of(server, name).items() if key != "sha256"}
    assert words in failure({k: v for k, v in spec.items() if k != "git_blob"}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_file_that_is_there_is_verified_and_not_fetched_again(server, pauses, tmp_path):
    spec = spec_of(server, "right")
    fetch(spec, mirrors=[], cache_dir=tmp_path)
    fetch(spec, mirrors=[], cache_dir=tmp_path)
    assert server.requests["right"] == 1
    (tmp_path / "right.bin").write_bytes(FLIPPED)
    assert fetch(spec, mirrors=[], cache_dir=tmp_path).read_bytes() == RIGHT
    assert server.requests["right"] == 2


def test_mirrors_come_first_and_the_address_last(server, pauses, tmp_path):
    folder = tmp_path / "mirror"
    folder.mkdir()
    spec = spec_of(server, "right")
    good, cache = [str(folder)], tmp_path / "cache"
    (folder / "right.bin").write_bytes(RIGHT)
    assert fetch(spec, mirrors=good, cache_dir=cache / "a").read_bytes() == RIGHT
    assert "right" not in server.requests
    # A mirror with a damaged copy, and one without any, are passed over.
    (folder / "right.bin").write_bytes(FLIPPED)
    bad = [str(tmp_path / "nowhere"), str(folder)]
    assert fetch(spec, mirrors=bad, cache_dir=cache / "b").read_bytes() == RIGHT
    assert server.requests["right"] == 1
    # An address is as good as a folder.
    unreachable = {**spec, "url": "http://127.0.0.1:9/right.bin"}
    found = fetch(unreachable, mirrors=[server.address + "/"], cache_dir=cache / "c")
    assert found.read_bytes() == RIGHT


def test_file_without_address_comes_from_mirrors_only(tmp_path):
    spec = {"name": "made", "file": "made.mat", "sha256": SHA256}
    message = failure(spec, tmp_path / "cache", [str(tmp_path)])
    assert f"tried {tmp_path / 'made.mat'}: there is no such file" in message
    (tmp_path / "made.mat").write_bytes(RIGHT)
    assert fetch(spec, mirrors=[str(tmp_path)], cache_dir=tmp_path / "cache").is_file()


def test_mirrors_of_environment_and_configuration(monkeypatch):
    monkeypatch.setenv("BLUFS_MIRROR", "../data, https://example.org/data")
    assert mirror_list(["b", "../data"]) == ["../data", "https://example.org/data", "b"]
    monkeypatch.delenv("BLUFS_MIRROR")
    assert mirror_list(["b"]) == ["b"]


def test_own_file_is_used_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = {"name": "mine", "path": "my.bin"}
    assert "there is no file my.bin" in failure({**spec, "file": "my.bin"}, tmp_path / "cache")
    (tmp_path / "my.bin").write_bytes(RIGHT)
    assert str(fetch(spec, mirrors=[], cache_dir=tmp_path / "cache")) == "my.bin"
    with pytest.raises(DatasetUnavailableError, match=f"expected {'0' * 64}"):
        fetch({**spec, "sha256": "0" * 64}, mirrors=[], cache_dir=tmp_path / "cache")


def test_generated_data_need_no_file(tmp_path):
    assert fetch({"name": "w", "builtin": "wine"}, mirrors=[], cache_dir=tmp_path) is None


def test_git_blob_is_what_git_says(tmp_path):
    (tmp_path / "file").write_bytes(RIGHT)
    said = subprocess.run(
        ["git", "hash-object", tmp_path / "file"], capture_output=True, text=True, check=True
    )
    assert file_hashes(tmp_path / "file")["git_blob"] == said.stdout.strip()


def test_two_processes_at_once_do_no_harm(server, tmp_path):
    code = (
        "import sys; from pathlib import Path; from blufs_bench.datasets.download import fetch\n"
        f"spec = {spec_of(server, 'dripping')!r}\n"
        "print(fetch(spec, mirrors=[], cache_dir=Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=600)[0].strip() for process in both] == [
        str(tmp_path / "dripping.bin")
    ] * 2
    assert (tmp_path / "dripping.bin").read_bytes() == RIGHT
    assert len(list(tmp_path.iterdir())) == 1


def test_record_says_where_the_file_is_or_why_not(server, pauses, tmp_path):
    record = fetch_or_explain(spec_of(server, "right"), mirrors=[], cache_dir=tmp_path)
    assert record["status"] == "ok"
    assert record["file"] == (tmp_path / "right.bin").as_posix()
    assert (record["sha256"], record["git_blob"]) == (SHA256, GIT_BLOB)
    record = fetch_or_explain(spec_of(server, "missing"), mirrors=[], cache_dir=tmp_path)
    assert (record["status"], record["file"]) == ("unavailable", None)
    assert "404" in record["reason"]


def test_missing_file_that_appears_is_noticed_and_a_present_one_is_left_alone(tmp_path):
    spec = {"name": "demo", "file": "demo.mat", "url": "https://example.org/demo.mat"}
    source, mirror = tmp_path / "source.json", tmp_path / "mirror"
    mirror.mkdir()

    def facts(mirrors):
        return local_copies_digest(
            spec, mirrors=mirrors, cache_dir=tmp_path / "raw", source_path=source
        )

    assert facts([str(mirror)]) == ""
    write_json(source, {"status": "unavailable", "local_copies": ""})
    (mirror / "demo.mat").write_bytes(b"data")
    appeared = facts([str(mirror)])
    assert len(appeared) == 16
    (mirror / "demo.mat").write_bytes(b"other data")
    assert facts([str(mirror)]) not in ("", appeared)
    write_json(source, {"status": "ok", "local_copies": appeared})
    assert facts([]) == appeared
    source.write_text("{")
    assert facts([]) == ""


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """The wheel of a package that stops whoever runs it, in a folder that pip looks into."""
    path = tmp_path / "index" / "demo_data-1.0-py3-none-any.whl"
    path.parent.mkdir()
    about = "demo_data-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("demo_data/__init__.py", "raise SystemExit('this was run')")
        archive.writestr("demo_data/x.npy", RIGHT)
        archive.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: demo-data\nVersion: 1.0\n"
        )
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        archive.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(path.parent))
    return path


def test_wheel_of_a_package_comes_by_pip(wheel, tmp_path):
    pytest.importorskip("pip")
    known = file_hashes(wheel)["sha256"]
    spec = {"name": "demo", "package": "demo-data==1.0", "file": wheel.name, "sha256": known}
    path = fetch(spec, mirrors=[], cache_dir=tmp_path / "cache")
    assert path.read_bytes() == wheel.read_bytes()
    assert [item.name for item in path.parent.iterdir()] == [wheel.name]
    wrong = failure({**spec, "sha256": SHA256}, tmp_path / "other")
    assert f"sha256 is {known}, expected {SHA256}" in wrong
    message = failure({**spec, "package": "demo-data==2.0"}, tmp_path / "other")
    assert "No matching distribution found for demo-data==2.0" in message
    assert "get it by `pip download --no-deps --only-binary=:all: demo-data==2.0`" in message
