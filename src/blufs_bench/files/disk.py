"""Errors of the disk, which must stop a job: they say nothing about a dataset or a method."""

from __future__ import annotations

import errno

_DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}


def is_disk_trouble(error: BaseException) -> bool:
    """Whether the disk is full, over its quota, read-only or broken."""
    return isinstance(error, OSError) and error.errno in _DISK_TROUBLE
