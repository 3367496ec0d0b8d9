"""Files that jobs wrote and that are no longer as they were written."""

from __future__ import annotations

import os
import shlex
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: What readers raise for content that they do not understand.
_UNREADABLE = (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


class DamagedFileError(ValueError):
    """A file that a job wrote is cut off or changed; the message says how to make it again."""

    def __init__(self, path: str | os.PathLike, problem: str):
        super().__init__(
            f"{os.fspath(path)} is damaged ({problem}). To make it again, remove it by "
            f"`rm {shlex.quote(os.fspath(path))}` and run the same snakemake command again"
        )


@contextmanager
def reading(path: str | os.PathLike) -> Iterator[None]:
    """Raise a `DamagedFileError` for whatever a reader of ``path`` says about its content.

    A file that is missing or must not be read is not damaged: the system's own error stays.
    """
    try:
        yield
    except DamagedFileError:
        raise
    except _UNREADABLE as error:
        raise DamagedFileError(path, _in_words(error)) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DamagedFileError(path, _in_words(error)) from error  # pyarrow on a damaged page


def read_whole(path: str | os.PathLike, ending: bytes = b"\n") -> bytes:
    """The bytes of a file that ends like this when all of it is there."""
    content = Path(path).read_bytes()
    if not content.endswith(ending):
        raise DamagedFileError(path, "its end is missing")
    return content


def _in_words(error: Exception) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
