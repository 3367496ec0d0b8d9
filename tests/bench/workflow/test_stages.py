"""The stages of the benchmark, one after the other, on small data and without Snakemake."""

import dataclasses
import json
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
import yaml
from sklearn.datasets import load_wine

from blufs._numerics.graph import SampleGraph
from blufs.base import BaseSelector, MethodLimitError, Solution
from blufs.metrics import score_partitions
from blufs_bench.method_names import BUILT_IN
from blufs_bench.results import schemas
from blufs_bench.results.tables import read_table, write_table
from blufs_bench.results.vocabulary import CHOICES, CRITERIA, METRICS
from blufs_bench.run.isolation import Limits
from blufs_bench.stages.choose import choose, only_choice
from blufs_bench.stages.collect import score_rows, scored_selections
from blufs_bench.stages.evaluate import Cells, evaluate
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.resample import resample_fits
from blufs_bench.stages.screen import screen
from blufs_bench.stages.select import Target, select
from blufs_bench.stages.show_cell import show_cell
from blufs_bench.stages.time_fit import time_fits
from blufs_bench.stages.unavailable import unavailable_selections
from tests.helpers import ROOT

LIMITS = Limits(60, 1e6)
LIGHT = Protocol(
    seed=1, n_clusterings=2, n_restarts=1, n_splits=2, n_neighbors=5, train_fraction=0.5
)
FULL = Protocol(
    seed=1, n_clusterings=3, n_restarts=2, n_splits=4, n_neighbors=5, train_fraction=0.5
)
LAPSCORE = Target("wine", "LapScore", {"name": "LapScore", "class": BUILT_IN["LapScore"]}, 3)
#: Metrics of a protocol without a forest, a support vector machine and panels.
MEASURED = ["clustering_acc", "nmi", "knn_accuracy"]
SETTINGS = [{"n_neighbors": 5}, {"n_neighbors": 10}, {"n_neighbors": 20}]


class Fragile(BaseSelector):
    """Ranks features backwards, or goes wrong in the way it is told."""

    def __init__(self, n_features_to_select=None, *, fault="none"):
        self.n_features_to_select = n_features_to_select
        self.fault = fault

    _parameter_constraints: ClassVar[dict] = {
        "fault": [str],
        "n_features_to_select": "no_validation",
    }

    def _rank(self, X, precomputed):
        scores = np.arange(X.shape[1], dtype=float)
        if self.fault == "raise":
            raise RuntimeError("as told")
        if self.fault == "limit":
            raise MethodLimitError("needs at most 3 samples")
        if self.fault == "hang":
            while True:
                pass
        if self.fault == "nan":
            scores[0] = np.nan
        if self.fault == "singular":
            np.linalg.inv(np.zeros((2, 2)))
        return Solution(scores=scores)


FRAGILE = Target("wine", "Fragile", {"name": "fragile", "class": f"{__name__}:Fragile"}, 3)


def fits(X, target, settings, s_values):
    """Stage "select" with one fit seed; the first setting is the default."""
    return select(X, target, settings, s_values, {0: 7}, LIMITS, default=settings[0])


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture(scope="module")
def graph(wine):
    return SampleGraph.from_data(wine[0], 10)


@pytest.fixture(scope="module")
def stages(wine, graph):
    """Selections, screened selections, choices and scores of LapScore on wine."""
    X, y = wine
    selections = fits(X, LAPSCORE, SETTINGS, [2, 4])
    screened = screen(X, y, graph, 3, selections, LIGHT, LIMITS)
    choices = choose("wine", SETTINGS, screened, [2, 4], budget=2, seed=1)
    scores = evaluate(X, y, graph, 3, selections, choices, FULL, Cells(), LIMITS)
    return selections, screened, choices, scores


def test_one_record_per_setting_and_s_with_that_many_features(stages):
    selections = stages[0]
    assert [(r["setting"], r["s"]) for r in selections] == [
        (json.dumps(setting), s) for setting in SETTINGS for s in (2, 4)
    ]
    assert all(r["status"] == "ok" and len(set(r["features"])) == r["s"] for r in selections)


