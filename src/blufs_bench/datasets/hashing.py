"""Verify a file by its hash."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_GZIP, _BYTE_ORDER_MARK = b"\x1f\x8b", b"\xef\xbb\xbf"
_WEB_PAGE = re.compile(
    rb"(\s|<\?xml[^>]*>|<!--.*?-->)*<(!doctype html|html|head|body)\b", re.DOTALL | re.IGNORECASE
)
_JSON = re.compile(rb'\s*\{\s*("|\})')


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
        If a known hash is another one; without any, if the file is a web page or the like.
    """
    actual = file_hashes(path)
    known = [kind for kind in actual if kind in spec]
    wrong = [
        f"{kind} is {actual[kind]}, expected {spec[kind]}"
        for kind in known
        if actual[kind] != spec[kind]
    ]
    stand_in = stand_in_for_data(path)
    if not wrong and (known or not stand_in):
        return actual
    size = f"{path.stat().st_size} bytes"
    kind = f"{stand_in} of {size}" if stand_in else size
    raise ValueError(f"{'; '.join(wrong)} ({kind})" if wrong else f"{kind}, not data")


def stand_in_for_data(path: Path) -> str:
    """What servers often send instead of the file, in words; "" if it is none of these."""
    with path.open("rb") as stream:
        head = stream.read(1024)
    if not head:
        return "an empty file"
    if _JSON.match(head):
        return "a JSON document"
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, 1024)
        except zlib.error:
            return ""
    if _WEB_PAGE.match(head.removeprefix(_BYTE_ORDER_MARK)):
        return "a web page"
    return "a pointer of Git LFS" if head.startswith(b"version https://git-lfs.") else ""
