"""What a fit of each method holds at its peak, for the memory that its job asks of a cluster.

Read while a run is planned: nothing here imports a method.
"""

from __future__ import annotations

from collections.abc import Mapping

from blufs_bench.plan.memory_law import Held

#: For a method that nobody has measured.
UNKNOWN = Held(data=6, samples=8, features=8)

#: Method -> what it holds, rounded up from what fits were seen to use
#: (benchmarks/speed/job_memory.py).
HELD: Mapping[str, Held] = {
    "AllFeatures": Held(data=1),
    "RandomFeatures": Held(data=1),
    "MaxVariance": Held(data=2),
    "LapScore": Held(data=4),
    "MCFS": Held(data=4, features=2, features_up_to=5000),
    "UDFS": Held(data=5, smaller=8),
    "SOGFS": Held(data=5, smaller=10),
    "RNE": Held(data=4, features=4),
    "SPCAFS": Held(data=5, smaller=8),
    "FSPCA": Held(data=5, smaller=3),
    "BLFSE": Held(data=5, samples=6, features=2),
    "BLSFS": Held(data=5, smaller=4),
    "BLUFS": Held(data=4),
    "FSCA": Held(data=3, smaller=3),
    "PivotedQR": Held(data=3, smaller=3),
    "BSUFS": Held(data=3, smaller=3),
    "NDFS": Held(data=4, smaller=4),
    "VCSDFS": Held(data=3, smaller=3),
    "DSCOFS": Held(data=3, smaller=3),
    "SPCAPSD": Held(data=5, smaller=16),
    "SPDFS": Held(data=5, smaller=4),
    "GeneBasis": Held(data=6, samples=2, smaller=2),
}


def held_by(method: str) -> Held:
    """What a registered method holds, by its name."""
    return HELD.get(method, UNKNOWN)
