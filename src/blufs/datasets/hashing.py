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


def hash_mismatch(path: Path, spec: Mapping[str, Any]) -> str | None:
    """What is wrong with the hashes of a file, or None if all known ones are right."""
    actual = file_hashes(path)
    wrong = [
        f"{kind} is {actual[kind]}, expected {spec[kind]}"
        for kind in ("sha256", "git_blob")
        if kind in spec and actual[kind] != spec[kind]
    ]
    if not wrong:
        return None
    with path.open("rb") as stream:
        is_page = stream.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html"))
    size = f"{path.stat().st_size} bytes"
    return f"{'; '.join(wrong)} ({'a web page of ' if is_page else ''}{size})"


def is_web_page(path: Path) -> bool:
    """Whether a file is HTML, which servers like to send in place of what was asked for."""
    with path.open("rb") as stream:
        head = stream.read(512).lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html"))
