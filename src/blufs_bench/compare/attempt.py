"""What one table, figure or test does must not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from blufs_bench.files.damaged import DamagedFileError

logger = logging.getLogger("blufs_bench.compare")

Made = TypeVar("Made")


def attempt(
    name: str, make: Callable[[], Made], otherwise: Callable[[str], Made]
) -> tuple[Made, list[str]]:
    """What ``make`` returns and no problem; if it fails, ``otherwise(why)`` and the problem.

    Files that are missing or damaged are no fault of what reads them: their errors are raised.
    """
    try:
        return make(), []
    except (DamagedFileError, OSError):
        raise
    except Exception as error:
        logger.exception("%s failed", name)
        why = f"{type(error).__name__}: {error}"
        return otherwise(why), [f"{name}: {why}"]
