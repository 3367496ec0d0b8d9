"""Clustering and classification of a selection, and the seeds they use."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.neighbors import KNeighborsClassifier

from blufs._numerics.graph import SampleGraph
from blufs.metrics import cluster, graph_cohesion, score_partitions
from blufs.search import choose_blind
from blufs_bench.run.seeding import derive_seed
from blufs_bench.stages.classification import classification_accuracy, forest_accuracy


@pytest.fixture
def blobs():
    return make_blobs(120, 5, centers=4, cluster_std=0.3, random_state=0)


def test_separated_blobs_are_recovered_exactly(blobs):
    X, y = blobs
    scores = score_partitions(y, cluster(X, 4, [1, 2, 3], restarts=10))
    assert scores["clustering_acc"] == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(scores["nmi"], 1.0)


def test_equal_seeds_give_equal_partitions_and_other_seeds_others():
    X, _ = load_wine(return_X_y=True)
    first, again, other = cluster(X, 8, [5, 5, 6], restarts=1)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_more_clusters_than_distinct_points_is_scored():
    X = np.repeat(np.eye(2), 5, axis=0)
    (labels,) = cluster(X, 3, [0], restarts=2)
    assert score_partitions(np.repeat([0, 1], 5), [labels])["clustering_acc"] == [1.0]


@pytest.mark.parametrize("train_fraction", [0.5, 0.9, 0.06])
def test_classification_equals_the_classifier_on_the_same_split(train_fraction):
    X, y = load_wine(return_X_y=True)
    seeds = range(20)
    accuracies = classification_accuracy(X, y, seeds, n_neighbors=5, train_fraction=train_fraction)
    n_train = round(train_fraction * len(X))
    expected = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[:n_train], order[n_train:]
        expected.append(KNeighborsClassifier(5).fit(X[train], y[train]).score(X[test], y[test]))
    np.testing.assert_allclose(accuracies, expected, atol=1e-12)


def test_classification_searches_anew_where_all_candidates_are_test_rows():
    order = np.random.default_rng(0).permutation(440)
    train, test = order[:44], order[44:]
    # A far group whose rows are all test rows, so that their nearest rows are none to learn from.
    y = np.ones(440, dtype=int)
    y[test[-40:]] = 0
    X = 100.0 * y[:, None] + np.linspace(0, 1, 440)[:, None]
    (accuracy,) = classification_accuracy(X, y, [0], n_neighbors=1, train_fraction=0.1)
    expected = KNeighborsClassifier(1).fit(X[train], y[train]).score(X[test], y[test])
    assert accuracy == pytest.approx(expected, abs=1e-12) == pytest.approx(356 / 396)


def test_classification_of_separated_blobs_is_perfect(blobs):
    X, y = blobs
    assert classification_accuracy(X, y, [0, 1]) == [1.0, 1.0]


def test_classification_keeps_a_test_row_and_counts_classes_of_any_kind(blobs):
    X, y = blobs
    assert classification_accuracy(X, y, [0, 1], train_fraction=0.999) == [1.0, 1.0]
    names = np.array(["d", "c", "b", "a"])[y]
    for labels in (names, y - 7, y + 0.25):
        assert classification_accuracy(X, labels, [3], n_neighbors=9, train_fraction=0.2) == (
            classification_accuracy(X, y, [3], n_neighbors=9, train_fraction=0.2)
        )


@pytest.mark.parametrize(
    ("labels", "fraction", "message"),
    [
        (np.zeros(119), 0.5, "119 labels for 120 samples"),
        (np.full(120, np.nan), 0.5, "missing"),
        (np.zeros((120, 1)), 0.5, "one per sample"),
        (np.zeros(120), 1.0, "train_fraction"),
        (np.zeros(120), 0.0, "train_fraction"),
    ],
)
def test_classification_says_what_is_wrong(blobs, labels, fraction, message):
    with pytest.raises(ValueError, match=message):
        classification_accuracy(blobs[0], labels, [0], train_fraction=fraction)


@pytest.mark.parametrize("change", [lambda X: X + 1e9, lambda X: X * 1e250, lambda X: X * 1e-250])
def test_scores_do_not_depend_on_offset_and_unit(blobs, change):
    X, y = np.round(blobs[0], 3), blobs[1]
    noisy = X + np.random.default_rng(0).integers(-3000, 3000, X.shape) / 1000
    changed = change(noisy)
    expected = score_partitions(y, cluster(noisy, 4, [1], restarts=3))
    assert score_partitions(y, cluster(changed, 4, [1], restarts=3)) == expected
    assert classification_accuracy(changed, y, [0]) == classification_accuracy(noisy, y, [0])


def test_cohesion_wants_one_label_per_sample_of_the_graph(blobs):
    graph = SampleGraph.from_data(blobs[0], 5)
    assert graph_cohesion(graph, blobs[1]) == pytest.approx(1, abs=0.05)
    for labels, message in ((np.zeros(121), "121 labels"), (np.full(120, np.nan), "missing")):
        with pytest.raises(ValueError, match=message):
            graph_cohesion(graph, labels)


def test_the_blind_choice_takes_a_data_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"cohesion": [0.1, 0.9, 0.5], "name": ["a", "b", "c"]})
    assert choose_blind(frame, "cohesion")["name"] == "b"
    stays = choose_blind(frame, "cohesion", default_rows=frame[:1], margin=1.0)
    assert stays["name"] == "a"


def test_seeds_depend_on_dataset_purpose_and_repetition_only():
    seeds = {
        derive_seed(base, dataset, purpose, repetition)
        for base in (0, 1)
        for dataset in ("wine", "digits")
        for purpose in ("kmeans", "split")
        for repetition in range(3)
    }
    assert len(seeds) == 24
    assert derive_seed(0, "wine", "kmeans", 0) == 188292178


def test_a_forest_learns_what_can_be_learnt_and_nothing_else():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = np.eye(3)[y] + 0.1 * rng.standard_normal((120, 3))
    assert forest_accuracy(X, y, [1, 2], n_trees=20) == [1.0, 1.0]
    assert max(forest_accuracy(X, rng.permutation(y), [1, 2], n_trees=20)) < 0.6
    assert forest_accuracy(X, y, [3], n_trees=5) == forest_accuracy(X, y, [3], n_trees=5)
