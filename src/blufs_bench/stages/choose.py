"""Stage "choose": which setting of a method represents it, by four rules side by side.

- ``default``: the one fixed setting of the configuration, for all data;
- ``blind``: the best by a criterion that never sees the labels;
- ``oracle``: the best by the labels, for each metric and s (as papers do);
- ``oracle_equal_budget``: the same among an equal number of settings drawn for every method.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from blufs_bench.files.canonical import canonical_json
from blufs_bench.files.damaged import in_words
from blufs_bench.results.records import Record
from blufs_bench.results.vocabulary import CRITERION_PREFIX, METRICS
from blufs_bench.run.seeding import derive_seed

logger = logging.getLogger("blufs.choose")


def choose(
    dataset: str,
    settings: Sequence[dict[str, Any]],
    screened: Sequence[Record],
    s_values: Sequence[int],
    *,
    budget: int,
    seed: int,
) -> dict[str, Any]:
    """Chosen settings of one method on one dataset.

    Parameters
    ----------
    settings : all settings of the method, the default first
    screened : records of stage "screen"; empty when there is but one setting

    Returns
    -------
    dict with "n_settings", "n_equal_budget", "default" (a setting as canonical JSON), "blind"
    (pairs of s and setting; the default at any other s), and "oracle" and "oracle_equal_budget"
    (metric -> pairs of s and setting)
    """
    names = [canonical_json(setting) for setting in settings]
    means = _means_over_seeds(screened)
    drawn = _draw(names, budget, derive_seed(seed, dataset, "budget", 0))
    return {
        "n_settings": len(names),
        "n_equal_budget": len(drawn),
        "default": names[0],
        "blind": _blind(means, names[0]) if means else [],
        "oracle": _oracle(means, names, s_values),
        "oracle_equal_budget": _oracle(means, drawn, s_values),
    }


def _blind(means: list[dict[str, Any]], default: str) -> list[tuple[int, str]]:
    """For the largest s the setting with the best criterion, or the default for a small gain.

    At fewer features the default stays: clusters on few features are too uncertain to judge by.
    """
    from blufs.search import choose_blind

    most = max(row["s"] for row in means)
    largest = [row for row in means if row["s"] == most]
    own = [row for row in largest if row["setting"] == default]
    return [(most, choose_blind(largest, default_rows=own)["setting"])]


def choose_or_explain(
    dataset: str,
    settings: Sequence[dict[str, Any]],
    screened: Sequence[Record],
    s_values: Sequence[int],
    *,
    budget: int,
    seed: int,
) -> dict[str, Any]:
    """What `choose` returns; "reason" is there and says why if nothing could be chosen."""
    try:
        choices = choose(dataset, settings, screened, s_values, budget=budget, seed=seed)
    except Exception as error:  # whatever it is, it must not stop the other datasets
        logger.exception("choosing failed")
        reason = f"choosing: {in_words(error)}"
        return only_choice(dataset, settings[0]) | {"reason": reason}
    if screened and all(record["status"] != "ok" for record in screened):
        choices["reason"] = f"no setting could be screened: {screened[0]['reason']}"
    return choices


def only_choice(dataset: str, setting: dict[str, Any]) -> dict[str, Any]:
    """What :func:`choose` returns for a method with a single setting."""
    return choose(dataset, [setting], [], [], budget=1, seed=0)


def _means_over_seeds(screened: Iterable[Record]) -> list[Record]:
    """Average the scores and criteria of random methods over their fit seeds."""
    groups: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for record in screened:
        if record["status"] == "ok":
            groups[record["setting"], record["s"]].append(record)
    averaged = []
    for (setting, s), records in groups.items():
        scores = [k for k in records[0] if k in METRICS or k.startswith(CRITERION_PREFIX)]
        means = {key: float(np.mean([record[key] for record in records])) for key in scores}
        averaged.append({"setting": setting, "s": s, **means})
    return averaged


def _draw(names: list[str], budget: int, seed: int) -> list[str]:
    """``budget`` settings: the default and others drawn at random, in the order of the grid."""
    if len(names) <= budget:
        return names
    others = np.random.default_rng(seed).choice(len(names) - 1, size=budget - 1, replace=False)
    return [names[0], *(names[1 + index] for index in sorted(others))]


def _oracle(
    means: Sequence[Record], allowed: Sequence[str], s_values: Sequence[int]
) -> dict[str, list[tuple[int, str]]]:
    """For each metric and s the allowed setting with the best mean score (first on ties).

    A metric that the light protocol leaves out goes by k-NN accuracy: both classify.
    """
    position = {name: index for index, name in enumerate(allowed)}
    best: dict[str, list[tuple[int, str]]] = {metric: [] for metric in METRICS}
    for metric in METRICS:
        for s in sorted({*s_values, *(record["s"] for record in means)}):
            at_s = [r for r in means if r["s"] == s and r["setting"] in position]
            by = metric if any(metric in r for r in at_s) else "knn_accuracy"
            candidates = [r for r in at_s if by in r]
            ranked = sorted(candidates, key=lambda r: (-r[by], position[r["setting"]]))
            best[metric].append((s, ranked[0]["setting"] if ranked else allowed[0]))
    return best
