"""What a panel keeps of all features, and the classifiers of single cells and spectra."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.svm import SVC

from blufs._numerics.graph import SampleGraph
from blufs_bench.results import schemas
from blufs_bench.results.tables import read_table, write_table
from blufs_bench.results.vocabulary import METRICS
from blufs_bench.run.isolation import Limits
from blufs_bench.stages.choose import choose
from blufs_bench.stages.classification import centroid_accuracy, random_splits, svm_accuracy
from blufs_bench.stages.evaluate import Cells, evaluate
from blufs_bench.stages.panel import nearest_samples, neighbor_overlap, variance_explained
from blufs_bench.stages.protocol import Protocol
from blufs_bench.stages.scoring import Scorer
from blufs_bench.stages.screen import screen

PANEL = [key for key, metric in METRICS.items() if metric.task == "panel"]
PROTOCOL = Protocol(
    seed=1,
    n_clusterings=1,
    n_restarts=3,
    n_splits=1,
    n_neighbors=3,
    train_fraction=0.5,
    n_svm_splits=2,
    n_panel_splits=3,
)
LIMITS = Limits(60, 1e6)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_neighbours_on_a_line_are_counted_by_hand():
    X = np.array([[0.0], [1.0], [2.1], [10.0]])
    nearest = nearest_samples(X, 1)
    np.testing.assert_array_equal(nearest, [[1], [0], [1], [2]])
    other = np.array([[1], [2], [3], [2]])
    assert neighbor_overlap(nearest, other) == 0.5
    # The order of the neighbours does not matter, and more than n - 1 there are not.
    two = np.array([[1, 2], [0, 3]])
    assert neighbor_overlap(two, two[:, ::-1]) == 1
    assert nearest_samples(X, 9).shape == (4, 3)


def test_random_neighbours_overlap_by_chance():
    rng = np.random.default_rng(0)
    n, k = 400, 20
    overlap = neighbor_overlap(*(nearest_samples(rng.normal(size=(n, 5)), k) for _ in range(2)))
    assert overlap == pytest.approx(k / (n - 1), abs=0.01)


def test_a_feature_explains_its_multiples_and_nothing_else():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    b = np.concatenate([b[:200], b[:200]])
    X = np.column_stack([a, 3 * a + 7, b, -b])
    X = X / X.std(axis=0)
    # Of four columns of one variance the first tells itself and its multiple.
    np.testing.assert_allclose(variance_explained(X, [0], [1, 2, 3]), 0.5, atol=0.06)
    np.testing.assert_allclose(variance_explained(X, [0, 3], [1, 2]), 1, atol=1e-3)
    assert variance_explained(X, [0, 1, 2, 3], [1]) == [1]
    # Variance counts, not columns: a loud multiple is nearly everything.
    assert variance_explained(X * [1, 100, 1, 1], [0], [1])[0] > 0.999


def test_noise_explains_itself_alone_and_constant_data_nothing_is_left_of():
    X = np.random.default_rng(0).normal(size=(600, 10))
    assert variance_explained(X, [4], [1])[0] == pytest.approx(0.1, abs=0.03)
    assert variance_explained(X[:12] * [1, *[1e3] * 9], [0], [1])[0] == pytest.approx(0, abs=0.1)
    assert variance_explained(np.ones((6, 3)), [1], [1]) == [1]


def test_variance_is_that_of_a_regression_on_the_training_rows_only(wine):
    X, _ = wine
    (found,) = variance_explained(X, [0, 6], [5])
    ((train, test),) = random_splits(len(X), [5], 0.5)
    mean = X[train].mean(axis=0)
    Z = np.column_stack([np.ones(len(X)), X[:, [0, 6]]])
    B = np.linalg.lstsq(Z[train], X[train], rcond=None)[0]
    plain = 1 - ((X[test] - Z[test] @ B) ** 2).sum() / ((X[test] - mean) ** 2).sum()
    assert found == pytest.approx(plain, abs=0.01)


def test_svm_and_centroids_are_the_classifiers_on_the_splits(wine):
    X, y = wine
    ((train, test),) = random_splits(len(X), [4], 0.2)
    Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    expected = SVC(C=100).fit(Z[train], y[train]).score(Z[test], y[test])
    assert svm_accuracy(X * 1000 + 5, y, [4], train_fraction=0.2) == [expected]
    means = np.array([X[train][y[train] == c].mean(axis=0) for c in range(3)])
    nearest = ((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    found = centroid_accuracy(X, y, [4], train_fraction=0.2)
    assert found == [(nearest[test] == y[test]).mean()]


@pytest.mark.parametrize("accuracy", [svm_accuracy, centroid_accuracy])
def test_one_class_to_learn_from_is_the_class_of_all(accuracy):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.repeat([0, 1], [19, 1])
    known = [
        (y[train].sum(), 1 - y[test].mean()) for train, test in random_splits(20, range(9), 0.3)
    ]
    alone = [accuracy_ for ones, accuracy_ in known if not ones]
    seeds = [seed for seed, (ones, _) in enumerate(known) if not ones]
    assert accuracy(X, y, seeds, train_fraction=0.3) == pytest.approx(alone)


def test_all_features_keep_everything_and_few_keep_less(wine):
    X, y = wine
    scorer = Scorer(X, y, SampleGraph.from_data(X, 5), 3, "wine", PROTOCOL)
    everything = scorer.score("panel", range(X.shape[1]), [0, 1, 2]).values
    assert set(everything) == set(PANEL)
    assert everything["neighbor_overlap"] == everything["variance_explained"] == [1, 1, 1]
    assert min(everything["clustering_agreement"]) > 0.9  # other starts than those it is held to
    few = scorer.score("panel", [2, 3], [0, 1, 2]).values
    for metric in PANEL:
        assert max(few[metric]) < min(everything[metric])
    sparse = Scorer(sp.csr_array(X), y, scorer.graph, 3, "wine", PROTOCOL)
    assert sparse.score("panel", [2, 3], [0, 1, 2]).values == few


def test_a_suite_that_asks_has_the_measures_and_chooses_by_them(wine, tmp_path):
    X, y = wine
    graph = SampleGraph.from_data(X, 5)
    settings = [{"first": 0}, {"first": 5}]
    selections = [
        {
            "dataset": "wine",
            "method": "M",
            "setting": f'{{"first": {first}}}',
            "s": 3,
            "fit_seed": 0,
            "features": [first, first + 1, first + 2],
            "n_iter": None,
            "converged": True,
            "fit_seconds": 0.0,
            "status": "ok",
            "reason": "",
        }
        for first in (0, 5)
    ]
    screened = screen(X, y, graph, 3, selections, PROTOCOL, LIMITS)
    path = tmp_path / "screened.parquet"
    write_table(path, schemas.SCREENED, screened)
    kept = read_table(path, schemas.SCREENED)
    assert {*PANEL, "svm_accuracy"} < set(kept)
    choices = choose("wine", settings, screened, [3], budget=2, seed=0)
    for metric in (*PANEL, "svm_accuracy"):
        best = max(screened, key=lambda record: record[metric])
        assert dict(choices["oracle"][metric])[3] == best["setting"]
    records = evaluate(X, y, graph, 3, selections, choices, PROTOCOL, Cells(), LIMITS)
    counts = {r["metric"]: len(r["values"]) for r in records if r["choice"] == "default"}
    assert [counts[metric] for metric in (*PANEL, "svm_accuracy")] == [3, 3, 3, 3, 2]
    plain = dataclasses.replace(PROTOCOL, n_svm_splits=0, n_panel_splits=0)
    records = evaluate(X, y, graph, 3, selections, choices, plain, Cells(), LIMITS)
    assert {r["metric"] for r in records}.isdisjoint([*PANEL, "svm_accuracy"])


def test_data_beyond_memory_have_no_panel_and_it_says_what_to_do(wine):
    X, y = wine
    scorer = Scorer(X, y, SampleGraph.from_data(X, 5), 3, "wine", PROTOCOL)
    scorer.reference = None  # as where the data are read in chunks
    with pytest.raises(ValueError, match="leave n_panel_splits out"):
        scorer.score("panel", [0, 1], [0])
