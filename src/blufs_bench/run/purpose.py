"""Why the workflow is read: it decides what may be imported, checked and changed."""

from __future__ import annotations

import sys
from enum import Enum

#: Options with which Snakemake only looks, beside ``--dry-run``, of which it tells us.
_LOOKS = {"--lint", "-l", "--list-rules", "--list", "--list-target-rules", "--lt", "--summary"}
_LOOKS |= {"-S", "--detailed-summary", "-D", "--dag", "--rulegraph", "--filegraph", "--d3dag"}
_LOOKS |= {"--print-compilation", "--report", "--archive", "--list-changes", "--lc"}


class Purpose(Enum):
    """Why the workflow is read."""

    #: To run it: everything is checked.
    RUN = "run"
    #: A dry run, ``--lint`` and the like: nothing is changed, no code of the user's is run.
    LOOK = "look"
    #: As one job of a cluster, which trusts the run that started it.
    JOB = "job"


def is_asked_to_look() -> bool:
    """Whether the command line of this process asks for a list, a graph or a check, not a run."""
    return bool(_LOOKS & set(sys.argv[1:]))
