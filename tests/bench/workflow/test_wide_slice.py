"""A slice of the suite `wide` to the report: three datasets of three domains, all methods."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import yaml
from scipy.io import savemat
from scipy.stats import rankdata

from tests.helpers.project_copy import ROOT, ProjectCopy

pytestmark = [pytest.mark.slow, pytest.mark.workflow]

WIDE = yaml.safe_load((ROOT / "config.yaml").read_text())["suites"]["wide"]
DOMAINS = {"few_digits": "image", "breast_cancer": "measurements", "words": "text"}
#: Does not come to an end on one of the datasets, the one with 30 features.
ENDLESS = "Endless"
METHODS = [*WIDE["methods"], ENDLESS]
RANKED = [method for method in METHODS if method != "AllFeatures"]
METRICS = ["clustering_acc", "nmi", "knn_accuracy", "forest_accuracy"]
CHOICES = ["oracle", "oracle_equal_budget", "default", "blind"]
SIZES = {"few_digits": [16, 32], "breast_cancer": [8, 15], "words": [15, 30]}

CONFIG = {
    "suite": "wide",
    "datasets": {
        "few_digits": {
            "builtin": "digits",
            "subset": {"samples": 200, "seed": 0},
            "domain": "image",
            "expect": {"n_samples": 1797, "n_features": 64, "n_classes": 10},
        },
        "words": {
            "path": "words.mat",
            "domain": "text",
            "transform": "tfidf",
            "expect": {"n_samples": 120, "n_features": 60, "n_classes": 3},
        },
    },
    "methods": {ENDLESS: {"class": "endless:Endless"}},
    "suites": {
        "wide": {
            "datasets": list(DOMAINS),
            "methods": METHODS,
            "ablation": {"methods": [], "datasets": []},
            "s_values": [0.25, 0.5],
            "s_values_by_dataset": {},
            "evaluation": {
                "n_clusterings": 2,
                "n_restarts": 1,
                "n_splits": 2,
                "n_forest_splits": 1,
                "n_trees": 10,
            },
            "limits": {"fit_seconds": 45},
        }
    },
}
ENDLESS_CODE = """
from blufs.base import BaseSelector, Solution


class Endless(BaseSelector):
    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, precomputed):
        if X.shape[1] == 30:
            while True:
                pass
        return Solution(scores=X.var(axis=0))
"""


def write_words(path):
    """Counts of 60 words in 120 texts of three topics, each rich in 10 words."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], 40)
    rates = np.full((120, 60), 0.03)
    for topic in (1, 2, 3):
        rates[np.ix_(y == topic, range(10 * topic, 10 * topic + 10))] = 0.3
    X = rng.poisson(rates).astype(float)
    X[np.arange(120), rng.integers(30, 60, 120)] += 1
    savemat(path, {"X": sp.csc_matrix(X), "y": y[:, None]})


@pytest.fixture(scope="module")
def sliced(tmp_path_factory):
    """The finished run and what it printed; the endless method makes it end with an error."""
    project = ProjectCopy.make(tmp_path_factory.mktemp("slice") / "copy")
    write_words(project.folder / "words.mat")
    (project.folder / "src/endless.py").write_text(ENDLESS_CODE)
    (project.folder / "slice.yaml").write_text(yaml.safe_dump(CONFIG))
    done = project.run(configfile="slice.yaml", check=False, timeout=3000)
    assert (project.folder / "results/wide/report.html").exists(), done.stderr[-4000:]
    return project.folder / "results/wide", done


@pytest.fixture(scope="module")
def scores(sliced):
    return pd.read_parquet(sliced[0] / "scores.parquet")


@pytest.fixture(scope="module")
def gains(sliced):
    return pd.read_csv(sliced[0] / "tables/gains.csv")


def test_every_cell_has_a_status_and_only_the_endless_method_fails(sliced, scores):
    key = ["dataset", "method", "choice", "metric", "s"]
    found = scores[scores["metric"].isin(METRICS)].groupby(key)["status"].unique()
    for dataset, sizes in SIZES.items():
        for method in RANKED:
            for s in sizes:
                slept = (dataset, method) == ("breast_cancer", ENDLESS)
                for choice in CHOICES:
                    for metric in METRICS:
                        status = list(found[dataset, method, choice, metric, s])
                        assert status == ["timeout" if slept else "ok"], (dataset, method, s)
    assert set(scores["dataset"]) == set(DOMAINS)
    assert set(scores["method"]) == set(METHODS)
    assert sliced[1].returncode != 0
    summary = (sliced[0] / "summary.txt").read_text()
    assert "timeout" in summary


