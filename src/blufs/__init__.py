"""Bi-level unsupervised feature selection: solvers, compared methods and a benchmark.

The estimators are imported on first use, so that ``import blufs`` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

#: Public name -> module that defines it.
_PUBLIC = {
    "BLFSE": "blufs.methods.blfse.estimator",
    "BLSFS": "blufs.methods.blsfs.estimator",
    "BLUFS": "blufs.methods.blufs",
    "FSPCA": "blufs.methods.fspca",
    "MCFS": "blufs.methods.mcfs",
    "RNE": "blufs.methods.rne",
    "SOGFS": "blufs.methods.sogfs",
    "SPCAFS": "blufs.methods.spcafs",
    "UDFS": "blufs.methods.udfs",
    "AllFeatures": "blufs.methods.all_features",
    "LapScore": "blufs.methods.lapscore",
    "SampleGraph": "blufs.numerics.graph",
    "clustering_accuracy": "blufs.evaluation.metrics",
    "normalized_mutual_info": "blufs.evaluation.metrics",
}

__all__ = ["__version__", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'blufs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
