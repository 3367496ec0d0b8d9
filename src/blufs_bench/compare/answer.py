"""The answer of a view in one plain sentence, made from its numbers."""

from __future__ import annotations

from typing import Any

from blufs_bench.compare.statistics import MIN_FOR_INTERVAL
from blufs_bench.compare.views import EVERYWHERE, counted, metric_words
from blufs_bench.datasets.domains import DOMAINS
from blufs_bench.results.suite import Suite
from blufs_bench.results.vocabulary import ALL_FEATURES, METHOD_UNDER_STUDY, RANDOM_FEATURES

QUESTION = "Which method selects the best features without labels?"
#: Choice -> how a sentence begins.
_SETTINGS = {
    "oracle": "With the best settings, picked by the labels",
    "oracle_equal_budget": "With the best of equally many settings, picked by the labels",
    "default": "With default settings",
    "blind": "With settings chosen without labels",
}
#: Domains whose title is not what one says in a sentence.
_DOMAINS = {"other": "other data", "text": "texts", "artificial": "artificial data"} | {
    key: title.lower()
    for key, title in DOMAINS.items()
    if key not in ("other", "text", "artificial")
}
NOTHING = "No method has a score to compare here."


def answered(views: dict[str, Any], suite: Suite) -> dict[str, Any]:
    """The views, each with its ``answer``."""
    for metric, choices in views.items():
        for choice, scores in choices.items():
            for score, domains in scores.items():
                for domain, view in domains.items():
                    where = {"metric": metric, "choice": choice, "score": score, "domain": domain}
                    view["answer"] = answer(view, suite, **where)
    return views


def answer(
    view: dict[str, Any], suite: Suite, *, metric: str, choice: str, score: str, domain: str
) -> str:
    """Who is first, by how much, and where BLUFS stands if it is another."""
    placed = {
        name: row
        for name, row in view["methods"].items()
        if row["place"] is not None and name not in (ALL_FEATURES, RANDOM_FEATURES)
    }
    if not placed:
        return NOTHING
    leading = min(row["place"] for row in placed.values())
    first = [name for name, row in placed.items() if row["place"] == leading]
    names = _listed([suite.title(name) for name in first])
    where = "" if domain == EVERYWHERE else f" on {_DOMAINS[domain]}"
    verb = "come" if len(first) > 1 else "comes"
    stands = f"{verb} first" if len(placed) > 1 else "is the only method"
    owner = "their" if len(first) > 1 else "its"
    sentence = (
        f"{_SETTINGS[choice]}, {names} {stands}{where}: "
        f"{owner} {_measured(metric, score)} {_worth(view, placed[first[0]])}"
    )
    followers = [name for name in placed if name not in first]
    shown = METHOD_UNDER_STUDY if METHOD_UNDER_STUDY in followers else next(iter(followers), None)
    if shown:
        place, height = placed[shown]["place"], _height(view, placed[shown])
        sentence += f"; {suite.title(shown)} has place {place} with {height}"
    return f"{sentence}."


def _listed(names: list[str]) -> str:
    """Names as one says them: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _measured(metric: str, score: str) -> str:
    """The metric as one says it, with its short name."""
    title, _ = metric_words(metric)
    said = title[0].lower() + title[1:]
    return f"{said} over all numbers of features" if score == "area" else said


def _worth(view: dict[str, Any], row: dict[str, Any]) -> str:
    count = counted(row["n_datasets"], "dataset")
    if not view["has_random"]:
        words = "on average over" if row["n_datasets"] > 1 else "on"
        return f"is {100 * row['mean']:.1f} % {words} {count}"
    words = "above" if row["gain"] >= 0 else "below"
    return (
        f"is {abs(row['gain']):.1f} points {words} that of random features{_interval(row)}, better "
        f"on {row['wins']} of {count}"
    )


def _interval(row: dict[str, Any]) -> str:
    """The interval of the gain; one that holds 0 has shown nothing."""
    if row["low"] is None:
        return ""
    doubt = ", so it may be chance" if row["low"] <= 0 <= row["high"] else ""
    span = f"{row['low']:+.1f} to {row['high']:+.1f}"
    if row["n_datasets"] < MIN_FOR_INTERVAL:
        return f" ({span} on single datasets, too few for an interval{doubt})"
    return f" (95 % interval {span}{doubt})"


def _height(view: dict[str, Any], row: dict[str, Any]) -> str:
    return f"{row['gain']:+.1f}" if view["has_random"] else f"{100 * row['mean']:.1f} %"
