"""The stages of the benchmark, one after the other, on small data and without Snakemake."""

import json
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_wine

from blufs.base import BaseSelector, MethodLimitError, Solution
from blufs.files.atomic import write_json
from blufs.numerics.graph import SampleGraph
from blufs.results.records import METRICS
from blufs.workflow.run.isolation import Limits
from blufs.workflow.stages import collect
from blufs.workflow.stages.choose import choose, only_choice
from blufs.workflow.stages.evaluate import CHOICES, Cells, evaluate
from blufs.workflow.stages.protocol import Protocol
from blufs.workflow.stages.repeat import resample_fits, time_fits
from blufs.workflow.stages.screen import screen
from blufs.workflow.stages.select import select
from blufs.workflow.stages.show_cell import cell
from blufs.workflow.stages.unavailable import absent_selections

LIMITS = Limits(60, 1e6)
LIGHT = Protocol(seed=1, clusterings=2, restarts=1, splits=2, neighbors=5, train_fraction=0.5)
FULL = Protocol(seed=1, clusterings=3, restarts=2, splits=4, neighbors=5, train_fraction=0.5)
LAPSCORE = {"name": "LapScore", "class": None}
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
        if self.fault == "nan":
            scores[0] = np.nan
        if self.fault == "singular":
            np.linalg.inv(np.zeros((2, 2)))
        return Solution(scores=scores)


FRAGILE = {"name": "fragile", "class": f"{__name__}:Fragile"}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture(scope="module")
def graph(wine):
    return SampleGraph.from_data(wine[0], 10)


@pytest.fixture(scope="module")
def stages(wine, graph):
    """Selections, screens, choices and evaluation of LapScore on wine."""
    X, y = wine
    selections = select(X, 3, LAPSCORE, SETTINGS, [2, 4], {0: 7}, LIMITS)
    screened = screen(X, y, graph, "wine", selections, LIGHT)
    choices = choose("wine", SETTINGS, screened, [2, 4], budget=2, seed=1)
    evaluation = evaluate(X, y, graph, "wine", selections, choices, FULL, Cells())
    return selections, screened, choices, evaluation


