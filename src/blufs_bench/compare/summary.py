"""The tests of all metrics and choices, and what they say about BLUFS in one paragraph."""

from __future__ import annotations

from typing import Any

import pandas as pd

from blufs_bench.compare.answer import answered
from blufs_bench.compare.attempt import attempt
from blufs_bench.compare.statistics import compare, complete_block
from blufs_bench.compare.summaries import (
    chosen_scores,
    labelled_datasets,
    measured_metrics,
    score_matrix,
)
from blufs_bench.compare.views import Views, compare_views, counted
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import CHOICES, METHOD_UNDER_STUDY, METRICS


def summarise_or_explain(results: SuiteResults, suite: Suite) -> dict[str, Any]:
    """What `summarise` returns and "problems" (none); if it fails, no tests and the problem."""
    found, reason = attempt("statistics", lambda: summarise(results, suite))
    if found is not None:
        return found | {"problems": []}
    return {
        "alpha": suite.significance_level,
        "comparisons": {},
        "standing": {},
        "verdict": f"**No verdict**: the comparison of the methods failed: {reason}",
        "views": {},
        "problems": [f"statistics: {reason}"],
    }


def summarise(results: SuiteResults, suite: Suite) -> dict[str, Any]:
    """Tests and verdict of a suite, ready to be written as JSON.

    Returns
    -------
    {"alpha", "comparisons": metric -> choice -> :func:`~blufs_bench.compare.statistics.compare`,
    "standing": metric -> choice -> :func:`standing` of BLUFS, "verdict": Markdown,
    "views": :func:`~blufs_bench.compare.views.compare_views`, with an ``answer`` in words each}
    """
    views = Views(results, suite)
    reported = chosen_scores(results, suite)
    matrices = {
        metric: {
            choice: score_matrix(reported, metric, choice, suite.ranked_methods)
            for choice in CHOICES
        }
        for metric in measured_metrics(results)
    }
    comparisons = {
        metric: {
            choice: compare(scores, suite.significance_level) for choice, scores in choices.items()
        }
        for metric, choices in matrices.items()
    }
    standings = {
        metric: {
            choice: standing(scores, comparisons[metric][choice])
            for choice, scores in choices.items()
        }
        for metric, choices in matrices.items()
    }
    return {
        "alpha": suite.significance_level,
        "comparisons": comparisons,
        "standing": standings,
        "verdict": _paragraph(standings, results, suite),
        "views": answered(compare_views(views), suite),
    }


def standing(scores: pd.DataFrame, tested: dict[str, Any]) -> dict[str, Any] | None:
    """Where BLUFS stands among the methods; None if it has no scores to compare.

    Returns
    -------
    dict with ``rank`` (average), ``place`` (by average rank, 1 is best), ``shared`` (if another
    method has the same place), ``n_methods``, ``n_datasets``, ``best_rival`` (the other method with
    the best average rank), ``rival_rank``, ``mean_difference`` to it over the datasets, ``wins``
    (datasets on which BLUFS is strictly best), ``losses`` (the others -> best method and its lead)
    and ``distinct_from`` (methods that Nemenyi's test tells from BLUFS).
    """
    block = complete_block(scores).scores
    if METHOD_UNDER_STUDY not in block.columns or block.empty or block.shape[1] < 2:
        return None
    ranks = pd.Series(tested["average_ranks"])
    others = ranks.drop(METHOD_UNDER_STUDY)
    rival = str(others.idxmin())
    lead = block.drop(columns=METHOD_UNDER_STUDY).sub(block[METHOD_UNDER_STUDY], axis=0)
    losses = {
        str(dataset): [str(row.idxmax()), float(row.max())]
        for dataset, row in lead.iterrows()
        if row.max() >= 0
    }
    p_values = (tested["nemenyi"] or {}).get(METHOD_UNDER_STUDY, {})
    return {
        "rank": float(ranks[METHOD_UNDER_STUDY]),
        "place": int((others < ranks[METHOD_UNDER_STUDY]).sum()) + 1,
        "shared": bool((others == ranks[METHOD_UNDER_STUDY]).any()),
        "n_methods": block.shape[1],
        "n_datasets": len(block),
        "best_rival": rival,
        "rival_rank": float(others[rival]),
        "mean_difference": float((block[METHOD_UNDER_STUDY] - block[rival]).mean()),
        "wins": [str(name) for name in block.index if name not in losses],
        "losses": losses,
        "distinct_from": [
            m for m, p in p_values.items() if p < tested["alpha"] and m != METHOD_UNDER_STUDY
        ],
    }


