"""Choosing without labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from blufs import BLUFS, LapScore, SampleGraph
from blufs.evaluation.criteria import graph_cohesion, label_free_criteria
from blufs.evaluation.pick import DEFAULT_CRITERION, choose_blind
from blufs.tuning import tune


@pytest.fixture(scope="module")
def blobs():
    """120 samples in 4 well separated clusters of two features, and 10 features of noise."""
    X, y = make_blobs(120, 2, centers=[[-9, -9], [-9, 9], [9, -9], [9, 9]], random_state=0)
    return np.hstack([X, np.random.default_rng(0).standard_normal((120, 10))]), y


def test_cohesion_is_the_trace_of_the_scaled_indicators():
    rng = np.random.default_rng(0)
    graph = SampleGraph.from_data(rng.standard_normal((30, 2)), 4)
    labels = rng.integers(3, size=30)
    E = np.eye(3)[labels] / np.sqrt(np.bincount(labels))
    expected = np.trace(E.T @ graph.normalized.toarray() @ E) / 3
    assert graph_cohesion(graph, labels) == pytest.approx(expected)
    gaps = np.array([10, 20, 40])[labels]
    assert graph_cohesion(graph, gaps) == pytest.approx(expected)


def test_cohesion_is_one_where_nothing_is_cut():
    block = np.ones((4, 4)) - np.eye(4)
    graph = SampleGraph(sp.block_diag([block, block], format="csr"))
    assert graph_cohesion(graph, np.repeat([0, 1], 4)) == pytest.approx(1)
    assert graph_cohesion(graph, np.tile([0, 1], 4)) < 0.5


def test_criteria_prefer_the_true_clusters(blobs):
    X, y = blobs
    graph = SampleGraph.from_data(X, 10)
    true = label_free_criteria(X, graph, np.array([0, 1]), [y, y])
    shuffled = label_free_criteria(
        X, graph, np.array([2, 3]), [np.random.default_rng(0).permutation(y)]
    )
    assert DEFAULT_CRITERION in true
    assert all(true[name] > shuffled[name] + 0.1 for name in true)


def test_choose_blind_takes_the_best_row_and_the_first_on_ties():
    rows = [{"s": s, "criterion_cohesion": v} for s, v in enumerate([0.2, np.nan, 0.9, 0.9])]
    assert choose_blind(rows, "cohesion") is rows[2]
    plain = [{"cohesion": 1.0}, {"cohesion": 2.0}]
    assert choose_blind(plain, "cohesion") is plain[1]
    with pytest.raises(KeyError, match="silhouette"):
        choose_blind(rows, "silhouette")
    with pytest.raises(ValueError, match="no row"):
        choose_blind([])
    with pytest.raises(ValueError, match="no row"):
        choose_blind([{"cohesion": np.nan}], "cohesion")


def test_tune_returns_the_fitted_choice(blobs):
    X, _ = blobs
    grid = {"alpha": [0.01, 10.0], "lam": [0.01, 10.0]}
    selector, table = tune(BLUFS(n_clusters=4), X, grid, [2, 6], 4, n_runs=2)
    assert len(table) == 8
    best = choose_blind(table)
    assert selector.get_params()["alpha"] == best["settings"]["alpha"]
    assert set(np.flatnonzero(selector.support_)) == set(best["features"])
    assert {0, 1} <= set(best["features"])


def test_tune_works_for_any_method_and_parameter(blobs):
    X, _ = blobs
    selector, table = tune(LapScore(), X, {"n_neighbors": [5, 10]}, [2], 4, n_runs=1)
    assert [row["settings"] for row in table] == [{"n_neighbors": 5}, {"n_neighbors": 10}]
    assert selector.support_.sum() == 2
