"""Errors of the numerics, raised where a size or a range is exceeded."""

from __future__ import annotations


class MethodLimitError(ValueError):
    """The data are beyond a documented size limit of the method."""
