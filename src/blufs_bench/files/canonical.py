"""One spelling for equal settings, so that only a real change re-runs a job."""

from __future__ import annotations

import json
from typing import Any


def canonical(value: Any) -> Any:
    """Copy of a configuration value with sorted keys and whole floats as integers.

    ``{"b": 1.0, "a": 2}`` and ``{"a": 2, "b": 1}`` become equal, also as text.
    """
    if isinstance(value, dict):
        return {key: canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def canonical_json(value: Any) -> str:
    """Canonical form as one line of JSON: the name of a setting in every table."""
    return json.dumps(canonical(value), sort_keys=True)
