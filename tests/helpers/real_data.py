"""The files of the known datasets, for the tests that need them."""

import os
from pathlib import Path

import pytest

from tests.helpers import ROOT

_DOWNLOADED = ROOT / "data" / "raw"


def real_file(name: str) -> Path:
    """A file in the folder that BLUFS_MIRROR names, or downloaded by a run; skips without it."""
    folders = [Path(os.environ.get("BLUFS_MIRROR") or _DOWNLOADED), _DOWNLOADED]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    pytest.skip(f"{name} is neither in the folder BLUFS_MIRROR nor in data/raw")
