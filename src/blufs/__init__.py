"""Bi-level unsupervised feature selection: solvers, compared methods and a benchmark.

The estimators are imported on first use, so that ``import blufs`` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

from blufs.methods.names import BUILT_IN

__version__ = "0.2.0"

#: Public name -> ``module:attribute`` that defines it; every built-in method is one.
_PUBLIC = {
    **BUILT_IN,
    "BlindSearch": "blufs.tuning:BlindSearch",
    "SampleGraph": "blufs.numerics.graph:SampleGraph",
    "clustering_accuracy": "blufs.evaluation.metrics:clustering_accuracy",
    "normalized_mutual_info": "blufs.evaluation.metrics:normalized_mutual_info",
}

__all__ = ["__version__", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        module, _, attribute = _PUBLIC[name].partition(":")
        return getattr(importlib.import_module(module), attribute)
    raise AttributeError(f"module 'blufs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