def test_sparse_data_reach_the_methods_sparse(sliced):
    card = json.loads((sliced[0] / "data/words/card.json").read_text())
    assert card["sparse"]
    assert card["transform"] == "tfidf"
    assert card["density"] < 0.15


def default_means(scores, metric):
    """Mean scores at the largest s with the default settings, by hand."""
    rows = scores[(scores["metric"] == metric) & (scores["choice"] == "default")]
    largest = rows["dataset"].map({name: sizes[-1] for name, sizes in SIZES.items()})
    rows = rows[(rows["s"] == largest) & (rows["status"] == "ok")]
    means = rows.groupby(["dataset", "method"])["value"].mean().unstack()
    return means.loc[list(DOMAINS), RANKED]


@pytest.mark.parametrize("metric", METRICS)
def test_a_cell_without_result_counts_as_random_features_and_is_marked(scores, gains, metric):
    means = default_means(scores, metric)
    assert means.isna().to_numpy().sum() == 1
    assert np.isnan(means.loc["breast_cancer", ENDLESS])
    filled = means.copy()
    filled.loc["breast_cancer", ENDLESS] = means.loc["breast_cancer", "RandomFeatures"]
    ranks = np.mean([rankdata(-row.round(10)) for row in filled.to_numpy()], axis=0)
    common = means.drop("breast_cancer")
    common_ranks = np.mean([rankdata(-row.round(10)) for row in common.to_numpy()], axis=0)
    found = gains.query("metric == @metric and choice == 'default'")
    found = found.query("score == 'reported' and domain == 'all'").set_index("method")
    assert set(found.index) == set(METHODS)
    worth = 100 * filled.sub(filled["RandomFeatures"], axis=0).mean()
    for method, rank, common_rank in zip(RANKED, ranks, common_ranks, strict=True):
        row = found.loc[method]
        assert row["rank"] == pytest.approx(rank)
        assert row["common_rank"] == pytest.approx(common_rank)
        assert (row["n_datasets"], row["n_common"]) == (3, 2)
        assert row["n_imputed"] == (method == ENDLESS)
        if method != "RandomFeatures":
            assert row["gain"] == pytest.approx(worth[method])
            assert row["low"] <= row["gain"] + 1e-9
            assert row["gain"] <= row["high"] + 1e-9
            assert row["wins"] + row["ties"] + row["losses"] == 3
    assert found.loc[ENDLESS, "ties"] >= 1


def test_there_is_a_gain_of_every_method_in_every_view(gains):
    views = gains.groupby(["metric", "choice", "score", "domain"])
    assert len(views) == len(METRICS) * len(CHOICES) * 2 * (1 + len(DOMAINS))
    for _, view in views:
        assert sorted(view["method"]) == sorted(METHODS)
        assert view.set_index("method")["gain"].drop("RandomFeatures").notna().all()


def test_the_matrix_of_pairs_holds_every_pair_with_a_p_value_of_holm(sliced):
    pairs = pd.read_csv(sliced[0] / "tables/pairs.csv")
    everywhere = pairs[pairs["domain"] == "all"]
    for _, view in everywhere.groupby(["metric", "choice", "score"]):
        listed = {frozenset(pair) for pair in zip(view["method"], view["other"], strict=True)}
        assert len(view) == len(listed) == len(RANKED) * (len(RANKED) - 1) // 2
        # On three datasets the smallest p-value of one pair is 1/4; corrected for 190 pairs, 1.
        assert (view["p_value"] == 1).all()
        assert (view[["wins", "ties", "losses"]].sum(axis=1) == 3).all()
        # Who wins everywhere is ahead.
        assert (view.loc[view["wins"] == 3, "difference"] > 0).all()
        assert (view.loc[view["losses"] == 3, "difference"] < 0).all()


def test_the_statistics_hold_wilcoxon_and_say_that_three_datasets_are_too_few(sliced):
    found = json.loads((sliced[0] / "statistics.json").read_text())
    tested = found["comparisons"]["nmi"]["default"]
    assert len(tested["datasets"]) == 2  # the endless method has no score on the third
    assert set(tested["wilcoxon_holm"]) == set(tested["methods"]) == set(RANKED)
    assert all(len(row) == len(RANKED) for row in tested["wilcoxon_holm"].values())
    assert any("too few" in note for note in tested["notes"])
    view = found["views"]["nmi"]["default"]["reported"]["all"]
    assert view["has_random"]
    assert len(view["pairs"]) == len(RANKED) * (len(RANKED) - 1) // 2
    # The Bayesian test asks for five datasets.
    assert view["bayes"] == {}
    page = (sliced[0] / "report.html").read_text()
    assert "Gain over random features" in page
    assert ENDLESS in page
