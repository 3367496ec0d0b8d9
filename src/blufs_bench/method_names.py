"""Names of the methods and where their classes are: read while a run is planned.

Nothing here imports scikit-learn or a method: every job of a cluster plans for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

#: Name of a method -> ``module:Class``: the baselines, then the methods of the paper's tables in
#: their order, then the further ones.
BUILT_IN = {
    "AllFeatures": "blufs.methods.all_features:AllFeatures",
    "RandomFeatures": "blufs.methods.random_features:RandomFeatures",
    "MaxVariance": "blufs.methods.max_variance:MaxVariance",
    "LapScore": "blufs.methods.lapscore:LapScore",
    "MCFS": "blufs.methods.mcfs.estimator:MCFS",
    "UDFS": "blufs.methods.udfs:UDFS",
    "SOGFS": "blufs.methods.sogfs:SOGFS",
    "RNE": "blufs.methods.rne:RNE",
    "SPCAFS": "blufs.methods.spcafs:SPCAFS",
    "FSPCA": "blufs.methods.fspca:FSPCA",
    "BLFSE": "blufs.methods.blfse.estimator:BLFSE",
    "BLSFS": "blufs.methods.blsfs.estimator:BLSFS",
    "BLUFS": "blufs.methods.blufs:BLUFS",
    "FSCA": "blufs.methods.fsca:FSCA",
    "PivotedQR": "blufs.methods.pivoted_qr:PivotedQR",
    "BSUFS": "blufs.methods.bsufs:BSUFS",
    "NDFS": "blufs.methods.ndfs:NDFS",
    "VCSDFS": "blufs.methods.vcsdfs:VCSDFS",
    "DSCOFS": "blufs.methods.dscofs:DSCOFS",
    "SPCAPSD": "blufs.methods.spcapsd:SPCAPSD",
    "SPDFS": "blufs.methods.spdfs:SPDFS",
    "GeneBasis": "blufs.methods.genebasis:GeneBasis",
}

#: Positive controls: shown beside the methods, never compared with them. Their fits alone see the
#: labels of the samples.
CONTROLS = {"Supervised": "blufs_bench.supervised:Supervised"}

#: What variants of a method are made of, where that is not its own class.
VARIANT_CLASSES = {"BLUFS": "blufs.methods.blufs:BLUFSVariant"}

#: Other names under which a method is known -> its own name.
ALIASES = {
    "Baseline": "AllFeatures",
    "BLSFE": "BLFSE",
    "BLSEF": "BLFSE",
    "LS": "LapScore",
    "SPCA-PSD": "SPCAPSD",
}


@cache
def known_methods() -> dict[str, str]:
    """Name -> ``module:Class`` of the built-in methods and of those installed by other packages.

    An installed method cannot take the place of a control, and so never sees labels.
    """
    installed = {point.name: point.value for point in entry_points(group="blufs.methods")}
    return {**BUILT_IN, **installed, **CONTROLS}


def code_of(name: str, definitions: Mapping[str, Mapping[str, Any]]) -> tuple[str, str, bool]:
    """Registered name and ``module:Class`` of a method, a variant or a user's own class, and
    whether the configuration itself names the class; the name must be known."""
    definition = definitions.get(name, {})
    base = definition.get("variant_of", name)
    own = definition.get("class") or definitions.get(base, {}).get("class")
    built_in = {**known_methods(), **(VARIANT_CLASSES if "variant_of" in definition else {})}
    return base, own or built_in[base], own is not None
