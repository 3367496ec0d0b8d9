"""Is a file the one that was meant?"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def file_hashes(path: Path) -> dict[str, str]:
    """SHA-256 of a file, and the SHA-1 that git gives it."""
    sha256 = hashlib.sha256()
    git_blob = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(2**16):
            sha256.update(chunk)
            git_blob.update(chunk)
    return {"sha256": sha256.hexdigest(), "git_blob": git_blob.hexdigest()}


def verified_hashes(path: Path, spec: Mapping[str, Any]) -> dict[str, str]:
    """Hashes of a file that is what ``spec`` says.

    Raises
    ------
    ValueError
        If a known hash is another one; without any, if the file is a web page.
    """
    actual = file_hashes(path)
    known = [kind for kind in actual if kind in spec]
    wrong = [
        f"{kind} is {actual[kind]}, expected {spec[kind]}"
        for kind in known
        if actual[kind] != spec[kind]
    ]
    if not wrong and (known or not is_web_page(path)):
        return actual
    size = f"{path.stat().st_size} bytes"
    kind = f"a web page of {size}" if is_web_page(path) else size
    raise ValueError(f"{'; '.join(wrong)} ({kind})" if wrong else f"{kind}, not data")


def is_web_page(path: Path) -> bool:
    """Whether a file is HTML, which servers like to send in place of what was asked for."""
    with path.open("rb") as stream:
        head = stream.read(512).lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html"))
