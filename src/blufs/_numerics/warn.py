"""Warnings that point at the user's line, not into this library."""

from __future__ import annotations

import sys
import warnings


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn where code outside of this library and scikit-learn called into it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _SKIPPED:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)


_SKIPPED = ("blufs", "sklearn")