def test_one_record_per_setting_and_s_with_that_many_features(stages):
    selections = stages[0]
    assert [(r["settings"], r["s"]) for r in selections] == [
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
    bad, good = select(X, 3, FRAGILE, settings, [2], {0: 7}, LIMITS)
    assert bad["status"] == status
    assert reason in bad["reason"]
    assert good["status"] == "ok"
    assert good["features"] == [12, 11]


def test_more_features_than_there_are_is_skipped_with_both_numbers(wine):
    X, _ = wine
    fine, skipped = select(X, 3, LAPSCORE, [{}], [2, 20], {0: 7}, LIMITS)
    assert (fine["status"], skipped["status"]) == ("ok", "skipped")
    assert skipped["s"] == 20
    assert "13" in skipped["reason"]


def test_baseline_takes_all_features_whatever_s(wine, graph):
    X, y = wine
    (record,) = select(X, 3, {"name": "Baseline", "class": None}, [{}], [2, 20], {0: 7}, LIMITS)
    assert record["s"] == 13
    evaluation = evaluate(X, y, graph, "wine", [record], only_choice("wine", {}), FULL, Cells())
    assert {(cell["s"], cell["status"]) for cell in evaluation["cells"]} == {(13, "ok")}


def test_equal_features_are_scored_once_whatever_their_order(stages, wine, graph, monkeypatch):
    X, y = wine
    first = next(record for record in stages[0] if record["s"] == 4)
    turned = {**first, "settings": "other", "features": first["features"][::-1]}
    clustered = []
    whole = Protocol.cluster
    monkeypatch.setattr(
        Protocol, "cluster", lambda self, *given: clustered.append(1) or whole(self, *given)
    )
    one, other = screen(X, y, graph, "wine", [first, turned], LIGHT)
    assert len(clustered) == 1
    assert one["acc"] == other["acc"] == next(r for r in stages[1] if r["s"] == 4)["acc"]
    assert other["settings"] == "other"


def test_the_only_setting_is_every_choice():
    only, chosen = (
        only_choice("wine", {"a": 1}),
        choose("wine", [{"a": 1}], [], [], budget=5, seed=3),
    )
    assert only == chosen
    assert only["default"] == only["blind"] == '{"a": 1}'
    assert (only["n_settings"], only["n_budget"]) == (1, 1)


def test_oracle_has_the_best_screened_score_and_blind_never_sees_labels(stages, wine, graph):
    X, y = wine
    selections, screened, choices, _ = stages
    for s in (2, 4):
        at_s = {r["settings"]: r for r in screened if r["s"] == s}
        for metric in METRICS:
            best = max(r[metric] for r in at_s.values())
            assert at_s[choices["oracle"][metric][str(s)]][metric] == best
    shuffled = np.random.default_rng(0).permutation(y)
    blind_to_labels = choose(
        "wine",
        SETTINGS,
        screen(X, shuffled, graph, "wine", selections, LIGHT),
        [2, 4],
        budget=2,
        seed=1,
    )
    for key in ("default", "blind"):
        assert blind_to_labels[key] == choices[key]


def test_equal_budget_oracle_draws_the_default_and_no_more_than_the_budget(stages):
    choices = stages[2]
    assert (choices["n_settings"], choices["n_budget"]) == (3, 2)
    drawn = {v for by_s in choices["oracle_budget"].values() for v in by_s.values()}
    assert len(drawn) <= 2


def test_evaluation_is_the_protocol_on_the_selected_columns(stages, wine):
    X, y = wine
    selections, _, choices, evaluation = stages
    record = next(
        r
        for r in evaluation["cells"]
        if (r["choice"], r["metric"], r["s"]) == ("default", "acc", 4)
    )
    features = next(
        r["features"] for r in selections if (r["settings"], r["s"]) == (choices["default"], 4)
    )
    _, expected = FULL.cluster(X[:, features], y, "wine", [0, 1, 2])
    assert record["values"] == expected["acc"]


def test_cells_split_by_s_and_seed_give_the_same_values(stages, wine, graph):
    X, y = wine
    selections, _, choices, whole = stages
    for s in (2, 4):
        for seed in range(4):
            part = evaluate(X, y, graph, "wine", selections, choices, FULL, Cells(s, seed))
            assert cell(part, s, seed) == cell(whole, s, seed)


def test_collected_tables_hold_every_cell_once(stages, tmp_path):
    _, screened, _, evaluation = stages
    path = tmp_path / "evaluations" / "wine" / "LapScore" / "all.json"
    write_json(path, evaluation)
    results, selections = collect.evaluated([str(path)])
    collect.write_table(tmp_path / "results.parquet", results, collect.RESULTS)
    collect.write_table(tmp_path / "selections.parquet", selections, collect.SELECTIONS)
    frame = collect.pd.read_parquet(tmp_path / "results.parquet")
    keys = ["dataset", "method", "choice", "metric", "s", "seed"]
    assert not frame.duplicated(keys).any()
    assert len(frame) == len(CHOICES) * 2 * (3 + 3 + 4)
    assert set(frame["dataset"]) == {"wine"}
    assert set(frame["method"]) == {"LapScore"}
    picked = frame[frame["picked"]].groupby(["choice", "metric"])["s"].unique()
    assert all(len(s) == 1 for s in picked)
    assert picked["default", "acc"][0] == 4
    means = frame[frame["choice"] == "oracle"].groupby(["metric", "s"])["value"].mean()
    for metric in METRICS:
        assert picked["oracle", metric][0] == means[metric].idxmax()
    chosen = collect.pd.read_parquet(tmp_path / "selections.parquet")
    assert len(chosen) == len(CHOICES) * 3 * 2
    assert all(len(f) == s for f, s in zip(chosen["features"], chosen["s"], strict=True))
    assert len(screened) == 6


def test_an_unavailable_dataset_fills_its_cells(wine):
    records = absent_selections([{}], [2, 4], "no file; fetch it from there")
    screened = screen(np.empty((0, 0)), np.empty(0), None, "lung", records, LIGHT)
    choices = choose("lung", [{}], screened, [2, 4], budget=2, seed=1)
    evaluation = evaluate(
        np.empty((0, 0)), np.empty(0), None, "lung", records, choices, FULL, Cells()
    )
    assert {r["status"] for r in evaluation["cells"]} == {"unavailable"}
    assert {r["reason"] for r in evaluation["cells"]} == {"no file; fetch it from there"}
    assert all(v is None for r in evaluation["cells"] for v in r["values"])


def test_random_methods_use_their_fits_in_turn(wine, graph):
    X, y = wine
    records = [
        {**r, "fit_seed": seed}
        for seed in (0, 1)
        for r in select(X, 3, LAPSCORE, [{"n_neighbors": 5 + 20 * seed}], [3], {0: 7}, LIMITS)
    ]
    for record in records:
        record["settings"] = "{}"
    choices = choose("wine", [{}], [], [3], budget=1, seed=1)
    evaluation = evaluate(X, y, graph, "wine", records, choices, FULL, Cells())
    values = next(
        r["values"] for r in evaluation["cells"] if (r["choice"], r["metric"]) == ("default", "acc")
    )
    for repetition, value in enumerate(values):
        features = records[repetition % 2]["features"]
        _, expected = FULL.cluster(X[:, features], y, "wine", [repetition])
        assert value == expected["acc"][0]


def test_timing_and_resampling_record_each_repeat(wine):
    X, _ = wine
    times = time_fits(X, 3, LAPSCORE, {}, 4, 0, repeats=2, limits=LIMITS)
    assert [(r["repeat"], r["s"], r["status"]) for r in times] == [(0, 4, "ok"), (1, 4, "ok")]
    assert all(r["seconds"] > 0 for r in times)
    drawn = resample_fits(
        X, 3, LAPSCORE, {}, [2, 4], 0, resamples=[1, 2], fraction=0.5, limits=LIMITS
    )
    assert [(r["resample"], r["s"], len(r["features"])) for r in drawn] == [
        (0, 2, 2),
        (0, 4, 4),
        (1, 2, 2),
        (1, 4, 4),
    ]
    for first, second in (drawn[:2], drawn[2:]):  # equal shares of one fit
        assert first["seconds"] == second["seconds"] > 0
    broken = time_fits(X, 3, FRAGILE, {"fault": "raise"}, 2, 0, repeats=1, limits=LIMITS)
    assert broken[0]["status"] == "failed"
    assert broken[0]["seconds"] is None
