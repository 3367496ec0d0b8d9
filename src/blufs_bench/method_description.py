"""What a method is, which paper it comes from, and how its code was checked.

Apart from the registry, which every fit imports: a change here repeats no fit. Summary and papers
are read from the docstring of a class; :data:`VERIFIED` is the one place that says what a method
was compared with.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blufs_bench.method_names import BUILT_IN, CONTROLS

EQUAL, OWN, RECONSTRUCTED, DEFINED = (
    "equal to reference code",
    "own transcription",
    "reconstructed",
    "by definition",
)


@dataclass(frozen=True)
class Verified:
    """How the code of a method was checked.

    Attributes
    ----------
    kind : :data:`EQUAL`, :data:`OWN` (of the formulas; no public code), :data:`RECONSTRUCTED` (not
        even all formulas are published) or :data:`DEFINED` (there is nothing to get wrong)
    extent : how far it was found equal, or what it stands on
    outputs : files of ``tests/reference`` (without the ending) that hold what reference code gave
    test : ``file::function`` that compares with them
    """

    kind: str
    extent: str
    outputs: Sequence[str] = ()
    test: str = ""


def _equal(extent: str, file: str, function: str, *outputs: str) -> Verified:
    return Verified(EQUAL, extent, outputs, f"tests/blufs/methods/test_{file}.py::{function}")


#: Method -> how its code was checked. Reference code ran with settings of its own; the defaults
#: here may be others.
VERIFIED: Mapping[str, Verified] = {
    "AllFeatures": Verified(DEFINED, "It keeps everything."),
    "RandomFeatures": Verified(DEFINED, "A permutation of the features."),
    "MaxVariance": Verified(DEFINED, "The variances of the features."),
    "LapScore": _equal(
        "The first 100 features in order and all scores to 1e-8, on COIL20 with 5 and with 10 "
        "neighbours.",
        "lapscore",
        "test_reference_order",
        "LapScore-k10_COIL20",
        "LapScore_COIL20",
    ),
    "MCFS": _equal(
        "The first 100 features in order, on warpAR10P. Where the neighbour graph falls into parts "
        "the embedding is not unique, so that only quality can be compared.",
        "mcfs",
        "test_reference_order_on_a_connected_graph",
        "MCFS-k10-c_warpAR10P",
    ),
    "UDFS": _equal(
        "The first 100 features in order and the objective to 1e-3, on COIL20 with two settings.",
        "udfs",
        "test_reference_order",
        "UDFS-k5-c_COIL20",
        "UDFS_COIL20",
    ),
    "SOGFS": _equal(
        "The number of iterations, the first 100 features in order and all scores to 1e-8, on "
        "COIL20.",
        "sogfs",
        "test_reference_order",
        "SOGFS-g0.001-k10-c_COIL20",
    ),
    "RNE": _equal(
        "From the same start, the first 100 features in order and the objective to 1e-5, on "
        "COIL20.",
        "rne",
        "test_agrees_with_the_reference_on_coil20",
        "RNE_COIL20",
    ),
    "SPCAFS": _equal(
        "The first 100 features in order and the objective to 1e-11, on COIL20 without scaling.",
        "spcafs",
        "test_reference_order",
        "SPCAFS_COIL20",
    ),
    "FSPCA": _equal(
        "The sets of 20, 50 and 100 features and their explained variance to 1e-12, on COIL20.",
        "fspca",
        "test_reference_support_and_variance",
        "FSPCA_COIL20",
        "FSPCA-k50_COIL20",
        "FSPCA-k20_COIL20",
    ),
    "BLFSE": _equal(
        "From the same base results, the first 100 features in order, on COIL20.",
        "blfse",
        "test_agrees_with_the_reference_on_coil20",
        "BLFSE_COIL20",
    ),
    "BLSFS": Verified(
        RECONSTRUCTED,
        "Its authors published no code. The model is as the BLUFS paper reports it, the solver is "
        "ours.",
    ),
    "BLUFS": Verified(
        OWN,
        "Its authors published no code. Every update minimises its subproblem, which tests check "
        "against the printed formulas.",
    ),
    "FSCA": _equal(
        "All 100 features in order and the explained variance to 1e-10, on COIL20.",
        "greedy_columns",
        "test_fsca_reference_order_and_explained_variance",
        "LazyFSCA_COIL20",
    ),
    "PivotedQR": _equal(
        "All features in the order of LAPACK's pivots, on COIL20.",
        "greedy_columns",
        "test_pivoted_qr_reference_order",
        "PivotedQR_COIL20",
    ),
    "BSUFS": _equal(
        "The features with a row that is not zero, in order, and the norms of the rows to 1e-6, on "
        "COIL20.",
        "bsufs",
        "test_reference_order_of_the_nonzero_rows",
        "BSUFS_COIL20",
    ),
    "NDFS": _equal(
        "From the same clusters, the first 100 features in order and the norms of the rows to "
        "1e-9, on COIL20.",
        "ndfs",
        "test_reference_order",
        "NDFS_COIL20",
    ),
    "VCSDFS": _equal(
        "From the same start, all features in order and their scores to 1e-10, on COIL20 without "
        "scaling.",
        "vcsdfs",
        "test_reference_order_of_all_features",
        "VCSDFS_COIL20",
    ),
    "DSCOFS": _equal(
        "From the same start, the set of 100 features and the objective to 5e-3, on COIL20; the "
        "public code's inner solver stops at its limit of steps.",
        "dscofs",
        "test_reference_features_and_objective",
        "DSCOFS_COIL20",
    ),
    "SPCAPSD": _equal(
        "All features in order and their scores to 1e-9, on COIL20.",
        "spcapsd",
        "test_reference_order_of_all_features",
        "SPCA-PSD_COIL20",
    ),
    "SPDFS": _equal(
        "From the same start, all 50 and 100 features in order and the ratio to 1e-9, on Yale.",
        "spdfs",
        "test_reference_features_and_ratios",
        "SPDFS-k50_Yale",
        "SPDFS-k50-phi1.1_Yale",
        "SPDFS-k100_Yale",
    ),
    "GeneBasis": _equal(
        "All 20 genes in order, and 30 after ten given ones, on 600 cells of Zeisel.",
        "genebasis",
        "test_reference_genes_and_errors",
        "geneBasis_Zeisel500x600",
        "geneBasis-base10_Zeisel500x600",
    ),
    "Supervised": Verified(DEFINED, "scikit-learn's random forest."),
}


def method_page(name: str) -> str:
    """File of ``docs/methods`` about a built-in method."""
    return f"{BUILT_IN[name].partition(':')[0].split('.')[2]}.md"


def class_facts(name: str, class_path: str) -> dict[str, Any]:
    """What a report says of a method's class, ``module:Class``.

    ``class``; and of our own classes ``page`` (its file in ``docs/methods``) and ``verified`` (how
    the code was checked, and how far).
    """
    facts: dict[str, Any] = {"class": class_path}
    if class_path == BUILT_IN.get(name):
        facts["page"] = method_page(name)
    if class_path in (BUILT_IN.get(name), CONTROLS.get(name)):
        facts["verified"] = [VERIFIED[name].kind, VERIFIED[name].extent]
    return facts


def about(cls: type) -> tuple[str, list[str]]:
    """First sentence of a class's docstring, and the entries of its section "References"."""
    text = inspect.getdoc(cls) or ""
    section = re.search(r"^References\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", text, re.M | re.S)
    entries = section[1].split("\n\n") if section else []
    plain = [re.sub(r"^\.\. \[\w+\]\s*", "", " ".join(entry.split())) for entry in entries]
    return " ".join(text.partition("\n\n")[0].split()), [entry for entry in plain if entry]
