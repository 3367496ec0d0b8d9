"""The hinge between stages and analysis: the words, columns and files of the results."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blufs_bench.results.suite import Suite, SuiteResults, load
    from blufs_bench.results.vocabulary import CHOICES, METRICS, STATUSES

#: Where each name is from. Jobs that write records import nothing of what reads a suite.
_MODULES = {
    "CHOICES": "vocabulary",
    "METRICS": "vocabulary",
    "STATUSES": "vocabulary",
    "Suite": "suite",
    "SuiteResults": "suite",
    "load": "suite",
}

__all__ = ["CHOICES", "METRICS", "STATUSES", "Suite", "SuiteResults", "load"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
