"""A slice of the suite `wide` to the report: three datasets of three domains, all methods."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import yaml
from scipy.io import savemat

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
