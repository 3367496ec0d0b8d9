"""What goes wrong with files, and errors in words."""

from __future__ import annotations

import errno
import os
import shlex
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: What readers raise for content that they do not understand.
_UNREADABLE = (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)
#: Errors that must stop a job, because they say nothing about a dataset or a method.
_DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}


def is_disk_trouble(error: BaseException) -> bool:
    """Whether the disk is full, over its quota, read-only or broken."""
    return isinstance(error, OSError) and error.errno in _DISK_TROUBLE


class DamagedFileError(ValueError):
    """A file that a job wrote is cut off or changed; the message says how to make it again."""

    def __init__(self, path: str | os.PathLike, problem: str):
        name = shlex.quote(os.fspath(path))
        # Only to remove it would not do: Snakemake misses no file whose results are still there.
        super().__init__(
            f"{os.fspath(path)} is damaged ({problem}). To make it again, remove it by `rm {name}` "
            f"and add `--forcerun {name}` to the same snakemake command"
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
        raise DamagedFileError(path, in_words(error, 200)) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DamagedFileError(path, in_words(error, 200)) from error  # pyarrow on a damaged page


def read_whole(path: str | os.PathLike, ending: bytes = b"\n") -> bytes:
    """The bytes of a file that ends like this when all of it is there."""
    content = Path(path).read_bytes()
    if not content.endswith(ending):
        raise DamagedFileError(path, "its end is missing")
    return content


def one_line(error: BaseException, longest: int = 300) -> str:
    """The message of an error as one line that any file can hold."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # the class of the error may be a user's
        return ""
    if len(text) > longest:
        text = f"{text[:longest]}... ({len(text)} characters)"
    return text.encode("utf-8", "backslashreplace").decode()


def in_words(error: BaseException, longest: int = 300) -> str:
    """The type of an error and its message."""
    text = one_line(error, longest)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