def _paragraph(standings: dict, results: SuiteResults, suite: Suite) -> str:
    if not any(map(results.is_labelled, suite.datasets)):
        return (
            "**No verdict**: the data have no labels, so that nothing can be measured by classes. "
            "The label-free criteria, the stability and the agreement of the methods stand below."
        )
    if METHOD_UNDER_STUDY not in suite.methods:
        return f"**No verdict**: {METHOD_UNDER_STUDY} is not among the methods of this suite."
    found = {
        (metric, choice): standings[metric][choice]
        for choice in CHOICES
        for metric in standings
        if standings[metric][choice]
    }
    if not found:
        return "**No verdict**: BLUFS has no scores on a dataset where other methods have some."
    first = [key for key, where in found.items() if where["place"] == 1 and not where["shared"]]
    sizes = sorted({(where["n_methods"], where["n_datasets"]) for where in found.values()})
    size = " or ".join(
        f"{methods} methods on {counted(datasets, 'dataset')}" for methods, datasets in sizes
    )
    answer = "Yes" if len(first) == len(found) else "No" if not first else "Only in part"
    sentences = [
        f"**Does BLUFS win? {answer}.** Among {size}, it alone has the best average rank in "
        f"{len(first)} of {len(found)} comparisons (every metric with every choice of settings).",
        _where_not(found, results, suite),
        _significance(found, suite),
        _left_out(found, results, suite),
    ]
    details = []
    for choice in CHOICES:
        parts = [
            _clause(metric, found[metric, choice], suite)
            for metric in standings
            if (metric, choice) in found
        ]
        if parts:
            details.append(f"- {CHOICES[choice].title}: {'; '.join(parts)}.")
    return " ".join(filter(None, sentences)) + "\n\n" + "\n".join(details)


def _clause(metric: str, where: dict[str, Any], suite: Suite) -> str:
    return (
        f"{METRICS[metric].short} {'shared ' * where['shared']}place {where['place']} "
        f"with rank {where['rank']:.2f}, "
        f"{100 * where['mean_difference']:+.1f} points against {suite.title(where['best_rival'])} "
        f"(rank {where['rival_rank']:.2f}), best on {len(where['wins'])} of {where['n_datasets']}"
    )


def _where_not(found: dict, results: SuiteResults, suite: Suite) -> str:
    """The dataset, metric and choice with which BLUFS is furthest behind."""
    behind = [
        (lead, metric, choice, dataset, method)
        for (metric, choice), where in found.items()
        for dataset, (method, lead) in where["losses"].items()
    ]
    if not behind:
        return "It is best on every dataset in all of them."
    lead, metric, choice, dataset, method = max(behind)
    return (
        f"It is furthest behind on {results.dataset_title(dataset)}: "
        f"{100 * lead:.1f} points of {METRICS[metric].short} below {suite.title(method)} "
        f"({CHOICES[choice].title.lower()})."
    )


def _significance(found: dict, suite: Suite) -> str:
    pairs = sum(where["n_methods"] - 1 for where in found.values())
    distinct = sum(len(where["distinct_from"]) for where in found.values())
    return (
        f"Nemenyi's test at {suite.significance_level:g} tells it from another method in "
        f"{distinct} of {pairs} pairs."
    )


def _left_out(found: dict, results: SuiteResults, suite: Suite) -> str:
    """The datasets that count in none of the comparisons."""
    counted = {name for where in found.values() for name in (*where["wins"], *where["losses"])}
    missing = [
        results.dataset_title(name)
        for name in labelled_datasets(results, suite)
        if name not in counted
    ]
    if not missing:
        return ""
    return f"Not counted, because methods have no score there: {', '.join(missing)}."
