"""Targets and picture of the kept suites, from a leaderboard with known numbers."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from benchmarks.publish import overview, targets
from benchmarks.publish.kept import Kept
from blufs_bench.results.vocabulary import METRICS


class Known(Kept):
    """BLUFS is ahead of MCFS and random features, except by rank in k-NN accuracy."""

    def __init__(self, p_value=0.01, found=(2, 2, 2)):
        self.p_value, self.found = p_value, found
        self.folder = Path("kept nowhere")

    def view(self, metric, choice, domain="all"):
        means = {"default": 0.60, "blind": 0.61, "oracle": 0.63, "oracle_equal_budget": 0.62}
        own = {"rank": 1.2 if metric != "knn_accuracy" else 1.9, "mean": means[choice]}
        rows = {
            "BLUFS": {**own, "gain": 8.0, "low": 5.0, "high": 11.0, "wins": 9, "n_datasets": 10},
            "MCFS": {"rank": 1.8, "mean": 0.55, "gain": 3.0, "low": -1.0, "high": 7.0},
            "AllFeatures": {"rank": None, "mean": 0.5, "gain": -2.0, "low": -4.0, "high": 0.0},
            "RandomFeatures": {"rank": 3.0, "mean": 0.52, "gain": None, "low": None, "high": None},
        }
        pairs = [
            {"method": "BLUFS", "other": "MCFS", "p_value": self.p_value},
            {"method": "MCFS", "other": "RandomFeatures", "p_value": 0.5},
            {"method": "RandomFeatures", "other": "BLUFS", "p_value": 0.002},
        ]
        if domain == "text":
            rows["MCFS"]["mean"] = 0.99
        return {"methods": rows, "pairs": pairs, "datasets": list("abcdefghij")}

    def domains(self, metric, choice):
        return ["image", "text"]

    def scores(self, metric, choice):
        values = {"oracle": [0.7, 0.5], "oracle_equal_budget": [0.6, 0.9]}[choice]
        names = self.view(metric, choice)["datasets"]
        scores = pd.DataFrame({"BLUFS": 0.0}, index=[*names, "not compared"])
        scores.loc[["a", "b"], "BLUFS"] = values
        scores.loc["not compared"] = 1.0
        return scores

    def table(self, name):
        assert name == "synthetic"
        rows = [("BLUFS", choice, n, 2) for choice in ("default", "blind") for n in self.found]
        return pd.DataFrame(rows, columns=["method", "choice", "found", "of"])


def outcome(suite, kept):
    return {target.name.split(": ")[1]: target for target in suite(kept)}


def test_wide_is_first_except_where_another_method_has_the_better_rank():
    found = outcome(targets.wide, Known())
    places = {
        m.short: found[f"place of BLUFS by average rank, {m.short}"] for m in METRICS.values()
    }
    assert {short: place.value for short, place in places.items()} == {
        "ACC": 1,
        "NMI": 1,
        "k-NN": 2,
        "Forest": 1,
    }
    assert [short for short, place in places.items() if not place.is_met] == ["k-NN"]


def test_wide_takes_the_largest_p_value_of_blufs_in_either_order():
    name = "largest p of BLUFS against another method, ACC"
    assert outcome(targets.wide, Known())[name].value == pytest.approx(0.01)
    assert outcome(targets.wide, Known())[name].is_met
    missed = outcome(targets.wide, Known(p_value=0.3))[name]
    assert missed.row() == [missed.name, "<= 0.05", "0.3", "**no**"]


def test_wide_counts_wins_and_points():
    found = outcome(targets.wide, Known())
    assert found["% of datasets on which BLUFS beats random features, ACC"].value == 90
    assert found["ACC of blind above default, points"].value == pytest.approx(1)
    assert found["ACC of oracle above blind, points"].value == pytest.approx(2)


def test_wide_counts_the_domains_in_which_blufs_is_ahead_of_simple_methods():
    name = "domains in which BLUFS is at or above MCFS, variance and random, %"
    assert outcome(targets.wide, Known())[name].value == 50


def test_paper_says_where_an_oracle_of_fewer_settings_chose_better():
    reason = outcome(targets.paper, Known())["mean ACC of BLUFS, oracle"].reason
    assert "better on b (+40.0)." in reason
    assert reason.endswith(f"the two is {100 * (0.7 + 0.9) / 10:.2f}")


def test_paper_asks_for_every_real_feature_on_every_set():
    name = "% of the real features found on each synthetic set, blind"
    assert outcome(targets.paper, Known())[name].is_met
    assert outcome(targets.paper, Known(found=(2, 1, 2)))[name].value == 50


def test_the_picture_shows_every_method_but_random_features_best_first():
    figure = overview.draw(Known())
    panels = figure.axes
    assert [axes.get_title() for axes in panels] == [METRICS[m].title for m in overview.SHOWN]
    labels = [label.get_text() for label in panels[0].get_yticklabels()]
    assert labels == ["AllFeatures", "MCFS", "BLUFS"]
    gains = [line.get_xdata()[0] for line in panels[0].lines if line.get_marker() == "o"]
    assert gains == [-2.0, 3.0, 8.0]
    plt.close(figure)
