"""Names of the methods and where their classes are: read while a run is planned.

Nothing here imports scikit-learn or a method: every job of a cluster plans for itself.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

#: Built-in methods in the order of the paper's tables.
BUILT_IN = {
    "AllFeatures": "blufs.methods.all_features:AllFeatures",
    "LapScore": "blufs.methods.lapscore:LapScore",
    "MCFS": "blufs.methods.mcfs:MCFS",
    "UDFS": "blufs.methods.udfs:UDFS",
    "SOGFS": "blufs.methods.sogfs:SOGFS",
    "RNE": "blufs.methods.rne:RNE",
    "SPCAFS": "blufs.methods.spcafs:SPCAFS",
    "FSPCA": "blufs.methods.fspca:FSPCA",
    "BLFSE": "blufs.methods.blfse.estimator:BLFSE",
    "BLSFS": "blufs.methods.blsfs.estimator:BLSFS",
    "BLUFS": "blufs.methods.blufs:BLUFS",
}

#: Names under which the paper refers to a method -> its own name.
ALIASES = {"BLSFE": "BLFSE", "BLSEF": "BLFSE", "LS": "LapScore", "Baseline": "AllFeatures"}


@cache
def known_methods() -> dict[str, str]:
    """Name -> ``module:Class`` of the built-in methods and of those installed by other packages."""
    installed = {point.name: point.value for point in entry_points(group="blufs.methods")}
    return {**BUILT_IN, **installed}
