"""Bi-level unsupervised feature selection: solvers, compared methods and a benchmark.

The estimators are imported on first use, so that ``import blufs`` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

#: Public name -> module that defines it.
_PUBLIC = {
    "BLFSE": "blufs.methods.blfse",
    "BLSFS": "blufs.methods.blsfs",
    "BLUFS": "blufs.methods.blufs",
    "FSPCA": "blufs.methods.fspca",
    "MCFS": "blufs.methods.mcfs",
    "RNE": "blufs.methods.rne",
    "SOGFS": "blufs.methods.sogfs",
    "SPCAFS": "blufs.methods.spcafs",
    "UDFS": "blufs.methods.udfs",
    "Baseline": "blufs.methods.baseline",
    "LapScore": "blufs.methods.lapscore",
    "SampleGraph": "blufs.graph",
    "clustering_accuracy": "blufs.metrics",
    "normalized_mutual_info": "blufs.metrics",
}

__all__ = ["__version__", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'blufs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