@pytest.mark.parametrize(
    ("fault", "status", "reason"),
    [
        ("raise", "failed", "RuntimeError: as told"),
        ("limit", "skipped", "at most 3 samples"),
        ("nan", "diverged", "not finite"),
        ("singular", "diverged", "LinAlgError"),
    ],
)
def test_a_fault_is_a_record_and_the_others_go_on(wine, fault, status, reason):
    X, _ = wine
    settings = [{"fault": fault}, {"fault": "none"}]
    bad, good = fits(X, FRAGILE, settings, [2])
    assert bad["status"] == status
    assert reason in bad["reason"]
    assert good["status"] == "ok"
    assert good["features"] == [12, 11]


def test_after_a_timeout_the_other_settings_are_not_tried(wine):
    X, _ = wine
    settings = [{"fault": "none"}, {"fault": "hang"}, {"fault": "raise"}]
    limits = Limits(4, 1e6)
    records = select(X, FRAGILE, settings, [2], {0: 7}, limits, default=settings[0])
    assert [record["status"] for record in records] == ["ok", "timeout", "timeout"]
    assert records[2]["reason"].startswith("not tried")


def test_more_features_than_there_are_is_skipped_with_both_numbers(wine):
    X, _ = wine
    fine, skipped = fits(X, LAPSCORE, [{}], [2, 20])
    assert (fine["status"], skipped["status"]) == ("ok", "skipped")
    assert skipped["s"] == 20
    assert "13" in skipped["reason"]


def test_all_features_are_one_selection_of_all(wine, graph):
    X, y = wine
    target = Target(
        "wine", "AllFeatures", {"name": "AllFeatures", "class": BUILT_IN["AllFeatures"]}, 3
    )
    (record,) = fits(X, target, [{}], [])
    assert record["s"] == 13
    choices = only_choice("wine", {})
    scores = evaluate(X, y, graph, 3, [record], choices, FULL, Cells(), LIMITS)
    assert {(score["s"], score["status"]) for score in scores} == {(13, "ok")}


def test_row_norms_are_kept_of_the_default_setting_only(wine):
    X, _ = wine
    target = Target("wine", "BLUFS", {"name": "BLUFS", "class": BUILT_IN["BLUFS"]}, 3)
    default, other = fits(X, target, [{"alpha": 1}, {"alpha": 2}], [4])
    norms = np.array(default["row_norms"])
    assert norms.shape == (13,)
    assert set(np.flatnonzero(norms)) == set(default["features"])
    assert other["row_norms"] is None


def test_equal_features_are_scored_once_whatever_their_order(stages, wine, graph):
    X, y = wine
    first = next(record for record in stages[0] if record["s"] == 4)
    turned = {**first, "setting": "other", "features": first["features"][::-1]}
    one, other = screen(X, y, graph, 3, [first, turned], LIGHT, LIMITS)
    assert one["score_seconds"] > 0 == other["score_seconds"]
    expected = next(r for r in stages[1] if r["s"] == 4)["clustering_acc"]
    assert one["clustering_acc"] == other["clustering_acc"] == expected
    assert other["setting"] == "other"


def test_the_only_setting_is_every_choice():
    only, chosen = (
        only_choice("wine", {"a": 1}),
        choose("wine", [{"a": 1}], [], [], budget=5, seed=3),
    )
    assert only == chosen
    assert only["default"] == '{"a": 1}'
    assert only["blind"] == []
    assert (only["n_settings"], only["n_equal_budget"]) == (1, 1)


def test_oracle_has_the_best_screened_score_and_blind_never_sees_labels(stages, wine, graph):
    X, y = wine
    selections, screened, choices, _ = stages
    for s in (2, 4):
        at_s = {r["setting"]: r for r in screened if r["s"] == s}
        for metric in MEASURED:
            best = max(r[metric] for r in at_s.values())
            assert at_s[dict(choices["oracle"][metric])[s]][metric] == best
    shuffled = np.random.default_rng(0).permutation(y)
    blind_to_labels = choose(
        "wine",
        SETTINGS,
        screen(X, shuffled, graph, 3, selections, LIGHT, LIMITS),
        [2, 4],
        budget=2,
        seed=1,
    )
    for key in ("default", "blind"):
        assert blind_to_labels[key] == choices[key]


