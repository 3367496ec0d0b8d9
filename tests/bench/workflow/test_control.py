"""Only what the registry marks as a control is shown the labels."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_wine

from blufs.base import BaseSelector, Solution
from blufs_bench import method_names
from blufs_bench.method_names import CONTROLS
from blufs_bench.plan.config import ConfigError
from blufs_bench.stages.select import Target, select
from blufs_bench.supervised import Supervised
from tests.bench.workflow.test_stages import LIMITS
from tests.helpers.small_config import merged, plan, small_config, suite

WINE = load_wine()
MARKED = {"name": "Supervised", "class": CONTROLS["Supervised"], "sees_labels": True}
SUPERVISED = Target("wine", "Supervised", MARKED, 3)


class Curious(BaseSelector):
    """Ranks features by how much of the labels it has been shown."""

    _parameter_constraints: ClassVar[dict] = {"n_features_to_select": "no_validation"}

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def see(self, y):
        self.labels = y

    def _rank(self, X, precomputed):
        if getattr(self, "labels", None) is not None:
            raise RuntimeError("it was shown labels")
        return Solution(scores=np.arange(X.shape[1], dtype=float))


def fits(target, y):
    given = ([{"n_estimators": 50}], [3]) if target.method == "Supervised" else ([{}], [3])
    return select(WINE.data, target, *given, {0: 7}, LIMITS, default=given[0][0], y=y)


def test_the_control_ranks_by_the_labels():
    (record,) = fits(SUPERVISED, WINE.target)
    forest = Supervised(3, n_estimators=50, random_state=7).see(WINE.target).fit(WINE.data)
    assert record["status"] == "ok"
    assert record["features"] == forest.indices_.tolist()
    shuffled = np.random.default_rng(0).permutation(WINE.target)
    (other,) = fits(SUPERVISED, shuffled)
    assert other["features"] != record["features"]


def test_a_method_that_is_not_marked_is_never_shown_the_labels():
    code = {"name": "Curious", "class": f"{__name__}:Curious"}
    (record,) = fits(Target("wine", "Curious", code, 3), WINE.target)
    assert (record["status"], record["features"]) == ("ok", [12, 11, 10])
    (marked,) = fits(Target("wine", "Curious", {**code, "sees_labels": True}, 3), WINE.target)
    assert marked["reason"] == "RuntimeError: it was shown labels"


def test_without_labels_or_a_mark_the_control_is_skipped():
    for target, y in (
        (SUPERVISED, None),
        (dataclasses.replace(SUPERVISED, code={**MARKED, "sees_labels": False}), WINE.target),
    ):
        (record,) = fits(target, y)
        assert record["status"] == "skipped"
        assert record["reason"] == "Supervised chooses by labels, and there are none"


def test_the_plan_marks_the_control_alone():
    own = {"class": CONTROLS["Supervised"]}
    change = {"methods": {"Mine": own, "Half": {"variant_of": "Supervised"}}}
    methods = ["LapScore", "Supervised", "Half", "Mine", "BLUFS"]
    made = plan(small_config(), merged(change, suite(methods=methods)))
    marked = [name for name in made.all_methods if made.method(name).get("sees_labels")]
    assert marked == ["Supervised", "Half"]
    assert made.info()["controls"] == marked
    assert made.info()["methods"] == ["LapScore", "Mine", "BLUFS"]
    assert ("wine", "Supervised") in made.pairs()


def test_nobody_else_takes_its_name(monkeypatch):
    taken = {"methods": {"Supervised": {"class": "mine:Mine"}}}
    with pytest.raises(ConfigError, match="Supervised is what methods are compared with"):
        plan(small_config(), taken)

    class Point:
        name, value = "Supervised", "mine:Mine"

    monkeypatch.setattr(method_names, "entry_points", lambda group: [Point])
    method_names.known_methods.cache_clear()
    try:
        assert method_names.known_methods()["Supervised"] == CONTROLS["Supervised"]
    finally:
        method_names.known_methods.cache_clear()
