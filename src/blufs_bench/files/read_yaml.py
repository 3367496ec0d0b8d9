"""Read YAML by the C library that PyYAML brings, where it does: every job of a run reads some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> Any:
    """The content of a file: plain values, lists and dictionaries."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