def test_blind_judges_by_the_most_features():
    """The criterion rises with fewer features here, for another setting."""
    rows = [
        {"setting": f'{{"a": {a}}}', "s": s, "status": "ok", "criterion_principal_cohesion": value}
        for a, s, value in (
            (1, 2, 0.5),
            (2, 2, 0.9),
            (3, 2, 0.6),
            (1, 4, 0.3),
            (2, 4, 0.2),
            (3, 4, 0.4),
        )
    ]
    chosen = choose("wine", [{"a": 1}, {"a": 2}, {"a": 3}], rows, [2, 4], budget=2, seed=1)
    assert chosen["blind"] == [(4, '{"a": 3}')]


def test_equal_budget_oracle_draws_the_default_and_no_more_than_the_budget(stages):
    choices = stages[2]
    assert (choices["n_settings"], choices["n_equal_budget"]) == (3, 2)
    drawn = {v for by_s in choices["oracle_equal_budget"].values() for _, v in by_s}
    assert len(drawn) <= 2


def score_of(scores, choice, metric, s):
    (found,) = [r for r in scores if (r["choice"], r["metric"], r["s"]) == (choice, metric, s)]
    return found


def accuracies(X, y, features, repetitions):
    from blufs.metrics import score_partitions

    partitions = FULL.cluster(X[:, features], 3, "wine", repetitions)
    return score_partitions(y, partitions)["clustering_acc"]


def test_evaluation_is_the_protocol_on_the_selected_columns(stages, wine):
    X, y = wine
    selections, _, choices, scores = stages
    features = next(
        r["features"] for r in selections if (r["setting"], r["s"]) == (choices["default"], 4)
    )
    found = score_of(scores, "default", "clustering_acc", 4)
    assert found["values"] == accuracies(X, y, features, [0, 1, 2])


def test_sparse_data_are_scored_as_their_dense_copy(stages, wine, graph):
    X, y = wine
    selections, _, choices, scores = stages
    found = evaluate(sp.csr_array(X), y, graph, 3, selections, choices, FULL, Cells(), LIMITS)
    for one, other in zip(found, scores, strict=True):
        if one["metric"] in METRICS:
            assert one["values"] == other["values"]


def test_parts_by_s_and_repetition_give_the_same_values(stages, wine, graph):
    X, y = wine
    selections, _, choices, whole = stages
    for s in (2, 4):
        for repetition in range(4):
            part = Cells(s, repetition)
            scores = evaluate(X, y, graph, 3, selections, choices, FULL, part, LIMITS)
            expected = show_cell(whole, selections, s, repetition)
            assert show_cell(scores, selections, s, repetition) == expected


def test_collected_tables_hold_every_score_and_every_selection_once(stages, tmp_path):
    selections, screened, _, scores = stages
    path = tmp_path / "scores.parquet"
    write_table(path, schemas.SCORES, score_rows(scores))
    frame = read_table(path, schemas.SCORES)
    assert not frame.duplicated(list(schemas.SCORES.key)).any()
    measured = frame[frame["metric"].isin(METRICS)]
    assert len(measured) == len(CHOICES) * 2 * (3 + 3 + 4)
    assert len(frame) - len(measured) == 2 * len(CRITERIA) * 2  # default and blind, two s
    assert set(frame["dataset"]) == {"wine"}
    assert set(frame["method"]) == {"LapScore"}
    reported = frame[frame["is_reported_s"]].groupby(["choice", "metric"])["s"].unique()
    assert all(len(s) == 1 for s in reported)
    assert reported["default", "clustering_acc"][0] == reported["blind", "nmi"][0] == 4
    means = frame[frame["choice"] == "oracle"].groupby(["metric", "s"])["value"].mean()
    for metric in MEASURED:
        assert reported["oracle", metric][0] == means[metric].idxmax()
    path = tmp_path / "selections.parquet"
    write_table(path, schemas.SELECTIONS, scored_selections(scores, selections))
    chosen = read_table(path, schemas.SELECTIONS)
    assert not chosen.duplicated(list(schemas.SELECTIONS.key)).any()
    key = ["dataset", "method", "setting", "s", "fit_seed"]
    assert len(frame.merge(chosen, on=key)) == len(frame)
    assert all(len(f) == s for f, s in zip(chosen["features"], chosen["s"], strict=True))
    assert len(screened) == 6


