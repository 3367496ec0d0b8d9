"""What a comparison says in words: the answer of a view in one sentence, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blufs_bench.compare.means import labelled_datasets
from blufs_bench.compare.tests import MIN_FOR_INTERVAL
from blufs_bench.results.suite import Suite, SuiteResults
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    CRITERIA,
    DOMAINS,
    EVERYWHERE,
    METHOD_UNDER_STUDY,
    METRICS,
    OTHER,
    RANDOM_FEATURES,
    UNSEEN,
    counted,
    metric_words,
)

QUESTION = "Which method selects the best features without labels?"
#: Choice -> how a sentence begins.
_SETTINGS = {
    "oracle": "With the best settings, picked by the labels",
    "oracle_equal_budget": "With the best of equally many settings, picked by the labels",
    "default": "With default settings",
    "blind": "With settings chosen without labels",
}
#: Domains whose title is not what one says in a sentence.
_DOMAINS = {
    OTHER: "other data",
    "text": "texts",
    "artificial": "artificial data",
    UNSEEN: "data that no default was picked on",
} | {
    key: title.lower() for key, title in DOMAINS.items() if key not in (OTHER, "text", "artificial")
}
#: From this ratio on, the scales of features differ by orders of magnitude.
FAR_APART = 100
NOTHING = "No method has a score to compare here."


def answer(
    view: Mapping[str, Any], suite: Suite, *, metric: str, choice: str, score: str, domain: str
) -> str:
    """Who is first in the table, by how much, and where BLUFS stands if it is another.

    Random features are in the table: where they have place 1, no method is called first.
    """
    placed = {
        name: row
        for name, row in view["methods"].items()
        if row["place"] is not None and name != ALL_FEATURES
    }
    methods = {name: row for name, row in placed.items() if name != RANDOM_FEATURES}
    if not methods:
        return NOTHING
    begin = f"{_SETTINGS[choice]}{_with_features(view)}"
    where = "" if domain == EVERYWHERE else f" on {_DOMAINS[domain]}"
    leading = min(row["place"] for row in methods.values())
    first = [name for name, row in methods.items() if row["place"] == leading]
    names, best = _listed([suite.title(name) for name in first]), methods[first[0]]
    owner = "their" if len(first) > 1 else "its"
    measured = f"{owner} {_measured(metric, score)}"
    if RANDOM_FEATURES in placed and placed[RANDOM_FEATURES]["place"] <= leading:
        are = "are" if len(first) > 1 else "is"
        nearest = f"{names} {are} the best of them: " if len(methods) > 1 else ""
        nearest = nearest or f"{names}: "
        return (
            f"{begin}, no method is better than random features{where}. "
            f"{nearest}{measured} {_worth(view, best)}."
        )
    verb = "come" if len(first) > 1 else "comes"
    stands = f"{verb} first" if len(placed) > 1 else "is the only method"
    sentence = f"{begin}, {names} {stands}{where}: {measured} {_worth(view, best)}"
    followers = [name for name in methods if name not in first]
    shown = METHOD_UNDER_STUDY if METHOD_UNDER_STUDY in followers else next(iter(followers), None)
    if shown:
        place, height = methods[shown]["place"], _height(view, methods[shown])
        sentence += f"; {suite.title(shown)} has place {place} with {height}"
    return f"{sentence}."


def caveats(
    view: Mapping[str, Any],
    suite: Suite,
    leaders: Sequence[Sequence[str]] = (),
    *,
    metric: str = "",
    far_apart: Sequence[str] = (),
    no_room: Sequence[str] = (),
) -> list[str]:
    """What a reader must know before trusting the answer.

    Parameters
    ----------
    leaders : the methods that come first with the fewest and with the most features
    far_apart : titles of the datasets whose features differ in scale by :data:`FAR_APART` or more
    no_room : titles of the datasets without headroom
    """
    found = []
    if metric in CRITERIA:
        found.append(
            f"{CRITERIA[metric].title} is agreement with the graph of all features, not with true "
            "classes: where units differ, the features of largest variance decide."
        )
    n = len(view["datasets"])
    if 0 < n < MIN_FOR_INTERVAL:
        found.append(f"Of only {counted(n, 'dataset')}: another one may turn the order around.")
    if no_room:
        found.append(
            f"On {_few(no_room)} even features chosen by the labels are hardly better than random "
            "ones: no method can show anything there."
        )
    if far_apart and 2 * len(far_apart) >= n:
        where = _few(far_apart)
        found.append(
            f"On {where} the scales of the features differ by orders of magnitude, so that those "
            "of largest variance decide the clusters; `transform: standardise` weighs all alike."
        )
    if len(leaders) == 2 and all(leaders) and not set(leaders[0]) & set(leaders[1]):
        few, many = (_listed([suite.title(name) for name in names]) for names in leaders)
        found.append(
            f"The order changes with the number of features: {few} {_lead(leaders[0])} with the "
            f"fewest, {many} with the most."
        )
    return found


def _few(titles: Sequence[str]) -> str:
    """Up to three titles, and how many there are more."""
    return _listed([*titles[:3], *([f"{len(titles) - 3} more"] * (len(titles) > 3))])


def _lead(names: Sequence[str]) -> str:
    return "lead" if len(names) > 1 else "leads"


def _with_features(view: Mapping[str, Any]) -> str:
    """The numbers of features of a view: " and 20 features", " and 5 to 20 features"."""
    s = view.get("s") or []
    if not s:
        return ""
    return f" and {s[0]} features" if len(s) == 1 else f" and {s[0]} to {s[-1]} features"


def _listed(names: list[str]) -> str:
    """Names as one says them: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _measured(metric: str, score: str) -> str:
    """The metric as one says it, with its short name."""
    title, _ = metric_words(metric)
    said = title[0].lower() + title[1:]
    return f"mean {said}" if score == "area" else said


def _worth(view: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    count = counted(row["n_datasets"], "dataset")
    if not view["has_random"]:
        words = "on average over" if row["n_datasets"] > 1 else "on"
        return f"is {100 * row['mean']:.1f} % {words} {count}"
    words = "above" if row["gain"] >= 0 else "below"
    return (
        f"is {abs(row['gain']):.1f} points {words} that of random features{_interval(row)}, better "
        f"on {row['wins']} of {count}"
    )


def _interval(row: Mapping[str, Any]) -> str:
    """The interval of the gain; one that holds 0 has shown nothing."""
    if row["low"] is None:
        return ""
    doubt = ", so it may be chance" if row["low"] <= 0 <= row["high"] else ""
    span = f"{row['low']:+.1f} to {row['high']:+.1f}"
    if row["n_datasets"] < MIN_FOR_INTERVAL:
        return f" ({span} on single datasets, too few for an interval{doubt})"
    return f" (95 % interval {span}{doubt})"


def _height(view: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    return f"{row['gain']:+.1f}" if view["has_random"] else f"{100 * row['mean']:.1f} %"


def verdict(standings: Mapping[str, Any], results: SuiteResults, suite: Suite) -> str:
    """Whether BLUFS wins, by the average ranks of every metric and choice, as Markdown."""
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