def test_an_old_table_is_refused_by_name(tmp_path):
    path = tmp_path / "timing.parquet"
    write_table(path, schemas.TIMING, [])
    with pytest.raises(ValueError, match=r"timing\.parquet has no column choice, metric"):
        read_table(path, schemas.SCORES)


def test_an_unavailable_dataset_fills_its_cells():
    nothing = np.empty((0, 0)), np.empty(0), None, None
    records = unavailable_selections("lung", "LapScore", [{}], [2, 4], "no file")
    screened = screen(*nothing, records, LIGHT, LIMITS)
    choices = choose("lung", [{}], screened, [2, 4], budget=2, seed=1)
    scores = evaluate(*nothing, records, choices, FULL, Cells(), LIMITS)
    assert {(r["status"], r["reason"]) for r in scores} == {("unavailable", "no file")}
    assert all(value is None for r in scores for value in r["values"])
    (all_features,) = unavailable_selections("lung", "AllFeatures", [{}], [], "no file")
    assert all_features["s"] is None


def test_scoring_over_its_time_is_a_status(stages, wine, graph):
    X, y = wine
    selections, _, choices, _ = stages
    limits = Limits(1e-9, 1e6)
    many = Protocol(
        seed=1, n_clusterings=500, n_restarts=9, n_splits=1, n_neighbors=5, train_fraction=0.5
    )
    scores = evaluate(X, y, graph, 3, selections, choices, many, Cells(), limits)
    assert {r["status"] for r in scores} == {"timeout"}


def test_data_without_labels_have_criteria_and_no_metric(stages, wine, graph):
    X, _ = wine
    selections = stages[0]
    screened = screen(X, None, graph, 3, selections, LIGHT, LIMITS)
    assert not any(metric in record for record in screened for metric in METRICS)
    choices = choose("wine", SETTINGS, screened, [2, 4], budget=2, seed=1)
    assert choices["blind"] == stages[2]["blind"]
    scores = evaluate(X, None, graph, 3, selections, choices, FULL, Cells(), LIMITS)
    assert {r["metric"] for r in scores} == set(CRITERIA)
    assert {r["choice"] for r in scores} == {"default", "blind"}
    with_labels = score_of(stages[3], "blind", "principal_cohesion", 4)
    assert score_of(scores, "blind", "principal_cohesion", 4)["values"] == with_labels["values"]


def test_a_forest_is_grown_where_the_protocol_asks_for_it(stages, wine, graph):
    X, y = wine
    selections, _, choices, _ = stages
    asked = dataclasses.replace(FULL, n_forest_splits=2, n_trees=10)
    scores = evaluate(X, y, graph, 3, selections, choices, asked, Cells(), LIMITS)
    found = score_of(scores, "default", "forest_accuracy", 4)
    assert len(found["values"]) == 2
    assert min(found["values"]) > 0.6
    # Nothing was screened by a forest, so that its oracle goes by k-NN accuracy.
    oracle = choices["oracle"]
    assert oracle["forest_accuracy"] == oracle["knn_accuracy"]
    assert not any(score["metric"] == "forest_accuracy" for score in stages[3])


def test_random_methods_use_their_fits_in_turn(wine, graph):
    X, y = wine
    records = [
        {**r, "fit_seed": seed, "setting": "{}"}
        for seed in (0, 1)
        for r in fits(X, LAPSCORE, [{"n_neighbors": 5 + 20 * seed}], [3])
    ]
    choices = choose("wine", [{}], [], [3], budget=1, seed=1)
    scores = evaluate(X, y, graph, 3, records, choices, FULL, Cells(), LIMITS)
    found = score_of(scores, "default", "clustering_acc", 3)
    assert found["fit_seeds"] == [0, 1, 0]
    for repetition, value in enumerate(found["values"]):
        features = records[repetition % 2]["features"]
        assert value == accuracies(X, y, features, [repetition])[0]


def test_every_seed_of_a_random_method_is_a_fit_of_its_own(wine):
    X, _ = wine
    target = Target("wine", "BLSFS", {"name": "BLSFS", "class": BUILT_IN["BLSFS"]}, 3)
    states = {0: 3, 1: 8, 2: 21}
    together = select(X, target, [{}], [3], states, LIMITS, default={})
    for record in together:
        state = {record["fit_seed"]: states[record["fit_seed"]]}
        (alone,) = select(X, target, [{}], [3], state, LIMITS, default={})
        assert record["objective_history"] == alone["objective_history"]
    assert len({tuple(record["objective_history"]) for record in together}) > 1


def test_timing_and_resampling_record_each_repeat(wine):
    X, _ = wine
    times = time_fits(X, LAPSCORE, {}, 4, 0, n_repeats=2, limits=LIMITS)
    assert [(r["repeat"], r["s"], r["status"]) for r in times] == [(0, 4, "ok"), (1, 4, "ok")]
    assert all(r["seconds"] > 0 for r in times)
    drawn = resample_fits(X, LAPSCORE, {}, [2, 4], 0, seeds=[1, 2], fraction=0.5, limits=LIMITS)
    assert [(r["resample"], r["s"], len(r["features"])) for r in drawn] == [
        (0, 2, 2),
        (0, 4, 4),
        (1, 2, 2),
        (1, 4, 4),
    ]
    for first, second in (drawn[:2], drawn[2:]):  # equal shares of one fit
        assert first["seconds"] == second["seconds"] > 0
    broken = time_fits(X, FRAGILE, {"fault": "raise"}, 2, 0, n_repeats=1, limits=LIMITS)
    assert broken[0]["status"] == "failed"
    assert broken[0]["seconds"] is None


@pytest.mark.parametrize("n_clusters", [3, 5])
def test_the_starts_of_the_demo_find_planted_clusters_every_time(n_clusters):
    """With too few starts, the place of a method on own data is the luck of its k-means."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text())["suites"]["demo"]["evaluation"]
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_clusters), 40)
    X = 8 * rng.normal(size=(n_clusters, 8))[y] + rng.normal(size=(len(y), 8))
    accuracy = {}
    for restarts in (1, config["n_restarts"]):
        protocol = Protocol(seed=1, **config | {"n_restarts": restarts})
        partitions = protocol.cluster(X, n_clusters, "mine", range(20))
        accuracy[restarts] = score_partitions(y, partitions)["clustering_acc"]
    assert min(accuracy[config["n_restarts"]]) == 1
    assert min(accuracy[1]) < 0.9


def test_fits_include_and_exclude_what_the_dataset_does():
    X = np.random.default_rng(0).standard_normal((30, 6))
    card = {"name": "d", "n_clusters": 2, "include": [4], "exclude": [0, 1]}
    limits = Limits(60, 500)

    def selected(name, path, s_values):
        target = Target.on(card, name, {"name": name, "class": path})
        found = select(X, target, [{}], s_values, {0: 0}, limits, default={})
        return {record["s"]: (record["status"], record["features"]) for record in found}

    found = selected("FSCA", "blufs:FSCA", [0, 2, 4, 5])
    assert [found[s][0] for s in (0, 2, 4, 5)] == ["skipped", "ok", "ok", "skipped"]
    assert found[2][1][0] == 4
    assert sorted(found[4][1]) == [2, 3, 4, 5]
    assert sorted(selected("AllFeatures", "blufs:AllFeatures", [])[4][1]) == [2, 3, 4, 5]
    other = selected("KBest", "sklearn.feature_selection:SelectKBest", [2])
    assert other[2][0] == "skipped"
